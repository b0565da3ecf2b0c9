import { MikroORM } from '@mikro-orm/postgresql';
import { missingKeysSentence } from '../modules/forwarding/application/stored-tokens.js';
import { countSubscriptions } from '../modules/licensing/subscription.rows.js';
import { findDemoProject } from '../modules/projects/project.rows.js';
import type { databaseSettings } from '../platform/database/database.settings.js';
import { durabilityWarning, sharesSessions } from '../platform/database/pooler.js';
import {
  mayMigrate,
  migrate,
  MIGRATION_LOCK_TIMEOUT_MS,
  pendingMigrations,
  unknownBaselineSentence,
  type MigrationWait,
} from '../platform/database/migrate.js';
import { incompatibleServerSentence } from '../platform/database/server-compatibility.js';
import { SettingsError, type SettingsOf } from '../platform/settings/declare-settings.js';
import { connectPatiently, refuseDatabase } from './connect-patiently.js';
import { ormOptions } from './orm-options.js';
import type { Settings } from './settings.js';
import { StartError } from './expected-errors.js';

type DatabaseUrls = SettingsOf<typeof databaseSettings>;

/**
 * The application loads at the same time: on a busy machine the server's reply may stay unread for
 * many seconds.
 */
const START_CONNECT_TIMEOUT_MS = 60_000;

const ONE_ROLE_WARNING =
  'warning: the service uses the role that owns the tables, so an SQL injection could drop or rewrite all of ' +
  'them. Use the two roles of deploy/postgres/roles.sql (docs/security.md).';

const POOLER_SENTENCE =
  'A connection pooler shares sessions between clients, but the service keeps ' +
  'locks and settings in its sessions. Set pool_mode = session in PgBouncer (docs/deploy.md).';

/**
 * Migrates the database if this process has the owner's role, and else checks that it is up to
 * date; then refuses databases that production must not use.
 *
 * @throws StartError, SettingsError with a sentence for the operator
 */
export async function prepareDatabase(settings: Settings): Promise<void> {
  const { service, database, secrets } = settings;
  const orm = await connectAsOwner(database);
  try {
    const isOwner = await mayMigrate(orm);
    await refuseSharedSessions(isOwner ? Object.values(connectionUrls(database)) : [database.databaseUrl]);
    if (isOwner) await migrate(orm, connectionUrls(database));
    else await refuseOutdatedSchema(orm);
    const lack = await missingKeysSentence(orm.em, secrets);
    if (lack) throw new StartError(lack);
    if (service.production) await refuseDevelopmentData(orm);
    if (service.production && isOwner && database.databaseOwnerUrl === database.databaseUrl)
      process.stderr.write(`${ONE_ROLE_WARNING}\n`);
    const warning = await durabilityWarning(orm);
    if (warning) process.stderr.write(`${warning}\n`);
  } finally {
    await orm.close();
  }
}

/**
 * Only migrates. Returns the names of the migrations that this call ran.
 *
 * @throws StartError with a sentence for the operator
 */
export async function migrateOnly(
  database: DatabaseUrls,
  onWait: (wait: MigrationWait) => void,
): Promise<string[]> {
  const orm = await connectAsOwner(database);
  try {
    if (!(await mayMigrate(orm)))
      throw new StartError(
        'This role cannot change the tables. Set DATABASE_OWNER_URL to the role that owns them (docs/deploy.md).',
      );
    // The lock between concurrent migrations belongs to a session.
    await refuseSharedSessions([database.databaseOwnerUrl]);
    return await migrate(orm, connectionUrls(database), onWait);
  } finally {
    await orm.close();
  }
}

function connectionUrls(database: DatabaseUrls): { ownerUrl: string; runtimeUrl: string } {
  return { ownerUrl: database.databaseOwnerUrl, runtimeUrl: database.databaseUrl };
}

async function refuseSharedSessions(urls: string[]): Promise<void> {
  const looks = [...new Set(urls)].map((url) => sharesSessions(url, START_CONNECT_TIMEOUT_MS));
  const shared = await Promise.all(looks).catch(refuseDatabase);
  if (shared.includes(true)) throw new StartError(POOLER_SENTENCE);
}

function connectAsOwner({ databaseOwnerUrl, startWaitSeconds }: DatabaseUrls): Promise<MikroORM> {
  const options = ormOptions(databaseOwnerUrl, {
    connectTimeoutMs: START_CONNECT_TIMEOUT_MS,
    statementMs: 0,
    lockMs: MIGRATION_LOCK_TIMEOUT_MS,
  });
  return connectPatiently(async () => {
    // Migrations are SQL: discovering entities here would delay each start.
    const orm = await MikroORM.init({ ...options, entities: [], discovery: { warnWhenNoEntities: false } });
    try {
      const unfit = (await incompatibleServerSentence(orm)) ?? (await unknownBaselineSentence(orm));
      if (unfit) throw new StartError(unfit);
      return orm;
    } catch (error) {
      await orm.close();
      throw error;
    }
  }, startWaitSeconds * 1_000);
}

async function refuseOutdatedSchema(orm: MikroORM): Promise<void> {
  const pending = await pendingMigrations(orm);
  if (pending.length === 0) return;
  throw new StartError(
    `The database is missing ${pending.length} migrations of this version, and the role of DATABASE_URL cannot change ` +
      'its tables. Run "npm run migrate" with DATABASE_OWNER_URL first.',
  );
}

/**
 * Production refuses a database with development data (design §3): the demo project, or simulated tiers.
 *
 * @throws SettingsError that names the data.
 */
async function refuseDevelopmentData(orm: MikroORM): Promise<void> {
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
