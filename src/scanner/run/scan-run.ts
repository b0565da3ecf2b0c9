import type { EntityManager } from '@mikro-orm/postgresql';
import { parseExceptions } from '../../shared/address-policy.js';
import { NameResolver } from '../../shared/name-resolver.js';
import { repeat } from '../../shared/repeat.js';
import { concludeScan, type PageReason } from '../domain/scan.js';
import type { ScanScope } from '../domain/scan-address.js';
import { SCAN_LEASE_MS } from '../domain/scanner-times.js';
import { SCANNER_NAME, scannerUserAgent } from '../domain/scanner-client.js';
import { type OpenChromium, openChromium } from '../infrastructure/chromium.js';
import {
  addPages,
  announceScan,
  beginVisit,
  type ClaimedScan,
  endScan,
  type FrontierPage,
  holdScan,
  type PageResult,
  readFrontier,
  recoverPages,
  releaseScan,
  renewScan,
  storeVisit,
} from '../infrastructure/frontier.rows.js';
import { GuardedProxy } from '../infrastructure/guarded-proxy.js';
import { within } from '../infrastructure/within.js';
import { PageVisit } from '../infrastructure/page-visit.js';
import { ScanContext } from '../infrastructure/scan-context.js';
import { SiteReader } from '../infrastructure/site-file.js';
import { PageQueue } from './page-queue.js';
import type { ScannerOptions } from './scanner-options.js';
import { SitePace } from './site-pace.js';
import { SiteRules } from './site-rules.js';
import { StateRun } from './state-run.js';

const CONNECT_TIMEOUT_MS = 10_000;
/** A scan whose browser fails this often is given up. */
const BROWSER_FAILURES_MAX = 3;
/** What a visit may take beyond the time limit of its page, and opening its tab, before the browser is replaced. */
const VISIT_EXTRA_MS = 15_000;
const RENEW_EVERY_MS = SCAN_LEASE_MS / 3;
const MEGABYTE = 1_000_000;

const TOO_MUCH_MEMORY: PageResult = {
  ...{ status: 'failed', reason: 'memory_limit', httpStatus: null, finalUrl: null, loaderFound: false },
  ...{ durationMs: 0, items: [], links: [], aliases: [] },
  refused: { downloads: 0, popups: 0, dialogs: 0 },
};

/** How the work on a scan ended. `lost`: it was canceled or deleted, or another scanner has it. */
type Ending =
  | { kind: 'lost' }
  | { kind: 'stopped' }
  | { kind: 'browser_failed' }
  | { kind: 'finished'; stoppedBy: 'time_limit' | 'byte_limit' | null; unvisited: PageReason };

/** What a scan needs of the sites that it visits. */
interface Site {
  /** Of the proxy. */
  port: number;
  queue: PageQueue;
  pace: SitePace;
}

/** One scanner's work on one scan: the pages in order, each stored before the next is begun. */
export class ScanRun {
  private readonly scope: ScanScope;
  private readonly proxy: GuardedProxy;
  private chromium: OpenChromium | null = null;
  private context: ScanContext | null = null;
  private states: StateRun | null = null;
  private browserFailures = 0;
  private lost = false;
  /** Ends waiting and requests of our own. */
  private readonly ending = new AbortController();

  constructor(
    private readonly em: EntityManager,
    private readonly scan: ClaimedScan,
    private readonly options: ScannerOptions,
  ) {
    const { settings, production } = options;
    const exceptions = parseExceptions(settings.allowedPrivateTargets);
    const { excludedHosts } = settings;
    this.scope = { domains: scan.domains, allowedTargets: exceptions.targets, excludedHosts, production };
    this.proxy = new GuardedProxy({
      resolver: new NameResolver({
        timeoutMs: CONNECT_TIMEOUT_MS,
        ...(settings.nameServers.length > 0 && { servers: settings.nameServers }),
      }),
      exceptions,
      excludedHosts,
      connectTimeoutMs: CONNECT_TIMEOUT_MS,
      pageBytesMax: settings.pageMegabytes * MEGABYTE,
    });
  }

