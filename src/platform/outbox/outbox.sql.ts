import type { EntityManager } from '@mikro-orm/postgresql';
import { type RawBuilder, sql } from 'kysely';
import type { NewOutboxMessage } from './domain/outbox-message.js';

/** Source of the messages' columns. */
export interface MessageSource {
  /** Expressions over `from`. */
  orderingKey: RawBuilder<unknown>;
  projectId: RawBuilder<unknown>;
  subjectId: RawBuilder<unknown>;
  /** An announced topic (`OutboxService.announce`). */
  topic: string;
  /** Tables and conditions. */
  from: RawBuilder<unknown>;
}

/**
 * For how many more milliseconds some worker polls; null if none does. For `OutboxService.notifyUnlessPolling`. Put it at
 * the end of a statement, so that its own duration counts.
 */
export const POLLING_MS_SQL = sql<number | null>`(
  select (extract(epoch from until - clock_timestamp()) * 1000)::float8 from worker_polling
)`;

/** The partition that new messages go to. */
export const OPEN_PART = '(select o.part from outbox_opening o order by o.id desc limit 1)';
export const OPEN_PART_SQL = sql.raw(OPEN_PART);

/** Inserts messages in one statement, inside the caller's transaction; they are numbered in their order. */
export async function insertMessages(
  tx: EntityManager,
  messages: readonly NewOutboxMessage[],
): Promise<void> {
  await sql`
    insert into outbox_message (part, ordering_key, project_id, topic, subject_id, payload)
    select ${OPEN_PART_SQL}, ordering_key, project_id, topic, subject_id, payload::jsonb
    from unnest(
      ${messages.map(({ orderingKey }) => orderingKey)}::uuid[],
      ${messages.map(({ projectId }) => projectId)}::uuid[],
      ${messages.map(({ topic }) => topic)}::text[],
      ${messages.map(({ subjectId }) => subjectId)}::uuid[],
      ${messages.map(({ payload }) => (payload ? JSON.stringify(payload) : null))}::text[]
    ) with ordinality as given (ordering_key, project_id, topic, subject_id, payload, position)
    order by position
  `.execute(tx.getKysely());
}

/**
 * Appends a message to test that this works. Roll it back, so that no worker sees the message.
 * Without parameters.
 */
export const PROBE_APPEND = `
  insert into outbox_message (part, ordering_key, topic, subject_id)
  select ${OPEN_PART}, id, 'probe', id from (select gen_random_uuid() as id) as probe`;

/**
 * The part of a statement that appends messages without a separate round trip: the ingest writes
 * records and messages at once. Returns a row for each. Call `OutboxService.notifyWorkers` after
 * the commit. Without parameters.
 */
export function appendMessagesSql({
  orderingKey,
  projectId,
  subjectId,
  topic,
  from,
}: MessageSource): RawBuilder<unknown> {
  return sql`
    insert into outbox_message (part, ordering_key, project_id, topic, subject_id)
    select ${OPEN_PART_SQL}, ${orderingKey}, ${projectId}, ${sql.lit(topic)}, ${subjectId}
    from ${from}
    returning 1`;
}
