import type { EntityManager } from '@mikro-orm/postgresql';
import { type RawBuilder, sql } from 'kysely';
import type { DeliveryStateName } from '../../consent/domain/consent-recorded.js';
import type { DeliverySubject, RecordConditions } from '../../consent/consent.hooks.js';
import type { DeliveryOutcomeKind } from '../domain/outcome.js';
import { hasRetry } from './retry-views.rows.js';

/**
 * Records that one page scans. Each needs an index lookup in the log for every day since it was received: one or two
 * for a record of today, up to 60 for one of last month (ADR 42 has the times).
 */
const SCANNED_ROWS_MAX = 1_000;

/** Conditions on records whose delivery is in a state; `waiting` are the ids of records that are queued or retried. */
export function deliveryConditions(
  state: Exclude<DeliveryStateName, 'unsent'>,
  waiting: readonly string[],
): RecordConditions {
  if (state === 'pending') return { conditions: [QUEUED_ONCE, sql`c.id = any(${waiting}::uuid[])`] };
  const conditions = [QUEUED_ONCE, sql`c.id <> all(${waiting}::uuid[])`, sql`${LATEST_OUTCOME} = ${state}`];
  // Few records ever fail, and failures have separate partitions, so check them first.
  if (state === 'failed') conditions.push(EVER_FAILED, NOT_RETRIED);
  return { conditions, scannedMax: SCANNED_ROWS_MAX };
}

/** A condition on records that were never queued. */
export const UNSENT: RecordConditions = { conditions: [sql`c.skipped_reason is not null`] };

const QUEUED_ONCE: RawBuilder<unknown> = sql`c.skipped_reason is null`;

/** Attempts follow the record, so skip earlier days. The hour allows for clocks that differ. */
const ATTEMPT_OF_RECORD = sql`
  d.project_id = c.project_id and d.consent_id = c.id
    and d.id >= partition_bound((c.received_at - interval '1 hour') at time zone 'UTC')
`;

const LATEST_OUTCOME = sql`(
  select d.outcome from delivery d where ${ATTEMPT_OF_RECORD} and not d.superseded order by d.id desc limit 1
)`;

/** The outcome of each record's latest attempt, by its id; records without one are missing. */
export async function latestOutcomes(
  em: EntityManager,
  projectId: string,
  records: readonly DeliverySubject[],
): Promise<Map<string, DeliveryOutcomeKind>> {
  const { rows } = await sql<{ id: string; outcome: DeliveryOutcomeKind | null }>`
    select c.id, ${LATEST_OUTCOME} as outcome
    from (
      select ${projectId}::uuid as project_id, r.id, r.received_at
      from unnest(
        ${records.map(({ id }) => id)}::uuid[], ${records.map(({ receivedAt }) => receivedAt)}::timestamptz[]
      ) as r (id, received_at)
    ) c
  `.execute(em.getKysely());
  return new Map(rows.flatMap(({ id, outcome }) => (outcome === null ? [] : [[id, outcome]])));
}

/** `waiting` is bounded. */
const NOT_RETRIED = sql`not ${hasRetry({ projectId: sql.ref('c.project_id'), consentId: sql.ref('c.id') })}`;

/** No "exists": the planner would turn it into a join that reads the whole log. */
const EVER_FAILED = sql`
  (select true from delivery d where ${ATTEMPT_OF_RECORD} and d.outcome = 'failed' limit 1)
`;
