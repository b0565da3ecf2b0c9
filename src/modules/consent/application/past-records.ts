import type { EntityManager } from '@mikro-orm/postgresql';
import { ensurePartitions } from '../../../platform/database/partitions.js';
import { monthStart } from '../../../platform/time/instant.js';
import { CONSENT_RECORDS } from '../infrastructure/consent.partitions.js';
import { insertRecords, type PastRecord } from '../infrastructure/past-record.rows.js';
import { recount } from './consent.rollup.js';

/** Past months for which missing partitions are created. */
const MONTHS_BACK = 3;

/** Creates the partitions that `insertPastRecords` needs, outside its transaction. */
export async function preparePast(em: EntityManager, now: Date): Promise<void> {
  await ensurePartitions(em, CONSENT_RECORDS, { from: monthStart(now, -MONTHS_BACK), to: now });
}

/** Stores records of past days, without forwarding them, and recounts the project's records. */
export async function insertPastRecords(
  tx: EntityManager,
  projectId: string,
  records: PastRecord[],
): Promise<void> {
  await insertRecords(tx, projectId, records);
  await recount(tx, projectId);
}
