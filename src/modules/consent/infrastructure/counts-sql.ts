import { type RawBuilder, sql } from 'kysely';
import { uuidLowerBound } from '../../../platform/identity/ids.js';
import { OTHER_NAME } from '../domain/consent-counts.js';

/** Largest difference between an id's time and the receipt (design §6.1); bounds the months that are read. */
const ID_APART_MAX_MS = 8 * 24 * 60 * 60 * 1000;

/** The counters, by their column names in the rollups. */
export const COUNT_COLUMNS = [
  'records',
  'asked',
  'analytics',
  'marketing',
  'preferences',
  'full_accept',
  'rejection',
  'withdrawal',
] as const;

export const COUNTS = listed((column) => column);
/** Their sums, under the same names. */
export const SUMMED = listed((column) => `sum(${column}) as ${column}`);
/** For an upsert into a rollup as `r`: existing count plus added count. */
export const ADDED = listed((column) => `${column} = r.${column} + excluded.${column}`);

function listed(write: (column: string) => string): RawBuilder<unknown> {
  return sql.raw(COUNT_COLUMNS.map(write).join(', '));
}

/** Columns of `consent_record` that the counters and their groups need. */
const COUNTED_COLUMNS = [
  'project_id',
  'received_at',
  'action',
  'hostname',
  'surface',
  'language',
  'extra',
  'analytics',
  'marketing',
  'preferences',
] as const;

const columnsOf = (row: string): RawBuilder<unknown> =>
  sql.raw(COUNTED_COLUMNS.map((column) => `${row}.${column}`).join(', '));

/** The day of a record, in UTC, in which only the last choice of a device counts. */
const dayOf = (row: string): RawBuilder<unknown> =>
  sql`date_trunc('day', ${sql.raw(row)}.received_at, 'UTC')`;

/**
 * The records `c` that match, as rows for `countsOf`. Each record counts once (`record`). Of one
 * device and day, only the last choice counts: a record adds its own choice (`choice` is 1) and takes
 * back the one before it (-1), which may have been counted earlier, in its own hour and day. A record
 * without a visitor key is a separate choice. Erased records are not found, so theirs stay counted.
 * `formerIds`: a condition on the ids of former records `p`; one of values leaves months out of the
 * plan. Imported records do not count.
 */
export function choicesOf(
  condition: RawBuilder<unknown>,
  formerIds: RawBuilder<unknown> = sql`p.id >= ${lowestId(dayOf('c'))}`,
): RawBuilder<unknown> {
  return sql`(
    with chosen as materialized (
      select c.*, (
        select p from consent_record p
        where p.project_id = c.project_id and p.visitor_key_hash = c.visitor_key_hash
          and ${formerIds} and p.received_at >= ${dayOf('c')}
          and (p.received_at, p.id) < (c.received_at, c.id)
        order by p.received_at desc, p.id desc limit 1
      ) as former
      from consent_record c where ${condition} and c.import_id is null
    )
    select ${columnsOf('chosen')}, 1 as record, 1 as choice from chosen
    union all
    select ${columnsOf('(chosen.former)')}, 0, -1 from chosen where (chosen.former).id is not null
  )`;
}

