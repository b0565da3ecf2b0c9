import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { FailureCategory } from '../../../platform/delivery/domain/outcome.js';
import type { HoldPhase } from '../../../platform/delivery/domain/hold.js';
import type { EventTypeName } from '../domain/catalogue.js';
import type { ProjectEvent } from '../domain/event.js';
import { type AttemptOutcome, type EventDeliveryState, EXPIRED } from '../domain/event-endpoint.js';
import { type EndpointRef, IS_SLOW } from './endpoint.rows.js';

/** A new UUIDv7, by the database's clock. */
const NEW_ID = sql`(
  select (substr(ms, 1, 8) || '-' || substr(ms, 9) || '-7' || substr(gen_random_uuid()::text, 16))::uuid
  from lpad(to_hex((extract(epoch from clock_timestamp()) * 1000)::bigint), 12, '0') as ms
)`;

/** The delivery of an event to an endpoint. */
export interface DeliveryRef {
  projectId: string;
  endpointId: string;
  eventId: string;
}

/** A pending delivery, with the input of its attempt. */
export interface PendingDelivery extends DeliveryRef, Pick<ProjectEvent, 'type' | 'data' | 'createdAt'> {
  tries: number;
  enabled: boolean;
  url: string;
  keepResponseBodies: boolean;
  phase: HoldPhase;
  failures: number;
  isSlow: boolean;
  secretCiphertext: Buffer;
  secretKeyId: string;
  /** The former secret while it is valid; null: there is none. */
  formerSecretCiphertext: Buffer | null;
  formerSecretKeyId: string | null;
}

/** The pending deliveries among these. */
export async function readPending(
  em: EntityManager,
  refs: readonly DeliveryRef[],
): Promise<PendingDelivery[]> {
  const { rows } = await sql<PendingDelivery>`
    select d.project_id as "projectId", d.endpoint_id as "endpointId", d.event_id as "eventId", d.tries,
           v.type, v.data, v.created_at as "createdAt",
           e.enabled, e.url, e.keep_response_bodies as "keepResponseBodies", e.phase, e.failures, ${IS_SLOW} as "isSlow",
           e.secret_ciphertext as "secretCiphertext", e.secret_key_id as "secretKeyId",
           case when e.former_secret_until > now() then e.former_secret_ciphertext end as "formerSecretCiphertext",
           case when e.former_secret_until > now() then e.former_secret_key_id end as "formerSecretKeyId"
    from unnest(
      ${refs.map(({ projectId }) => projectId)}::uuid[], ${refs.map(({ endpointId }) => endpointId)}::uuid[],
      ${refs.map(({ eventId }) => eventId)}::uuid[]
    ) as given (project_id, endpoint_id, event_id)
    join event_delivery d using (project_id, endpoint_id, event_id)
    join event_endpoint e on e.project_id = d.project_id and e.id = d.endpoint_id
    join event v on v.project_id = d.project_id and v.id = d.event_id
    where d.state = 'pending'
  `.execute(em.getKysely());
  return rows;
}

/** A line to add to the delivery log. */
export interface NewAttempt extends DeliveryRef {
  id: string;
  outcome: AttemptOutcome;
  category: FailureCategory | null;
  httpStatus: number | null;
  reason: string | null;
  durationMs: number;
  attemptedAt: Date;
  responseBody: string | null;
}

/**
 * Writes an attempt, and what it changes: delivered, or due again after `retryAfterMs`. A skipped or
 * expired delivery stays so, unless the attempt delivered it. A repeated write changes nothing.
 */
