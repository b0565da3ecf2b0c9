import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { consentKey } from '../../consent/domain/consent-recorded.js';
import { projectOf, type Settled } from '../../outbox/domain/outbox-message.js';
import type { DeliveryOutcome } from '../domain/outcome.js';

/** First key of the advisory lock; the second is the hash of the project's id. */
const REPEAT_LOCK_CLASS = 7_201_123;

/** Workers and the database may have clocks that differ by so much. */
const CLOCKS_APART = '1 hour';

type SettledDelivery = Settled<DeliveryOutcome>;

/**
 * Returns the failed repeats among the outcomes whose message has been delivered by an earlier attempt: a success that
 * was logged late. Holds the lock of `lockRepeats` for them, so that a success which is logged now is not overlooked.
 */
export async function deliveredBefore(
  tx: EntityManager,
  settled: readonly SettledDelivery[],
): Promise<Set<SettledDelivery>> {
  const repeats = settled.filter(
    ({ message, outcome }) => message.abandonedAttempts > 0 && outcome.outcome === 'failed',
  );
  if (repeats.length === 0) return new Set();
  await lockRepeats(tx, repeats);
  const delivered = await readDelivered(tx, repeats);
  return new Set(repeats.filter(({ message }) => delivered.has(messageKey(message))));
}

/** One transaction at a time, for each project, compares successes with failures of the same message. */
async function lockRepeats(tx: EntityManager, settled: readonly SettledDelivery[]): Promise<void> {
  const projectIds = [...new Set(settled.map(({ message }) => projectOf(message)))].toSorted();
  await sql`
    select pg_advisory_xact_lock(${REPEAT_LOCK_CLASS}::int, hashtext(id))
    from unnest(${projectIds}::text[]) as project (id)
  `.execute(tx.getKysely());
}

/** Keys of the messages of which a success is logged: one attempted since the message was appended. */
async function readDelivered(tx: EntityManager, settled: readonly SettledDelivery[]): Promise<Set<string>> {
  const messages = settled.map(({ message }) => message);
  const { rows } = await sql<{ projectId: string; consentId: string }>`
    select distinct d.project_id as "projectId", d.consent_id as "consentId"
    from unnest(
      ${messages.map(projectOf)}::uuid[],
      ${messages.map(({ subjectId }) => subjectId)}::uuid[],
      ${messages.map(({ createdAt }) => createdAt)}::timestamptz[]
    ) as m (project_id, consent_id, created_at)
    join delivery d on d.project_id = m.project_id and d.consent_id = m.consent_id
      and d.outcome = 'delivered' and d.attempted_at >= m.created_at - ${CLOCKS_APART}::interval
  `.execute(tx.getKysely());
  return new Set(rows.map(consentKey));
}

/**
 * Logs attempts whose lease had ended before their outcome could be written, beside those that have repeated them. A
 * success makes the failures of the same message superseded. Returns those that were not logged before.
 */
export async function logLateDeliveries(
  tx: EntityManager,
  settled: readonly SettledDelivery[],
): Promise<SettledDelivery[]> {
  await lockRepeats(tx, settled);
  const delivered = await readDelivered(tx, settled);
  const superseded = (one: SettledDelivery): boolean =>
    one.outcome.outcome === 'failed' && delivered.has(messageKey(one.message));
  const inserted = await insertLate(tx, settled, superseded);
  await supersedeFailures(
    tx,
    settled.filter(({ outcome }) => outcome.outcome === 'delivered'),
  );
  return settled.filter(({ outcome }) => inserted.has(outcome.id));
}

async function insertLate(
  tx: EntityManager,
  settled: readonly SettledDelivery[],
  superseded: (one: SettledDelivery) => boolean,
): Promise<Set<string>> {
  const outcomes = settled.map(({ outcome }) => outcome);
  const { rows } = await sql<{ id: string }>`
    insert into delivery (project_id, id, consent_id, outcome, category, http_status, reason, duration_ms,
                          attempted_at, host, superseded)
    select * from unnest(
      ${settled.map(({ message }) => projectOf(message))}::uuid[],
      ${outcomes.map(({ id }) => id)}::uuid[],
      ${settled.map(({ message }) => message.subjectId)}::uuid[],
      ${outcomes.map(({ outcome }) => outcome)}::text[],
      ${outcomes.map(({ category }) => category)}::text[],
      ${outcomes.map(({ httpStatus }) => httpStatus)}::int[],
      ${outcomes.map(({ reason }) => reason)}::text[],
      ${outcomes.map(({ durationMs }) => durationMs)}::int[],
      ${outcomes.map(({ attemptedAt }) => attemptedAt)}::timestamptz[],
      ${outcomes.map(({ host }) => host)}::text[],
      ${settled.map(superseded)}::boolean[])
    on conflict do nothing
    returning id
  `.execute(tx.getKysely());
  return new Set(rows.map(({ id }) => id));
}

async function supersedeFailures(tx: EntityManager, delivered: readonly SettledDelivery[]): Promise<void> {
  if (delivered.length === 0) return;
  const messages = delivered.map(({ message }) => message);
  await sql`
    update delivery d set superseded = true
    from unnest(
      ${messages.map(projectOf)}::uuid[],
      ${messages.map(({ subjectId }) => subjectId)}::uuid[],
      ${messages.map(({ createdAt }) => createdAt)}::timestamptz[]
    ) as m (project_id, consent_id, created_at)
    where d.project_id = m.project_id and d.consent_id = m.consent_id
      and d.outcome = 'failed' and d.attempted_at >= m.created_at - ${CLOCKS_APART}::interval and not d.superseded
  `.execute(tx.getKysely());
}

function messageKey({ projectId, subjectId }: SettledDelivery['message']): string {
  return consentKey({ projectId: projectId ?? '', consentId: subjectId });
}
