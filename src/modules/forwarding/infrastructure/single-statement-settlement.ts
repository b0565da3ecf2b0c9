import { type RawBuilder, sql } from 'kysely';
import type { SingleStatementSettlement } from '../../outbox/outbox.handler.js';
import type { DeliveryOutcome } from '../domain/outcome.js';
import { retryOf } from '../domain/retry.js';
import { lastDeliveredUpdate } from './last-delivered.rows.js';

/** From milliseconds since 1970, which take less time to format and parse than a timestamp. */
const instantFrom = (ms: RawBuilder<unknown>): RawBuilder<Date> =>
  sql`timestamptz 'epoch' + ${ms} * interval '1 millisecond'`;

/**
 * Writes deliveries and skips of projects without a hold as `settleDeliveries` does. A failure also changes its
 * project's last failure, and may start a hold.
 */
export const SINGLE_STATEMENT_SETTLEMENT: Omit<SingleStatementSettlement<DeliveryOutcome>, 'written'> = {
  name: 'delivery',
  columns: [
    { name: 'delivery_id', type: 'uuid' },
    { name: 'outcome', type: 'text' },
    { name: 'http_status', type: 'int' },
    { name: 'reason', type: 'text' },
    { name: 'duration_ms', type: 'int' },
    { name: 'attempted_ms', type: 'bigint' },
    { name: 'host', type: 'text' },
  ],
  valuesOf: ({ message, outcome: ended }) => {
    const { id, outcome, httpStatus, reason, durationMs, attemptedAt, host } = ended;
    // A failure may be retried, and the retry of a record ends with its success.
    if (outcome === 'failed' || retryOf(message) !== null) return null;
    return [id, outcome, httpStatus, reason, durationMs, attemptedAt.getTime(), host];
  },
  unless: ({ projectId }) => sql`exists (select from forwarding_hold h where h.project_id = ${projectId})`,
  writes: ({ removed }) => {
    const { latest, written } = lastDeliveredUpdate(sql`
      select project_id, ${instantFrom(sql`max(attempted_ms)`)} as at
      from ${removed} where outcome = 'delivered' group by project_id`);
    return sql`
      logged as (
        insert into delivery (project_id, id, consent_id, outcome, http_status, reason, duration_ms, attempted_at, host)
        select project_id, delivery_id, subject_id, outcome, http_status, reason, duration_ms,
               ${instantFrom(sql.ref('attempted_ms'))}, host
        from ${removed}
      ), latest as materialized (${latest}), noted as (${written})`;
  },
};
