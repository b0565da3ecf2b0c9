import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { ALL_WELL, type Hold } from '../../../platform/delivery/domain/hold.js';
import { rowOf } from '../../../platform/database/tables.js';
import { RECENT_ATTEMPTS, SLOW_ATTEMPT_MS } from '../domain/event-endpoint.js';
import { EventEndpoint } from './event.entities.js';

export interface EndpointRef {
  projectId: string;
  id: string;
}

/** A stored endpoint. */
export type EndpointRow = ReturnType<typeof rowOf<EventEndpoint>>;

/** Whether one of the last attempts to an endpoint `e` was slow: with slots of fast ones, it would hold them all. */
export const IS_SLOW = sql`exists (
  select from (
    select a.duration_ms from event_attempt a
    where a.project_id = e.project_id and a.endpoint_id = e.id order by a.id desc limit ${sql.lit(RECENT_ATTEMPTS)}
  ) recent
  where recent.duration_ms > ${sql.lit(SLOW_ATTEMPT_MS)}
)`;

/** Whether an endpoint `e` has delivered before, has not failed since because of its receiver, and is not slow. */
export const IS_WORKING = sql`(e.phase = 'closed' and e.failures = 0 and e.last_delivered_at is not null and not ${IS_SLOW})`;

/** Columns of an endpoint's hold and of its batches, under their names in TypeScript. */
const STATE = sql`
  e.project_id as "projectId", e.id, e.enabled, e.phase, e.failures, e.failing_since as "failingSince",
  e.held_since as "heldSince", e.held_reason as "heldReason", e.probes, e.batch_limit as "batchLimit",
  e.answered_probe as "answeredProbe", e.next_claim_at as "nextClaimAt", e.claim_limit as "claimLimit",
  e.probe_number as "probeNumber", e.wake_at as "wakeAt",
  ${IS_WORKING} as "isWorking", now() as now
`;

/** The state of an endpoint's receiver. `now` is the database's. */
export interface EndpointCircuit
  extends
    EndpointRef,
    Pick<
      Hold,
      | 'phase'
      | 'failures'
      | 'failingSince'
      | 'heldSince'
      | 'heldReason'
      | 'probes'
      | 'batchLimit'
      | 'answeredProbe'
    > {
  enabled: boolean;
  nextClaimAt: Date | null;
  claimLimit: number;
  probeNumber: number;
  wakeAt: Date | null;
  isWorking: boolean;
  now: Date;
}

/** Locks endpoints until the caller's transaction ends, in one order, so that two batches cannot deadlock. */
export async function lockCircuits(
  tx: EntityManager,
  refs: readonly EndpointRef[],
): Promise<EndpointCircuit[]> {
  const { rows } = await sql<EndpointCircuit>`
    select ${STATE} from event_endpoint e
    where (e.project_id, e.id) in (
      select * from unnest(${refs.map(({ projectId }) => projectId)}::uuid[], ${refs.map(({ id }) => id)}::uuid[])
    )
    order by e.project_id, e.id
    for no key update of e
  `.execute(tx.getKysely());
  return rows;
}

/** Locks the next endpoints that the scheduler must look at: working ones, or the others. */
export async function lockWoken(
  tx: EntityManager,
  { working, limit }: { working: boolean; limit: number },
): Promise<EndpointCircuit[]> {
  const { rows } = await sql<EndpointCircuit>`
    select ${STATE} from event_endpoint e
    where e.wake_at <= now() and ${working ? IS_WORKING : sql`not ${IS_WORKING}`} order by e.wake_at limit ${limit}
    for no key update of e skip locked
  `.execute(tx.getKysely());
  return rows;
}

/** Changes by an attempt beside the hold. */
export interface EndpointProgress {
  /** A success at that time; null: none. */
  deliveredAt: Date | null;
  /** A failure after the last success; null: none. */
  failedAt: Date | null;
}

