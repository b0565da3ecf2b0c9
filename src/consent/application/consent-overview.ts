import { Injectable } from '@nestjs/common';
import { ProjectReads } from '../../database/project-reads.js';
import { overviewPeriods } from '../domain/overview-periods.js';
import { overviewCounts } from '../infrastructure/overview-query.js';

/** More digits would be noise. */
const RATE_DIGITS = 4;

/** Records of a stretch of time. */
interface PeriodRecords {
  from: Date;
  to: Date;
  records: number;
  /** The share that grants at least one category, from 0 to 1; null where there are no records. */
  optInRate: number | null;
}

export interface ConsentOverviewAnswer {
  today: { now: PeriodRecords; before: PeriodRecords };
  month: { now: PeriodRecords; before: PeriodRecords };
}

/**
 * The records of a project's current day and month beside those of the previous ones. Available on
 * every tier.
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
    const spans = [today.now, today.before, month.now, month.before];
    const rows = await this.reads.report(projectId, overviewCounts(projectId, spans), gone);
    const [a, b, c, d] = spans.map(({ from, to }, at) => {
      const { records = 0, granting = 0 } = rows[at] ?? {};
      return {
        ...{ from, to, records },
        optInRate: records === 0 ? null : Number((granting / records).toFixed(RATE_DIGITS)),
      };
    }) as [PeriodRecords, PeriodRecords, PeriodRecords, PeriodRecords];
    return { today: { now: a, before: b }, month: { now: c, before: d } };
  }
}
