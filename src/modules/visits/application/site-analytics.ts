import { Injectable } from '@nestjs/common';
import { type AnalyticsInterval, intervalStarts, OTHER_NAME } from '../../consent/domain/consent-counts.js';
import { ProjectReads } from '../../../platform/database/project-reads.js';
import { type Dimension } from '../domain/visit.js';
import { type SeenHost, seenHosts, siteCounts, type SiteQuestion } from '../infrastructure/visit-rows.js';
import type { VisitCounts } from '../domain/visit-tally.js';

const HOUR_MS = 60 * 60 * 1000;
/** Decimal places of a rate; more would be noise. */
const RATE_DIGITS = 4;

interface SiteCounts extends VisitCounts {
  /** Visits on which a banner was shown: chosen and ignored. */
  shown: number;
  /** Share of shown banners on which the visitor decided, from 0 to 1; null: none was shown. */
  interactionRate: number | null;
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

/** Visits to a project's site (spec §8: site analytics). */
@Injectable()
export class SiteAnalytics {
  constructor(private readonly reads: ProjectReads) {}

  async answer({ projectId, from, to, interval }: SiteQuestion, gone: AbortSignal): Promise<SiteAnswer> {
    const starts = intervalStarts(from, to, interval);
    const first = starts[0] ?? from;
    // Visits are counted by hour.
    const end = endOfHour(to);
    const rows = await this.reads.report(
      projectId,
      siteCounts({ projectId, from: first, to: end, interval }),
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

  /** The hosts on which the loader ran recently, most recent first. */
  lastSeen(projectId: string, now: Date, gone: AbortSignal): Promise<SeenHost[]> {
    return this.reads.report(projectId, seenHosts(projectId, now), gone);
  }
}

/** The time itself if it is a full hour, else the end of its hour. */
function endOfHour(at: Date): Date {
  const [first = at, second] = intervalStarts(at, new Date(at.getTime() + HOUR_MS), 'hour');
  return second ?? first;
}

function add(a: VisitCounts, b: VisitCounts): VisitCounts {
  return { visits: a.visits + b.visits, chosen: a.chosen + b.chosen, ignored: a.ignored + b.ignored };
}

function siteCountsOf({ visits, chosen, ignored }: VisitCounts): SiteCounts {
  const shown = chosen + ignored;
  return {
    visits,
    shown,
    chosen,
    ignored,
    interactionRate: shown === 0 ? null : Number((chosen / shown).toFixed(RATE_DIGITS)),
  };
}
