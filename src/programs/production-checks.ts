import type { MikroORM } from '@mikro-orm/postgresql';
import { SettingsError } from '../platform/settings/declare-settings.js';
import { findDemoProject } from '../modules/projects/project.rows.js';
import { countSubscriptions } from '../modules/licensing/subscription.rows.js';

/**
 * Production refuses a database with development data (design §3): the demo project, or simulated tiers.
 *
 * @throws SettingsError that names the data.
 */
export async function refuseDevelopmentData(orm: MikroORM): Promise<void> {
  const em = orm.em.fork();
  if ((await findDemoProject(em)) !== null) {
    throw new SettingsError(
      'The database of DATABASE_URL contains the demo project. Use a separate database in production.',
    );
  }
  const simulated = await countSubscriptions(em, 'simulated');
  if (simulated === 0) return;
  throw new SettingsError(
    `The database contains ${simulated} simulated subscription(s), which are not allowed in production. ` +
      "Delete the rows of subscription with provider = 'simulated', or use another database.",
  );
}
