import { Pool, type PoolConfig, types, TypeOverrides } from 'pg';

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

/** How connections are opened, the ORM's too. */
export interface ConnectionPurpose extends SessionPurpose {
  /** Shown in pg_stat_activity. */
  name: string;
  connections: number;
  /** How long one waits for a connection; 2 s without. */
  connectTimeoutMs?: number;
}

/** What a pool of few connections is for; its name stands behind the service's. */
export interface PoolPurpose extends ConnectionPurpose {
  /** Told of idle connections that break off: no event, as the next statement opens another one. */
  onDropped: (error: Error) => void;
}

/**
 * How values of the server become values of ours, on every connection and for every way to a row (ADR 0022). An
 * instant is a Date, and JSON is what it says: that is the driver's own. What it leaves as text:
 * - a whole number of 8 bytes is a number; one that a number does not hold exactly is an error, not a wrong digit.
 * - a date stays text: the driver would make it midnight of this machine's time zone.
 * - a decimal stays text: the statement says by a cast how exact it must be.
 */
const VALUES = new TypeOverrides();
VALUES.setTypeParser(types.builtins.INT8, exactNumber);
VALUES.setTypeParser(types.builtins.DATE, (text) => text);

/** A pool beside the ORM's; the one way in which the service opens one. */
export function openPool({ databaseUrl }: { databaseUrl: string }, purpose: PoolPurpose): Pool {
  const pool = new Pool({
    connectionString: databaseUrl,
    query_timeout: purpose.statementMs + ANSWER_GRACE_MS,
    ...connectionOptions({ ...purpose, name: `consent-service ${purpose.name}` }),
  });
  // Without a listener, a connection that breaks off while it is checked out ends the process.
  pool.on('connect', (client) => client.on('error', () => {}));
  pool.on('error', purpose.onDropped);
  return pool;
}

/** What every pool is opened with. */
export function connectionOptions(purpose: ConnectionPurpose): PoolConfig {
  return {
    max: purpose.connections,
    application_name: purpose.name,
    connectionTimeoutMillis: purpose.connectTimeoutMs ?? CONNECT_TIMEOUT_MS,
    keepAlive: true,
    options: sessionOptions(purpose),
    types: VALUES,
  };
}

/** @throws RangeError where the number has more digits than a number of ours holds. */
function exactNumber(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`the database holds ${text}, which no number holds`);
  return value;
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
