import {
  isRaw,
  raw,
  type Dictionary,
  type EntityData,
  type LoggingOptions,
  type QueryResult,
  type RawQueryFragment,
  type Transaction,
} from '@mikro-orm/core';
import {
  NativeQueryBuilder,
  PostgreSqlConnection,
  PostgreSqlDriver,
  type Configuration,
  type Options,
  type PostgreSqlPlatform,
} from '@mikro-orm/postgresql';
import { CompiledQuery, type Driver, type PostgresDialect } from 'kysely';
import { isConnectionFailure } from './postgres-error.js';
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

/** A statement with placeholders for its values. */
interface BoundStatement {
  text: string;
  values: unknown[];
}

/**
 * Sends the values of entity queries as parameters. MikroORM's own connection quotes them into the
 * statement's text, without an option: they would appear in the server's log and statistics, hashes
 * of keys included (docs/security.md).
 */
class BindingConnection extends PostgreSqlConnection {
  override createKyselyDialect(
    ...given: Parameters<PostgreSqlConnection['createKyselyDialect']>
  ): PostgresDialect {
    const dialect = super.createKyselyDialect(...given);
    const createDriver = dialect.createDriver.bind(dialect);
    return Object.assign(dialect, { createDriver: () => releasingDriver(createDriver()) });
  }

  override async execute<
    T extends QueryResult | EntityData<object> | EntityData<object>[] = EntityData<object>[],
  >(
    query: string | NativeQueryBuilder | RawQueryFragment,
    params: readonly unknown[] | Dictionary<unknown> = [],
    method: 'all' | 'get' | 'run' = 'all',
    ctx?: Transaction,
    loggerContext?: LoggingOptions,
  ): Promise<T> {
    await this.ensureConnection();
    const { text, values } = this.bind(query, params);
    return this.executeQuery(
      text,
      async () => {
        const compiled = CompiledQuery.raw(text, values);
        return this.transformRawResult<T>(await (ctx ?? this.getClient()).executeQuery(compiled), method);
      },
      { query: text, ...loggerContext },
    );
  }

  /** Follows MikroORM's quoting rules, with a placeholder instead of each value. */
  private bind(
    query: string | NativeQueryBuilder | RawQueryFragment,
    params: readonly unknown[] | Dictionary<unknown>,
  ): BoundStatement {
    const given = query instanceof NativeQueryBuilder ? query.toRaw() : query;
    const fragment = typeof given === 'string' && !Array.isArray(params) ? raw(given, params) : given;
    const { sql, params: bound } = isRaw(fragment)
      ? fragment
      : { sql: fragment, params: params as unknown[] };
    const values: unknown[] = [];
    const binder = Object.create(this.platform) as PostgreSqlPlatform;
    binder.escape = (value: unknown) => placeFor(value, values);
    return { text: binder.formatQuery(sql as string, bound), values };
  }
}

/**
 * Corrects two leaks of Kysely's driver:
 * - It returns the connection of a transaction only after a successful rollback, and never when
 *   `begin` fails, so a broken transaction keeps its connection. The pool discards a broken one.
 * - A connection that opens while the driver is destroyed is never returned, and the pool's end
 *   waits for it forever. So destroying waits for opening connections.
 */
function releasingDriver(driver: Driver): Driver {
  const acquire = driver.acquireConnection.bind(driver);
  const begin = driver.beginTransaction.bind(driver);
  const rollback = driver.rollbackTransaction.bind(driver);
  const destroy = driver.destroy.bind(driver);
  const acquiring = new Set<ReturnType<typeof acquire>>();
  return Object.assign(driver, {
    acquireConnection: async (...given: Parameters<typeof acquire>) => {
      const connection = acquire(...given);
      acquiring.add(connection);
      try {
        return await connection;
      } finally {
        acquiring.delete(connection);
      }
    },
    beginTransaction: async (...given: Parameters<typeof begin>) => {
      try {
        await begin(...given);
      } catch (error) {
        await driver.releaseConnection(given[0]);
        throw error;
      }
    },
    rollbackTransaction: async (...given: Parameters<typeof rollback>) => {
      try {
        await rollback(...given);
      } catch (error) {
        // The server has rolled back; the caller gets the error that broke the transaction.
        if (!isConnectionFailure(error)) throw error;
      }
    },
    destroy: async (...given: Parameters<typeof destroy>) => {
      await Promise.allSettled(acquiring);
      await destroy(...given);
    },
  });
}

/** Appends a value and returns its placeholder, `$1`, `$2` and so on. */
function placeFor(value: unknown, values: unknown[]): string {
  if (Array.isArray(value)) return value.map((each) => placeFor(each, values)).join(', ');
  // Numbers, booleans and null stay in the text: the server infers their types, and they contain no secrets.
  const isPlain = typeof value !== 'string' && typeof value !== 'bigint' && !isObject(value);
  if (isPlain) return String(value);
  values.push(value instanceof Date ? value.toISOString() : value);
  return `$${values.length}`;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** MikroORM's PostgreSQL driver with bound values. */
export class BindingDriver extends PostgreSqlDriver {
  protected override connection: BindingConnection;

  constructor(config: Configuration) {
    super(config);
    this.connection = new BindingConnection(config);
  }
}
