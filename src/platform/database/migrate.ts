import { setTimeout as sleep } from 'node:timers/promises';
import type { MikroORM } from '@mikro-orm/postgresql';
import { runMigrations } from 'bullmq';
import { Client } from 'pg';
import { QUEUE_SCHEMA, QUEUES } from './queue.js';
import { sessionOptions } from './postgres-pool.js';
import { grantToRuntime, grantToScanner } from './grants.js';
import { migrations } from '../../migrations/index.js';

/** An arbitrary number, the same for every process of the service. */
const MIGRATION_LOCK_KEY = 7_201_120_001;
const UNDEFINED_TABLE = '42P01';

/**
 * Longest wait of a table change for its lock. Later statements queue behind it, ingest included: a
 * report that read a table for a minute while a migration waited stopped ingest for that minute.
 */
export const MIGRATION_LOCK_TIMEOUT_MS = 2_000;
/** Pause in which queued statements run, before the next try. */
const LOCK_PAUSE_MS = 3_000;
/**
 * With pause and timeout: five minutes, after which an operator has to find the holder of the lock.
 */
const LOCK_TRIES_MAX = 60;
const LOCK_NOT_AVAILABLE = '55P03';

/** Called before each retry. */
export interface MigrationWait {
  tryNumber: number;
  triesMax: number;
  pauseMs: number;
}

/**
 * Migrates the schema, the queue's included, and grants the run-time role its privileges. Processes
 * that start together take turns on an advisory lock, held by a separate connection: the server
 * releases it when that process dies. `orm` and `ownerUrl` are the owner's, `runtimeUrl` is that of
 * the run-time role; they may be the same. Returns the names of the migrations that this call ran.
 */
export async function migrate(
  orm: MikroORM,
  { ownerUrl, runtimeUrl }: { ownerUrl: string; runtimeUrl: string },
  onWait: (wait: MigrationWait) => void = () => {},
): Promise<string[]> {
  const lock = new Client({
    connectionString: ownerUrl,
    application_name: 'consent-service migrate',
    // It waits for another process's migrations, without a limit.
    options: sessionOptions({ statementMs: 0 }),
  });
  // If the connection is lost, the running statement fails and reports it; an unhandled event would
  // end the process silently.
  lock.on('error', () => {});
  await lock.connect();
  try {
    await lock.query('select pg_advisory_lock($1)', [MIGRATION_LOCK_KEY]);
    const before = new Set(await pendingMigrations(orm));
    // Set only here: the wait for other processes' migrations has no limit.
    await lock.query(`set lock_timeout = ${MIGRATION_LOCK_TIMEOUT_MS}`);
    await patiently(onWait, async () => {
      await orm.migrator.up();
      await migrateQueues(lock);
      await grant(lock, runtimeUrl === ownerUrl ? null : await readRole(runtimeUrl));
    });
    for (const left of await pendingMigrations(orm)) before.delete(left);
    return [...before];
  } finally {
    await lock.end();
  }
}

/**
 * Retries if a lock was not available. Completed migrations remain: each one has its own
 * transaction.
 */
async function patiently(onWait: (wait: MigrationWait) => void, work: () => Promise<void>): Promise<void> {
  for (let tryNumber = 1; ; tryNumber++) {
    try {
      return await work();
    } catch (error) {
      if (!isLockTimeout(error) || tryNumber === LOCK_TRIES_MAX) throw error;
      onWait({ tryNumber: tryNumber + 1, triesMax: LOCK_TRIES_MAX, pauseMs: LOCK_PAUSE_MS });
      await sleep(LOCK_PAUSE_MS);
    }
  }
}

function isLockTimeout(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return ('code' in error && error.code === LOCK_NOT_AVAILABLE) || isLockTimeout(error.cause);
}

/**
 * BullMQ's tables, and the objects that it would create at the first job of each queue. Also if the
 * queues are on Redis now.
 */
async function migrateQueues(client: Client): Promise<void> {
  await runMigrations(client, QUEUE_SCHEMA);
  await client.query(
    `select ${QUEUE_SCHEMA}.next_job_id(name) from unnest($1::text[]) name
     where to_regclass('${QUEUE_SCHEMA}.' || ${QUEUE_SCHEMA}.job_id_seq_name(name)) is null`,
    [Object.values(QUEUES)],
  );
}

/**
 * Grants to the run-time role, which may own the tables itself (null), and to the scanners' role.
 */
async function grant(client: Client, role: string | null): Promise<void> {
  await client.query('begin');
  try {
    if (role !== null) await grantToRuntime(client, role);
    await grantToScanner(client);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw error;
  }
}

/** The role of a URL's connection, which the URL need not contain. */
async function readRole(url: string): Promise<string> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ role: string }>('select current_user as role');
    return rows[0]?.role ?? '';
  } finally {
    await client.end();
  }
}

/** Whether the role of `orm` may change the schema; the run-time role may not. */
export async function mayMigrate(orm: MikroORM): Promise<boolean> {
  const [row] = await orm.em
    .fork()
    .execute<{ may: boolean }[]>(
      `select has_schema_privilege(current_user, current_schema(), 'CREATE') as may`,
    );
  return row?.may === true;
}

/**
 * Names of migrations that the database still lacks; empty when it is up to date. Needs only read
 * access.
 */
export function pendingMigrations(orm: MikroORM): Promise<string[]> {
  return missingMigrations((query) => orm.em.fork().execute<{ name: string }[]>(query));
}

/** `pendingMigrations`, over any connection. */
export async function missingMigrations(read: ReadNames): Promise<string[]> {
  const completed = await completedMigrations(read);
  return migrations.map(({ name }) => name).filter((name) => !completed.has(name));
}

/**
 * Why the migrations of this version cannot continue those of the database, as a sentence; null:
 * they can.
 */
export async function unknownBaselineSentence(orm: MikroORM): Promise<string | null> {
  const completed = await completedMigrations((query) => orm.em.fork().execute<{ name: string }[]>(query));
  const [baseline] = migrations;
  if (completed.size === 0 || (baseline && completed.has(baseline.name))) return null;
  return (
    'The tables of this database were created by a version before 0.1.0, which cannot be upgraded. Nothing was ' +
    'changed. Use a new database, or in standalone mode a new DATA_DIR (docs/run.md).'
  );
}

type ReadNames = (query: string) => Promise<{ name: string }[]>;

async function completedMigrations(read: ReadNames): Promise<Set<string>> {
  try {
    const rows = await read('select name from schema_migration');
    return new Set(rows.map(({ name }) => name));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === UNDEFINED_TABLE) return new Set();
    throw error;
  }
}
