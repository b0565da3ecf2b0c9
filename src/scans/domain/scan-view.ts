import type { ObservedItem } from './observation.js';
import type { ScanState } from './scan-state.js';
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

/** What a scan found, in numbers. */
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
