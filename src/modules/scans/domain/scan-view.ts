import type { ObservedItem } from './observation.js';
import type { ScanState, StateReason, StateStatus } from './scan-state.js';
import type { PageReason, PageStatus, ScanOrigin, ScanReason, ScanStatus } from './scan.js';

/** How many pages of a scan are in which state. */
interface PageCounts {
  visited: number;
  failed: number;
  skipped: number;
  /** Found and not visited yet. */
  open: number;
}

/** A scan without its pages. */
export interface ScanView {
  id: string;
  status: ScanStatus;
  origin: ScanOrigin;
  reason: ScanReason | null;
  urls: string[];
  pagesMax: number;
  /** Whether pages that robots.txt denies are visited, too. */
  ignoreRobots: boolean;
  browser: string | null;
  refusedDownloads: number;
  refusedPopups: number;
  refusedDialogs: number;
  createdAt: Date;
  startedAt: Date | null;
  endedAt: Date | null;
  pages: PageCounts;
}

export interface ScanPageView {
  number: number;
  url: string;
  status: PageStatus;
  reason: PageReason | null;
  httpStatus: number | null;
  finalUrl: string | null;
  loaderFound: boolean;
  durationMs: number | null;
  visitedAt: Date | null;
}

/** A consent state of a scan. */
export interface ScanStateView {
  state: ScanState;
  status: StateStatus;
  reason: StateReason | null;
  /**
   * The driver of the choice: `own`, `heuristic`, or `autoconsent:` or `api:` with the name of the
   * banner; null: none.
   */
  driver: string | null;
  /** Numbers of the pages. */
  pages: number[];
  startedAt: Date | null;
  endedAt: Date | null;
  hasScreenshot: boolean;
}

/** A scan's result in numbers. */
export interface ScanFigures {
  cookies: number;
  thirdPartyCookies: number;
  storageEntries: number;
  requests: number;
  thirdPartyHosts: number;
}

export interface ScanItemView extends ObservedItem {
  state: ScanState;
  page: number;
  number: number;
}
