import { Client, Pool, type PoolConfig, types, TypeOverrides } from 'pg';
import { markConnectFailure } from './postgres-error.js';

const CONNECT_TIMEOUT_MS = 2_000;
/** The server cancels a statement first and reports it; this timeout is for a server that hangs. */
const ANSWER_GRACE_MS = 500;

/** Options of a new session. */
export interface SessionPurpose {
  /** The server cancels a statement that takes longer; 0: never. */
  statementMs: number;
  /** Server settings for only these connections, e.g. `{ enable_sort: 'off' }`. */
  serverSettings?: Record<string, string>;
}

/** How connections are opened, also those of the ORM. */
export interface ConnectionPurpose extends SessionPurpose {
  /** Shown in pg_stat_activity. */
  name: string;
  connections: number;
  /** How long to wait for a connection; default 2 s. */
  connectTimeoutMs?: number;
}

/** Purpose of a small pool; its name is appended to the service's. */
export interface PoolPurpose extends ConnectionPurpose {
  /** Called when an idle connection breaks. Harmless: the next statement opens another one. */
  onDropped: (error: Error) => void;
}

/**
 * How values of the server are converted, on every connection and for every kind of query (ADR
 * 0022). An instant is a Date, without its microseconds, and JSON is parsed, both by the driver.
 * Types that the driver leaves as text:
 * - a whole number of 8 bytes is a number; one that a number does not hold exactly is an error, not
 *   a wrong digit.
 * - a date stays text: the driver would make it midnight of this machine's time zone.
 * - a decimal stays text: a cast in the statement defines its precision.
 */
const VALUES = new TypeOverrides();
VALUES.setTypeParser(types.builtins.INT8, exactNumber);
VALUES.setTypeParser(types.builtins.DATE, (text) => text);
VALUES.setTypeParser(types.builtins.TIMESTAMPTZ, instant);

/** Opens a pool beside the ORM's, the only other way to open connections. */
export function openPool({ databaseUrl }: { databaseUrl: string }, purpose: PoolPurpose): Pool {
  const pool = new Pool({
    connectionString: databaseUrl,
    query_timeout: purpose.statementMs + ANSWER_GRACE_MS,
    ...connectionOptions({ ...purpose, name: `consent-service ${purpose.name}` }),
  });
  // Without a listener, a connection that breaks while it is checked out ends the process.
  pool.on('connect', (client) => client.on('error', () => {}));
  pool.on('error', purpose.onDropped);
  return pool;
}

/**
 * Marks the error of a connection that could not be opened: for every reason (a refused login, a
 * starting server, no free file handle), no statement has run, and the next connection may succeed.
 */
class PoolClient extends Client {
  override connect(): Promise<this>;
  override connect(callback: (error: Error) => void): void;
  override connect(callback?: (error: Error) => void): Promise<this> | undefined {
    if (!callback) {
      return super.connect().catch((error: unknown) => {
        throw markConnectFailure(error);
      }) as Promise<this>;
    }
    super.connect((error: Error) => callback(markConnectFailure(error)));
    return undefined;
  }
}

/** Options of every pool. */
export function connectionOptions(purpose: ConnectionPurpose): PoolConfig {
  return {
    Client: PoolClient,
    max: purpose.connections,
    application_name: purpose.name,
    connectionTimeoutMillis: purpose.connectTimeoutMs ?? CONNECT_TIMEOUT_MS,
    keepAlive: true,
    options: sessionOptions(purpose),
    types: VALUES,
  };
}

/** @throws RangeError if the number is too large to be exact. */
function exactNumber(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value))
    throw new RangeError(`the database contains ${text}, which exceeds the safe integer range`);
  return value;
}

const instantOfDriver: (text: string) => Date | number = types.getTypeParser(types.builtins.TIMESTAMPTZ);

/**
 * An instant from its text, like the driver's own parser: without microseconds. The driver uses
 * regular expressions, 0.6 µs each and two for each sent record. This takes 0.2 for the usual
 * format, `2026-11-22 17:53:04.123456+00`, and leaves all others to the driver.
 */
export function instant(text: string): Date | number {
  const isUsual = text.length === 29 && text.startsWith('2') && text[4] === '-' && text.endsWith('+00');
  if (!isUsual) return instantOfDriver(text);
  const year = 100 * twoDigits(text, 0) + twoDigits(text, 2);
  const ms = 10 * twoDigits(text, 20) + digit(text, 22);
  return new Date(
    Date.UTC(
      year,
      twoDigits(text, 5) - 1,
      twoDigits(text, 8),
      twoDigits(text, 11),
      twoDigits(text, 14),
      twoDigits(text, 17),
      ms,
    ),
  );
}

function twoDigits(text: string, index: number): number {
  return 10 * digit(text, index) + digit(text, index + 1);
}

function digit(text: string, index: number): number {
  return text.charCodeAt(index) - 48;
}

/**
 * Settings of every session, overriding an administrator's for the server, the role or the
 * database:
 * - acknowledged data is on disk (design §6.1), so a commit waits for it;
 * - instants and numbers are written as they are parsed here. With another date style the driver
 *   cannot parse an instant, and no record would be forwarded; with fewer digits it is another
 *   instant;
 * - a statement sees what was committed before it. Locks, repeats and turns depend on that; under
 *   `serializable` they fail with 40001;
 * - a list may hold a null, as opposed to the text NULL;
 * - no idle timeout, which the pool has: one connection listens, the others wait for the next
 *   statement.
 */
const EVERY_SESSION = {
  synchronous_commit: 'on',
  datestyle: 'ISO',
  timezone: 'UTC',
  extra_float_digits: '1',
  default_transaction_isolation: 'read committed',
  array_nulls: 'on',
  idle_session_timeout: '0',
};

/** The `options` of every connection of the service; `serverSettings` take precedence. */
export function sessionOptions({ statementMs, serverSettings = {} }: SessionPurpose): string {
  const all = { ...EVERY_SESSION, statement_timeout: String(statementMs), ...serverSettings };
  return Object.entries(all)
    .map(([name, value]) => `-c ${name}=${value.replaceAll(' ', '\\ ')}`)
    .join(' ');
}
