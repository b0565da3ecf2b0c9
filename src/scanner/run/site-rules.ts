import { setTimeout as sleep } from 'node:timers/promises';
import type { EntityManager } from '@mikro-orm/postgresql';
import {
  judgeScanAddress,
  normalizePageUrl,
  type ScanScope,
} from '../../modules/scans/domain/scan-address.js';
import { pauseAfterPage, takePage } from '../../modules/scans/infrastructure/host.rows.js';
import {
  chooseSitemapPages,
  readSitemap,
  SITEMAP_DEPTH_MAX,
  SITEMAP_ENTRIES_MAX,
  SITEMAPS_MAX,
} from '../site/read-sitemap.js';
import { NO_ROBOTS, readRobots, type Robots, ROBOTS_BYTES_MAX, UNAVAILABLE_ROBOTS } from '../site/robots.js';
import { readText, type SiteFileReader } from '../site/site-file.js';

/** Timeout of a site's robots.txt, and of each sitemap. */
const FILE_TIMEOUT_MS = 10_000;
/** How long all sitemaps of a site may take. */
const SITEMAPS_TIMEOUT_MS = 60_000;
/** Origins of which one scan reads the robots.txt; pages of others are not visited. */
const ORIGINS_MAX = 50;

interface SiteRulesOptions {
  reader: SiteFileReader;
  scope: ScanScope;
  /** Name in robots.txt. */
  agent: string;
  /** Ends requests, because the scan ends. */
  signal: AbortSignal;
}

/** The rules of a scan's sites for visiting them: robots.txt and sitemaps, each read once. */
export class SiteRules {
  private readonly robots = new Map<string, Robots>();
  private readonly withSitemaps = new Set<string>();

  constructor(private readonly options: SiteRulesOptions) {}

  /** The robots.txt for an address. */
  async robotsOf(url: string): Promise<Robots> {
    const { origin } = new URL(url);
    const known = this.robots.get(origin);
    if (known) return known;
    const robots = this.robots.size < ORIGINS_MAX ? await this.readRobots(origin) : UNAVAILABLE_ROBOTS;
    this.robots.set(origin, robots);
    return robots;
  }

  /** The rules read so far. */
  knownRobots(url: string): Robots {
    return this.robots.get(new URL(url).origin) ?? NO_ROBOTS;
  }

  /** Pages of the sitemaps of an address's origin, if they were not read before. */
  async newPages(url: string): Promise<string[]> {
    const { origin } = new URL(url);
    if (this.withSitemaps.has(origin)) return [];
    this.withSitemaps.add(origin);
    const { sitemaps } = await this.robotsOf(url);
    return chooseSitemapPages(await this.readSitemaps([...sitemaps, `${origin}/sitemap.xml`], origin));
  }

  private async readRobots(origin: string): Promise<Robots> {
    const { reader, agent, signal } = this.options;
    const url = `${origin}/robots.txt`;
    const file = await reader.get(url, {
      timeoutMs: FILE_TIMEOUT_MS,
      signal,
      // The rules apply to the requested origin, even after a redirect.
      mayRead: () => true,
      read: (body) => readText(body, ROBOTS_BYTES_MAX),
    });
    if (file.kind === 'response') return readRobots(url, { ...file, text: file.content }, agent);
    return readRobots(url, { kind: file.kind === 'refused' ? 'unreachable' : file.kind }, agent);
  }

  /** Addresses that may be scanned, from sitemaps and the sitemaps that they name, in order. */
  private async readSitemaps(first: readonly string[], origin: string): Promise<string[]> {
    const deadline = performance.now() + SITEMAPS_TIMEOUT_MS;
    const waiting = first.map((url) => ({ url, depth: 0 }));
    const read = new Set<string>();
    const pages: string[] = [];
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const { depth } = next;
      const url = normalizePageUrl(next.url, `${origin}/`);
      const isOver = read.size >= SITEMAPS_MAX || pages.length >= SITEMAP_ENTRIES_MAX;
      if (isOver || this.options.signal.aborted || performance.now() > deadline) break;
      if (url === null || read.has(url) || !this.mayScan(url)) continue;
      read.add(url);
      const { isIndex, locations } = await this.readSitemap(url, SITEMAP_ENTRIES_MAX - pages.length);
      if (!isIndex) pages.push(...this.scannable(locations));
      else if (depth < SITEMAP_DEPTH_MAX)
        for (const each of locations.slice(0, SITEMAPS_MAX)) waiting.push({ url: each, depth: depth + 1 });
    }
    return pages;
  }

  private async readSitemap(
    url: string,
    entriesMax: number,
  ): Promise<{ isIndex: boolean; locations: string[] }> {
    const { reader, signal } = this.options;
    const robots = await this.robotsOf(url);
    const nothing = { isIndex: false, locations: [] };
    // A sitemap that robots.txt names is meant to be read.
    if (!robots.sitemaps.includes(url) && robots.refusalOf(url) !== null) return nothing;
    const file = await reader.get(url, {
      timeoutMs: FILE_TIMEOUT_MS,
      signal,
      mayRead: (each) => this.mayScan(each),
      read: (body) => readSitemap(body, entriesMax),
    });
    return file.kind === 'response' && file.status === 200 ? file.content : nothing;
  }

  private scannable(locations: readonly string[]): string[] {
    return locations
      .map((url) => normalizePageUrl(url))
      .filter((url) => url !== null)
      .filter((url) => this.mayScan(url));
  }

  private mayScan(url: string): boolean {
    return judgeScanAddress(url, this.options.scope) === null;
  }
}

const MINUTE_MS = 60_000;

interface SitePaceOptions {
  /** Of one host, over all scanners and projects. */
  pagesPerMinute: number;
  ignoreRobots: boolean;
  /** Ends waiting, because the scan ends. */
  signal: AbortSignal;
}

/** Keeps the pages of a host apart, over all scanners: by the operator's limit, and by its robots.txt. */
export class SitePace {
  constructor(
    private readonly em: EntityManager,
    private readonly rules: Pick<SiteRules, 'knownRobots'>,
    private readonly options: SitePaceOptions,
  ) {}

  /** Waits until a page may be requested, which the caller then does at once, or until the scan ends. */
  async wait(url: string): Promise<void> {
    const { signal } = this.options;
    while (!signal.aborted) {
      const waitMs = await takePage(this.em.fork(), new URL(url).host, this.pauseMs(url));
      if (waitMs === 0) return;
      await sleep(waitMs, undefined, { signal }).catch(() => {});
    }
  }

  /**
   * Begins the pause again from when a page was answered, or else from now: the browser may have taken its time to send
   * the request, and redirects may have led to other sites. `answered`: of the visit so far, by origin.
   */
  async countVisit(url: string, answered: ReadonlyMap<string, number>): Promise<void> {
    for (const origin of new Set([new URL(url).origin, ...answered.keys()])) {
      const nowMs = performance.now();
      const agoMs = nowMs - (answered.get(origin) ?? nowMs);
      const pauseMs = this.pauseMs(origin) - agoMs;
      if (pauseMs > 0) await pauseAfterPage(this.em.fork(), new URL(origin).host, pauseMs);
    }
  }

  private pauseMs(url: string): number {
    const { pagesPerMinute, ignoreRobots } = this.options;
    const delayMs = ignoreRobots ? 0 : this.rules.knownRobots(url).delayMs;
    return Math.max(MINUTE_MS / pagesPerMinute, delayMs);
  }
}
