import { type RawBuilder, sql } from 'kysely';
import type { Span } from '../domain/overview-periods.js';
import { countsOf, idsOfReceived, lowestId } from './counts-sql.js';

const HOUR_MS = 60 * 60 * 1000;

/** A period; `isPast`: it ended before the current hour. */
export type OverviewSpan = Span & { isPast: boolean };

interface SpanRow {
  records: number;
  asked: number;
  granting: number;
}

/**
 * A row for each period, in order. Counts are from the rollups, and from the records that the
 * rollups don't contain yet. For a period that ended in a past hour, the records of its last,
 * incomplete hour are counted.
 */
export function overviewCounts(projectId: string, spans: readonly OverviewSpan[]): RawBuilder<SpanRow> {
  const ends = spans.map(({ to, isPast }) => (isPast ? startOfHour(to) : to));
  return sql<SpanRow>`
    with ${freshRecords(projectId)}
    select ${SUMS}
    from unnest(
           ${spans.map(({ from }) => from)}::timestamptz[], ${spans.map(({ to }) => to)}::timestamptz[],
           ${ends}::timestamptz[]
         ) with ordinality as s (from_at, to_at, hours_end, position)
    left join lateral (
      select records, asked, rejection, withdrawal from consent_rollup_hour
      where project_id = ${projectId} and at >= date_trunc('hour', s.from_at) and at < s.hours_end
      union all
      select records, asked, rejection, withdrawal from fresh
      where received_at >= s.from_at and received_at < s.to_at
      union all
      ${sql.join(
        spans.map((span, at) => lastHour(projectId, span, at + 1)),
        sql` union all `,
      )}
    ) n on true
    group by s.position order by s.position
  `;
}

/** A row for each day, in order. An hour of the rollups counts for the day in which it starts. */
export function dailyCounts(projectId: string, days: readonly Span[]): RawBuilder<SpanRow> {
  return sql<SpanRow>`
    with ${freshRecords(projectId)}
    select ${SUMS}
    from unnest(
           ${days.map(({ from }) => from)}::timestamptz[], ${days.map(({ to }) => to)}::timestamptz[]
         ) with ordinality as s (from_at, to_at, position)
    left join lateral (
      select records, asked, rejection, withdrawal from consent_rollup_hour
      where project_id = ${projectId} and at >= s.from_at and at < s.to_at
      union all
      select records, asked, rejection, withdrawal from fresh
      where received_at >= s.from_at and received_at < s.to_at
    ) n on true
    group by s.position order by s.position
  `;
}

const SUMS = sql`
  coalesce(sum(n.records), 0)::float8 as records, coalesce(sum(n.asked), 0)::float8 as asked,
  coalesce(sum(n.asked - n.rejection - n.withdrawal), 0)::float8 as granting`;

/** The rollups' cursor as `state`, and the counts of records that the rollups don't contain yet as `fresh`. */
function freshRecords(projectId: string): RawBuilder<unknown> {
  return sql`
    state as materialized (select done_until from consent_rollup_state),
    fresh as materialized (
      select c.received_at, ${countsOf(sql.raw('c'))} from consent_record c
      where c.project_id = ${projectId} and c.received_at >= (select done_until from state)
        and c.id >= (select ${lowestId(sql`done_until`)} from state)
      group by 1
    )`;
}

/** The records of a past period's last, incomplete hour, of those already in the rollups. */
function lastHour(projectId: string, { to, isPast }: OverviewSpan, position: number): RawBuilder<unknown> {
  const span = { from: startOfHour(to), to };
  return sql`(
    select records, asked, rejection, withdrawal from (
      select ${countsOf(sql.raw('c'))} from consent_record c
      where c.project_id = ${projectId} and c.received_at >= ${span.from} and c.received_at < ${span.to}
        and c.received_at < (select done_until from state) and ${idsOfReceived(span)}
    ) counted
    where s.position = ${position}::int and ${isPast}::boolean
  )`;
}

function startOfHour(at: Date): Date {
  return new Date(Math.floor(at.getTime() / HOUR_MS) * HOUR_MS);
}

/** Records of each of these projects received at or after `since`; 0 without any. */
export function countsSince(
  projectIds: readonly string[],
  since: Date,
): RawBuilder<SpanRow & { projectId: string }> {
  return sql<SpanRow & { projectId: string }>`
    with state as materialized (select done_until from consent_rollup_state)
    select s.project_id as "projectId", ${SUMS}
    from unnest(${[...projectIds]}::uuid[]) as s (project_id)
    cross join lateral (
      select records, asked, rejection, withdrawal from consent_rollup_hour
      where project_id = s.project_id and at >= date_trunc('hour', ${since}::timestamptz)
      union all
      select records, asked, rejection, withdrawal from (
        select ${countsOf(sql.raw('c'))} from consent_record c
        where c.project_id = s.project_id and c.received_at >= ${since}::timestamptz
          and c.received_at >= (select done_until from state)
          and c.id >= (select ${lowestId(sql`done_until`)} from state)
      ) fresh
    ) n
    group by s.project_id
  `;
}
