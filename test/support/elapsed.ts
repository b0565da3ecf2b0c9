import { readFileSync } from 'node:fs';

/** Linux counts here for how long this process ran, and for how long it waited for a processor, in nanoseconds. */
const SCHEDULER_FILE = '/proc/self/schedstat';
const NS_PER_MS = 1_000_000;

/**
 * Starts a clock, and returns how to read it, in milliseconds. It leaves out the time in which this process was ready to
 * run and other processes had the processors: a bound means the same on a machine that is busy with something else.
 */
export function startClock(): () => number {
  const startedMs = performance.now();
  const waitedMs = readWaitedMs();
  return () => performance.now() - startedMs - (readWaitedMs() - waitedMs);
}

/** Since the process began; 0 where the system does not count it. */
function readWaitedMs(): number {
  try {
    return Number(readFileSync(SCHEDULER_FILE, 'utf8').split(' ')[1]) / NS_PER_MS;
  } catch {
    return 0;
  }
}
