import { sql, type RawBuilder } from 'kysely';
import { joinProject } from '../../projects/project.rows.js';
import {
  ANALYTICS_GROUPS_MAX,
  AUDIENCE_DIMENSIONS,
  OTHER_NAME,
  type AnalyticsInterval,
  type ConsentCounts,
  type CountBounds,
} from '../domain/consent-counts.js';
import type { Span } from '../domain/overview-periods.js';
import {
  choicesOf,
  COUNT_COLUMNS,
  COUNTS,
  countsOf,
  idsOfReceived,
  lastChoicesOf,
  lowestId,
  namedHostname,
  namedLanguage,
  namedRegion,
  SUMMED,
} from './counts-sql.js';

export interface AnalyticsQuestion {
  projectId: string;
  /** Start of the first interval. */
  from: Date;
  bounds: CountBounds;
  interval: AnalyticsInterval;
}

/** Grouping keys besides the time. */
export type Grouping = 'action' | 'hostname' | (typeof AUDIENCE_DIMENSIONS)[number];

/**
 * The counts of an interval or a name. The name is empty for records without one, and `OTHER_NAME`
 * for all others.
 */
export interface GroupRow extends ConsentCounts {
  grouped: 'at' | Grouping;
  at: Date | null;
  name: string | null;
}

/**
 * The counts of a project from the rollups, and of the newest records, which are not in them yet,
 * from the records: in one statement, so that both have the same snapshot and nothing is missing or
 * counted twice. The last interval of a past period is counted from its hours, and its last hour
 * from the records.
 */
export function analyticsQuery(question: AnalyticsQuestion): RawBuilder<GroupRow> {
  const { projectId, from, interval } = question;
  const { intervalsTo, hoursTo } = question.bounds;
  const ofProject = sql`project_id = ${projectId}`;
  const ofIntervals = sql`${ofProject} and at >= ${from} and at < ${intervalsTo}`;
  const ofHours = sql`${ofProject} and at >= ${intervalsTo} and at < ${hoursTo}`;
  return sql<GroupRow>`
    with state as materialized (select done_until from consent_rollup_state),
    from_records as materialized (${countedRecords(question)}),
    counted as materialized (
      select at, action, hostname, ${COUNTS} from ${sql.table(`consent_rollup_${interval}`)} where ${ofIntervals}
      union all
      select ${intervalsTo}::timestamptz, action, hostname, ${COUNTS} from consent_rollup_hour where ${ofHours}
      union all
      select at, action, hostname, ${COUNTS} from from_records
    ),
    grouped_counts as materialized (
      select dimension, name, ${COUNTS} from consent_rollup_audience where span = ${interval} and ${ofIntervals}
      union all
      select dimension, name, ${COUNTS} from consent_rollup_audience where span = 'hour' and ${ofHours}
      union all
      select 'region', region, ${COUNTS} from from_records
      union all
      select 'language', language, ${COUNTS} from from_records
    ),
    audience as materialized (
      select dimension, name, ${COUNTS} from grouped_counts
      union all
      ${UNGROUPED}
    )
    select 'at' as grouped, at, null as name, ${SUMS} from counted group by at
    union all ${ranked('action', { name: sql.ref('action'), rows: sql`counted` })}
    union all ${ranked('hostname', { name: sql.ref('hostname'), rows: sql`counted` })}
    union all ${ranked('region', { name: sql.ref('name'), rows: sql`audience where dimension = 'region'` })}
    union all ${ranked('language', { name: sql.ref('name'), rows: sql`audience where dimension = 'language'` })}
  `;
}

/** Records that the rollups don't contain, and records of a past period's last, incomplete hour. */
function countedRecords({ projectId, from, bounds, interval }: AnalyticsQuestion): RawBuilder<unknown> {
  const { hoursTo, to } = bounds;
  const counted = (choices: RawBuilder<unknown>): RawBuilder<unknown> => sql`
    select date_trunc(${interval}, c.received_at, 'UTC') as at, c.action,
           ${namedHostname(sql.raw('c.hostname'), sql.raw('p.domains'))} as hostname,
           ${namedRegion(sql.raw('c.extra'))} as region,
           ${namedLanguage(sql.raw('c.language'), sql.raw('c.extra'))} as language, ${countsOf(sql.raw('c'))}
    from ${choices} c ${joinProject(sql.ref('c.project_id'))}
    group by 1, 2, 3, 4, 5`;
  const fresh = counted(
    choicesOf(sql`c.project_id = ${projectId}
    and c.received_at >= (select done_until from state) and c.received_at >= ${from} and c.received_at < ${to}
    and c.id >= (select ${lowestId(sql`done_until`)} from state)`),
  );
  if (hoursTo >= to) return fresh;
  return sql`${fresh} union all ${counted(
    lastChoicesOf(sql`c.project_id = ${projectId}
    and c.received_at >= ${hoursTo} and c.received_at < ${to} and c.received_at < (select done_until from state)
    and ${idsOfReceived({ from: hoursTo, to })}`),
  )}`;
}

