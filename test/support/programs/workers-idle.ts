import type { TestDatabase } from '../database/database.js';
import { until } from '../until.js';

/** A worker's last poll begins at most this long after its announcement has ended. */
const LAST_POLL_MS = 100;

/**
 * Waits until no worker polls without a wake-up. After a busy period a worker keeps polling for 250 ms and takes
 * messages that are appended in that time without a wake-up.
 */
export async function workersIdle(database: Pick<TestDatabase, 'query'>): Promise<void> {
  await until('the workers wait to be rung for', async () => {
    const awake = await database.query(
      'select from worker_polling where until > now() - make_interval(secs => $1)',
      [LAST_POLL_MS / 1000],
    );
    return awake.length === 0;
  });
}
