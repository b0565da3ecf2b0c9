import type { EntityManager } from '@mikro-orm/postgresql';
import { shareOf } from './domain/consent-counts.js';
import { overviewPeriods } from './domain/overview-periods.js';
import { countsSince } from './infrastructure/overview-query.js';

/** Records received since midnight. */
export interface RecordsToday {
  records: number;
  /** Of the visitors with a choice to make, the share that grants at least one category; null without such visitors. */
  optInRate: number | null;
}

/** Counts today's records of all `projectIds` in one statement; projects without any are missing. */
export async function countRecordsToday(
  em: EntityManager,
  projectIds: readonly string[],
  { now, timeZone }: { now: Date; timeZone: string },
): Promise<Map<string, RecordsToday>> {
  const { from } = overviewPeriods(now, timeZone).today.now;
  const { rows } = await countsSince(projectIds, from).execute(em.getKysely());
  return new Map(
    rows.map(({ projectId, records, asked, granting }) => [
      projectId,
      { records, optInRate: shareOf(granting, asked) },
    ]),
  );
}
