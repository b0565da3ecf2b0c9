import { mock } from 'node:test';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { repeat } from './repeat.js';

const EVERY_MS = 100;

describe(repeat.name, () => {
  beforeEach(() => mock.timers.enable({ apis: ['setInterval'] }));
  afterEach(() => mock.timers.reset());

  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  it('runs the task each time, but not while the last run is in progress', async () => {
    const runs: PromiseWithResolvers<void>[] = [];
    const stop = repeat(EVERY_MS, () => {
      const run = Promise.withResolvers<void>();
      runs.push(run);
      return run.promise;
    });
    mock.timers.tick(3 * EVERY_MS);
    expect(runs).toHaveLength(1);
    runs[0]?.resolve();
    await settle();
    mock.timers.tick(EVERY_MS);
    expect(runs).toHaveLength(2);
    runs[1]?.resolve();
    await stop();
  });

  it('ends with the run in progress, and runs nothing afterwards', async () => {
    const run = Promise.withResolvers<void>();
    let runs = 0;
    const stop = repeat(EVERY_MS, () => {
      runs += 1;
      return run.promise;
    });
    mock.timers.tick(EVERY_MS);
    let hasEnded = false;
    const ended = stop().then(() => (hasEnded = true));
    await settle();
    expect(hasEnded).toBe(false);
    run.resolve();
    await ended;
    mock.timers.tick(3 * EVERY_MS);
    expect(runs).toBe(1);
  });
});
