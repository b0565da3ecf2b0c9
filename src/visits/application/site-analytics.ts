import { Injectable } from '@nestjs/common';
import { sql } from 'kysely';
import {
  ANALYTICS_GROUPS_MAX,
  type AnalyticsInterval,
  intervalStarts,
  OTHER_NAME,
} from '../../consent/domain/consent-counts.js';
import { ProjectReads } from '../../database/project-reads.js';
import { type Dimension } from '../domain/visit.js';
import { type SiteCounts, siteCountsOf } from '../domain/site-counts.js';
import type { VisitCounts } from '../domain/project-tally.js';

/** A loader that was not seen for this long counts as uninstalled. */
const SEEN_DAYS = 30;
/** Hosts that are listed with when they were seen. */
const SEEN_HOSTS_MAX = 20;

export interface SiteQuestion {
  projectId: string;
  /** Whole intervals that touch the period are counted. */
  from: Date;
  to: Date;
  interval: AnalyticsInterval;
}

interface NamedCounts extends SiteCounts {
  /** null: unknown, and all others beyond the most frequent. */
  name: string | null;
}

export interface SiteAnswer {
  from: Date;
  to: Date;
  interval: AnalyticsInterval;
  totals: SiteCounts;
  series: ({ at: Date } & SiteCounts)[];
  byHostname: NamedCounts[];
  byRegion: NamedCounts[];
  byLanguage: NamedCounts[];
  byDevice: NamedCounts[];
}

export interface SeenHost {
  hostname: string;
  lastSeenAt: Date;
}

interface GroupRow extends VisitCounts {
  grouped: Dimension | 'at';
  at: Date | null;
  name: string | null;
}

/** Visits to a project's site (spec §8: site analytics). */
@Injectable()
export class SiteAnalytics {
  constructor(private readonly reads: ProjectReads) {}

  async answer({ projectId, from, to, interval }: SiteQuestion, gone: AbortSignal): Promise<SiteAnswer> {
    const starts = intervalStarts(from, to, interval);
    const first = starts[0] ?? from;
    const end = endOf(starts.at(-1) ?? first, interval);
    const rows = await this.reads.report(
      projectId,
      groups({ projectId, from: first, to: end, interval }),
      gone,
    );
    const byInstant = new Map(
      rows.filter(({ grouped }) => grouped === 'at').map((row) => [row.at?.getTime() ?? 0, row]),
    );
    const none = { visits: 0, chosen: 0, ignored: 0 };
    const by = (dimension: Dimension): NamedCounts[] =>
      rows
        .filter(({ grouped }) => grouped === dimension)
        .map((row) => ({ name: row.name === OTHER_NAME ? null : row.name, ...siteCountsOf(row) }));
    return {
      from: first,
      to: end,
      interval,
      totals: siteCountsOf([...byInstant.values()].reduce<VisitCounts>(add, none)),
      series: starts.map((at) => ({ at, ...siteCountsOf(byInstant.get(at.getTime()) ?? none) })),
      byHostname: by('hostname'),
      byRegion: by('region'),
      byLanguage: by('language'),
      byDevice: by('device'),
    };
  }

  /** The hosts on which the loader has run of late, the one that was seen last first. */
  lastSeen(projectId: string, now: Date, gone: AbortSignal): Promise<SeenHost[]> {
    const query = sql<SeenHost>`
      select name as hostname, max(last_seen_at) as "lastSeenAt" from site_visit
      where project_id = ${projectId} and dimension = 'hostname' and name <> ${OTHER_NAME}
        and at >= ${now}::timestamptz - make_interval(days => ${SEEN_DAYS})
      group by name order by 2 desc, 1 limit ${SEEN_HOSTS_MAX}
    `;
    return this.reads.report(projectId, query, gone);
  }
}

function groups({ projectId, from, to, interval }: SiteQuestion) {
  const sums = sql`
    sum(visits)::float8 as visits, sum(chosen)::float8 as chosen, sum(ignored)::float8 as ignored`;
  return sql<GroupRow>`
    with counted as materialized (
      select dimension, at, name, visits, chosen, ignored from site_visit
      where project_id = ${projectId} and at >= ${from} and at < ${to}
    )
    -- Each visit is counted once in each dimension, so any of them has the totals.
    select 'at' as grouped, date_trunc(${interval}, at, 'UTC') as at, null as name, ${sums}
    from counted where dimension = 'device' group by 2
    union all (
      select dimension, null, case when place <= ${ANALYTICS_GROUPS_MAX} then name else ${OTHER_NAME} end, ${sums}
      from (
        select dimension, name, sum(visits) as visits, sum(chosen) as chosen, sum(ignored) as ignored,
               row_number() over (
                 partition by dimension order by (name = ${OTHER_NAME}), sum(visits) desc, name
               ) as place
        from counted group by 1, 2
      ) ranked
      group by 1, 3
      order by (case when min(place) <= ${ANALYTICS_GROUPS_MAX} and min(name) <> ${OTHER_NAME} then 0 else 1 end),
               sum(visits) desc, 3
    )
  `;
}

function endOf(lastStart: Date, interval: AnalyticsInterval): Date {
  const [, next] = intervalStarts(
    lastStart,
    new Date(lastStart.getTime() + 2 * 24 * 60 * 60 * 1000),
    interval,
  );
  return next ?? lastStart;
}

function add(a: VisitCounts, b: VisitCounts): VisitCounts {
  return { visits: a.visits + b.visits, chosen: a.chosen + b.chosen, ignored: a.ignored + b.ignored };
}
