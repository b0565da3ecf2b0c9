import { Pool } from 'pg';

const CONNECT_TIMEOUT_MS = 2_000;
/** The server gives a statement up first and says so; only one that hangs leaves it to this side. */
const ANSWER_GRACE_MS = 500;

/** What a session asks of the server when it is opened. */
export interface SessionPurpose {
  /** The server gives up a statement that takes longer; 0: never. */
  statementMs: number;
  /** Settings of the server for these connections alone, e.g. `{ enable_sort: 'off' }`. */
  serverSettings?: Record<string, string>;
}

/** What a pool of few connections is for. */
export interface PoolPurpose extends SessionPurpose {
  /** Shown in pg_stat_activity behind the service's name. */
  name: string;
  connections: number;
  /** How long one waits for a connection; 2 s without. */
  connectTimeoutMs?: number;
  /** Told of idle connections that break off: no event, as the next statement opens another one. */
  onDropped: (error: Error) => void;
}

/** A pool beside the ORM's; the one way in which the service opens one. */
export function openPool({ databaseUrl }: { databaseUrl: string }, purpose: PoolPurpose): Pool {
  const pool = new Pool({
    connectionString: databaseUrl,
    max: purpose.connections,
    application_name: `consent-service ${purpose.name}`,
    connectionTimeoutMillis: purpose.connectTimeoutMs ?? CONNECT_TIMEOUT_MS,
    query_timeout: purpose.statementMs + ANSWER_GRACE_MS,
    keepAlive: true,
    options: sessionOptions(purpose),
  });
  // Without a listener, a connection that breaks off while it is checked out ends the process.
  pool.on('connect', (client) => client.on('error', () => {}));
  pool.on('error', purpose.onDropped);
  return pool;
}

/**
 * The `options` with which every connection of the service is opened. They weigh more than what an administrator
 * set for the role or the database: what was acknowledged is on the disk (design §6.1), so a commit waits for it
 * although `alter role … set synchronous_commit = off`, unless the code itself says otherwise.
 */
export function sessionOptions({ statementMs, serverSettings = {} }: SessionPurpose): string {
  const all = { synchronous_commit: 'on', statement_timeout: String(statementMs), ...serverSettings };
  return Object.entries(all)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ');
}
