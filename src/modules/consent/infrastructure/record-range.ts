import { uuidLowerBound } from '../../../platform/identity/ids.js';
import { CONSENT_ID_AGE_MAX_MS, CONSENT_ID_AHEAD_MAX_MS } from '../domain/consent-input.js';

/*
 * A record's id contains its creation time in the banner, which may differ from the receipt within
 * the bounds that the ingest accepts. These bounds on the id let PostgreSQL skip the partitions of
 * other months.
 */

/** No record that was received at this instant or later has a lower id. */
export function lowestIdReceivedAt(instant: Date): string {
  return uuidLowerBound(new Date(instant.getTime() - CONSENT_ID_AGE_MAX_MS));
}

/** Every record that was received at this instant or earlier has a lower id. */
export function lowestIdReceivedAfter(instant: Date): string {
  return uuidLowerBound(new Date(instant.getTime() + CONSENT_ID_AHEAD_MAX_MS + 1));
}