/** The same for records whose later ones are counted too: only choices that no later one replaces. */
export function lastChoicesOf(condition: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(
    select ${columnsOf('c')}, 1 as record, case when exists (
      select from consent_record n
      where n.project_id = c.project_id and n.visitor_key_hash = c.visitor_key_hash
        and n.id >= ${lowestId(dayOf('c'))} and ${dayOf('n')} = ${dayOf('c')}
        and (n.received_at, n.id) > (c.received_at, c.id)
    ) then 0 else 1 end as choice
    from consent_record c where ${condition} and c.import_id is null
  )`;
}

/** The counters over rows of `choicesOf` or `lastChoicesOf` under an alias, named like the rollup's columns. */
export function countsOf(alias: RawBuilder<unknown>): RawBuilder<unknown> {
  const asked = wasAsked(alias);
  const grants = sql`(${alias}.analytics or ${alias}.marketing or ${alias}.preferences)`;
  const choices = (condition: RawBuilder<unknown>): RawBuilder<unknown> =>
    sql`coalesce(sum(${alias}.choice) filter (where ${condition}), 0)`;
  return sql`
    sum(${alias}.record) as records,
    ${choices(asked)} as asked,
    ${choices(sql`${asked} and ${alias}.analytics`)} as analytics,
    ${choices(sql`${asked} and ${alias}.marketing`)} as marketing,
    ${choices(sql`${asked} and ${alias}.preferences`)} as preferences,
    ${choices(sql`${asked} and ((${alias}.analytics and ${alias}.marketing and ${alias}.preferences)
         or (${alias}.action = 'accept_all' and ${grants}))`)} as full_accept,
    ${choices(sql`${asked} and not ${grants} and ${alias}.action <> 'withdraw'`)} as rejection,
    ${choices(sql`${alias}.action = 'withdraw'`)} as withdrawal`;
}

/**
 * Whether the visitor got a consent request: a dismissed notice and a browser signal (GPC) are no
 * responses.
 */
function wasAsked(alias: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`(
    ${alias}.action = 'withdraw' or (${alias}.action <> 'dismiss' and ${alias}.surface is distinct from 'signal')
  )`;
}

/**
 * The hostname under which a record counts, as SQL over its hostname and the project's domains. If
 * the project lists domains, hostnames of other sites don't get their own count. Empty for records
 * without one.
 */
export function namedHostname(
  hostname: RawBuilder<unknown>,
  domains: RawBuilder<unknown>,
): RawBuilder<unknown> {
  return sql`
    case when ${hostname} is null then ''
         when ${domains} = '{}' or exists (
           select from unnest(${domains}) as d (domain)
           where ${hostname} = d.domain or right(${hostname}, length(d.domain) + 1) = '.' || d.domain
         ) then ${hostname}
         else ${OTHER_NAME} end`;
}

/**
 * The region under which a record counts, from its additional fields: an ISO 3166-1 code in
 * capitals, with its ISO 3166-2 subdivision if sent. Empty if missing or unknown (`XX` from the
 * loader, `ZZ` from others).
 */
export function namedRegion(extra: RawBuilder<unknown>): RawBuilder<unknown> {
  // Capitals of the C collation: other collations have different capitals for i.
  const code = sql`upper((${extra} ->> 'region') collate "C")`;
  return sql`
    case when ${extra} ->> 'region' is null or ${code} in ('', 'XX', 'ZZ') then ''
         when ${code} ~ '^[A-Z]{2}(-[A-Z0-9]{1,3})?$' then ${code}
         else ${OTHER_NAME} end`;
}

/**
 * The language under which a record counts: its tag in lower case. An invalid tag is an additional
 * field (ADR 37) and doesn't count under its name. Empty without one.
 */
export function namedLanguage(
  language: RawBuilder<unknown>,
  extra: RawBuilder<unknown>,
): RawBuilder<unknown> {
  return sql`
    case when ${language} is not null then lower(${language} collate "C")
         when ${extra} ->> 'language' is null then ''
         else ${OTHER_NAME} end`;
}

/**
 * A condition on the ids of records (`row`) received from `from` (inclusive) to `to` (exclusive), so
 * that only their months are read. The bounds are values: for a bound computed in the statement the
 * planner expects few rows, and also reads a week of the primary key (64 ms instead of 0.4 for
 * nothing new among 2 million records).
 */
export function idsOfReceived({ from, to }: { from: Date; to: Date }, row = 'c'): RawBuilder<boolean> {
  const [first, beyond] = [from.getTime() - ID_APART_MAX_MS, to.getTime() + ID_APART_MAX_MS].map((ms) =>
    uuidLowerBound(new Date(ms)),
  );
  return sql<boolean>`${sql.raw(row)}.id >= ${first}::uuid and ${sql.raw(row)}.id < ${beyond}::uuid`;
}

/** The smallest id that a record received at or after an instant (SQL of a timestamptz) can have. */
export function lowestId(receivedAt: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(
    lpad(to_hex((extract(epoch from ${receivedAt}) * 1000)::bigint - ${ID_APART_MAX_MS}), 12, '0') || '00000000000000000000'
  )::uuid`;
}
