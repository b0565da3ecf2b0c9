import type { Reads } from '../../database/prepared-reads.js';
import type { ConsentRecorded } from '../domain/consent-recorded.js';

/** Records of one key that she is shown, the newest; a person makes some in a year. */
export const KEY_RECORDS_MAX = 100;

/**
 * The newest records of a visitor's key, newest first, and one more where there is one: by the same statement and the same index whether there are any
 * or not, so that a wrong key is answered as one that nobody has.
 */
export function recordsOfKey(
  reads: Reads,
  projectId: string,
  visitorKeyHash: Buffer,
): Promise<ConsentRecorded[]> {
  return reads.rows<ConsentRecorded>(RECORDS, [projectId, visitorKeyHash]);
}

const RECORDS = {
  name: 'consent-records-of-key',
  text: `
    select c.id, c.project_id as "projectId", c.analytics, c.marketing, c.preferences, c.action, c.hostname,
           c.custom_endpoint as "customEndpoint", c.extra, c.received_at as "receivedAt", c.unannounced,
           c.config_hash as "configHash", c.language, c.surface, c.salt
    from consent_record c where c.project_id = $1::uuid and c.visitor_key_hash = $2::bytea
    order by c.id desc limit ${KEY_RECORDS_MAX + 1}`,
};
