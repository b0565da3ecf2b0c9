import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { startClock } from './elapsed.js';

describe(startClock, () => {
  it('counts what this process computes and how long it sleeps, and no more than what has gone by', async () => {
    const startedMs = performance.now();
    const elapsedMs = startClock();
    const used = process.threadCpuUsage();
    while (process.threadCpuUsage(used).user < 200_000);
    await sleep(100);
    const elapsed = elapsedMs();
    expect(elapsed).toBeGreaterThanOrEqual(290);
    expect(elapsed).toBeLessThanOrEqual(performance.now() - startedMs);
  });
});
