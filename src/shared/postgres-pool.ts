import { Pool } from 'pg';
import type { Settings } from './settings.js';

const CONNECT_TIMEOUT_MS = 2_000;

/** What a pool of few connections is for. */
export interface PoolPurpose {
  /** Shown in pg_stat_activity behind the service's name. */
  name: string;
  connections: number;
  /** A statement that takes longer is given up and its connection closed: a server that hangs never answers. */
  statementMs: number;
  /** Settings of the server for these connections alone, e.g. `{ enable_sort: 'off' }`. */
  serverSettings?: Record<string, string>;
  /** Told of idle connections that break off: no event, as the next statement opens another one. */
  onDropped: (error: Error) => void;
}

/** A pool beside the ORM's, for the few statements that are run all the time and prepared once. */
export function openPool(settings: Settings, purpose: PoolPurpose): Pool {
  const options = Object.entries(purpose.serverSettings ?? {}).map(([name, value]) => `-c ${name}=${value}`);
  const pool = new Pool({
    connectionString: settings.databaseUrl,
    max: purpose.connections,
    application_name: `consent-service ${purpose.name}`,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: purpose.statementMs,
    keepAlive: true,
    ...(options.length > 0 && { options: options.join(' ') }),
  });
  pool.on('error', purpose.onDropped);
  return pool;
}
