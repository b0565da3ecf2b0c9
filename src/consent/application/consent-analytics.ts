import { Injectable } from '@nestjs/common';
import { type RawBuilder, sql } from 'kysely';
import { joinProject } from '../../projects/project.rows.js';
import { ProjectReads } from '../../database/project-reads.js';
import { countsOf, lowestId, namedHostname } from './consent.rollup.js';
import {
  ANALYTICS_GROUPS_MAX,
  type AnalyticsInterval,
  type ConsentCounts,
  type ConsentRates,
  intervalStarts,
  NO_RECORDS,
  OTHER_NAME,
  ratesOf,
} from '../domain/consent-counts.js';

export interface AnalyticsQuestion {
  projectId: string;
  /** Whole intervals that touch the period are counted. */
  from: Date;
  to: Date;
  interval: AnalyticsInterval;
}

type Counted = ConsentCounts & { rates: ConsentRates };

export interface ConsentAnalyticsAnswer {
  /** The begin of the first interval. */
  from: Date;
  /** The end of the last interval. */
  to: Date;
  interval: AnalyticsInterval;
  totals: Counted;
  /** One entry for each interval, also where there are no records. */
  series: ({ at: Date } & Counted)[];
  /** The most frequent actions, at most `ANALYTICS_GROUPS_MAX`. */
  byAction: ({ action: string } & Counted)[];
  /** Records of all other actions. */
  otherActions: Counted;
  /** The most frequent hostnames; null stands for records that tell none. */
  byHostname: ({ hostname: string | null } & Counted)[];
  /** Records of all other hostnames; where the project lists domains, of all that are none of them. */
  otherHostnames: Counted;
}

interface GroupRow extends ConsentCounts {
  grouped: 'at' | 'action' | 'hostname';
  at: Date | null;
  name: string | null;
}

/** Counts and rates of a project's records (spec §8: consent analytics). */
@Injectable()
export class ConsentAnalytics {
  constructor(private readonly reads: ProjectReads) {}

  /**
   * Answers from the rollups, and for the newest records, which are not in them yet, from the records: one
   * statement, so both are seen at the same instant and nothing is missing or counted twice.
   */
  async answer(
    { projectId, from, to, interval }: AnalyticsQuestion,
    gone: AbortSignal,
  ): Promise<ConsentAnalyticsAnswer> {
    const starts = intervalStarts(from, to, interval);
    const first = starts[0] ?? from;
    const end = starts.length > 0 ? (intervalStarts(to, new Date(to.getTime() + 1), interval)[0] ?? to) : to;
    const last = end.getTime() < to.getTime() ? nextStart(end, interval) : end;
    const rows = await this.groups({ projectId, from: first, to: last, interval }, gone);
    const actions = named(rows, 'action');
    const hostnames = named(rows, 'hostname');
    const byInstant = new Map(
      rows.filter((row) => row.grouped === 'at').map((row) => [row.at?.getTime() ?? 0, row]),
    );
    return {
      from: first,
      to: last,
      interval,
      totals: counted(rows.filter((row) => row.grouped === 'at').reduce(add, NO_RECORDS)),
      series: starts.map((at) => ({ at, ...counted(byInstant.get(at.getTime()) ?? NO_RECORDS) })),
      byAction: actions.entries.map((row) => ({ action: row.name ?? '', ...counted(row) })),
      otherActions: actions.other,
      byHostname: hostnames.entries.map((row) => ({ hostname: row.name || null, ...counted(row) })),
      otherHostnames: hostnames.other,
    };
  }

  private groups(
    { projectId, from, to, interval }: AnalyticsQuestion,
    gone: AbortSignal,
  ): Promise<GroupRow[]> {
    const columns = sql`records, analytics, marketing, preferences, full_accept, rejection, withdrawal`;
    const query = sql<GroupRow>`
      with state as materialized (select done_until from consent_rollup_state),
      counted as materialized (
        select at, action, hostname, ${columns}
        from ${sql.table(`consent_rollup_${interval}`)}
        where project_id = ${projectId} and at >= ${from} and at < ${to}
        union all
        select date_trunc(${interval}, c.received_at, 'UTC'), c.action,
               ${namedHostname(sql.raw('c.hostname'), sql.raw('p.domains'))}, ${countsOf(sql.raw('c'))}
        from consent_record c ${sql.raw(joinProject('c.project_id'))}
        where c.project_id = ${projectId} and c.received_at >= (select done_until from state)
          and c.received_at >= ${from} and c.received_at < ${to}
          and c.id >= (select ${lowestId(sql`done_until`)} from state)
        group by 1, 2, 3
      )
      select 'at' as grouped, at, null as name, ${SUMS} from counted group by at
      union all ${rankedBy('action')}
      union all ${rankedBy('hostname')}
    `;
    return this.reads.report(projectId, query, gone);
  }
}

/** The sums of the counts, as numbers under the names of the answer. */
const SUMS = sql`
  sum(records)::float8 as records, sum(analytics)::float8 as analytics, sum(marketing)::float8 as marketing,
  sum(preferences)::float8 as preferences, sum(full_accept)::float8 as "fullAccept",
  sum(rejection)::float8 as rejection, sum(withdrawal)::float8 as withdrawal`;

/**
 * The most frequent names with their sums, and all others in one row: ranked where the records are, because there
 * may be as many names as records.
 */
function rankedBy(column: 'action' | 'hostname'): RawBuilder<unknown> {
  const name = sql.ref(column);
  return sql`(
    select ${column}, null::timestamptz, case when place <= ${ANALYTICS_GROUPS_MAX} then ${name} else ${OTHER_NAME} end,
           ${SUMS}
    from (
      select ${name}, sum(records) as records, sum(analytics) as analytics, sum(marketing) as marketing,
             sum(preferences) as preferences, sum(full_accept) as full_accept, sum(rejection) as rejection,
             sum(withdrawal) as withdrawal,
             row_number() over (order by (${name} = ${OTHER_NAME}), sum(records) desc, ${name}) as place
      from counted group by ${name}
    ) ranked
    group by 3
    order by sum(records) desc, 3
  )`;
}

function nextStart(at: Date, interval: AnalyticsInterval): Date {
  const [, next] = intervalStarts(at, new Date(at.getTime() + 2 * 24 * 60 * 60 * 1000), interval);
  return next ?? at;
}

function counted({
  records,
  analytics,
  marketing,
  preferences,
  fullAccept,
  rejection,
  withdrawal,
}: ConsentCounts): Counted {
  const counts = { records, analytics, marketing, preferences, fullAccept, rejection, withdrawal };
  return { ...counts, rates: ratesOf(counts) };
}

function add(a: ConsentCounts, b: ConsentCounts): ConsentCounts {
  return {
    records: a.records + b.records,
    analytics: a.analytics + b.analytics,
    marketing: a.marketing + b.marketing,
    preferences: a.preferences + b.preferences,
    fullAccept: a.fullAccept + b.fullAccept,
    rejection: a.rejection + b.rejection,
    withdrawal: a.withdrawal + b.withdrawal,
  };
}

/** The named ones of a group in their order, and what is counted together of the others. */
function named(rows: GroupRow[], grouped: 'action' | 'hostname'): { entries: GroupRow[]; other: Counted } {
  const own = rows.filter((row) => row.grouped === grouped);
  return {
    entries: own.filter(({ name }) => name !== OTHER_NAME),
    other: counted(own.find(({ name }) => name === OTHER_NAME) ?? NO_RECORDS),
  };
}
