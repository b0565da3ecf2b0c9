import type { BeforeApplicationShutdown, OnModuleDestroy } from '@nestjs/common';
import { createPostgresBackend, type QueueOptions, setDefaultBackendFactory } from 'bullmq';
import { Client, type ClientConfig } from 'pg';
import { isConnectionFailure } from './postgres-error.js';
import { sessionOptions } from './postgres-pool.js';

/** The schema of BullMQ's PostgreSQL backend. */
export const QUEUE_SCHEMA = 'bullmq';

/**
 * Every queue of the service. BullMQ creates a sequence for each at its first job, which the
 * run-time role may not: the migration creates them for this list
 * (src/platform/database/migrate.ts).
 */
export const QUEUES = { outbox: 'outbox', maintenance: 'maintenance' } as const;

/** PostgreSQL connections of each BullMQ queue or worker. */
const QUEUE_POOL_MAX = 4;
/** BullMQ's own statements take milliseconds, creating its schema a second. */
const QUEUE_STATEMENT_TIMEOUT_MS = 60_000;

/**
 * Options of every processor. After an error a BullMQ worker pauses, 15 s by default, and can neither work nor
 * be closed during that time: a shutdown after a restart of the database took 12 s.
 */
export const WORKER_OPTIONS = { concurrency: 1, runRetryDelay: 1_000 };

/**
 * A connection whose loss never ends the process: BullMQ checks one out to migrate its schema
 * without an error listener, so Node would crash. The running query still fails and reports the
 * error.
 */
class HeardClient extends Client {
  constructor(config?: ClientConfig) {
    super(config);
    this.on('error', () => {});
    const query = this.query.bind(this) as (...args: unknown[]) => unknown;
    this.query = ((...args: unknown[]) => {
      const result = query(...args);
      return result instanceof Promise ? result.catch(rethrowAsConnectionError) : result;
    }) as typeof this.query;
  }
}

/**
 * BullMQ pauses before it retries after connection errors, which it recognizes by code. After other errors it retries
 * at once: a worker whose first connection broke then looped forever, and the process no longer reacted to signals.
 */
function rethrowAsConnectionError(error: Error & { code?: string }): never {
  if (isConnectionFailure(error)) error.code = 'ECONNREFUSED';
  throw error;
}

/**
 * Waits until BullMQ has its connections. On PostgreSQL it remembers a first one that failed for good, so a start
 * against a failing database is retried instead of continuing without its queue.
 */
export async function queueReady(
  { redisUrl }: { redisUrl: string },
  ...parts: { waitUntilReady(): Promise<unknown> }[]
): Promise<void> {
  if (redisUrl) return;
  await Promise.all(parts.map((part) => part.waitUntilReady()));
}

const REDIS_CONNECT_TIMEOUT_MS = 5_000;
/** Pause between two attempts to reach an unavailable Redis. */
const REDIS_RETRY_MS = 1_000;
/** Added to the pause: the attempt after it must fail as well. */
const REDIS_GIVE_UP_EXTRA_MS = 200;

/**
 * Stops the attempts to reach an unavailable Redis at shutdown. BullMQ cannot close a connection
 * during the pause between two attempts (ioredis then never emits `end`), so a worker would not stop.
 */
export class QueueLifetime implements OnModuleDestroy, BeforeApplicationShutdown {
  private stopping = false;
  private lastPauseMs = -Infinity;

  /** Milliseconds until the next attempt, or null to stop; ioredis calls it after each failure. */
  nextAttempt(): number | null {
    if (this.stopping) return null;
    this.lastPauseMs = performance.now();
    return REDIS_RETRY_MS;
  }

  onModuleDestroy(): void {
    this.stopping = true;
  }

  /** Waits until no connection can still be in its pause. */
  async beforeApplicationShutdown(): Promise<void> {
    const waitMs = this.lastPauseMs + REDIS_RETRY_MS + REDIS_GIVE_UP_EXTRA_MS - performance.now();
    if (waitMs > 0) await new Promise((wake) => setTimeout(wake, waitMs));
  }
}

/**
 * The storage of BullMQ's jobs: Redis if REDIS_URL is set, else a separate schema of the service's
 * own PostgreSQL. The choice is BullMQ's global default, so it is the same for all queues of a
 * process.
 */
export function queueConnection(
  { redisUrl, databaseUrl }: { redisUrl: string; databaseUrl: string },
  lifetime: QueueLifetime,
): Pick<QueueOptions, 'connection'> {
  if (redisUrl) {
    setDefaultBackendFactory(undefined);
    return {
      connection: {
        url: redisUrl,
        maxRetriesPerRequest: null,
        connectTimeout: REDIS_CONNECT_TIMEOUT_MS,
        retryStrategy: () => lifetime.nextAttempt(),
      },
    };
  }
  setDefaultBackendFactory(createPostgresBackend);
  return {
    connection: {
      connectionString: databaseUrl,
      schema: QUEUE_SCHEMA,
      // The owner creates its tables (src/platform/database/migrate.ts); here they are only
      // checked.
      migrate: false,
      max: QUEUE_POOL_MAX,
      application_name: 'consent-service queue',
      Client: HeardClient,
      options: sessionOptions({ statementMs: QUEUE_STATEMENT_TIMEOUT_MS }),
    } as unknown as QueueOptions['connection'],
  };
}
