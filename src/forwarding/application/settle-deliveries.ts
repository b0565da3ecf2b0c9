import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { SingleStatementSettlement } from '../../outbox/outbox.handler.js';
import { projectOf, type Settled } from '../../outbox/domain/outbox-message.js';
import { writeLastFailures } from '../infrastructure/last-failure.rows.js';
import type { DeliveryOutcome, LastFailure } from '../domain/outcome.js';
import { deliveredBefore } from './repeated-attempts.js';

/** `last_delivered_at` may lag by this: a busy project's row is not rewritten with every batch. */
const LAST_DELIVERED_STEP = '1 second';

/** Of milliseconds since 1970, which cost both sides less than an instant's text. */
const instantOf = (ms: string): string => `timestamptz 'epoch' + ${ms} * interval '1 millisecond'`;

/**
 * Writes deliveries and skips of projects without a hold as `settleDeliveries` does. A failure also changes its
 * project's last failure, and may start a hold.
 */
export const SINGLE_STATEMENT_SETTLEMENT: Pick<
  SingleStatementSettlement<DeliveryOutcome>,
  'name' | 'columns' | 'valuesOf' | 'unless' | 'writes'
> = {
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
  valuesOf: ({ outcome: ended }) => {
    const { id, outcome, httpStatus, reason, durationMs, attemptedAt, host } = ended;
    if (outcome === 'failed') return null;
    return [id, outcome, httpStatus, reason, durationMs, attemptedAt.getTime(), host];
  },
  unless: 'exists (select from forwarding_hold h where h.project_id = m.project_id)',
  writes: `
    logged as (
      insert into delivery (project_id, id, consent_id, outcome, http_status, reason, duration_ms, attempted_at, host)
      select project_id, delivery_id, subject_id, outcome, http_status, reason, duration_ms, ${instantOf('attempted_ms')}, host
      from removed
    ), latest as materialized (
      select f.project_id, d.at
      from (
        select project_id, ${instantOf('max(attempted_ms)')} as at
        from removed where outcome = 'delivered' group by project_id
      ) d
      join forwarding_settings f using (project_id)
      where f.last_delivered_at is null or f.last_delivered_at < d.at - interval '${LAST_DELIVERED_STEP}'
      order by f.project_id
      for no key update of f
    ), noted as (
      update forwarding_settings f
      set last_delivered_at = greatest(f.last_delivered_at, latest.at)
      from latest
      where f.project_id = latest.project_id
    )`,
};

/**
 * Writes what came of a batch: a delivery row each, the last failure and the last success of each project
 * once (spec §3.3, §2.2). Returns the projects that have a hold. Rows are locked in the order of project ids, so that two batches cannot deadlock.
 */
export async function settleDeliveries(
  tx: EntityManager,
  settled: Settled<DeliveryOutcome>[],
): Promise<Set<string>> {
  if (settled.length === 0) return new Set();
  const held = await insertDeliveries(tx, settled);
  const failed = latestPerProject(settled, 'failed');
  if (failed.length > 0) await writeLastFailures(tx, failed.map(lastFailureOf));
  const delivered = latestPerProject(settled, 'delivered');
  if (delivered.length > 0) await recordSuccesses(tx, delivered);
  return held;
}

/** Says also which of the projects have a hold, which spares a round trip for asking. */
async function insertDeliveries(
  tx: EntityManager,
  settled: Settled<DeliveryOutcome>[],
): Promise<Set<string>> {
  const outcomes = settled.map(({ outcome }) => outcome);
  const projectIds = settled.map(({ message }) => projectOf(message));
  const superseded = await deliveredBefore(tx, settled);
  const { rows } = await sql<{ projectId: string }>`
    with logged as (
    insert into delivery (project_id, id, consent_id, outcome, category, http_status, reason, duration_ms,
                          attempted_at, host, superseded)
    select * from unnest(
      ${projectIds}::uuid[],
      ${outcomes.map(({ id }) => id)}::uuid[],
      ${settled.map(({ message }) => message.subjectId)}::uuid[],
      ${outcomes.map(({ outcome }) => outcome)}::text[],
      ${outcomes.map(({ category }) => category)}::text[],
      ${outcomes.map(({ httpStatus }) => httpStatus)}::int[],
      ${outcomes.map(({ reason }) => reason)}::text[],
      ${outcomes.map(({ durationMs }) => durationMs)}::int[],
      ${outcomes.map(({ attemptedAt }) => attemptedAt)}::timestamptz[],
      ${outcomes.map(({ host }) => host)}::text[],
      ${settled.map((one) => superseded.has(one))}::boolean[])
    )
    select project_id as "projectId" from forwarding_hold
    where project_id = any(${[...new Set(projectIds)]}::uuid[])
  `.execute(tx.getKysely());
  return new Set(rows.map(({ projectId }) => projectId));
}

/** The latest outcome of one kind for each project, in the order of project ids. */
function latestPerProject(
  settled: Settled<DeliveryOutcome>[],
  kind: DeliveryOutcome['outcome'],
): { projectId: string; outcome: DeliveryOutcome }[] {
  const latest = new Map<string, DeliveryOutcome>();
  for (const { message, outcome } of settled) {
    if (outcome.outcome !== kind) continue;
    const projectId = projectOf(message);
    const known = latest.get(projectId);
    if (!known || known.attemptedAt <= outcome.attemptedAt) latest.set(projectId, outcome);
  }
  return [...latest].map(([projectId, outcome]) => ({ projectId, outcome }));
}

type ProjectOutcomes = { projectId: string; outcome: DeliveryOutcome }[];

function lastFailureOf({ projectId, outcome }: ProjectOutcomes[number]): { projectId: string } & LastFailure {
  const { category, httpStatus, attemptedAt } = outcome;
  return { projectId, reason: outcome.reason ?? '', category, httpStatus, at: attemptedAt };
}

async function recordSuccesses(tx: EntityManager, delivered: ProjectOutcomes): Promise<void> {
  const projectIds = delivered.map(({ projectId }) => projectId);
  const instants = delivered.map(({ outcome }) => outcome.attemptedAt);
  await sql`
    with latest as materialized (
      select f.project_id, d.at
      from forwarding_settings f
      join unnest(${projectIds}::uuid[], ${instants}::timestamptz[]) as d (project_id, at) using (project_id)
      where f.last_delivered_at is null or f.last_delivered_at < d.at - ${LAST_DELIVERED_STEP}::interval
      order by f.project_id
      for no key update of f
    )
    update forwarding_settings f
    set last_delivered_at = greatest(f.last_delivered_at, latest.at)
    from latest
    where f.project_id = latest.project_id
  `.execute(tx.getKysely());
}
