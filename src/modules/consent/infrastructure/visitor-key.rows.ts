import { sql } from 'kysely';
import { constantSql } from '../../../platform/database/compile-sql.js';
import type { Reads } from '../../../platform/database/prepared-reads.js';
import type { ConsentRecorded } from '../domain/consent-recorded.js';
import { RECORD_COLUMNS } from './record-columns.js';

/** Records in one response to a visitor, the newest. A person creates a few a year. */
export const KEY_RECORDS_MAX = 100;

/**
 * The newest records of a visitor's key, newest first, one more than `KEY_RECORDS_MAX` if there are
 * more. Statement and index are the same with or without records, so the response time doesn't
 * reveal whether a key exists.
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
  text: constantSql(sql`
    select ${RECORD_COLUMNS}
    from consent_record c where c.project_id = $1::uuid and c.visitor_key_hash = $2::bytea
    order by c.id desc limit ${sql.lit(KEY_RECORDS_MAX + 1)}`),
};
