import { Injectable } from '@nestjs/common';
import { type RawBuilder, sql } from 'kysely';
import { ProjectReads } from '../../database/project-reads.js';
import { overviewPeriods, type Span } from '../domain/overview-periods.js';
import { countsOf, lowestId } from '../infrastructure/counts-sql.js';

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

interface SpanRow {
  records: number;
  granting: number;
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
    const rows = await this.reads.report(projectId, countsOfSpans(projectId, spans), gone);
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

/**
 * A row for each span, in order. Counts come from the rollups, and from the records that the
 * rollups don't contain yet.
 */
function countsOfSpans(projectId: string, spans: Span[]): RawBuilder<SpanRow> {
  return sql<SpanRow>`
    with state as materialized (select done_until from consent_rollup_state),
    fresh as materialized (
      select c.received_at, ${countsOf(sql.raw('c'))} from consent_record c
      where c.project_id = ${projectId} and c.received_at >= (select done_until from state)
        and c.id >= (select ${lowestId(sql`done_until`)} from state)
      group by 1
    )
    select coalesce(sum(n.records), 0)::float8 as records, coalesce(sum(n.granting), 0)::float8 as granting
    from unnest(${spans.map(({ from }) => from)}::timestamptz[], ${spans.map(({ to }) => to)}::timestamptz[])
           with ordinality as s (from_at, to_at, position)
    left join lateral (
      select records, records - rejection - withdrawal as granting from consent_rollup_hour
      where project_id = ${projectId} and at >= date_trunc('hour', s.from_at) and at < s.to_at
      union all
      select records, records - rejection - withdrawal from fresh
      where received_at >= s.from_at and received_at < s.to_at
    ) n on true
    group by s.position order by s.position
  `;
}
