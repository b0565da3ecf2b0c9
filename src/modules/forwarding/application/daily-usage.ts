import type { EntityManager } from '@mikro-orm/postgresql';
import { tooManyRequests } from '../../../platform/errors/domain-error.js';
import {
  addDailyUsage,
  type DailyAction,
  lockSettings,
  readDailyUsage,
} from '../infrastructure/settings.rows.js';

const SENTENCES: Record<DailyAction, string> = {
  resent: 'Daily resend limit reached. Resend more tomorrow (UTC).',
  tested: 'Daily limit of endpoint tests reached. Test again tomorrow (UTC).',
};

/**
 * Counts up to `count` manual actions of a project towards its daily limit, in the caller's
 * transaction, and returns how many are allowed. Days are UTC by the database's clock. The limit
 * exists because the endpoint may be a third party's host (spec §2.2).
 *
 * @throws DomainError `too_many_requests` with the seconds until the next day, if the limit is
 * reached.
 */
export async function reserveDailyUsage(
  tx: EntityManager,
  projectId: string,
  { action, count, perDay }: { action: DailyAction; count: number; perDay: number },
): Promise<number> {
  await lockSettings(tx, projectId);
  const { used, secondsLeft } = await readDailyUsage(tx, projectId, action);
  if (used >= perDay) throw tooManyRequests(SENTENCES[action], secondsLeft * 1000);
  const taken = Math.min(count, perDay - used);
  await addDailyUsage(tx, projectId, { resent: 0, tested: 0, [action]: taken });
  return taken;
}
