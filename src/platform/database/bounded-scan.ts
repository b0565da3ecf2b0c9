import { type RawBuilder, sql } from 'kysely';
import { uuidTimeMs } from '../identity/ids.js';
import { encodeCursor, type Page } from '../export/page.js';

/**
 * Rows scanned for one page if a filter matches few or none: without a bound, one page of a filter
 * that matches nothing read a whole project (2.1 s for a million records; 20,000 take about 15 ms).
 */
export const SCANNED_ROWS_MAX = 20_000;

const LOWEST_UUID = '00000000-0000-0000-0000-000000000000';

/** A table `c` to scan, whose primary key is (project_id, id), `id` being a UUIDv7. */
export interface BoundedScan {
  table: string;
  /** SQL of the columns, over `c`, including `id`. */
  columns: RawBuilder<unknown>;
  /** Conditions on the primary key, which limit the range. */
  range: RawBuilder<unknown>[];
  /** Conditions on anything else, which decide whether a row matches. */
  filters: RawBuilder<unknown>[];
  /** Rows of a page. */
  limit: number;
  /**
   * Rows scanned for one page if checking one takes longer than reading it; absent:
   * `SCANNED_ROWS_MAX`.
   */
  scannedMax?: number;
}

/** A page, with the position that the scan reached. */
export interface ScannedPage<Item> extends Page<Item> {
  /**
   * This page and the previous ones have scanned everything from here on; `nextCursor` continues further back. null:
   * the scan reached the end.
   */
  searchedTo: Date | null;
}

/** A row of `boundedScan`: columns of a match, all null without one. */
export type ScannedRow<Row> = (Row | { [Column in keyof Row]: null }) & { scannedTo: string | null };

/** The newest matching rows among the newest scanned rows of the range; for `toScannedPage`. */
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

/** Converts the rows of `boundedScan` to a page. */
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
