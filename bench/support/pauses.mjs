// Loaded into a process of the service before its program: records garbage collections and delays of the event loop.
// On SIGUSR2 it writes them to `$BENCH_PAUSES/<pid>.json` and resets its figures.
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { constants, monitorEventLoopDelay, PerformanceObserver } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

const RESOLUTION_MS = 1;
const { BENCH_PAUSES: folder } = process.env;

if (isMainThread && folder) {
  const loop = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  loop.enable();
  /** @type {{ minorMs: number[], majorMs: number[] }} */
  let collections = { minorMs: [], majorMs: [] };
  new PerformanceObserver((list) => {
    for (const { detail, duration } of list.getEntries()) {
      const { kind } = /** @type {{ kind: number }} */ (detail);
      collections[kind === constants.NODE_PERFORMANCE_GC_MINOR ? 'minorMs' : 'majorMs'].push(duration);
    }
  }).observe({ entryTypes: ['gc'] });
  process.on('SIGUSR2', () => {
    const file = join(folder, `${process.pid}.json`);
    const loopMs = Math.max(0, loop.max / 1e6 - RESOLUTION_MS);
    writeFileSync(`${file}.new`, JSON.stringify({ ...collections, loopMs }));
    renameSync(`${file}.new`, file);
    collections = { minorMs: [], majorMs: [] };
    loop.reset();
  });
}
