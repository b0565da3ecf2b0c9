import type { EntityManager } from '@mikro-orm/postgresql';
import { type RawBuilder, sql } from 'kysely';

/**
 * `last_delivered_at` may lag by this: behind an open transaction, one update per second left 392
 * dead versions, and reading a project's settings took 2.7 ms. Readers look for later deliveries in
 * the log.
 */
const LAST_DELIVERED_STEP = sql.lit('1 minute');
/** Difference between the clocks of workers. */
const CLOCKS_APART = sql.lit('1 hour');

/** When the latest record was delivered: a column of a query over `forwarding_settings` as `f`. */
export const LAST_DELIVERED_AT: RawBuilder<Date | null> = sql`greatest(f.last_delivered_at, (
  select d.attempted_at from delivery d
  where d.project_id = f.project_id and d.outcome = 'delivered'
    and d.id >= partition_bound((f.last_delivered_at - ${CLOCKS_APART}::interval) at time zone 'UTC')
  order by d.id desc limit 1
))`;

/** Writes when each project's latest record was delivered. */
export async function writeLastDelivered(
  tx: EntityManager,
  delivered: readonly { projectId: string; at: Date }[],
): Promise<void> {
  const given = sql`
    select * from unnest(
      ${delivered.map(({ projectId }) => projectId)}::uuid[], ${delivered.map(({ at }) => at)}::timestamptz[]
    ) as given (project_id, at)`;
  const { latest, written } = lastDeliveredUpdate(given);
  await sql`with latest as materialized (${latest}) ${written}`.execute(tx.getKysely());
}

/**
 * Two parts of a statement: `latest` selects the settings that are due, and locks them in the order of project ids, so
 * that two batches cannot deadlock; `written` updates those of `latest`. `delivered` is a query of `project_id` and `at`.
 */
export function lastDeliveredUpdate(delivered: RawBuilder<unknown>): {
  latest: RawBuilder<unknown>;
  written: RawBuilder<unknown>;
} {
  return {
    latest: sql`
      select f.project_id, d.at
      from (${delivered}) d join forwarding_settings f using (project_id)
      where f.last_delivered_at is null or f.last_delivered_at < d.at - ${LAST_DELIVERED_STEP}::interval
      order by f.project_id
      for no key update of f`,
    written: sql`
      update forwarding_settings f
      set last_delivered_at = greatest(f.last_delivered_at, latest.at)
      from latest
      where f.project_id = latest.project_id`,
  };
}
