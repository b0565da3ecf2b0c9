import type { EntityManager } from '@mikro-orm/postgresql';
import { countSubscriptions } from '../subscription.rows.js';

/**
 * For the start in production, which has no room for tiers that a test made up (design §3).
 * @throws Error with a sentence for the operator where a simulated subscription exists.
 */
export async function assertNoSimulatedSubscriptions(em: EntityManager): Promise<void> {
  const count = await countSubscriptions(em.fork(), 'simulated');
  if (count === 0) return;
  throw new Error(
    `The database contains ${count} simulated subscription(s), which are not allowed in production. ` +
      "Delete the rows of subscription with provider = 'simulated', or use another database.",
  );
}
