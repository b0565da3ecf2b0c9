import type { EntityManager } from '@mikro-orm/postgresql';
import { type RawBuilder, sql } from 'kysely';
import { lockMoves } from './infrastructure/outbox.partitions.js';

/** Messages of one ordering key and topic. */
export interface WaitingOf {
  orderingKey: string;
  topic: string;
}

/** The queue of a key and topic. */
export interface Waiting {
  count: number;
  /** When the oldest was appended; null without messages. */
  oldestAt: Date | null;
}

/** Counts queued messages, including those in progress, up to `max` from the oldest. */
export async function countWaiting(
  em: EntityManager,
  { orderingKey, topic }: WaitingOf,
  max: number,
): Promise<Waiting> {
  const { rows } = await sql<Waiting>`
    select count(*)::int as count, min(created_at) as "oldestAt"
    from (
      select created_at from outbox_message
      where ordering_key = ${orderingKey} and topic = ${topic} order by id limit ${max}
    ) as waiting
  `.execute(em.getKysely());
  return rows[0] ?? { count: 0, oldestAt: null };
}

/** Whether a message about the subject is among the newest `scanMax` queued ones. */
export async function isWaiting(
  em: EntityManager,
  waiting: WaitingOf & { subjectId: string },
  scanMax: number,
): Promise<boolean> {
  const { rows } = await sql<{ waiting: boolean }>`
    select ${waiting.subjectId}::uuid in (${newestSubjects(waiting, scanMax)}) as waiting
  `.execute(em.getKysely());
  return rows[0]?.waiting === true;
}

/** The subjects of the newest `scanMax` queued messages. */
export async function waitingSubjects(
  em: EntityManager,
  waiting: WaitingOf,
  scanMax: number,
): Promise<string[]> {
  const { rows } = await sql<{ subject_id: string }>`${newestSubjects(waiting, scanMax)}`.execute(
    em.getKysely(),
  );
  return rows.map((row) => row.subject_id);
}

/** The given subjects that are among the newest `scanMax` queued messages. */
export async function waitingAmong(
  em: EntityManager,
  waiting: WaitingOf,
  subjectIds: readonly string[],
  scanMax: number,
): Promise<string[]> {
  const { rows } = await sql<{ subject_id: string }>`
    select distinct queued.subject_id from (${newestSubjects(waiting, scanMax)}) as queued
    where queued.subject_id = any(${[...subjectIds]}::uuid[])
  `.execute(em.getKysely());
  return rows.map((row) => row.subject_id);
}

/** Like `waitingSubjects`, for several keys in one statement. */
export async function waitingSubjectsOfKeys(
  em: EntityManager,
  { orderingKeys, topic }: { orderingKeys: readonly string[]; topic: string },
  scanMax: number,
): Promise<string[]> {
  const { rows } = await sql<{ subject_id: string }>`
    select newest.subject_id
    from unnest(${[...orderingKeys]}::uuid[]) as k (ordering_key)
    cross join lateral (
      select subject_id, topic from outbox_message
      where ordering_key = k.ordering_key order by id desc limit ${scanMax}
    ) as newest
    where newest.topic = ${topic}
  `.execute(em.getKysely());
  return rows.map((row) => row.subject_id);
}

/** The outbox has no index on subjects, so this scans a bounded number of the newest messages. */
function newestSubjects({ orderingKey, topic }: WaitingOf, scanMax: number): RawBuilder<unknown> {
  return sql`
    select newest.subject_id
    from (
      select subject_id, topic from outbox_message
      where ordering_key = ${orderingKey} order by id desc limit ${scanMax}
    ) as newest
    where newest.topic = ${topic}
  `;
}

/** Whether a message of the key with a payload was appended in the last seconds. */
export async function hasRecent(em: EntityManager, orderingKey: string, seconds: number): Promise<boolean> {
  const { rows } = await sql`
    select from outbox_message
    where ordering_key = ${orderingKey} and payload is not null
      and created_at > now() - make_interval(secs => ${seconds})
    limit 1
  `.execute(em.getKysely());
  return rows.length > 0;
}

