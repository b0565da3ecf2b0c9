/** Where the columns of the messages come from, as SQL. */
export interface MessageSource {
  /** Expressions over `from`. */
  orderingKey: string;
  projectId: string;
  subjectId: string;
  /** An announced topic (`OutboxService.announce`), inserted into the statement as is. */
  topic: string;
  /** SQL after `from`: tables and conditions. */
  from: string;
}

/**
 * An SQL expression: for how many more milliseconds some worker polls; null if none does. For
 * `OutboxService.notifyUnlessPolling`. Put it at the end of a statement, so that its own duration counts.
 */
export const POLLING_MS_SQL = `(
        select (extract(epoch from until - clock_timestamp()) * 1000)::float8 from worker_polling
      )`;

/**
 * The part of a statement that appends messages without a separate round trip: the ingest writes records and
 * messages at once. Returns a row for each. Call `OutboxService.notifyWorkers` after the commit.
 */
export function appendMessagesSql({ orderingKey, projectId, subjectId, topic, from }: MessageSource): string {
  return `insert into outbox_message (ordering_key, project_id, topic, subject_id)
        select ${orderingKey}, ${projectId}, '${topic}', ${subjectId}
        from ${from}
        returning 1`;
}
