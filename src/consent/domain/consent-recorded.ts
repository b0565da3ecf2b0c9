/** Topic of the outbox message that is written with a consent record; its subject is the consent id. */
export const CONSENT_RECORDED = 'consent.recorded';

/** A stored consent record, as other modules see it. */
export interface ConsentRecorded {
  id: string;
  projectId: string;
  analytics: boolean;
  marketing: boolean;
  preferences: boolean;
  action: string;
  /** The page's host; null where the banner did not tell it. */
  hostname: string | null;
  /** Legacy endpoint that came with the request (spec §2.2); null where none did. */
  customEndpoint: string | null;
  /** What was on the screen; null where the banner did not tell it. */
  configHash: string | null;
  language: string | null;
  surface: string | null;
  /** Additional fields, as given; null where there are none. */
  extra: Record<string, unknown> | null;
  receivedAt: Date;
  /** Why nobody was told of it when it was stored, e.g. `off`; null where somebody was, or has been since. */
  unannounced: string | null;
  /** 32 random bytes with which it is sealed; null where it was stored without. Never shown beside other records. */
  salt: Buffer | null;
}

export interface ConsentRef {
  projectId: string;
  consentId: string;
}

export function consentKey(ref: ConsentRef): string {
  return `${ref.projectId}/${ref.consentId}`;
}

/** What can have become of a record, as the list of records is filtered by it; who follows records knows (`ConsentEvents`). */
export const DELIVERY_STATES = ['delivered', 'failed', 'skipped', 'pending', 'unsent'] as const;
export type DeliveryStateName = (typeof DELIVERY_STATES)[number];
