import { Injectable } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { countsOf, lowestId } from '../consent.rollup.js';
import {
  ANALYTICS_GROUPS_MAX,
  type AnalyticsInterval,
  type ConsentCounts,
  type ConsentRates,
  intervalStarts,
  NO_RECORDS,
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
  /** The most frequent hostnames; null stands for records that tell none. */
  byHostname: ({ hostname: string | null } & Counted)[];
}

interface GroupRow extends ConsentCounts {
  grouped: 'at' | 'action' | 'hostname';
  at: string | null;
  action: string | null;
  hostname: string | null;
}

/** Counts and rates of a project's records (spec §8: consent analytics). */
@Injectable()
export class ConsentAnalytics {
  constructor(private readonly em: EntityManager) {}

  /**
   * Answers from the rollups, and for the newest records, which are not in them yet, from the records: one
   * statement, so both are seen at the same instant and nothing is missing or counted twice.
   */
  async answer({ projectId, from, to, interval }: AnalyticsQuestion): Promise<ConsentAnalyticsAnswer> {
    const starts = intervalStarts(from, to, interval);
    const first = starts[0] ?? from;
    const end = starts.length > 0 ? (intervalStarts(to, new Date(to.getTime() + 1), interval)[0] ?? to) : to;
    const last = end.getTime() < to.getTime() ? nextStart(end, interval) : end;
    const rows = await this.groups({ projectId, from: first, to: last, interval });
    const byInstant = new Map(
      rows.filter((row) => row.grouped === 'at').map((row) => [new Date(row.at ?? 0).getTime(), row]),
    );
    return {
      from: first,
      to: last,
      interval,
      totals: counted(rows.filter((row) => row.grouped === 'action').reduce(add, NO_RECORDS)),
      series: starts.map((at) => ({ at, ...counted(byInstant.get(at.getTime()) ?? NO_RECORDS) })),
      byAction: top(rows, 'action').map((row) => ({ action: row.action ?? '', ...counted(row) })),
      byHostname: top(rows, 'hostname').map((row) => ({ hostname: row.hostname || null, ...counted(row) })),
    };
  }

  private async groups({ projectId, from, to, interval }: AnalyticsQuestion): Promise<GroupRow[]> {
    const columns = sql`records, analytics, marketing, preferences, full_accept, rejection, withdrawal`;
    const { rows } = await sql<GroupRow>`
      with state as materialized (select done_until from consent_rollup_state),
      counted as (
        select at, action, hostname, ${columns}
        from ${sql.table(`consent_rollup_${interval}`)}
        where project_id = ${projectId} and at >= ${from} and at < ${to}
        union all
        select date_trunc(${interval}, c.received_at, 'UTC'), c.action, coalesce(c.hostname, ''), ${countsOf(sql.raw('c'))}
        from consent_record c
        where c.project_id = ${projectId} and c.received_at >= (select done_until from state)
          and c.received_at >= ${from} and c.received_at < ${to}
          and c.id >= (select ${lowestId(sql`done_until`)} from state)
        group by 1, 2, 3
      )
      select case when grouping(at) = 0 then 'at' when grouping(action) = 0 then 'action' else 'hostname' end as grouped,
             at, action, hostname, sum(records)::float8 as records, sum(analytics)::float8 as analytics,
             sum(marketing)::float8 as marketing, sum(preferences)::float8 as preferences,
             sum(full_accept)::float8 as "fullAccept", sum(rejection)::float8 as rejection,
             sum(withdrawal)::float8 as withdrawal
      from counted group by grouping sets ((at), (action), (hostname))
    `.execute(this.em.fork().getKysely());
    return rows;
  }
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

function top(rows: GroupRow[], grouped: 'action' | 'hostname'): GroupRow[] {
  return rows
    .filter((row) => row.grouped === grouped)
    .toSorted((a, b) => b.records - a.records)
    .slice(0, ANALYTICS_GROUPS_MAX);
}
