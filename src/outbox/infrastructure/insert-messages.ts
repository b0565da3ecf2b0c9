import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { NewOutboxMessage } from '../domain/outbox-message.js';
import { OPEN_PART_SQL } from '../outbox.sql.js';

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
