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
  /** Of the scanner; null: unknown. */
  location: string | null;
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
  /** Cookies and entries that were seen; null: the scan is not evaluated. */
  items: number | null;
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

/** A page that a scan visited. */
export interface StatementPage {
  number: number;
  url: string;
  /** Address after redirects; null: the same. */
  finalUrl: string | null;
  status: PageStatus;
  reason: PageReason | null;
  httpStatus: number | null;
  loaderFound: boolean;
  visitedAt: string | null;
}

/** A consent state of a scan. */
export interface StatementState {
  state: ScanState;
  status: StateStatus;
  reason: StateReason | null;
  /** The driver of the choice; null: none. */
  driver: string | null;
  /** Numbers of the pages. */
  pages: number[];
}

/** A screenshot or HAR, by its hash. */
export interface StatementArtifact {
  state: ScanState;
  page: number;
  kind: 'screenshot' | 'har';
  bytes: number;
  /** Hexadecimal. */
  sha256: string;
}

/**
 * The committed content of a scan in the project's log. Findings are not part of it: they depend on
 * decisions, which may change afterwards.
 */
export interface ScanStatement {
  schemaVersion: 1;
  id: string;
  projectId: string;
  status: 'completed' | 'partial';
  reason: ScanReason | null;
  origin: ScanOrigin;
  /** Start addresses. */
  urls: string[];
  startedAt: string;
  endedAt: string;
  browser: string | null;
  /** The location of the scanner; null: unknown. */
  location: string | null;
  /** Of the published configuration when it began; null: none was published. */
  configHash: string | null;
  /** Versions of the service and of the data that it classifies with. */
  rules: Record<string, string>;
  pages: StatementPage[];
  states: StatementState[];
  /** Everything that was seen, by its hash (`ItemsHash`). */
  items: { count: number; sha256: string };
  artifacts: StatementArtifact[];
}
