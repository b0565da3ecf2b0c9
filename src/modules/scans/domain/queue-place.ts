import { TURN_MS } from './scan-limits.js';

/** The queue ahead of a scan that waits for a scanner. */
export interface Queue {
  /** Scans of its account that were requested before it. */
  ownAhead: number;
  /** Other accounts with waiting scans. `isFirst`: its turn comes before the turn of the scan's account. */
  others: readonly { waiting: number; isFirst: boolean }[];
  /** How long scanners have worked on the running scans since they claimed them. */
  runningMs: readonly number[];
  scanners: number;
  /** Median time of recent scans; null: none ended. */
  scanMs: number | null;
  /** Whether its account has scanner time left. */
  mayStart: boolean;
}

export interface QueuePlace {
  /** 1: the next one. */
  position: number;
  /** null: not known. */
  startsInSeconds: number | null;
}

/**
 * The place of a waiting scan, as the queue is now. Accounts take turns, so that an account with many scans is ahead once
 * before the first scan of another account, twice before the second.
 */
export function placeInQueue(queue: Queue): QueuePlace {
  const { ownAhead, others, runningMs, scanners, scanMs, mayStart } = queue;
  const turns = others.map(({ waiting, isFirst }) => Math.min(waiting, ownAhead + (isFirst ? 1 : 0)));
  const othersAhead = sum(turns);
  const position = ownAhead + othersAhead + 1;
  if (scanMs === null || scanners === 0 || !mayStart) return { position, startsInSeconds: null };
  // Scans of others yield.
  const turnMs = Math.min(scanMs, TURN_MS);
  const remainingMs = runningMs.map((ms) => Math.max(0, turnMs - ms));
  const isScannerFree = runningMs.length < scanners && position === 1;
  const aheadMs = isScannerFree ? 0 : sum(remainingMs) + othersAhead * turnMs + ownAhead * scanMs;
  return { position, startsInSeconds: Math.ceil(aheadMs / scanners / 1000) };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
