import { sql } from 'kysely';
import { constantSql } from '../../database/compile-sql.js';
import type { Reads } from '../../database/prepared-reads.js';
import type { ConsentRecorded } from '../domain/consent-recorded.js';
import { RECORD_COLUMNS } from './record-columns.js';

/** Records that a visitor gets in one response, the newest. A person makes a few a year. */
export const KEY_RECORDS_MAX = 100;

/**
 * The newest records of a visitor's key, newest first, one more than `KEY_RECORDS_MAX` where there are more. The statement
 * and the index are the same whether there are any or not, so the response time doesn't reveal whether a key exists.
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
