import { type RawBuilder, sql } from 'kysely';
import type { SingleStatementSettlement } from '../../../platform/outbox/outbox.handler.js';
import type { DeliveryOutcome } from '../domain/delivery-outcome.js';
import { retryOf } from '../domain/retry.js';
import { lastDeliveredUpdate } from './last-outcomes.rows.js';

/** From milliseconds since 1970, which are faster to format and parse than a timestamp. */
const instantFrom = (ms: RawBuilder<unknown>): RawBuilder<Date> =>
  sql`timestamptz 'epoch' + ${ms} * interval '1 millisecond'`;

/**
 * Writes deliveries and skips of projects without a hold as `settleDeliveries` does. A failure also
 * updates its project's last failure, and may start a hold.
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
    // A failure may need a retry, and a success ends the retry of its record.
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