export async function writeAttempt(
  tx: EntityManager,
  attempt: NewAttempt,
  { retryAfterMs, counts }: { retryAfterMs: number | null; counts: boolean },
): Promise<void> {
  const delivered = attempt.outcome === 'delivered';
  await sql`
    with counted as (
      update event_delivery d
      set attempts = d.attempts + 1, tries = d.tries + ${counts ? 1 : 0}, queued_at = null,
          state = case when ${delivered} then 'delivered' else d.state end,
          due_at = case
            when ${delivered} or d.state <> 'pending' then null
            when ${retryAfterMs}::float8 is null then d.due_at
            else now() + make_interval(secs => ${retryAfterMs}::float8 / 1000) end
      where d.project_id = ${attempt.projectId} and d.endpoint_id = ${attempt.endpointId} and d.event_id = ${attempt.eventId}
        and not exists (
          select from event_attempt a
          where a.project_id = ${attempt.projectId} and a.endpoint_id = ${attempt.endpointId} and a.id = ${attempt.id}
        )
      returning d.attempts
    )
    insert into event_attempt (project_id, endpoint_id, id, event_id, outcome, attempt, category, http_status, reason,
                               duration_ms, attempted_at, response_body)
    select ${attempt.projectId}, ${attempt.endpointId}, ${attempt.id}, ${attempt.eventId}, ${attempt.outcome},
           counted.attempts, ${attempt.category}, ${attempt.httpStatus}, ${attempt.reason}, ${attempt.durationMs},
           ${attempt.attemptedAt}, ${attempt.responseBody}
    from counted
  `.execute(tx.getKysely());
}

/** Lets queued deliveries wait again, because nothing was attempted. */
export async function postpone(tx: EntityManager, refs: readonly DeliveryRef[]): Promise<void> {
  await sql`
    update event_delivery d set queued_at = null
    from unnest(
      ${refs.map(({ projectId }) => projectId)}::uuid[], ${refs.map(({ endpointId }) => endpointId)}::uuid[],
      ${refs.map(({ eventId }) => eventId)}::uuid[]
    ) as given (project_id, endpoint_id, event_id)
    where d.project_id = given.project_id and d.endpoint_id = given.endpoint_id and d.event_id = given.event_id
  `.execute(tx.getKysely());
}

/** Marks the oldest waiting deliveries of an endpoint as queued; `dueOnly`: only due ones. Returns their events. */
export async function queueWaiting(
  tx: EntityManager,
  { projectId, id }: EndpointRef,
  { dueOnly, limit }: { dueOnly: boolean; limit: number },
): Promise<string[]> {
  const { rows } = await sql<{ eventId: string }>`
    update event_delivery d set queued_at = now()
    from (
      select event_id from event_delivery
      where project_id = ${projectId} and endpoint_id = ${id} and state = 'pending' and queued_at is null
        and (${!dueOnly} or due_at <= now())
      order by event_id limit ${limit} for update
    ) oldest
    where d.project_id = ${projectId} and d.endpoint_id = ${id} and d.event_id = oldest.event_id
    returning d.event_id as "eventId"
  `.execute(tx.getKysely());
  return rows.map(({ eventId }) => eventId).toSorted();
}