/** Number of queued messages of the topics without a payload, and the age of the oldest. */
export async function countBacklog(
  em: EntityManager,
  topics: readonly string[],
): Promise<{ waiting: number; oldestAgeSeconds: number }> {
  // Literal topics, so that the partial index for them can be used.
  const { rows } = await sql<{ waiting: number; oldestAgeSeconds: number }>`
    select count(*)::int as waiting,
           coalesce(extract(epoch from now() - min(created_at)), 0)::float8 as "oldestAgeSeconds"
    from outbox_message
    where topic in (${sql.join(topics.map((topic) => sql.lit(topic)))}) and payload is null
  `.execute(em.getKysely());
  return rows[0] ?? { waiting: 0, oldestAgeSeconds: 0 };
}

/** When the newest dead letter of a key was created; null: none. */
export async function findNewestDeadLetter(em: EntityManager, orderingKey: string): Promise<Date | null> {
  const { rows } = await sql<{ at: Date | null }>`
    select max(died_at) as at from outbox_dead_letter where ordering_key = ${orderingKey}
  `.execute(em.getKysely());
  return rows[0]?.at ?? null;
}

/** The age of the oldest message of a key in seconds; 0 without messages. */
export async function readOldestAge(em: EntityManager, orderingKey: string): Promise<number> {
  const { rows } = await sql<{ seconds: number }>`
    select coalesce(extract(epoch from now() - min(created_at)), 0)::float8 as seconds
    from outbox_message where ordering_key = ${orderingKey}
  `.execute(em.getKysely());
  return rows[0]?.seconds ?? 0;
}

/** Counts queued messages of a topic, including those in progress, up to `max`. */
export async function countOfTopic(em: EntityManager, topic: string, max: number): Promise<number> {
  // A literal topic, so that the index without records to forward can be used.
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count
    from (select from outbox_message where topic = ${sql.lit(topic)} limit ${max}) as waiting
  `.execute(em.getKysely());
  return rows[0]?.count ?? 0;
}

/** The age of the oldest message of topics in seconds; 0 without messages. */
export async function oldestAgeOfTopics(em: EntityManager, topics: readonly string[]): Promise<number> {
  // Literal topics, so that the index without records to forward can be used.
  const { rows } = await sql<{ seconds: number }>`
    select coalesce(extract(epoch from now() - min(created_at)), 0)::float8 as seconds
    from outbox_message where topic in (${sql.join(topics.map((topic) => sql.lit(topic)))})
  `.execute(em.getKysely());
  return rows[0]?.seconds ?? 0;
}

/** Deletes messages, dead letters and throttles of a project, in the caller's transaction. */
export async function deleteOfProject(tx: EntityManager, projectId: string): Promise<void> {
  await lockMoves(tx);
  await sql`delete from outbox_message where project_id = ${projectId}`.execute(tx.getKysely());
  await sql`delete from outbox_dead_letter where project_id = ${projectId}`.execute(tx.getKysely());
  await sql`delete from claim_throttle where ordering_key = ${projectId}`.execute(tx.getKysely());
}

/** Deletes messages and dead letters about subjects of a key and topic, in the caller's transaction. */
export async function forgetSubjects(
  tx: EntityManager,
  { orderingKey, topic }: WaitingOf,
  subjectIds: string[],
): Promise<void> {
  await lockMoves(tx);
  for (const table of ['outbox_message', 'outbox_dead_letter']) {
    await sql`
      delete from ${sql.table(table)}
      where ordering_key = ${orderingKey} and topic = ${topic} and subject_id = any(${subjectIds}::uuid[])
    `.execute(tx.getKysely());
  }
}

/** Deletes messages and dead letters about one subject of a key, in the caller's transaction. */
export async function deleteAbout(
  tx: EntityManager,
  { orderingKey, subjectId }: { orderingKey: string; subjectId: string },
): Promise<void> {
  await lockMoves(tx);
  await sql`
    delete from outbox_message where ordering_key = ${orderingKey} and subject_id = ${subjectId}
  `.execute(tx.getKysely());
  await sql`
    delete from outbox_dead_letter where ordering_key = ${orderingKey} and subject_id = ${subjectId}
  `.execute(tx.getKysely());
}