  async run(signal: AbortSignal): Promise<void> {
    const stopRenewing = this.keepLease();
    const stop = (): void => this.interrupt();
    signal.addEventListener('abort', stop);
    try {
      const em = this.em.fork();
      await recoverPages(em, this.scan, 'scanner_stopped');
      await addPages(
        em,
        this.scan,
        this.scan.urls.map((url) => ({ url, depth: 0 })),
      );
      const port = await this.proxy.listen();
      const site = this.openSite(port);
      const crawl = await this.visitAll(site, signal);
      await this.conclude(await this.testStates(crawl, { site, signal }));
    } finally {
      await stopRenewing();
      signal.removeEventListener('abort', stop);
      await this.chromium?.close();
      await this.proxy.close();
    }
  }

  private openSite(port: number): Site {
    const { em, scan, scope, proxy, options, ending } = this;
    const { hostScansPerDay, hostPagesPerMinute: pagesPerMinute } = options.settings;
    const reader = new SiteReader(proxy, { port, userAgent: scannerUserAgent(options.browser) });
    const rules = new SiteRules({ reader, scope, agent: SCANNER_NAME, signal: ending.signal });
    return {
      port,
      queue: new PageQueue(em, scan, { rules, scope, hostScansPerDay }),
      pace: new SitePace(em, rules, {
        ...{ pagesPerMinute, ignoreRobots: scan.ignoreRobots, signal: ending.signal },
      }),
    };
  }

  private async visitAll({ port, queue, pace }: Site, signal: AbortSignal): Promise<Ending> {
    const { stateMinutes, scanMinutes, scanMegabytes } = this.options.settings;
    const deadline = this.scan.startedAt.getTime() + Math.min(stateMinutes, scanMinutes) * 60_000;
    for (;;) {
      if (signal.aborted) return { kind: 'stopped' };
      if (this.lost) return { kind: 'lost' };
      if (Date.now() > deadline)
        return { kind: 'finished', stoppedBy: 'time_limit', unvisited: 'time_limit' };
      if (this.proxy.bytes > scanMegabytes * MEGABYTE)
        return { kind: 'finished', stoppedBy: 'byte_limit', unvisited: 'byte_limit' };
      const next = await queue.next();
      if (next.kind === 'again') continue;
      if (next.kind === 'none') return { kind: 'finished', stoppedBy: null, unvisited: next.unvisited };
      // Open before the wait: a tab takes time, and the page's turn is when it is requested.
      const visit = await this.openVisit(port);
      if (visit === null) {
        if (this.browserFailures >= BROWSER_FAILURES_MAX) return { kind: 'browser_failed' };
        continue;
      }
      await pace.wait(next.page.url);
      if (signal.aborted || this.lost) continue;
      if (!(await beginVisit(this.em.fork(), this.scan, next.page.number))) return { kind: 'lost' };
      const result = await this.load(next.page, visit);
      await pace.countVisit(next.page.url, visit.answered);
      if (signal.aborted) return { kind: 'stopped' };
      this.options.metrics.visited(result);
      if (!(await this.store(next.page, result))) return { kind: 'lost' };
      if (this.browserFailures >= BROWSER_FAILURES_MAX) return { kind: 'browser_failed' };
    }
  }

  /** The consent states, after a crawl that found its end. */
  private async testStates(
    crawl: Ending,
    { site, signal }: { site: Site; signal: AbortSignal },
  ): Promise<Ending> {
    if (crawl.kind !== 'finished') return crawl;
    await this.closeBrowser();
    const { em, scan, options, scope, proxy } = this;
    this.states = new StateRun({
      ...{ em, scan, scanner: options, scope, proxy, proxyPort: site.port, pace: site.pace },
      isActive: () => !signal.aborted && !this.lost,
      signal: this.ending.signal,
    });
    // A crawl that took its time still leaves the scan's for the states.
    const ending = await this.states.run(crawl.stoppedBy === 'byte_limit' ? 'byte_limit' : null);
    if (ending.kind === 'inactive') return { kind: signal.aborted ? 'stopped' : 'lost' };
    return { ...crawl, stoppedBy: crawl.stoppedBy ?? ending.stoppedBy };
  }

