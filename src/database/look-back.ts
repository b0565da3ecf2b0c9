import { type RawBuilder, sql } from 'kysely';
import { uuidTimeMs } from '../shared/ids.js';
import { cursorOf, type Page } from '../shared/page.js';

/**
 * Rows that one request for a page looks at where a filter matches few or none: without a bound, one page of a
 * filter that matches nothing read a whole project (2.1 s for a million records; 20,000 take about 15 ms).
 */
export const LOOKED_AT_MAX = 20_000;

const LOWEST_UUID = '00000000-0000-0000-0000-000000000000';

/** What to look through: a table `c` whose primary key is (project_id, id), `id` being a UUIDv7. */
export interface LookBack {
  table: string;
  /** SQL of the columns, over `c`; `id` is among them. */
  columns: RawBuilder<unknown>;
  /** Conditions on the primary key, which say where to look. */
  range: RawBuilder<unknown>[];
  /** Conditions on anything else, which say what counts as found. */
  filters: RawBuilder<unknown>[];
  /** Rows that a page shows. */
  limit: number;
  /** Rows that one request looks at where looking at one takes longer than reading it; absent: `LOOKED_AT_MAX`. */
  lookedAtMax?: number;
}

/** A page, and how far back it was looked for it. */
export interface LookedPage<Item> extends Page<Item> {
  /**
   * This page and the previous ones have scanned everything from here on; `nextCursor` continues further back. null:
   * the scan reached the end.
   */
  searchedTo: Date | null;
}

/** A row of `lookBack`: columns of what was found, all null where nothing was. */
export type LookedRow<Row> = (Row | { [Column in keyof Row]: null }) & { lookedTo: string | null };

/** The newest rows that match, among the newest of the range that are looked at; for `pageOfLook`. */
export function lookBack<Row>(look: LookBack): RawBuilder<LookedRow<Row>> {
  const table = sql.table(look.table);
  const range = sql.join(look.range, sql` and `);
  const end =
    look.filters.length === 0
      ? sql`null::uuid`
      : sql`(select c.id from ${table} c where ${range} order by c.id desc offset ${(look.lookedAtMax ?? LOOKED_AT_MAX) - 1} limit 1)`;
  return sql<LookedRow<Row>>`
    with look as materialized (select ${end} as looked_to),
    found as materialized (
      select ${look.columns} from ${table} c
      where ${sql.join([...look.range, ...look.filters], sql` and `)}
        and c.id >= coalesce((select looked_to from look), ${LOWEST_UUID}::uuid)
      order by c.id desc
      limit ${look.limit + 1}
    )
    select look.looked_to as "lookedTo", found.* from look left join found on true order by found.id desc
  `;
}

/** Makes a page of the rows that `lookBack` gave. */
export function pageOfLook<Row extends { id: string }, Item>(
  rows: LookedRow<Row>[],
  limit: number,
  toItem: (row: Row) => Item,
): LookedPage<Item> {
  const found = rows.filter((row): row is Row & { lookedTo: string | null } => row.id !== null);
  const last = found.length > limit ? (found[limit - 1]?.id ?? null) : (rows[0]?.lookedTo ?? null);
  return {
    items: found.slice(0, limit).map((row) => toItem(withoutLook(row))),
    nextCursor: last && cursorOf(last),
    searchedTo: last === null ? null : new Date(uuidTimeMs(last)),
  };
}

function withoutLook<Row>({ lookedTo: _lookedTo, ...row }: Row & { lookedTo: string | null }): Row {
  return row as Row;
}
