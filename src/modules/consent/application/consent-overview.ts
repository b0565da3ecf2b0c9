import { Injectable } from '@nestjs/common';
import { ProjectReads } from '../../../platform/database/project-reads.js';
import { shareOf } from '../domain/consent-counts.js';
import { lastDays, overviewPeriods } from '../domain/overview-periods.js';
import { dailyCounts, overviewCounts } from '../infrastructure/overview-query.js';

/** Records of a period. */
interface PeriodRecords {
  from: Date;
  to: Date;
  records: number;
  /** Records of visitors who got a consent request. */
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

export interface DailyRecords {
  /** Start of the day in the caller's zone. */
  at: Date;
  records: number;
  /** Records of visitors who got a consent request. */
  asked: number;
  /** Of those, records that grant at least one category. */
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
      return {
        at: from,
        records,
        asked,
        optedIn: granting,
        recordsBefore: rows[index]?.records ?? 0,
      };
    });
  }
}
