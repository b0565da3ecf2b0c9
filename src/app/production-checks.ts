import type { MikroORM } from '@mikro-orm/postgresql';
import { SettingsError } from '../settings/declare-settings.js';
import { findDemoProject } from '../projects/project.rows.js';
import { assertNoSimulatedSubscriptions } from '../licensing/application/simulated-subscriptions.js';

/**
 * Production refuses a database that development has filled (design §3).
 * @throws SettingsError that says what was found.
 */
export async function refuseDevelopmentData(orm: MikroORM): Promise<void> {
  if ((await findDemoProject(orm.em.fork())) !== null) {
    throw new SettingsError(
      'The database of DATABASE_URL contains the demo project. Use a separate database in production.',
    );
  }
  try {
    await assertNoSimulatedSubscriptions(orm.em.fork());
  } catch (cause) {
    throw new SettingsError(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}