  /** Opens a tab for the next page, in a new browser if there is none. null: the browser failed. */
  private async openVisit(port: number): Promise<PageVisit | null> {
    const context = this.context ?? (await this.openBrowser(port));
    if (context === null) return null;
    const opening = PageVisit.open(context);
    const visit = await within<PageVisit | null>(VISIT_EXTRA_MS, opening, null, this.ending.signal);
    if (visit === null) {
      this.browserFailures += 1;
      await this.closeBrowser();
    }
    return visit;
  }

  private async openBrowser(port: number): Promise<ScanContext | null> {
    try {
      this.chromium = await openChromium(this.options.browser, port);
      const preparing = ScanContext.prepare(this.chromium.context);
      this.context = await within<ScanContext | null>(VISIT_EXTRA_MS, preparing, null, this.ending.signal);
      if (this.context === null) throw new Error('it did not answer in time');
      this.options.metrics.browserStarted();
    } catch (error) {
      await this.closeBrowser();
      if (this.ending.signal.aborted) return null;
      this.browserFailures += 1;
      this.options.metrics.browserFailed();
      this.options.log(
        `scanner: Chromium could not be started: ${firstLine(error)} (docs/scans.md has the usual causes)`,
      );
    }
    return this.context;
  }

  /** The profile goes with the browser; the next page starts with an empty one. */
  private async closeBrowser(): Promise<void> {
    const { chromium } = this;
    this.chromium = null;
    this.context = null;
    await chromium?.close();
  }

  /** null: the browser stopped during the visit. */
  private async load({ url }: FrontierPage, visit: PageVisit): Promise<PageResult | null> {
    const { chromium, scope, proxy, scan } = this;
    if (!chromium) return null;
    const timeoutMs = this.options.settings.pageSeconds * 1000;
    const loading = visit.load(url, { projectId: scan.projectId, scope, timeoutMs, proxy });
    const limitMs = timeoutMs + VISIT_EXTRA_MS;
    const loaded = await within<PageResult | null>(limitMs, loading, null, this.ending.signal);
    const result = (await chromium.isAlive()) ? loaded : null;
    const isUsable = result !== null && result.reason !== 'crashed' && !chromium.usedTooMuchMemory;
    if (isUsable) return result;
    proxy.closePage();
    await this.closeBrowser();
    if (chromium.usedTooMuchMemory) return TOO_MUCH_MEMORY;
    if (result === null) this.browserFailures += 1;
    return result;
  }

  /** False: the scan is no longer this scanner's, and nothing was stored. */
  private store(page: FrontierPage, result: PageResult | null): Promise<boolean> {
    return this.em.fork().transactional(async (tx) => {
      if (!(await holdScan(tx, this.scan))) return false;
      // The page is visited again in another browser, once.
      if (result === null) await recoverPages(tx, this.scan, 'crashed');
      else await storeVisit(tx, this.scan, page, result);
      return true;
    });
  }

  private async conclude(ending: Ending): Promise<void> {
    if (ending.kind === 'lost') return;
    if (ending.kind === 'stopped') return releaseScan(this.em.fork(), this.scan);
    await this.em.fork().transactional(async (tx) => {
      if (!(await holdScan(tx, this.scan))) return;
      if (ending.kind === 'browser_failed')
        return endScan(tx, this.scan, {
          status: 'failed',
          reason: 'browser_failed',
          unvisited: 'scan_ended',
        });
      const pages = await readFrontier(tx, this.scan);
      const conclusion = concludeScan({ stoppedBy: ending.stoppedBy, pages });
      await endScan(tx, this.scan, { ...conclusion, unvisited: ending.unvisited });
      await announceScan(tx, this.scan);
    });
  }

  /** Renews the lease until it cannot: then another scanner may have the scan. Returns what ends that. */
  private keepLease(): () => Promise<void> {
    let renewedMs = performance.now();
    return repeat(RENEW_EVERY_MS, async () => {
      const beganMs = performance.now();
      try {
        if (await renewScan(this.em.fork(), this.scan, SCAN_LEASE_MS)) renewedMs = beganMs;
        else this.lose();
      } catch {
        if (performance.now() - renewedMs > SCAN_LEASE_MS) this.lose();
      }
    });
  }

  /** Ends the visit in progress, too. */
  private lose(): void {
    this.lost = true;
    this.interrupt();
  }

  private interrupt(): void {
    this.ending.abort();
    void this.chromium?.close();
    void this.states?.close();
  }
}

function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';
}
