import type { EntityManager } from '@mikro-orm/postgresql';
import { parseExceptions } from '../../platform/network/address-policy.js';
import { NameResolver } from '../../platform/network/name-resolver.js';
import { repeat } from '../../platform/time/repeat.js';
import { concludeScan, type PageReason } from '../../modules/scans/domain/scan.js';
import type { ScanScope } from '../../modules/scans/domain/scan-address.js';
import { SCAN_LEASE_MS, SCANNER_NAME, scannerUserAgent } from '../../modules/scans/domain/scanner.js';
import { type OpenChromium, openChromium } from '../browser/chromium.js';
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
  storeVisit,
  storeWork,
} from '../../modules/scans/infrastructure/frontier.rows.js';
import { GuardedProxy, REQUEST_LIMIT } from '../browser/guarded-proxy.js';
import { within } from '../browser/within.js';
import { PageVisit } from '../browser/page-visit.js';
import { ScanContext } from '../browser/scan-tab.js';
import { SiteFileReader } from '../site/site-file.js';
import { PageFaults } from './page-faults.js';
import { PageQueue } from './page-queue.js';
import { ScanBudget } from './scan-budget.js';
import type { ScannerOptions } from './scanner-options.js';
import { SitePace, SiteRules } from './site-rules.js';
import { StateRun } from './state-run.js';

const CONNECT_TIMEOUT_MS = 10_000;
/** A scan fails after this many browser failures. */
const BROWSER_FAILURES_MAX = 3;
/**
 * Time that a visit may take beyond the time limit of its page, and for opening its tab, before the
 * browser is replaced.
 */
const VISIT_EXTRA_MS = 15_000;
const RENEW_EVERY_MS = SCAN_LEASE_MS / 3;
const MEGABYTE = 1_000_000;

const failed = (reason: PageReason): PageResult => ({
  status: 'failed',
  reason,
  httpStatus: null,
  finalUrl: null,
  loaderFound: false,
  htmlAddresses: [],
  durationMs: 0,
  items: [],
  links: [],
  aliases: [],
  refused: { downloads: 0, popups: 0, dialogs: 0 },
});

/** How the work on a scan ended. `stopped`: it is returned, because the scanner stops or another account waits. `lost`: it was canceled or deleted, or another scanner has it. */
type Ending =
  | { kind: 'lost' }
  | { kind: 'stopped' }
  | { kind: 'failed'; reason: 'browser_failed' | 'scanner_error' }
  | {
      kind: 'finished';
      stoppedBy: 'time_limit' | 'byte_limit' | null;
      unvisited: PageReason;
      /** Whether no page was on a verified host, so that states were not tested. */
      isUnverified: boolean;
    };

