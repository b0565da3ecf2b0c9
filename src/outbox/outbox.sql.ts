import { type RawBuilder, sql } from 'kysely';

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
export const OPEN_PART_SQL = sql`(select last_value from outbox_open_part)`;

/**
 * The part of a statement that appends messages without a separate round trip: the ingest writes records and
 * messages at once. Returns a row for each. Call `OutboxService.notifyWorkers` after the commit. Without parameters.
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
