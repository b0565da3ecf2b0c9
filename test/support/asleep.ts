import type { TestDatabase } from './database.js';
import { until } from './until.js';

/** A worker's last look by itself begins so soon after it has said that it looks no more. */
const LAST_LOOK_MS = 100;

/**
 * Waits until no worker looks by itself. One that has had much to do goes on for 250 ms, takes what is appended in that
 * time and need not be rung for.
 */
export async function workersAsleep(database: Pick<TestDatabase, 'query'>): Promise<void> {
  await until('the workers wait to be rung for', async () => {
    const awake = await database.query(
      'select from outbox_awake where until > now() - make_interval(secs => $1)',
      [LAST_LOOK_MS / 1000],
    );
    return awake.length === 0;
  });
}
