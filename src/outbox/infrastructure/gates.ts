import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { Gate, GatePlace } from '../domain/gate.js';

/**
 * How long a gate stays shut when what it let through comes back without an attempt. Not at once: what is given back
 * again and again (a host that gets no more attempts for now) would be claimed as often.
 */
const GIVEN_BACK_SECONDS = 1;

/** Puts gates up, or sets them anew, in the caller's transaction and in the order of their keys. */
export async function setGates(tx: EntityManager, gates: readonly (GatePlace & Gate)[]): Promise<void> {
  await sql`
    insert into outbox_gate (ordering_key, topic, opens_at, width)
    select * from unnest(
      ${gates.map(({ orderingKey }) => orderingKey)}::uuid[],
      ${gates.map(({ topic }) => topic)}::text[],
      ${gates.map(({ opensAt }) => opensAt)}::timestamptz[],
      ${gates.map(({ width }) => width)}::int[]
    ) as given (ordering_key, topic, opens_at, width)
    order by ordering_key, topic
    on conflict (ordering_key, topic) do update set opens_at = excluded.opens_at, width = excluded.width
  `.execute(tx.getKysely());
}

/** Takes gates away, in the caller's transaction. */
export async function removeGates(tx: EntityManager, places: readonly GatePlace[]): Promise<void> {
  await sql`
    delete from outbox_gate g
    using unnest(
      ${places.map(({ orderingKey }) => orderingKey)}::uuid[],
      ${places.map(({ topic }) => topic)}::text[]
    ) as given (ordering_key, topic)
    where g.ordering_key = given.ordering_key and g.topic = given.topic
  `.execute(tx.getKysely());
}

/** Lets a gate open now, where there is one; returns whether there is. */
export async function openGate(tx: EntityManager, { orderingKey, topic }: GatePlace): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update outbox_gate set opens_at = now() where ordering_key = ${orderingKey} and topic = ${topic}
  `.execute(tx.getKysely());
  return Number(numAffectedRows ?? 0) > 0;
}

/** When a gate opens next; null where there is none. */
export async function gateOpensAt(
  em: EntityManager,
  { orderingKey, topic }: GatePlace,
): Promise<Date | null> {
  const { rows } = await sql<{ opensAt: Date }>`
    select opens_at as "opensAt" from outbox_gate where ordering_key = ${orderingKey} and topic = ${topic}
  `.execute(em.getKysely());
  return rows[0]?.opensAt ?? null;
}

/**
 * Lets gates open soon whose messages came back without an attempt, unless they were set, or have opened, since.
 * Without this they would stay shut until the lease ends.
 */
export async function reopenGates(
  em: EntityManager,
  passed: readonly { orderingKey: string; opening: number | null }[],
): Promise<void> {
  const through = passed.filter(({ opening }) => opening !== null);
  if (through.length === 0) return;
  await sql`
    update outbox_gate g
    set opens_at = least(g.opens_at, now() + make_interval(secs => ${GIVEN_BACK_SECONDS}))
    from unnest(
      ${through.map(({ orderingKey }) => orderingKey)}::uuid[],
      ${through.map(({ opening }) => opening)}::int[]
    ) as given (ordering_key, opening)
    where g.ordering_key = given.ordering_key and g.openings = given.opening
  `.execute(em.getKysely());
}

/** When the oldest messages that could be claimed were appended: of each place at most `max`, oldest first. */
export async function oldestWaiting(
  tx: EntityManager,
  places: readonly GatePlace[],
  max: number,
): Promise<(GatePlace & { createdAt: Date })[]> {
  const { rows } = await sql<GatePlace & { createdAt: Date }>`
    select given.ordering_key as "orderingKey", given.topic, oldest.created_at as "createdAt"
    from unnest(
      ${places.map(({ orderingKey }) => orderingKey)}::uuid[],
      ${places.map(({ topic }) => topic)}::text[]
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

/** When the oldest message of a topic of a key was appended, also one under way; null where there is none. */
export async function waitingSince(
  em: EntityManager,
  { orderingKey, topic }: GatePlace,
): Promise<Date | null> {
  const { rows } = await sql<{ createdAt: Date }>`
    select created_at as "createdAt" from outbox_message
    where ordering_key = ${orderingKey} and topic = ${topic} order by id limit 1
  `.execute(em.getKysely());
  return rows[0]?.createdAt ?? null;
}

/** How many messages wait behind gates of a topic, each gate's counted up to `max`. */
export async function countBehindGates(em: EntityManager, topic: string, max: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select coalesce(sum(behind.count), 0)::int as count
    from outbox_gate g
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
