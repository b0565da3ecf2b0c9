import { createPostgresBackend, type QueueOptions, setDefaultBackendFactory } from 'bullmq';
import type { Settings } from '../config.js';

/** PostgreSQL connections of each BullMQ queue or worker. */
const QUEUE_POOL_MAX = 4;

/**
 * Options of every processor. After an error a BullMQ worker pauses, 15 s by default, and neither works nor
 * lets itself be closed meanwhile: a shutdown after a restart of the database took 12 s.
 */
export const WORKER_OPTIONS = { concurrency: 1, runRetryDelay: 1_000 };

/**
 * Where BullMQ keeps its jobs: Redis where REDIS_URL is set, else the service's own PostgreSQL, in a schema
 * of its own. The choice is BullMQ's global default, so it is the same for all queues of a process.
 */
export function queueConnection(settings: Settings): Pick<QueueOptions, 'connection'> {
  if (settings.redisUrl) {
    setDefaultBackendFactory(undefined);
    return { connection: { url: settings.redisUrl, maxRetriesPerRequest: null } };
  }
  setDefaultBackendFactory(createPostgresBackend);
  return {
    connection: {
      connectionString: settings.databaseUrl,
      schema: 'bullmq',
      migrate: true,
      max: QUEUE_POOL_MAX,
    } as unknown as QueueOptions['connection'],
  };
}
