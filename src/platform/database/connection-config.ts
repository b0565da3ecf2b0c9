import type { Options } from '@mikro-orm/postgresql';
import { BindingDriver } from './binding-driver.js';
import { connectionOptions } from './postgres-pool.js';

/** Connections of the ORM's pool in one process; ingest, claims, reports and sign-in have separate pools. */
const ORM_POOL_MAX = 10;

/** A server that accepts no connection within this time counts as unavailable. */
const CONNECT_TIMEOUT_MS = 15_000;

/** Statements of requests take milliseconds; maintenance raises the limit for its own transactions. */
const STATEMENT_TIMEOUT_MS = 30_000;

/** Options of an ORM's connections that differ from the defaults. */
export interface ConnectionConfig {
  /** Shown in pg_stat_activity. */
  name?: string;
  /** Maximum number of connections in the pool. */
  connections?: number;
  connectTimeoutMs?: number;
  /** The server cancels a statement that takes longer; 0: never, for migrations. */
  statementMs?: number;
  /** The server cancels a statement that waits longer for a lock; 0: never. */
  lockMs?: number;
}

/** The part of the ORM's configuration that all processes and threads share: driver, connections, timeouts. */
export function connectionConfig(
  databaseUrl: string,
  {
    name = 'consent-service',
    connections = ORM_POOL_MAX,
    connectTimeoutMs = CONNECT_TIMEOUT_MS,
    statementMs = STATEMENT_TIMEOUT_MS,
    lockMs = 0,
  }: ConnectionConfig = {},
): Pick<Options, 'driver' | 'clientUrl' | 'driverOptions' | 'debug'> {
  return {
    driver: BindingDriver,
    clientUrl: databaseUrl,
    driverOptions: connectionOptions({
      name,
      connections,
      connectTimeoutMs,
      statementMs,
      serverSettings: { lock_timeout: String(lockMs) },
    }),
    debug: false,
  };
}