/** Writes the state of an endpoint that the caller has locked. */
export async function writeCircuit(
  tx: EntityManager,
  state: EndpointCircuit,
  { deliveredAt, failedAt }: EndpointProgress = { deliveredAt: null, failedAt: null },
): Promise<void> {
  await sql`
    update event_endpoint e
    set phase = ${state.phase}, failures = ${state.failures}, failing_since = ${state.failingSince},
        held_since = ${state.heldSince}, held_reason = ${state.heldReason}, probes = ${state.probes},
        batch_limit = ${state.batchLimit}, answered_probe = ${state.answeredProbe},
        next_claim_at = ${state.nextClaimAt}, claim_limit = ${state.claimLimit}, probe_number = ${state.probeNumber},
        wake_at = ${state.wakeAt},
        last_delivered_at = coalesce(${deliveredAt}::timestamptz, e.last_delivered_at),
        mailed_day = case when ${deliveredAt}::timestamptz is null then e.mailed_day else 0 end,
        unsuccessful_since = case
          when ${deliveredAt}::timestamptz is null then coalesce(e.unsuccessful_since, ${failedAt}::timestamptz)
          else ${failedAt}::timestamptz end
    where e.project_id = ${state.projectId} and e.id = ${state.id}
  `.execute(tx.getKysely());
}

/** The hold of an endpoint. Owners get no mails about it, so it has no pending notification. */
export function toHold(state: EndpointCircuit): Hold {
  const { phase, failures, failingSince, heldSince, heldReason, probes, batchLimit, answeredProbe } = state;
  return {
    ...ALL_WELL,
    phase,
    failures,
    failingSince,
    heldSince,
    heldReason,
    probes,
    batchLimit,
    answeredProbe,
  };
}

/** Wakes endpoints with waiting deliveries that no scheduler looks for: written while a hold ended. */
export async function wakeForgotten(em: EntityManager): Promise<void> {
  await sql`
    update event_endpoint e set wake_at = now()
    where e.enabled and e.wake_at is null and exists (
      select from event_delivery d
      where d.project_id = e.project_id and d.endpoint_id = e.id and d.state = 'pending' and d.queued_at is null
    )
  `.execute(em.getKysely());
}

/** Endpoints that have failed since before an instant, whose owners got no mail on that day yet. */
export async function failingEndpoints(
  em: EntityManager,
  { before, limit }: { before: Date; limit: number },
): Promise<EndpointRef[]> {
  const { rows } = await sql<EndpointRef>`
    select e.project_id as "projectId", e.id from event_endpoint e
    where e.enabled and e.unsuccessful_since <= ${before}
      and e.mailed_day < extract(day from now() - e.unsuccessful_since)
    order by e.unsuccessful_since limit ${limit}
  `.execute(em.getKysely());
  return rows;
}

/** Waiting deliveries of each of a project's endpoints, or of one of them, by endpoint, up to `max` each. */
export async function countWaitingEvents(
  em: EntityManager,
  { projectId, id, max }: { projectId: string; id?: string; max: number },
): Promise<Map<string, number>> {
  const { rows } = await sql<{ id: string; count: number }>`
    select e.id, (
      select count(*)::int from (
        select from event_delivery d
        where d.project_id = e.project_id and d.endpoint_id = e.id and d.state = 'pending' and d.queued_at is null
        limit ${max}
      ) waiting
    ) as count
    from event_endpoint e where e.project_id = ${projectId} ${id === undefined ? sql`` : sql`and e.id = ${id}`}
  `.execute(em.getKysely());
  return new Map(rows.map(({ id: endpointId, count }) => [endpointId, count]));
}

/** Endpoints of all projects that are held, and that were disabled for want of a success. */
export async function countStates(em: EntityManager): Promise<{ held: number; disabled: number }> {
  const { rows } = await sql<{ held: number; disabled: number }>`
    select count(*) filter (where enabled and phase = 'open')::int as held,
           count(*) filter (where disabled_reason = 'no_success')::int as disabled
    from event_endpoint
  `.execute(em.getKysely());
  return rows[0] ?? { held: 0, disabled: 0 };
}

/** The number of endpoints of a project. The caller holds the project's lock. */
export function countEndpoints(tx: EntityManager, projectId: string): Promise<number> {
  return tx.count(EventEndpoint, { projectId });
}

/** All endpoints of a project, newest first: at most `ENDPOINTS_PER_PROJECT_MAX`. */
export async function readEndpoints(em: EntityManager, projectId: string): Promise<EndpointRow[]> {
  const rows = await em.find(
    EventEndpoint,
    { projectId },
    { orderBy: { id: 'desc' }, disableIdentityMap: true },
  );
  return rows.map((row) => rowOf(row));
}

export async function findEndpoint(em: EntityManager, ref: EndpointRef): Promise<EndpointRow | null> {
  const row = await em.findOne(EventEndpoint, { ...ref }, { disableIdentityMap: true });
  return row && rowOf(row);
}
