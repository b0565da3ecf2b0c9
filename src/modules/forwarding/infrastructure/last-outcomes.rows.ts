import type { EntityManager } from '@mikro-orm/postgresql';
import { type RawBuilder, sql } from 'kysely';
import { joinProject } from '../../projects/project.rows.js';
import type { LastFailure } from '../domain/delivery-outcome.js';
import { forwardingTables } from './forwarding.tables.js';

/**
 * Writes the last failure of each project, unless a later one is stored. Locks rows in the order of
 * project ids, so that two batches cannot deadlock. Skips deleted projects.
 */
export async function writeLastFailures(
  tx: EntityManager,
  failures: readonly ({ projectId: string } & LastFailure)[],
): Promise<void> {
  await sql`
    insert into forwarding_last_failure as l (project_id, reason, category, http_status, at)
    select p.id, f.reason, f.category, f.http_status, f.at
    from unnest(
      ${failures.map(({ projectId }) => projectId)}::uuid[],
      ${failures.map(({ reason }) => reason)}::text[],
      ${failures.map(({ category }) => category)}::text[],
      ${failures.map(({ httpStatus }) => httpStatus)}::int[],
      ${failures.map(({ at }) => at)}::timestamptz[]
    ) as f (project_id, reason, category, http_status, at)
    ${joinProject(sql.ref('f.project_id'))}
    order by p.id
    on conflict (project_id) do update
    set reason = excluded.reason, category = excluded.category, http_status = excluded.http_status, at = excluded.at
    where l.at <= excluded.at
  `.execute(tx.getKysely());
}

/** The project's last failure; null if no delivery has failed. */
export async function readLastFailure(em: EntityManager, projectId: string): Promise<LastFailure | null> {
  const found = await forwardingTables(em)
    .selectFrom('forwarding_last_failure')
    .select(['reason', 'category', 'httpStatus', 'at'])
    .where('projectId', '=', projectId)
    .executeTakeFirst();
  return found ?? null;
}

/** The reason of each project's last failure, by project id; projects without one are missing. */
export async function readLastFailureReasons(
  em: EntityManager,
  projectIds: readonly string[],
): Promise<Map<string, string>> {
  if (projectIds.length === 0) return new Map();
  const found = await forwardingTables(em)
    .selectFrom('forwarding_last_failure')
    .select(['projectId', 'reason'])
    .where('projectId', 'in', [...projectIds])
    .execute();
  return new Map(found.map(({ projectId, reason }) => [projectId, reason]));
}

/**
 * `last_delivered_at` may lag by this: behind an open transaction, one update per second left 392 dead
 * versions, and reading a project's settings took 2.7 ms. Readers look for later deliveries in the log.
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
