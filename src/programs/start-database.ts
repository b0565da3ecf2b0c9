import { MikroORM } from '@mikro-orm/postgresql';
import type { databaseSettings } from '../database/database.settings.js';
import { durabilityWarning } from '../database/durability.js';
import {
  MIGRATION_LOCK_TIMEOUT_MS,
  mayMigrate,
  migrate,
  type MigrationWait,
  pendingMigrations,
} from '../database/migrate.js';
import { ormOptions } from './orm-options.js';
import { sharesSessions } from '../database/pooler.js';
import { incompatibleServerSentence } from '../database/server-compatibility.js';
import { missingKeysSentence } from '../forwarding/application/stored-tokens.js';
import type { SettingsOf } from '../settings/declare-settings.js';
import { refuseDevelopmentData } from './production-checks.js';
import type { Settings } from './settings.js';
import { StartError } from './start-error.js';

type DatabaseUrls = SettingsOf<typeof databaseSettings>;

/** The application loads at the same time: on a busy machine the server's reply may stay unread for many seconds. */
const START_CONNECT_TIMEOUT_MS = 60_000;

const ONE_ROLE_WARNING =
  'warning: the service uses the role that owns the tables, so an SQL injection could drop or rewrite all of ' +
  'them. Use the two roles of deploy/postgres/roles.sql (docs/security.md).';

const POOLER_SENTENCE =
  'A connection pooler shares sessions between clients, but the service keeps ' +
  'locks and settings in its sessions. Set pool_mode = session in PgBouncer (docs/operations.md).';

/**
 * Brings the database up to date where this process was given the owner's role, and looks whether it is up to date
 * where it was not; then refuses what production must not run on.
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
 * Migrates, and does nothing else. Returns the names of the migrations that this call ran.
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
        'This role cannot change the tables. Set DATABASE_OWNER_URL to the role that owns them (docs/operations.md).',
      );
    // The lock that keeps two migrations apart is one of a session.
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

async function connectAsOwner({ databaseOwnerUrl }: DatabaseUrls): Promise<MikroORM> {
  const options = ormOptions(databaseOwnerUrl, {
    connectTimeoutMs: START_CONNECT_TIMEOUT_MS,
    statementMs: 0,
    lockMs: MIGRATION_LOCK_TIMEOUT_MS,
  });
  // Migrations are SQL: to discover the entities here would delay each start.
  const orm = await MikroORM.init({
    ...options,
    entities: [],
    discovery: { warnWhenNoEntities: false },
  }).catch(refuseDatabase);
  try {
    const unfit = await incompatibleServerSentence(orm).catch(refuseDatabase);
    if (unfit) throw new StartError(unfit);
    return orm;
  } catch (error) {
    await orm.close();
    throw error;
  }
}

function refuseDatabase(cause: unknown): never {
  throw new StartError(`Cannot use the database: ${whyNot(cause)}`, { cause });
}

/** What keeps us from the database, in a sentence. The URL may hold a password, so it is not repeated. */
function whyNot(cause: unknown): string {
  switch (codeOf(cause)) {
    case '28P01':
    case '28000':
      return 'authentication failed. Check the user and password in DATABASE_URL (DATABASE_OWNER_URL if set).';
    case '3D000':
      return 'no database with this name exists. Create it, or check the end of DATABASE_URL.';
    case '08P01':
      return 'the connection pooler rejects session options or has no free session. See docs/operations.md, PgBouncer.';
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return 'the host cannot be resolved. Check the hostname in DATABASE_URL.';
    case 'ECONNREFUSED':
      return 'connection refused. Check DATABASE_URL and that the server is running.';
    default:
      return 'the server does not respond. Check DATABASE_URL and that the server accepts connections.';
  }
}

/** Drivers and the ORM wrap what they got; the code of the first that has one. */
function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if ('code' in error && typeof error.code === 'string') return error.code;
  const [first] = error instanceof AggregateError ? (error.errors as unknown[]) : [];
  return codeOf(error.cause ?? first);
}

async function refuseOutdatedSchema(orm: MikroORM): Promise<void> {
  const pending = await pendingMigrations(orm);
  if (pending.length === 0) return;
  throw new StartError(
    `The database is missing ${pending.length} migrations of this version, and the role of DATABASE_URL cannot change ` +
      'its tables. Run "npm run migrate" with DATABASE_OWNER_URL first.',
  );
}
