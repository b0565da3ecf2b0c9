import type { ConsentRecorded } from '../../consent/domain/consent-recorded.js';
import { CONSENT_ID_HEADER, FORWARDER_USER_AGENT, PROJECT_ID_HEADER } from '../../shared/brand.js';

/** Version of the body; it may gain fields without a new number (spec §9). */
export const BODY_SCHEMA_VERSION = 1;

/** Header names and values in turn, as they are written. */
export type HeaderList = string[];

/**
 * The headers of spec §4.1, and `webhook-id`: the consent id on every attempt, for receivers to drop repeats.
 * `bearerToken` is null where the mode is "No auth" or the endpoint came with the request.
 */
export function outboundHeaders(record: ConsentRecorded, bearerToken: string | null): HeaderList {
  return [
    ...(bearerToken === null ? [] : ['Authorization', `Bearer ${bearerToken}`]),
    ...[PROJECT_ID_HEADER, record.projectId],
    ...[CONSENT_ID_HEADER, record.id],
    ...['User-Agent', FORWARDER_USER_AGENT],
    ...['Content-Type', 'application/json'],
    ...['Accept-Encoding', 'identity'],
    ...['webhook-id', record.id],
  ];
}

/** The forwarded record (spec §2.1, design §6.1): additional fields lie beside the known ones, never over them. */
export function outboundBody(record: ConsentRecorded): string {
  const known = {
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
  const additional = Object.entries(record.extra ?? {}).filter(([name]) => !Object.hasOwn(known, name));
  return JSON.stringify({ ...known, ...Object.fromEntries(additional) });
}
