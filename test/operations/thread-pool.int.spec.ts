import { afterEach, describe, expect, it } from '@jest/globals';
import { tooManyRequests } from '../../src/platform/errors/domain-error.js';
import { ThreadPool } from '../../src/platform/threads/thread-pool.js';

/** A thread that is ready after a while, and returns its number after as many milliseconds as the task says. */
const program = (startMs: number): URL =>
  new URL(
    `data:text/javascript,${encodeURIComponent(`
      import { parentPort, threadId } from 'node:worker_threads';
      await new Promise((resolve) => setTimeout(resolve, ${startMs}));
      parentPort.on('message', (ms) => setTimeout(() => parentPort.postMessage({ kind: 'done', result: threadId }), ms));
      parentPort.postMessage({ kind: 'ready' });
    `)}`,
  );

let pool: ThreadPool<number, number>;
const create = (startMs: number, taskMaxMs: number): ThreadPool<number, number> =>
  new ThreadPool(program(startMs), {
    name: 'test',
    threads: 1,
    waitingMax: 10,
    taskMaxMs,
    refusal: () => tooManyRequests('Too many.', 1_000),
  });
afterEach(() => pool.close());

describe('the time limit of a task', () => {
  it('begins once the thread is ready, and one thread serves all tasks', async () => {
    pool = create(4_000, 2_000);
    const threads = await Promise.all([pool.run(0), pool.run(0), pool.run(0)]);
    expect(new Set(threads).size).toBe(1);
    expect(await pool.run(0)).toBe(threads[0]);
  });

  it('refuses a late task with 503, and the next one gets a new thread', async () => {
    pool = create(0, 3_000);
    const [late, next] = [pool.run(600_000), pool.run(0)];
    await expect(late).rejects.toMatchObject({ code: 'overloaded', details: { retryAfterSeconds: 10 } });
    expect(await next).toBeGreaterThan(0);
  });
});
