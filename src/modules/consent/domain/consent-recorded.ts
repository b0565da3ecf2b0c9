/** Topic of the outbox message that is written with a consent record; its subject is the consent id. */
export const CONSENT_RECORDED = 'consent.recorded';

/** A stored consent record, as other modules read it. */
export interface ConsentRecorded {
  id: string;
  projectId: string;
  analytics: boolean;
  marketing: boolean;
  preferences: boolean;
  action: string;
  /** The page's host; null where the banner did not send it. */
  hostname: string | null;
  /** Legacy endpoint that came with the request (spec §2.2); null where none did. */
  customEndpoint: string | null;
  /** What was on the screen; null where the banner did not send it. */
  configHash: string | null;
  language: string | null;
  surface: string | null;
  /** Additional fields, as given; null where there are none. */
  extra: Record<string, unknown> | null;
  receivedAt: Date;
  /** Why the record was not queued for forwarding, e.g. `off`; null where it was, then or later. */
  skippedReason: string | null;
  /** 32 random bytes with which it is sealed; null where it was stored without. Only a record's own proof shows it. */
  salt: Buffer | null;
}

export interface ConsentRef {
  projectId: string;
  consentId: string;
}

export function consentKey(ref: ConsentRef): string {
  return `${ref.projectId}/${ref.consentId}`;
}

/** The states of a record's delivery, by which records can be filtered. Forwarding reads them (`ConsentHooks`). */
export const DELIVERY_STATES = ['delivered', 'failed', 'skipped', 'pending', 'unsent'] as const;
export type DeliveryStateName = (typeof DELIVERY_STATES)[number];
