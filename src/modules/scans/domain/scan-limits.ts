import { CATALOGUE } from '../../licensing/domain/catalogue.js';
import type { Tier } from '../../licensing/domain/tier.js';

/** Pages of a scan where the catalogue leaves the number to an agreement. */
const PAGES_BY_AGREEMENT = 1000;

export const DAY_MS = 24 * 60 * 60 * 1000;
/** Start addresses of one scan. */
export const START_URLS_MAX = 20;
/** Scans kept per project; the oldest are deleted. */
export const SCANS_KEPT_MAX = 50;
/** Pages that one scan remembers, visited or not. */
export const PAGES_KNOWN_MAX = 2000;
/** Links that are read from one page. */
export const LINKS_PER_PAGE_MAX = 500;
/** Cookies, storage entries and requests kept of one page. */
export const ITEMS_PER_PAGE_MAX = 400;
/** Visits of one page: the second follows a scanner that stopped during the first. */
export const VISITS_PER_PAGE_MAX = 2;
/** Times that a state is begun: the second follows a scanner or a browser that stopped during the first. */
export const STATE_ATTEMPTS_MAX = 2;
/** Pages of a scan that may cause exceptions in the scanner; with the last one the scan fails. */
export const PAGE_FAULTS_MAX = 3;
/** Scanners that may leave a scan without returning it; after the last one it is set aside. */
export const INTERRUPTIONS_MAX = 3;
/** Scans of all projects of an account that wait for their first turn, so that one account cannot fill the queue. */
export const ACCOUNT_QUEUED_MAX = 20;
/** Time that scanners spend on all projects of an account in 24 hours: a sixth of the time of one scanner. */
export const ACCOUNT_MINUTES_PER_DAY = 240;
export const ACCOUNT_WORK_MS_PER_DAY = ACCOUNT_MINUTES_PER_DAY * 60_000;
/** How long a scan is worked on while another account waits. Restarting its browser takes about a second. */
export const TURN_MS = 120_000;
/** Pages of a host that is not verified, in 24 hours. */
const UNVERIFIED_PAGES_PER_DAY = 1;
/** How long a host stays verified after the loader was found on it. */
export const VERIFIED_DAYS = 7;

export function pagesPerScan(tier: Tier): number {
  return CATALOGUE[tier].limits.pagesPerScan ?? PAGES_BY_AGREEMENT;
}

export function scansPerDay(tier: Tier): number {
  return CATALOGUE[tier].limits.scansPerDay;
}

/**
 * Milliseconds until the next scan may be requested; 0: now. `recent` are the times of the scans requested in the last
 * 24 hours, oldest first.
 */
export function waitForScanMs(recent: readonly Date[], { limit, now }: { limit: number; now: Date }): number {
  const blocking = recent.at(-limit);
  if (recent.length < limit || !blocking) return 0;
  return Math.max(0, blocking.getTime() + DAY_MS - now.getTime());
}

/** What scanners did for an account in an hour that began in the last 24. */
export interface WorkedHour {
  hour: Date;
  workedMs: number;
}

/** Milliseconds until an account has scanner time left; 0: it has. `hours` are oldest first. */
export function waitForWorkMs(hours: readonly WorkedHour[], now: Date): number {
  let left = hours.reduce((total, { workedMs }) => total + workedMs, 0);
  let waitMs = 0;
  for (const { hour, workedMs } of hours) {
    if (left < ACCOUNT_WORK_MS_PER_DAY) break;
    left -= workedMs;
    waitMs = hour.getTime() + DAY_MS - now.getTime();
  }
  return Math.max(0, waitMs);
}

/** Whether a page of a host may be visited: a verified host, or the first page of the day. */
export function mayVisitHost(host: { verified: boolean; pagesToday: number }): boolean {
  return host.verified || host.pagesToday < UNVERIFIED_PAGES_PER_DAY;
}

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
