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
  /** Whether each service was accepted, by its id; null: not sent. */
  services: Record<string, boolean> | null;
  /** Additional fields, as sent; null: none. */
  extra: Record<string, unknown> | null;
  receivedAt: Date;
  /** Why the record was not queued for forwarding, e.g. `off`; null: it was queued, perhaps later. */
  skippedReason: string | null;
  /** 32 random bytes that seal the record; null: stored without. Only a record's own proof contains it. */
  salt: Buffer | null;
  /** The import that stored it; null: the service collected it. Never part of a body. */
  importId: string | null;
  /** Its id in the product from which it was imported. */
  originalId: string | null;
}

/** Longest id of an imported record in the product from which it came. */
export const ORIGINAL_ID_CHARACTERS_MAX = 200;

export interface ConsentRef {
  projectId: string;
  consentId: string;
}

export function consentKey(ref: ConsentRef): string {
  return `${ref.projectId}/${ref.consentId}`;
}

/** The delivery states of a record, which lists can filter by. Forwarding computes them (`ConsentHooks`). */
export const DELIVERY_STATES = ['delivered', 'failed', 'skipped', 'pending', 'unsent'] as const;
export type DeliveryStateName = (typeof DELIVERY_STATES)[number];

/** Version of the body; adding fields does not change it (spec §9). */
const BODY_SCHEMA_VERSION = 1;

/** Member of a forwarded body that isn't part of the record. */
export const EVIDENCE_MEMBER = 'evidence';

/**
 * A record as forwarded and as sealed (spec §2.1, design §6.1). Additional fields never replace
 * known ones.
 */
export function recordBody(record: ConsentRecorded): Record<string, unknown> {
  const known: Record<string, unknown> = {
    schemaVersion: BODY_SCHEMA_VERSION,
    id: record.id,
    projectId: record.projectId,
    analytics: record.analytics,
    marketing: record.marketing,
    preferences: record.preferences,
    action: record.action,
    hostname: record.hostname,
    receivedAt: record.receivedAt.toISOString(),
  };
  // Absent if the banner did not send them: in an older record, these names are additional fields.
  if (record.configHash !== null) known.configHash = record.configHash;
  if (record.language !== null) known.language = record.language;
  if (record.surface !== null) known.surface = record.surface;
  if (record.services !== null) known.services = record.services;
  for (const [name, value] of Object.entries(record.extra ?? {})) {
    if (Object.hasOwn(known, name) || name === EVIDENCE_MEMBER) continue;
    // Plain assignment of this one name would set the body's prototype.
    if (name === '__proto__')
      Object.defineProperty(known, name, { value, enumerable: true, configurable: true, writable: true });
    else known[name] = value;
  }
  return known;
}
