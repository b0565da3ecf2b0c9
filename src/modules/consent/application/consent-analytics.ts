import { Injectable } from '@nestjs/common';
import { ProjectReads } from '../../../platform/database/project-reads.js';
import {
  type AnalyticsInterval,
  type ConsentCounts,
  type ConsentRates,
  countBounds,
  intervalStarts,
  NO_RECORDS,
  OTHER_NAME,
  ratesOf,
  shareOf,
  writtenTag,
} from '../domain/consent-counts.js';
import { lastDays, overviewPeriods } from '../domain/overview-periods.js';
import {
  analyticsQuery,
  dailyCounts,
  type Grouping,
  type GroupRow,
  overviewCounts,
} from '../infrastructure/analytics-query.js';

type Counted = ConsentCounts & { rates: ConsentRates };

export interface ConsentAnalyticsAnswer {
  /** Start of the first interval. */
  from: Date;
  /** End of the period. */
  to: Date;
  interval: AnalyticsInterval;
  totals: Counted;
  /** One entry for each interval, also without records. */
  series: ({ at: Date } & Counted)[];
  /** The most frequent actions, at most `ANALYTICS_GROUPS_MAX`. */
  byAction: ({ action: string } & Counted)[];
  /** Records of all other actions. */
  otherActions: Counted;
  /** The most frequent hostnames; null for records without one. */
  byHostname: ({ hostname: string | null } & Counted)[];
  /** Records of all other hostnames; if the project lists domains, of all hostnames outside them. */
  otherHostnames: Counted;
  /** The most frequent regions; null for records without a known one. */
  byRegion: ({ region: string | null } & Counted)[];
  /** Records of all other regions, and of values that are not a region. */
  otherRegions: Counted;
  /** The most frequent languages of the banner; null for records without a known one. */
  byLanguage: ({ language: string | null } & Counted)[];
  /** Records of all other languages, and of values that are not a language. */
  otherLanguages: Counted;
}

interface AnalyticsRequest {
  projectId: string;
  from: Date;
  to: Date;
  interval: AnalyticsInterval;
  now: Date;
}

/** Counts and rates of a project's records (spec §8: consent analytics). */
@Injectable()
export class ConsentAnalytics {
  constructor(private readonly reads: ProjectReads) {}

  /**
   * The first interval is counted in full; a period that ended in the past is counted up to its
   * exact end.
   */
  async answer(
    { projectId, from, to, interval, now }: AnalyticsRequest,
    gone: AbortSignal,
  ): Promise<ConsentAnalyticsAnswer> {
    const starts = intervalStarts(from, to, interval);
    const first = starts[0] ?? from;
    const bounds = countBounds(to, interval, now);
    const rows = await this.reads.report(
      projectId,
      analyticsQuery({ projectId, from: first, bounds, interval }),
      gone,
    );
    const actions = named(rows, 'action');
    const hostnames = named(rows, 'hostname');
    const regions = named(rows, 'region');
    const languages = named(rows, 'language');
    const byInstant = new Map(
      rows.filter((row) => row.grouped === 'at').map((row) => [row.at?.getTime() ?? 0, row]),
    );
    return {
      from: first,
      to,
      interval,
      totals: counted(rows.filter((row) => row.grouped === 'at').reduce(add, NO_RECORDS)),
      series: starts.map((at) => ({ at, ...counted(byInstant.get(at.getTime()) ?? NO_RECORDS) })),
      byAction: actions.entries.map((row) => ({ action: row.name ?? '', ...counted(row) })),
      otherActions: actions.other,
      byHostname: hostnames.entries.map((row) => ({ hostname: row.name || null, ...counted(row) })),
      otherHostnames: hostnames.other,
      byRegion: regions.entries.map((row) => ({ region: row.name || null, ...counted(row) })),
      otherRegions: regions.other,
      byLanguage: languages.entries.map((row) => ({
        language: row.name ? writtenTag(row.name) : null,
        ...counted(row),
      })),
      otherLanguages: languages.other,
    };
  }
}

const COUNTERS = Object.keys(NO_RECORDS) as (keyof ConsentCounts)[];

/** Counts from a value for each of their names. */
function countsOfEach(value: (name: keyof ConsentCounts) => number): ConsentCounts {
  return Object.fromEntries(COUNTERS.map((name) => [name, value(name)])) as unknown as ConsentCounts;
}

function counted(row: ConsentCounts): Counted {
  const counts = countsOfEach((name) => row[name]);
  return { ...counts, rates: ratesOf(counts) };
}

function add(a: ConsentCounts, b: ConsentCounts): ConsentCounts {
  return countsOfEach((name) => a[name] + b[name]);
}

/** The named entries of a group, in order, and the total of all others. */
function named(rows: GroupRow[], grouped: Grouping): { entries: GroupRow[]; other: Counted } {
  const own = rows.filter((row) => row.grouped === grouped);
  return {
    entries: own.filter(({ name }) => name !== OTHER_NAME),
    other: counted(own.find(({ name }) => name === OTHER_NAME) ?? NO_RECORDS),
  };
}

interface PeriodRecords {
  from: Date;
  to: Date;
  records: number;
  /** Choices, one per device and day. */
  asked: number;
  /** The share of them that grants at least one category, from 0 to 1; null without any. */
  optInRate: number | null;
}

export interface ConsentOverviewAnswer {
  today: { now: PeriodRecords; before: PeriodRecords };
  month: { now: PeriodRecords; before: PeriodRecords };
}

/** Days shown in the overview, each compared with the day this many days earlier. */
const DAILY_DAYS = 30;

interface DailyRecords {
  /** Start of the day in the caller's zone. */
  at: Date;
  records: number;
  /** Choices, one per device and day. */
  asked: number;
  /** Of those, choices that grant at least one category. */
  optedIn: number;
  /** Records of the day 30 days earlier. */
  recordsBefore: number;
}

/**
 * Counts of a project's current day and month, and of the same elapsed time of the previous ones.
 * Available on every tier.
 */
@Injectable()
export class ConsentOverview {
  constructor(private readonly reads: ProjectReads) {}

  async answer(
    projectId: string,
    { now, timeZone }: { now: Date; timeZone: string },
    gone: AbortSignal,
  ): Promise<ConsentOverviewAnswer> {
    const { today, month } = overviewPeriods(now, timeZone);
    const spans = [today, month].flatMap((period) => [
      { ...period.now, isPast: false },
      { ...period.before, isPast: true },
    ]);
    const rows = await this.reads.report(projectId, overviewCounts(projectId, spans), gone);
    const [a, b, c, d] = spans.map(({ from, to }, at) => {
      const { records = 0, asked = 0, granting = 0 } = rows[at] ?? {};
      return { from, to, records, asked, optInRate: shareOf(granting, asked) };
    }) as [PeriodRecords, PeriodRecords, PeriodRecords, PeriodRecords];
    return { today: { now: a, before: b }, month: { now: c, before: d } };
  }

  /** The last 30 days, oldest first; the last one is incomplete. */
  async daily(
    projectId: string,
    { now, timeZone }: { now: Date; timeZone: string },
    gone: AbortSignal,
  ): Promise<DailyRecords[]> {
    const days = lastDays(now, timeZone, 2 * DAILY_DAYS);
    const rows = await this.reads.report(projectId, dailyCounts(projectId, days), gone);
    return days.slice(DAILY_DAYS).map(({ from }, index) => {
      const { records = 0, asked = 0, granting = 0 } = rows[index + DAILY_DAYS] ?? {};
      return { at: from, records, asked, optedIn: granting, recordsBefore: rows[index]?.records ?? 0 };
    });
  }
}
