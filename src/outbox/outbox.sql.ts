/** Where the columns of the messages come from, as SQL. */
export interface MessageSource {
  /** Expressions over `from`. */
  orderingKey: string;
  projectId: string;
  subjectId: string;
  /** A topic that was announced (`OutboxService.announce`); it stands in the statement as it is. */
  topic: string;
  /** What stands behind `from`: tables, and the condition. */
  from: string;
}

/**
 * An expression: for how many milliseconds from now some worker looks into the outbox by itself; null where none does.
 * For `OutboxService.ringUnlessAwake`, and at the end of a statement, so that its own time counts.
 */
export const POLLING_MS_SQL = `(
        select (extract(epoch from until - clock_timestamp()) * 1000)::float8 from worker_polling
      )`;

/**
 * The part of a statement that appends messages, for who cannot afford a statement of their own: the ingest writes
 * records and messages in one round trip. Returns a row for each. Ring (`OutboxService.ring`) after the commit.
 */
export function appendMessagesSql({ orderingKey, projectId, subjectId, topic, from }: MessageSource): string {
  return `insert into outbox_message (ordering_key, project_id, topic, subject_id)
        select ${orderingKey}, ${projectId}, '${topic}', ${subjectId}
        from ${from}
        returning 1`;
}
