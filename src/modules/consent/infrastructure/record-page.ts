import { type RawBuilder, sql } from 'kysely';
import { boundedScan, type ScannedRow } from '../../../platform/database/bounded-scan.js';
import type { RecordConditions } from '../consent.hooks.js';
import type { ConsentRecorded } from '../domain/consent-recorded.js';
import type { RecordFilter } from '../domain/record-filter.js';
import { RECORD_COLUMNS } from './record-columns.js';
import { filterConditions, rangeConditions } from './record-conditions.js';

/** Selects the page of records before an id; null: the first page. */
export interface RecordPageFilter extends RecordFilter {
  id?: string;
  visitorHash?: Buffer;
  before: string | null;
  limit: number;
}

/** A page of a project's records, newest first, that also match the conditions of another module. */
export function recordPage(
  projectId: string,
  filter: RecordPageFilter,
  { conditions, ...bound }: RecordConditions,
): RawBuilder<ScannedRow<ConsentRecorded>> {
  const range = rangeConditions(projectId, filter);
  if (filter.before !== null) range.push(sql`c.id < ${filter.before}::uuid`);
  if (filter.id !== undefined) range.push(sql`c.id = ${filter.id}::uuid`);
  // This condition has its own index, ordered by id. As part of the range, it limits which rows are
  // scanned.
  if (filter.visitorHash) range.push(sql`c.visitor_hash = ${filter.visitorHash}`);
  return boundedScan<ConsentRecorded>({
    table: 'consent_record',
    columns: RECORD_COLUMNS,
    range,
    filters: [...filterConditions(filter), ...conditions],
    limit: filter.limit,
    ...bound,
  });
}

/** The number of a visitor's records. */
export function visitorRecordCount(projectId: string, visitorHash: Buffer): RawBuilder<{ records: number }> {
  return sql`
    select count(*)::int as records from consent_record
    where project_id = ${projectId} and visitor_hash = ${visitorHash}`;
}