/** The sums of the counts, as numbers under the names of the response. */
const SUMS = sql`
  sum(records)::float8 as records, sum(asked)::float8 as asked, sum(analytics)::float8 as analytics, sum(marketing)::float8 as marketing,
  sum(preferences)::float8 as preferences, sum(full_accept)::float8 as "fullAccept",
  sum(rejection)::float8 as rejection, sum(withdrawal)::float8 as withdrawal`;

/**
 * Records that are counted in total, but not by region or language: deleted first, or not counted
 * yet. One row of each without a name makes the listed entries add up to the totals.
 */
const UNGROUPED = sql`
  select d.dimension, '',
         ${sql.join(COUNT_COLUMNS.map((column) => sql.raw(`c.${column} - coalesce(t.${column}, 0)`)))}
  from unnest(${[...AUDIENCE_DIMENSIONS]}::text[]) as d (dimension)
  cross join (select ${SUMMED} from counted) c
  left join (select dimension, ${SUMMED} from grouped_counts group by 1) t using (dimension)
  where c.records > coalesce(t.records, 0)`;

/**
 * The most frequent names with their sums, and all others in one row. Ranked by the database,
 * because there may be as many names as records.
 */
function ranked(
  grouping: Grouping,
  { name, rows }: { name: RawBuilder<unknown>; rows: RawBuilder<unknown> },
): RawBuilder<unknown> {
  return sql`(
    select ${grouping}, null::timestamptz, case when place <= ${ANALYTICS_GROUPS_MAX} then name else ${OTHER_NAME} end,
           ${SUMS}
    from (
      select ${name} as name, ${SUMMED},
             row_number() over (order by (${name} = ${OTHER_NAME}), sum(records) desc, ${name}) as place
      from ${rows} group by ${name}
    ) ranked
    group by 3
    order by sum(records) desc, 3
  )`;
}

const HOUR_MS = 60 * 60 * 1000;

/** A period; `isPast`: it ended before the current hour. */
type OverviewSpan = Span & { isPast: boolean };

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
    select ${SPAN_SUMS}
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
    select ${SPAN_SUMS}
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

const SPAN_SUMS = sql`
  coalesce(sum(n.records), 0)::float8 as records, coalesce(sum(n.asked), 0)::float8 as asked,
  coalesce(sum(n.asked - n.rejection - n.withdrawal), 0)::float8 as granting`;

/** The rollups' cursor as `state`, and the counts of records that the rollups don't contain yet as `fresh`. */
function freshRecords(projectId: string): RawBuilder<unknown> {
  return sql`
    state as materialized (select done_until from consent_rollup_state),
    fresh as materialized (
      select c.received_at, ${countsOf(sql.raw('c'))} from ${choicesOf(sql`c.project_id = ${projectId}
        and c.received_at >= (select done_until from state)
        and c.id >= (select ${lowestId(sql`done_until`)} from state)`)} c
      group by 1
    )`;
}

/** The records of a past period's last, incomplete hour, of those already in the rollups. */
function lastHour(projectId: string, { to, isPast }: OverviewSpan, position: number): RawBuilder<unknown> {
  const span = { from: startOfHour(to), to };
  return sql`(
    select records, asked, rejection, withdrawal from (
      select ${countsOf(sql.raw('c'))} from ${lastChoicesOf(sql`c.project_id = ${projectId}
        and c.received_at >= ${span.from} and c.received_at < ${span.to}
        and c.received_at < (select done_until from state) and ${idsOfReceived(span)}`)} c
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
    select s.project_id as "projectId", ${SPAN_SUMS}
    from unnest(${[...projectIds]}::uuid[]) as s (project_id)
    cross join lateral (
      select records, asked, rejection, withdrawal from consent_rollup_hour
      where project_id = s.project_id and at >= date_trunc('hour', ${since}::timestamptz)
      union all
      select records, asked, rejection, withdrawal from (
        select ${countsOf(sql.raw('c'))} from ${choicesOf(sql`c.project_id = s.project_id
          and c.received_at >= ${since}::timestamptz
          and c.received_at >= (select done_until from state)
          and c.id >= (select ${lowestId(sql`done_until`)} from state)`)} c
      ) fresh
    ) n
    group by s.project_id
  `;
}
