import { Migrator } from '@mikro-orm/migrations';
import { defineConfig, type Options } from '@mikro-orm/postgresql';
import { QUEUE_SCHEMA } from '../database/queue.js';
import { connectionOptions } from '../database/postgres-pool.js';
import { BindingDriver } from '../database/binding-driver.js';
import { entities } from './entities.js';
import { SchemaComparison } from '../database/schema-comparison.js';
import { migrations } from '../migrations/index.js';

/** Connections of the ORM's pool in one process; ingest, claims, reports and sign-in have separate pools. */
const ORM_POOL_MAX = 10;

/** A server that does not take connections for so long is away. */
const CONNECT_TIMEOUT_MS = 15_000;

/** Whatever a request does through the ORM takes milliseconds; maintenance that takes longer asks for more itself. */
const STATEMENT_TIMEOUT_MS = 30_000;

/** What a caller of `ormOptions` may want otherwise. */
export interface OrmWishes {
  /** As pg_stat_activity shows the connections. */
  name?: string;
  /** Connections of the pool at most. */
  connections?: number;
  connectTimeoutMs?: number;
  /** The server gives up a statement that takes longer; 0: never, for migrations. */
  statementMs?: number;
  /** The server gives up waiting for a lock that it does not get for so long; 0: never. */
  lockMs?: number;
}

/** The one ORM configuration, for the application and for the command line. */
export function ormOptions(
  databaseUrl: string,
  {
    name = 'consent-service',
    connections = ORM_POOL_MAX,
    connectTimeoutMs = CONNECT_TIMEOUT_MS,
    statementMs = STATEMENT_TIMEOUT_MS,
    lockMs = 0,
  }: OrmWishes = {},
): Options {
  return defineConfig({
    driver: BindingDriver,
    clientUrl: databaseUrl,
    entities,
    extensions: [Migrator, SchemaComparison],
    migrations: {
      migrationsList: migrations,
      snapshot: false,
      tableName: 'schema_migration',
      silent: true,
      // A transaction each: a lock is held no longer than the change that needs it.
      allOrNothing: false,
    },
    // Used only to compare schemas (schema-comparison.ts). The ORM already ignores partitions, sequences and its own
    // table of migrations. Views come from extensions, such as pg_stat_statements: the service has none.
    schemaGenerator: {
      ignoreSchema: [QUEUE_SCHEMA],
      skipViews: [/./],
      ignoreRoutines: true,
      ignoreTriggers: true,
    },
    driverOptions: connectionOptions({
      name,
      connections,
      connectTimeoutMs,
      statementMs,
      serverSettings: { lock_timeout: String(lockMs) },
    }),
    debug: false,
  });
}
