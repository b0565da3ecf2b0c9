import { CATALOGUE } from '../../licensing/domain/catalogue.js';
import type { Tier } from '../../licensing/domain/tier.js';

/** Pages of a scan where the catalogue leaves the number to an agreement. */
const PAGES_BY_AGREEMENT = 1000;
/** Scans on demand in 24 hours. */
const SCANS_PER_DAY: Readonly<Record<Tier, number>> = { lite: 1, pro: 5, business: 20, enterprise: 50 };

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
/** Pages of a host that is not verified, in 24 hours. */
const UNVERIFIED_PAGES_PER_DAY = 1;
/** How long a host stays verified after the loader was found on it. */
export const VERIFIED_DAYS = 7;

export function pagesPerScan(tier: Tier): number {
  return CATALOGUE[tier].limits.pagesPerScan ?? PAGES_BY_AGREEMENT;
}

export function scansPerDay(tier: Tier): number {
  return SCANS_PER_DAY[tier];
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

/** Whether a page of a host may be visited: a verified host, or the first page of the day. */
export function mayVisitHost(host: { verified: boolean; pagesToday: number }): boolean {
  return host.verified || host.pagesToday < UNVERIFIED_PAGES_PER_DAY;
}
