import type { EntityManager } from '@mikro-orm/postgresql';
import { type RawBuilder, sql } from 'kysely';

/** `last_delivered_at` may lag by this, so that a busy project's row is not updated with every batch. */
const LAST_DELIVERED_STEP = sql.lit('1 second');

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
