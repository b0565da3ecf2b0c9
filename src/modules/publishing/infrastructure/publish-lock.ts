import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Pool, PoolClient } from 'pg';
import { openPool } from '../../../platform/database/postgres-pool.js';
import { InjectSettings } from '../../../platform/settings/inject-settings.js';
import { type DatabaseSettings, databaseSettings } from '../../../platform/database/database.settings.js';
import { PUBLISH_CONCURRENCY_MAX } from '../domain/publishing.limits.js';

/** First key of the advisory lock; the second is the hash of the project's id. */
const PUBLISH_LOCK_CLASS = 7_201_128;
/** Beyond the wait for the lock: the server then hangs. */
const STATEMENT_TIMEOUT_MS = 5_000;
/** How long one waits for another worker that publishes the same project; then the outbox tries again. */
const LOCK_WAIT_MS = 2_000;
const CONNECT_TIMEOUT_MS = 5_000;
const LOCK_NOT_AVAILABLE = '55P03';

/**
 * One publisher of a project at a time, over all workers. The lock belongs to a connection, not to a
 * transaction, so none is open during writes to storage. The connections are in a separate pool, so
 * that a storage that hangs blocks no connection of the rest of the service. PostgreSQL frees the
 * lock when the worker dies, and keeps it while the worker is only paused.
 */
@Injectable()
export class PublishLock implements OnApplicationShutdown {
  private readonly pool: Pool;

  constructor(@InjectSettings(databaseSettings) database: DatabaseSettings) {
    this.pool = openPool(database, {
      name: 'publishing',
      connections: PUBLISH_CONCURRENCY_MAX,
      statementMs: STATEMENT_TIMEOUT_MS,
      connectTimeoutMs: CONNECT_TIMEOUT_MS,
      // The pool replaces a broken idle connection on demand.
      onDropped: () => {},
    });
  }

  /** Does `work` under the project's lock; null where another worker has held it for too long. */
  async hold<T>(projectId: string, work: (lock: HeldLock) => Promise<T>): Promise<T | null> {
    const client = await this.pool.connect();
    const lock = new HeldLock(client);
    // The connection may still hold the lock: closing it releases it.
    let broken = true;
    try {
      const taken = await acquire(client, projectId);
      broken = false;
      if (!taken) return null;
      try {
        return await work(lock);
      } finally {
        broken = !(await release(client, projectId));
      }
    } finally {
      lock.release();
      client.release(broken);
    }
  }

  /** After the dispatcher has finished its current messages. */
  async onApplicationShutdown(): Promise<void> {
    await this.pool.end();
  }
}

/** A lock that is held, as long as its connection lives. */
export class HeldLock {
  private lost: Error | null = null;
  private readonly onError = (error: Error): void => {
    this.lost = error;
  };

  constructor(private readonly client: PoolClient) {
    client.on('error', this.onError);
  }

  /** @throws Error where the connection, and with it the lock, is lost: another worker may be publishing. */
  check(): void {
    if (this.lost) throw this.lost;
  }

  release(): void {
    this.client.off('error', this.onError);
  }
}

async function acquire(client: PoolClient, projectId: string): Promise<boolean> {
  try {
    await client.query(`set lock_timeout = ${LOCK_WAIT_MS}`);
    await client.query('select pg_advisory_lock($1, hashtext($2))', [PUBLISH_LOCK_CLASS, projectId]);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === LOCK_NOT_AVAILABLE) return false;
    throw error;
  }
}

async function release(client: PoolClient, projectId: string): Promise<boolean> {
  try {
    await client.query('select pg_advisory_unlock($1, hashtext($2))', [PUBLISH_LOCK_CLASS, projectId]);
    return true;
  } catch {
    return false;
  }
}