/** The data that a scan needs about the sites that it visits. */
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
  private readonly faults: PageFaults;
  private readonly budget: ScanBudget;
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
    this.faults = new PageFaults(options.log);
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
      requestLimit: REQUEST_LIMIT,
    });
    this.budget = new ScanBudget({ em, scan, settings, proxy: this.proxy });
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
      const pages = await readFrontier(em, this.scan);
      this.faults.remember(pages.filter(({ reason }) => reason === 'scanner_error').length);
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

  /** Handles an uncaught exception: the open page fails. */
  reportFault(error: unknown): void {
    this.faults.report(error);
  }

  private openSite(port: number): Site {
    const { em, scan, scope, proxy, options, ending } = this;
    const { hostScansPerDay, hostPagesPerMinute: pagesPerMinute } = options.settings;
    const reader = new SiteFileReader(proxy, { port, userAgent: scannerUserAgent(options.browser) });
    const rules = new SiteRules({ reader, scope, agent: SCANNER_NAME, signal: ending.signal });
    return {
      port,
      queue: new PageQueue(em, scan, { rules, scope, hostScansPerDay }),
      pace: new SitePace(em, rules, {
        pagesPerMinute,
        ignoreRobots: scan.ignoreRobots,
        signal: ending.signal,
      }),
    };
  }

  private async visitAll({ port, queue, pace }: Site, signal: AbortSignal): Promise<Ending> {
    const finished = { kind: 'finished', isUnverified: false } as const;
    for (;;) {
      if (signal.aborted) return { kind: 'stopped' };
      if (this.lost) return { kind: 'lost' };
      if (this.faults.areTooMany) return { kind: 'failed', reason: 'scanner_error' };
      // A browser that fails is tried until the scan fails, because the next turn would begin to count again.
      if (this.browserFailures === 0 && (await this.budget.isTurnOver())) return { kind: 'stopped' };
      const next = await queue.next();
      // First: a crawl that ended without a limit before the scan was returned has not reached one since.
      if (next.kind === 'none') return { ...finished, stoppedBy: null, unvisited: next.unvisited };
      const limit = this.budget.limitReached('crawl');
      if (limit !== null)
        return this.browserFailures > 0 && !(await this.hasLoaded())
          ? { kind: 'failed', reason: 'browser_failed' }
          : { ...finished, stoppedBy: limit, unvisited: limit };
      if (next.kind === 'again') continue;
      // Open before the wait: a tab takes time, and the page's turn is when it is requested.
      const visit = await this.openVisit(port);
      if (visit === null) {
        if (this.browserFailures >= BROWSER_FAILURES_MAX) return { kind: 'failed', reason: 'browser_failed' };
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
      if (this.browserFailures >= BROWSER_FAILURES_MAX) return { kind: 'failed', reason: 'browser_failed' };
    }
  }

  private async hasLoaded(): Promise<boolean> {
    const pages = await readFrontier(this.em.fork(), this.scan);
    return pages.some(({ status }) => status === 'visited' || status === 'failed');
  }

  /** The consent states, after a crawl that found its end. */
  private async testStates(
    crawl: Ending,
    { site, signal }: { site: Site; signal: AbortSignal },
  ): Promise<Ending> {
    if (crawl.kind !== 'finished') return crawl;
    await this.closeBrowser();
    const { em, scan, options, scope, proxy, faults, budget } = this;
    this.states = new StateRun({
      em,
      scan,
      scanner: options,
      scope,
      proxy,
      proxyPort: site.port,
      pace: site.pace,
      faults,
      budget,
      isActive: () => !signal.aborted && !this.lost,
      signal: this.ending.signal,
    });
    // A crawl that took its time still leaves the scan's for the states.
    const ending = await this.states.run(crawl.stoppedBy === 'byte_limit' ? 'byte_limit' : null);
    if (faults.areTooMany) return { kind: 'failed', reason: 'scanner_error' };
    if (ending.kind === 'turn_over') return { kind: 'stopped' };
    if (ending.kind === 'inactive') return { kind: signal.aborted ? 'stopped' : 'lost' };
    const { stoppedBy, isUnverified } = ending;
    return { ...crawl, stoppedBy: crawl.stoppedBy ?? stoppedBy, isUnverified };
  }

  /** Opens a tab for the next page, in a new browser if necessary. null: the browser failed. */
  private async openVisit(port: number): Promise<PageVisit | null> {
    const context = this.context ?? (await this.openBrowser(port));
    if (context === null) return null;
    const opening = PageVisit.open(context);
    const signal = AbortSignal.any([this.ending.signal, this.faults.signal]);
    const visit = await within<PageVisit | null>(VISIT_EXTRA_MS, opening, null, signal);
    const isFault = this.faults.take();
    if (visit !== null && !isFault) return visit;
    if (!isFault) this.browserFailures += 1;
    await this.closeBrowser();
    return null;
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

  /** The profile is deleted with the browser; the next page starts with an empty one. */
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
    let thrown: unknown = null;
    const loading = visit.load(url, { projectId: scan.projectId, scope, timeoutMs, proxy });
    loading.catch((error: unknown) => (thrown = error));
    const limitMs = timeoutMs + VISIT_EXTRA_MS;
    const signal = AbortSignal.any([this.ending.signal, this.faults.signal]);
    const loaded = await within<PageResult | null>(limitMs, loading, null, signal);
    const isAlive = await chromium.isAlive();
    // If the browser is still running, the page made the visit fail.
    if (isAlive && thrown !== null && !this.ending.signal.aborted) this.faults.report(thrown);
    const isFault = this.faults.take();
    const result = isAlive && !isFault ? loaded : null;
    const isUsable = result !== null && result.reason !== 'crashed' && chromium.exceeded === null;
    if (isUsable) return result;
    proxy.closePage();
    await this.closeBrowser();
    if (chromium.exceeded !== null) return failed(chromium.exceeded);
    if (isFault) return failed('scanner_error');
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
    const isStopped = ending.kind === 'stopped';
    await this.em.fork().transactional(async (tx) => {
      const work = { ...this.budget.work, leaseMs: isStopped ? null : SCAN_LEASE_MS };
      if (!(await storeWork(tx, this.scan, work)) || isStopped) return;
      if (ending.kind === 'failed')
        return endScan(tx, this.scan, { status: 'failed', reason: ending.reason, unvisited: 'scan_ended' });
      const pages = await readFrontier(tx, this.scan);
      const conclusion = concludeScan({ ...ending, pages });
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
        const work = { ...this.budget.work, leaseMs: SCAN_LEASE_MS };
        if (await storeWork(this.em.fork(), this.scan, work)) renewedMs = beganMs;
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
