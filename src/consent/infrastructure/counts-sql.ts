import { type RawBuilder, sql } from 'kysely';
import { uuidLowerBound } from '../../shared/ids.js';
import { OTHER_NAME } from '../domain/consent-counts.js';

/** Ids may be older or newer than the receipt by so much (design §6.1); it bounds the months that are read. */
const ID_APART_MAX_MS = 8 * 24 * 60 * 60 * 1000;

/** The columns of what is counted, as the rollups have them. */
export const COUNT_COLUMNS = [
  'records',
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
/** Of an insert into a rollup as `r`: what is there and what is added. */
export const ADDED = listed((column) => `${column} = r.${column} + excluded.${column}`);

function listed(write: (column: string) => string): RawBuilder<unknown> {
  return sql.raw(COUNT_COLUMNS.map(write).join(', '));
}

/** What is counted, over the rows of `consent_record` under an alias; the names are those of the rollup's columns. */
export function countsOf(alias: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    count(*) as records,
    count(*) filter (where ${alias}.analytics) as analytics,
    count(*) filter (where ${alias}.marketing) as marketing,
    count(*) filter (where ${alias}.preferences) as preferences,
    count(*) filter (
      where (${alias}.analytics and ${alias}.marketing and ${alias}.preferences)
         or (${alias}.action = 'accept_all' and (${alias}.analytics or ${alias}.marketing or ${alias}.preferences))
    ) as full_accept,
    count(*) filter (
      where not (${alias}.analytics or ${alias}.marketing or ${alias}.preferences) and ${alias}.action <> 'withdraw'
    ) as rejection,
    count(*) filter (where ${alias}.action = 'withdraw') as withdrawal`;
}

/**
 * The hostname under which a record counts, as SQL over its hostname and the project's domains: where the project
 * lists domains, another site's name is not one to be kept. Empty where the banner told none.
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
 * The region under which a record counts, of its additional fields: a code of ISO 3166-1 in capitals, with its part of
 * ISO 3166-2 where that is told. Empty where none is told, or that it is not known (`XX` by the loader, `ZZ` by others).
 */
export function namedRegion(extra: RawBuilder<unknown>): RawBuilder<unknown> {
  // Capitals of the C collation: others have some of their own for an i.
  const code = sql`upper((${extra} ->> 'region') collate "C")`;
  return sql`
    case when ${extra} ->> 'region' is null or ${code} in ('', 'XX', 'ZZ') then ''
         when ${code} ~ '^[A-Z]{2}(-[A-Z0-9]{1,3})?$' then ${code}
         else ${OTHER_NAME} end`;
}

/**
 * The language under which a record counts, small: its tag. What was sent as one and is none stands in the additional
 * fields (ADR 37), and is not kept as a name. Empty where none is told.
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
 * Condition that the records `c` which were received from `from` on and before `to` meet by their ids, so that only their
 * months are read. The bounds are values: of what is computed in the statement the planner thinks that little lies behind
 * it, and looks through a week of the primary key besides (64 ms against 0.4 for nothing new among 2 million records).
 */
export function idsOfReceived({ from, to }: { from: Date; to: Date }): RawBuilder<boolean> {
  const [first, beyond] = [from.getTime() - ID_APART_MAX_MS, to.getTime() + ID_APART_MAX_MS].map((ms) =>
    uuidLowerBound(new Date(ms)),
  );
  return sql<boolean>`c.id >= ${first}::uuid and c.id < ${beyond}::uuid`;
}

/** The smallest id that a record received at or after an instant (SQL of a timestamptz) can have. */
export function lowestId(receivedAt: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(
    lpad(to_hex((extract(epoch from ${receivedAt}) * 1000)::bigint - ${ID_APART_MAX_MS}), 12, '0') || '00000000000000000000'
  )::uuid`;
}
