import { type RawBuilder, sql } from 'kysely';
import { joinProject } from '../../projects/project.rows.js';
import {
  ANALYTICS_GROUPS_MAX,
  type AnalyticsInterval,
  AUDIENCE_DIMENSIONS,
  type ConsentCounts,
  OTHER_NAME,
} from '../domain/consent-counts.js';
import type { CountBounds } from '../domain/count-bounds.js';
import {
  COUNT_COLUMNS,
  COUNTS,
  countsOf,
  idsOfReceived,
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
  const counted = (condition: RawBuilder<unknown>): RawBuilder<unknown> => sql`
    select date_trunc(${interval}, c.received_at, 'UTC') as at, c.action,
           ${namedHostname(sql.raw('c.hostname'), sql.raw('p.domains'))} as hostname,
           ${namedRegion(sql.raw('c.extra'))} as region,
           ${namedLanguage(sql.raw('c.language'), sql.raw('c.extra'))} as language, ${countsOf(sql.raw('c'))}
    from consent_record c ${joinProject(sql.ref('c.project_id'))}
    where c.project_id = ${projectId} and ${condition}
    group by 1, 2, 3, 4, 5`;
  const fresh = counted(sql`
    c.received_at >= (select done_until from state) and c.received_at >= ${from} and c.received_at < ${to}
    and c.id >= (select ${lowestId(sql`done_until`)} from state)`);
  if (hoursTo >= to) return fresh;
  return sql`${fresh} union all ${counted(sql`
    c.received_at >= ${hoursTo} and c.received_at < ${to} and c.received_at < (select done_until from state)
    and ${idsOfReceived({ from: hoursTo, to })}`)}`;
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
