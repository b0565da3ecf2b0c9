import type { ConsentRecorded } from './consent-recorded.js';

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
  for (const [name, value] of Object.entries(record.extra ?? {})) {
    if (Object.hasOwn(known, name) || name === EVIDENCE_MEMBER) continue;
    // Plain assignment of this one name would set the body's prototype.
    if (name === '__proto__')
      Object.defineProperty(known, name, { value, enumerable: true, configurable: true, writable: true });
    else known[name] = value;
  }
  return known;
}
