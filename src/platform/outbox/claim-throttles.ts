import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { ClaimThrottle, ThrottleKey } from './domain/claim-throttle.js';

/**
 * How long a key pauses after a released message. Not zero: messages that are released repeatedly
 * (the host is over its limit) would be claimed as often.
 */
const GIVEN_BACK_SECONDS = 1;

/** Creates or replaces throttles in the order of their keys. */
export async function setThrottles(
  tx: EntityManager,
  throttles: readonly (ThrottleKey & ClaimThrottle)[],
): Promise<void> {
  if (throttles.length === 0) return;
  await sql`
    insert into claim_throttle (ordering_key, topic, next_claim_at, batch_limit)
    select * from unnest(
      ${throttles.map(({ orderingKey }) => orderingKey)}::uuid[],
      ${throttles.map(({ topic }) => topic)}::text[],
      ${throttles.map(({ nextClaimAt }) => nextClaimAt)}::timestamptz[],
      ${throttles.map(({ batchLimit }) => batchLimit)}::int[]
    ) as given (ordering_key, topic, next_claim_at, batch_limit)
    order by ordering_key, topic
    on conflict (ordering_key, topic) do update set next_claim_at = excluded.next_claim_at, batch_limit = excluded.batch_limit
  `.execute(tx.getKysely());
}

/** Deletes throttles. */
export async function removeThrottles(tx: EntityManager, keys: readonly ThrottleKey[]): Promise<void> {
  if (keys.length === 0) return;
  await sql`
    delete from claim_throttle g
    using unnest(
      ${keys.map(({ orderingKey }) => orderingKey)}::uuid[],
      ${keys.map(({ topic }) => topic)}::text[]
    ) as given (ordering_key, topic)
    where g.ordering_key = given.ordering_key and g.topic = given.topic
  `.execute(tx.getKysely());
}

/** Makes a throttled key claimable now; returns whether it has a throttle. */
export async function allowClaim(tx: EntityManager, { orderingKey, topic }: ThrottleKey): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update claim_throttle set next_claim_at = now() where ordering_key = ${orderingKey} and topic = ${topic}
  `.execute(tx.getKysely());
  return Number(numAffectedRows ?? 0) > 0;
}

/** When a throttled key may be claimed next; null without a throttle. */
export async function nextClaimAt(
  em: EntityManager,
  { orderingKey, topic }: ThrottleKey,
): Promise<Date | null> {
  const { rows } = await sql<{ nextClaimAt: Date }>`
    select next_claim_at as "nextClaimAt" from claim_throttle where ordering_key = ${orderingKey} and topic = ${topic}
  `.execute(em.getKysely());
  return rows[0]?.nextClaimAt ?? null;
}

/**
 * Shortens the pause of throttled keys whose messages were released, unless the throttle was changed or claimed
 * since. Without this they would pause until the lease expires.
 */
export async function advanceThrottles(
  em: EntityManager,
  passed: readonly { orderingKey: string; probeNumber: number | null }[],
): Promise<void> {
  const through = passed.filter(({ probeNumber }) => probeNumber !== null);
  if (through.length === 0) return;
  await sql`
    update claim_throttle g
    set next_claim_at = least(g.next_claim_at, now() + make_interval(secs => ${GIVEN_BACK_SECONDS}))
    from unnest(
      ${through.map(({ orderingKey }) => orderingKey)}::uuid[],
      ${through.map(({ probeNumber }) => probeNumber)}::int[]
    ) as given (ordering_key, probe_number)
    where g.ordering_key = given.ordering_key and g.probe_number = given.probe_number
  `.execute(em.getKysely());
}

/** When the oldest claimable messages were queued: at most `max` per key, oldest first. */
export async function oldestWaiting(
  tx: EntityManager,
  keys: readonly ThrottleKey[],
  max: number,
): Promise<(ThrottleKey & { createdAt: Date })[]> {
  const { rows } = await sql<ThrottleKey & { createdAt: Date }>`
    select given.ordering_key as "orderingKey", given.topic, oldest.created_at as "createdAt"
    from unnest(
      ${keys.map(({ orderingKey }) => orderingKey)}::uuid[],
      ${keys.map(({ topic }) => topic)}::text[]
    ) as given (ordering_key, topic)
    cross join lateral (
      select m.id, m.created_at from outbox_message m
      where m.ordering_key = given.ordering_key and m.topic = given.topic and m.available_at <= now()
      order by m.id limit ${max}
    ) oldest
    order by oldest.id
  `.execute(tx.getKysely());
  return rows;
}

/**
 * When the oldest message of a topic of a key was queued, including messages in progress; null: none.
 */
export async function waitingSince(
  em: EntityManager,
  { orderingKey, topic }: ThrottleKey,
): Promise<Date | null> {
  const { rows } = await sql<{ createdAt: Date }>`
    select created_at as "createdAt" from outbox_message
    where ordering_key = ${orderingKey} and topic = ${topic} order by id limit 1
  `.execute(em.getKysely());
  return rows[0]?.createdAt ?? null;
}

/** Counts the messages of a topic that are throttled, at most `max` per key. */
export async function countThrottled(em: EntityManager, topic: string, max: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select coalesce(sum(behind.count), 0)::int as count
    from claim_throttle g
    cross join lateral (
      select count(*) as count
      from (
        select from outbox_message m where m.ordering_key = g.ordering_key and m.topic = g.topic limit ${max}
      ) as waiting
    ) behind
    where g.topic = ${topic}
  `.execute(em.getKysely());
  return rows[0]?.count ?? 0;
}
