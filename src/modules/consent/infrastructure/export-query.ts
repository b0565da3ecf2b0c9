import { type RawBuilder, sql } from 'kysely';
import type { ExportSelection, RecordCounts } from '../domain/record-filter.js';
import { filterConditions, rangeConditions } from './record.rows.js';

/** The ids that one query reads: after an id, up to another one; null: unbounded. */
export interface ExportRange {
  afterId: string | null;
  scannedTo: string | null;
}

/** A selection, with the conditions of its delivery filter on a record `c`. */
export interface SelectedRecords {
  selection: ExportSelection;
  delivery: RawBuilder<unknown>[];
}

/** How many records a selection has, by choice and by allowed category. */
export function exportCounts(selected: SelectedRecords): RawBuilder<RecordCounts> {
  return sql`
    select count(*) as records, count(*) filter (where action = 'accept_all') as accept_all,
           count(*) filter (where action = 'reject_all') as reject_all,
           count(*) filter (where action = 'custom') as custom,
           count(*) filter (where action = 'withdraw') as withdraw,
           count(*) filter (where analytics) as analytics, count(*) filter (where marketing) as marketing,
           count(*) filter (where preferences) as preferences
    from ${selectedRecords(selected)}`;
}

/** The members of the additional fields that a PDF shows, shortened. */
const SHOWN_EXTRA = sql`jsonb_build_object('region', left(extra ->> 'region', 12),
                                           'bannerVersion', left(extra ->> 'bannerVersion', 40))`;

/** The instant in the id of an imported record, as text: its first 48 bits are milliseconds since 1970. */
const givenAt = sql`
  to_char(to_timestamp(('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint / 1000.0) at time zone 'UTC',
          'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** Every column is text in the format of the file, so nothing is parsed and formatted again. */
export function exportBatch(
  selected: SelectedRecords,
  range: ExportRange,
  { limit, onlyShown = false }: { limit: number; onlyShown?: boolean },
): RawBuilder<unknown> {
  return sql`
    select id::text, to_char(received_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), analytics::text,
           marketing::text, preferences::text, action, coalesce(hostname, ''),
           coalesce(config_hash, ''), coalesce(language, ''), coalesce(surface, ''), coalesce(${onlyShown ? SHOWN_EXTRA : sql`extra`}::text, ''),
           coalesce(services::text, ''),
           case when import_id is null then '' else ${givenAt} end, coalesce(import_id::text, ''), coalesce(original_id, '')
    from ${selectedRecords(selected, range)}
    order by c.id -- not the text that is selected under this name
    limit ${limit}`;
}

/** The id of the record that follows `scannedMax` records of the period after an id, matching or not. */
export function endOfScan(
  { projectId, from, to }: ExportSelection,
  { afterId, scannedMax }: { afterId: string | null; scannedMax: number },
): RawBuilder<{ id: string }> {
  const period = and(...rangeConditions(projectId, { from, to }), ...idBounds({ afterId, scannedTo: null }));
  return sql`select c.id from consent_record c where ${period} order by c.id offset ${scannedMax} limit 1`;
}

/** Whether the selection has other filters than the period: the next match may then be far away. */
export function isFiltered({ selection, delivery }: SelectedRecords): boolean {
  return delivery.length > 0 || filterConditions({ ...selection, from: undefined, to: undefined }).length > 0;
}

/** The records of a selection, as a table `c` with its conditions. */
function selectedRecords(
  { selection, delivery }: SelectedRecords,
  range: ExportRange = { afterId: null, scannedTo: null },
): RawBuilder<unknown> {
  const conditions = and(
    ...rangeConditions(selection.projectId, selection),
    ...filterConditions(selection),
    ...idBounds(range),
    // Last, because it costs a lookup for each record.
    ...delivery,
  );
  return sql`consent_record c where ${conditions}`;
}

function idBounds({ afterId, scannedTo }: ExportRange): RawBuilder<unknown>[] {
  const bounds: RawBuilder<unknown>[] = [];
  if (afterId !== null) bounds.push(sql`c.id > ${afterId}::uuid`);
  if (scannedTo !== null) bounds.push(sql`c.id <= ${scannedTo}::uuid`);
  return bounds;
}

function and(...conditions: RawBuilder<unknown>[]): RawBuilder<unknown> {
  return sql.join(conditions, sql` and `);
}
