/** Topic of the outbox message that is written with a consent record; its subject is the consent id. */
export const CONSENT_RECORDED = 'consent.recorded';

/** A stored consent record, for other modules. */
export interface ConsentRecorded {
  id: string;
  projectId: string;
  analytics: boolean;
  marketing: boolean;
  preferences: boolean;
  action: string;
  /** The page's host; null: not sent. */
  hostname: string | null;
  /** Legacy endpoint named in the request (spec §2.2); null: none. */
  customEndpoint: string | null;
  /** Hash of the configuration that was shown; null: not sent. */
  configHash: string | null;
  language: string | null;
  surface: string | null;
  /** Additional fields, as sent; null: none. */
  extra: Record<string, unknown> | null;
  receivedAt: Date;
  /**
   * Why the record was not queued for forwarding, e.g. `off`; null: it was queued, perhaps later.
   */
  skippedReason: string | null;
  /**
   * 32 random bytes that seal the record; null: stored without. Only a record's own proof contains
   * it.
   */
  salt: Buffer | null;
}

export interface ConsentRef {
  projectId: string;
  consentId: string;
}

export function consentKey(ref: ConsentRef): string {
  return `${ref.projectId}/${ref.consentId}`;
}

/**
 * The delivery states of a record, which lists can filter by. Forwarding computes them
 * (`ConsentHooks`).
 */
export const DELIVERY_STATES = ['delivered', 'failed', 'skipped', 'pending', 'unsent'] as const;
export type DeliveryStateName = (typeof DELIVERY_STATES)[number];
