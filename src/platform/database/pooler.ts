import { randomUUID } from 'node:crypto';
import type { MikroORM } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { Client } from 'pg';

/**
 * Another client of the pooler may run between the two statements, but hardly five times in a row.
 */
const TRIES_MAX = 5;

/**
 * Whether two clients that are connected at the same time can get the same session of the server,
 * as with a pooler in transaction or statement mode. Such a start would succeed and then lose
 * locks, notifications and settings. Never true without such a pooler: it checks for a random mark.
 * Rejects like `pg` if no session is available within `timeoutMs`.
 */
export async function sharesSessions(databaseUrl: string, timeoutMs: number): Promise<boolean> {
  const clients = [openClient(databaseUrl, timeoutMs), openClient(databaseUrl, timeoutMs)] as const;
  const [first, second] = clients;
  try {
    await Promise.all(clients.map((client) => client.connect()));
    for (let tryNumber = 0; tryNumber < TRIES_MAX; tryNumber++) {
      const mark = randomUUID();
      await first.query(`select set_config('service.mark', $1, false)`, [mark]);
      const { rows } = await second.query<{ mark: string | null }>(
        `select current_setting('service.mark', true) as mark`,
      );
      if (rows[0]?.mark === mark) return true;
    }
    return false;
  } finally {
    await Promise.all(clients.map((client) => client.end().catch(() => {})));
  }
}

function openClient(databaseUrl: string, timeoutMs: number): Client {
  const client = new Client({
    connectionString: databaseUrl,
    application_name: 'consent-service start',
    connectionTimeoutMillis: timeoutMs,
    // A pooler without a free session accepts the connection and delays the first statement.
    query_timeout: timeoutMs,
  });
  client.on('error', () => {});
  return client;
}

/**
 * Why the server's settings don't guarantee that an acknowledged record is on disk, as a sentence
 * for the operator; null: they do. A session can request synchronous commits
 * (platform/database/postgres-pool.ts), but not fsync.
 */
export async function durabilityWarning(orm: MikroORM): Promise<string | null> {
  const { rows } = await sql<{ fsync: string }>`select current_setting('fsync') as fsync`.execute(
    orm.em.fork().getKysely(),
  );
  if (rows[0]?.fsync !== 'off') return null;
  return 'warning: PostgreSQL runs with fsync=off. A crash of its machine loses acknowledged records. Set fsync=on.';
}
