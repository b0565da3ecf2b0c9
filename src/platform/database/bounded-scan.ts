import { type RawBuilder, sql } from 'kysely';
import { uuidTimeMs } from '../shared/ids.js';
import { encodeCursor, type Page } from '../shared/page.js';

/**
 * Rows that one request for a page looks at where a filter matches few or none: without a bound, one page of a
 * filter that matches nothing read a whole project (2.1 s for a million records; 20,000 take about 15 ms).
 */
export const SCANNED_ROWS_MAX = 20_000;

const LOWEST_UUID = '00000000-0000-0000-0000-000000000000';

/** What to look through: a table `c` whose primary key is (project_id, id), `id` being a UUIDv7. */
export interface BoundedScan {
  table: string;
  /** SQL of the columns, over `c`; `id` is among them. */
  columns: RawBuilder<unknown>;
  /** Conditions on the primary key, which limit the range. */
  range: RawBuilder<unknown>[];
  /** Conditions on anything else, which decide whether a row matches. */
  filters: RawBuilder<unknown>[];
  /** Rows that a page shows. */
  limit: number;
  /** Rows that one request looks at where looking at one takes longer than reading it; absent: `SCANNED_ROWS_MAX`. */
  scannedMax?: number;
}

/** A page, and how far back it was looked for it. */
export interface ScannedPage<Item> extends Page<Item> {
  /**
   * This page and the previous ones have scanned everything from here on; `nextCursor` continues further back. null:
   * the scan reached the end.
   */
  searchedTo: Date | null;
}

/** A row of `boundedScan`: columns of what was found, all null where nothing was. */
export type ScannedRow<Row> = (Row | { [Column in keyof Row]: null }) & { scannedTo: string | null };

/** The newest rows that match, among the newest of the range that are looked at; for `toScannedPage`. */
export function boundedScan<Row>(scan: BoundedScan): RawBuilder<ScannedRow<Row>> {
  const table = sql.table(scan.table);
  const range = sql.join(scan.range, sql` and `);
  const end =
    scan.filters.length === 0
      ? sql`null::uuid`
      : sql`(select c.id from ${table} c where ${range} order by c.id desc offset ${(scan.scannedMax ?? SCANNED_ROWS_MAX) - 1} limit 1)`;
  return sql<ScannedRow<Row>>`
    with bound as materialized (select ${end} as scanned_to),
    found as materialized (
      select ${scan.columns} from ${table} c
      where ${sql.join([...scan.range, ...scan.filters], sql` and `)}
        and c.id >= coalesce((select scanned_to from bound), ${LOWEST_UUID}::uuid)
      order by c.id desc
      limit ${scan.limit + 1}
    )
    select bound.scanned_to as "scannedTo", found.* from bound left join found on true order by found.id desc
  `;
}

/** Makes a page of the rows that `boundedScan` gave. */
export function toScannedPage<Row extends { id: string }, Item>(
  rows: ScannedRow<Row>[],
  limit: number,
  toItem: (row: Row) => Item,
): ScannedPage<Item> {
  const found = rows.filter((row): row is Row & { scannedTo: string | null } => row.id !== null);
  const last = found.length > limit ? (found[limit - 1]?.id ?? null) : (rows[0]?.scannedTo ?? null);
  return {
    items: found.slice(0, limit).map((row) => toItem(withoutScannedTo(row))),
    nextCursor: last && encodeCursor(last),
    searchedTo: last === null ? null : new Date(uuidTimeMs(last)),
  };
}

function withoutScannedTo<Row>({ scannedTo: _scannedTo, ...row }: Row & { scannedTo: string | null }): Row {
  return row as Row;
}
