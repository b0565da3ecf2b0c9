import { randomUUID } from 'node:crypto';
import { Client } from 'pg';

/** Another client of the pooler may come between the two statements; five times in a row is not chance. */
const TRIES_MAX = 5;

/**
 * Whether two clients that are connected at the same moment can get the same session of the server: a pooler in
 * transaction or statement mode does that. Such a start would succeed and then lose locks, notifications and settings.
 * Never true without such a pooler: it looks for a random mark. Rejects as `pg` does if no
 * session is available within `timeoutMs`.
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
    // A pooler without a free session takes the connection and lets the first statement wait.
    query_timeout: timeoutMs,
  });
  client.on('error', () => {});
  return client;
}
