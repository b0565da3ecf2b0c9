import type { MikroORM } from '@mikro-orm/postgresql';
import { Client } from 'pg';
import { sessionOptions } from '../shared/postgres-pool.js';

/** Any number: what matters is that every process of the service takes the same advisory lock. */
const MIGRATION_LOCK_KEY = 7_201_120_001;

/**
 * Brings the schema up to date. Processes that start together take turns on an advisory lock, which a
 * connection of its own holds: the server frees it when that process dies.
 * Returns the names of the migrations that this call ran.
 */
export async function migrate(orm: MikroORM, databaseUrl: string): Promise<string[]> {
  const lock = new Client({
    connectionString: databaseUrl,
    application_name: 'consent-service migrate',
    // It waits for another process's migrations, however long they take.
    options: sessionOptions({ statementMs: 0 }),
  });
  // Its loss ends the statement under way, which tells; unheard, it would end the process without a sentence.
  lock.on('error', () => {});
  await lock.connect();
  try {
    await lock.query('select pg_advisory_lock($1)', [MIGRATION_LOCK_KEY]);
    const ran = await orm.migrator.up();
    return ran.map((migration) => migration.name);
  } finally {
    await lock.end();
  }
}

/** Names of migrations that the database still lacks; empty when it is up to date. */
export async function pendingMigrations(orm: MikroORM): Promise<string[]> {
  const pending = await orm.migrator.getPending();
  return pending.map((migration) => migration.name);
}