/** How many deliveries of an endpoint are queued, up to `max`. */
export async function countQueued(
  em: EntityManager,
  { projectId, id }: EndpointRef,
  max: number,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from (
      select from event_delivery
      where project_id = ${projectId} and endpoint_id = ${id} and state = 'pending' and queued_at is not null
      limit ${max}
    ) queued
  `.execute(em.getKysely());
  return rows[0]?.count ?? 0;
}

/** When the next waiting delivery of an endpoint is due; null: none waits. */
export async function nextDueAt(em: EntityManager, { projectId, id }: EndpointRef): Promise<Date | null> {
  const { rows } = await sql<{ at: Date | null }>`
    select min(due_at) as at from event_delivery
    where project_id = ${projectId} and endpoint_id = ${id} and state = 'pending' and queued_at is null
  `.execute(em.getKysely());
  return rows[0]?.at ?? null;
}

/** Makes all waiting deliveries of an endpoint due: its receiver is back. */
export async function makeDue(tx: EntityManager, { projectId, id }: EndpointRef): Promise<void> {
  await sql`
    update event_delivery set due_at = now(), tries = 0
    where project_id = ${projectId} and endpoint_id = ${id} and state = 'pending' and queued_at is null
  `.execute(tx.getKysely());
}

/**
 * Fails at most `limit` deliveries that have been pending since before an instant, and adds a line to the log for
 * each. Returns how many.
 */
export async function expireDeliveries(
  tx: EntityManager,
  { before, limit }: { before: Date; limit: number },
): Promise<number> {
  const { numAffectedRows } = await sql`
    with expired as (
      update event_delivery d set state = 'failed', due_at = null, queued_at = null
      from (
        select project_id, endpoint_id, event_id from event_delivery
        where state = 'pending' and queued_since < ${before} order by queued_since limit ${limit}
        for update skip locked
      ) old
      where d.project_id = old.project_id and d.endpoint_id = old.endpoint_id and d.event_id = old.event_id
      returning d.project_id, d.endpoint_id, d.event_id, d.attempts
    )
    insert into event_attempt (project_id, endpoint_id, id, event_id, outcome, attempt, category, reason, duration_ms, attempted_at)
    select project_id, endpoint_id, ${NEW_ID}, event_id, 'failed', attempts, ${EXPIRED},
           'The event was not delivered within 72 hours.', 0, now()
    from expired
  `.execute(tx.getKysely());
  return Number(numAffectedRows ?? 0);
}

/** A line of the delivery log. */
export interface AttemptRow {
  id: string;
  eventId: string;
  type: EventTypeName;
  outcome: AttemptOutcome;
  attempt: number;
  category: string | null;
  httpStatus: number | null;
  reason: string | null;
  durationMs: number;
  attemptedAt: Date;
  hasResponseBody: boolean;
  /** Where the event's delivery is now. */
  state: EventDeliveryState;
  /** When it is attempted next; null: not, or this is not its latest attempt. */
  nextAttemptAt: Date | null;
}

/** At most `limit` lines of an endpoint's log, newest first, after the id `after`, if given. */
export async function listAttempts(
  em: EntityManager,
  { projectId, id }: EndpointRef,
  filter: {
    outcome?: AttemptOutcome | undefined;
    eventId?: string | undefined;
    after: string | null;
    limit: number;
  },
): Promise<AttemptRow[]> {
  const { rows } = await sql<AttemptRow>`
    select a.id, a.event_id as "eventId", v.type, a.outcome, a.attempt, a.category, a.http_status as "httpStatus", a.reason,
           a.duration_ms as "durationMs", a.attempted_at as "attemptedAt", a.response_body is not null as "hasResponseBody",
           d.state, case when a.attempt = d.attempts then d.due_at end as "nextAttemptAt"
    from event_attempt a
    join event v on v.project_id = a.project_id and v.id = a.event_id
    join event_delivery d on d.project_id = a.project_id and d.endpoint_id = a.endpoint_id and d.event_id = a.event_id
    where a.project_id = ${projectId} and a.endpoint_id = ${id}
      and (${filter.outcome ?? null}::text is null or a.outcome = ${filter.outcome ?? null})
      and (${filter.eventId ?? null}::uuid is null or a.event_id = ${filter.eventId ?? null})
      and (${filter.after}::uuid is null or a.id < ${filter.after}::uuid)
    order by a.id desc limit ${filter.limit}
  `.execute(em.getKysely());
  return rows;
}

/** The stored response body of an attempt; undefined: there is no such attempt. */
export async function readAttemptBody(
  em: EntityManager,
  { projectId, id }: EndpointRef,
  attemptId: string,
): Promise<string | null | undefined> {
  const { rows } = await sql<{ body: string | null }>`
    select response_body as body from event_attempt
    where project_id = ${projectId} and endpoint_id = ${id} and id = ${attemptId}
  `.execute(em.getKysely());
  return rows[0]?.body;
}

/** Queues the delivery of one event again; returns whether it was not pending already. */
export async function requeue(tx: EntityManager, ref: DeliveryRef): Promise<boolean> {
  const { rows } = await sql<{ queued: boolean }>`
    with before as (
      select state from event_delivery
      where project_id = ${ref.projectId} and endpoint_id = ${ref.endpointId} and event_id = ${ref.eventId}
    ), queued as (
      insert into event_delivery (project_id, endpoint_id, event_id, state, due_at)
      values (${ref.projectId}, ${ref.endpointId}, ${ref.eventId}, 'pending', now())
      on conflict (project_id, endpoint_id, event_id) do update
      set state = 'pending', due_at = now(), tries = 0,
          queued_since = case when event_delivery.state = 'pending' then event_delivery.queued_since else now() end
    )
    select not exists (select from before where state = 'pending') as queued
  `.execute(tx.getKysely());
  return rows[0]?.queued === true;
}

/** Whether an event has a delivery to the endpoint. */
export async function hasDelivery(em: EntityManager, ref: DeliveryRef): Promise<boolean> {
  const { rows } = await sql`
    select from event_delivery
    where project_id = ${ref.projectId} and endpoint_id = ${ref.endpointId} and event_id = ${ref.eventId}
  `.execute(em.getKysely());
  return rows.length > 0;
}

/** Queues the events since an instant that the endpoint lists and did not get, oldest first; returns how many. */
export async function requeueSince(
  tx: EntityManager,
  { projectId, id }: EndpointRef,
  { since, limit }: { since: Date; limit: number },
): Promise<number> {
  const { numAffectedRows } = await sql`
    insert into event_delivery (project_id, endpoint_id, event_id, state, due_at)
    select e.project_id, e.id, v.id, 'pending', now()
    from event_endpoint e
    join event v on v.project_id = e.project_id and v.type = any(e.event_types) and v.created_at >= ${since}
      and not v.test
    left join event_delivery d on d.project_id = e.project_id and d.endpoint_id = e.id and d.event_id = v.id
    where e.project_id = ${projectId} and e.id = ${id} and (d.state is null or d.state = 'failed')
    order by v.id limit ${limit}
    on conflict (project_id, endpoint_id, event_id) do update
    set state = 'pending', due_at = now(), queued_since = now(), tries = 0
    where event_delivery.state = 'failed'
  `.execute(tx.getKysely());
  return Number(numAffectedRows ?? 0);
}

/** Pending deliveries up to `max`, and for how long the oldest one has been due to an endpoint that works. */
export async function countDueDeliveries(
  em: EntityManager,
  max: number,
): Promise<{ waiting: number; oldestDueSeconds: number }> {
  const { rows } = await sql<{ waiting: number; oldestDueSeconds: number }>`
    select count(*)::int as waiting,
           coalesce(max(extract(epoch from now() - d.due_at)) filter (
             where e.enabled and e.phase = 'closed' and d.due_at <= now()
           ), 0)::float8 as "oldestDueSeconds"
    from (
      select project_id, endpoint_id, due_at from event_delivery
      where state = 'pending' order by queued_since limit ${max}
    ) d
    join event_endpoint e on e.project_id = d.project_id and e.id = d.endpoint_id
  `.execute(em.getKysely());
  return rows[0] ?? { waiting: 0, oldestDueSeconds: 0 };
}

/** Skips a pending delivery, and adds a line to the log; returns whether it was pending. */
export async function skipDelivery(tx: EntityManager, ref: DeliveryRef): Promise<boolean> {
  const { numAffectedRows } = await sql`
    with skipped as (
      update event_delivery d set state = 'skipped', due_at = null, queued_at = null
      where d.project_id = ${ref.projectId} and d.endpoint_id = ${ref.endpointId} and d.event_id = ${ref.eventId}
        and d.state = 'pending'
      returning d.attempts
    )
    insert into event_attempt (project_id, endpoint_id, id, event_id, outcome, attempt, duration_ms, attempted_at)
    select ${ref.projectId}, ${ref.endpointId}, ${NEW_ID}, ${ref.eventId}, 'skipped', attempts, 0, now() from skipped
  `.execute(tx.getKysely());
  return Number(numAffectedRows ?? 0) > 0;
}

/** Writes the delivery of an event that the caller attempts itself: no worker takes it. */
export async function insertOwnDelivery(tx: EntityManager, ref: DeliveryRef): Promise<void> {
  await sql`
    insert into event_delivery (project_id, endpoint_id, event_id, state)
    values (${ref.projectId}, ${ref.endpointId}, ${ref.eventId}, 'failed')
  `.execute(tx.getKysely());
}
