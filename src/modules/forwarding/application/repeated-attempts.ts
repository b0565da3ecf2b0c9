import type { EntityManager } from '@mikro-orm/postgresql';
import { consentKey } from '../../consent/domain/consent-recorded.js';
import { retryOf } from '../domain/retry.js';
import {
  insertLateDeliveries,
  lockRepeats,
  readDelivered,
  type SettledDelivery,
  supersedeFailures,
} from '../infrastructure/delivery.rows.js';
import { deleteRetries } from '../infrastructure/retry.rows.js';
import { recordOf } from './settle-retries.js';

/**
 * Returns the failed repeats among the outcomes whose message an earlier attempt has delivered: a
 * success that was logged late. Locks their projects against `logLateDeliveries`, so that no
 * success logged now is missed.
 */
export async function deliveredBefore(
  tx: EntityManager,
  settled: readonly SettledDelivery[],
): Promise<Set<SettledDelivery>> {
  const repeats = settled.filter(
    ({ message, outcome }) =>
      (message.abandonedAttempts > 0 || retryOf(message) !== null) && outcome.outcome === 'failed',
  );
  if (repeats.length === 0) return new Set();
  await lockRepeats(tx, repeats);
  const delivered = await readDelivered(tx, repeats);
  return new Set(repeats.filter(({ message }) => delivered.has(messageKey(message))));
}

/**
 * Logs attempts whose lease expired before their outcome was written, beside the attempts that
 * repeated them. A success supersedes the failures of the same message and ends its retries.
 * Returns the newly logged ones.
 */
export async function logLateDeliveries(
  tx: EntityManager,
  settled: readonly SettledDelivery[],
): Promise<SettledDelivery[]> {
  await lockRepeats(tx, settled);
  const delivered = await readDelivered(tx, settled);
  const superseded = settled.filter(
    ({ message, outcome }) => outcome.outcome === 'failed' && delivered.has(messageKey(message)),
  );
  const inserted = await insertLateDeliveries(tx, settled, new Set(superseded));
  const successes = settled.filter(({ outcome }) => outcome.outcome === 'delivered');
  await supersedeFailures(tx, successes);
  await deleteRetries(tx, successes.map(recordOf));
  return settled.filter(({ outcome }) => inserted.has(outcome.id));
}

function messageKey({ projectId, subjectId }: SettledDelivery['message']): string {
  return consentKey({ projectId: projectId ?? '', consentId: subjectId });
}
