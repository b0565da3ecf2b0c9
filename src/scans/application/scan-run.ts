import { setTimeout as sleep } from 'node:timers/promises';
import type { EntityManager } from '@mikro-orm/postgresql';
import { OutboxService } from '../../outbox/outbox.service.js';
import { parseExceptions } from '../../shared/address-policy.js';
import { NameResolver } from '../../shared/name-resolver.js';
import { choosePage } from '../domain/page-choice.js';
import { concludeScan, type PageReason } from '../domain/scan.js';
import type { ScanScope } from '../domain/scan-address.js';
import { mayVisitHost } from '../domain/scan-limits.js';
import { PAGE_PAUSE_MS, SCAN_LEASE_MS } from '../domain/scanner-times.js';
import { type OpenChromium, openChromium } from '../infrastructure/chromium.js';
import {
  addPages,
  beginVisit,
  type ClaimedScan,
  endScan,
  type FrontierPage,
  holdScan,
  type PageResult,
  readFrontier,
  readHost,
  recoverPages,
  releaseScan,
  renewScan,
  skipPage,
  storeVisit,
} from '../infrastructure/frontier.rows.js';
import { GuardedProxy } from '../infrastructure/guarded-proxy.js';
import { within } from '../infrastructure/page-recorder.js';
import { visitPage } from '../infrastructure/page-visit.js';
import { ScanContext } from '../infrastructure/scan-context.js';
import { SCAN_FINISHED, scanFinishedMessage } from '../scans.events.js';
import type { ScannerOptions } from './scanner-options.js';
import { StateRun } from './state-run.js';

const CONNECT_TIMEOUT_MS = 10_000;
/** A scan whose browser fails this often is given up. */
const BROWSER_FAILURES_MAX = 3;
/** What a visit may take beyond the time limit of its page, before the browser is replaced. */
const VISIT_EXTRA_MS = 15_000;
const RENEW_EVERY_MS = SCAN_LEASE_MS / 3;
const MEGABYTE = 1_000_000;

const CRASHED: PageResult = {
  ...{ status: 'failed', reason: 'crashed', httpStatus: null, finalUrl: null, loaderFound: false },
  ...{ durationMs: 0, items: [], links: [], aliases: [] },
  refused: { downloads: 0, popups: 0, dialogs: 0 },
};

/** How the work on a scan ended. `lost`: it was canceled or deleted, or another scanner has it. */
type Ending =
  | { kind: 'lost' }
  | { kind: 'stopped' }
  | { kind: 'browser_failed' }
  | { kind: 'finished'; stoppedBy: 'time_limit' | 'byte_limit' | null; unvisited: PageReason };

/** One scanner's work on one scan: the pages in order, each stored before the next is begun. */
export class ScanRun {
  private readonly scope: ScanScope;
  private readonly proxy: GuardedProxy;
  /** Without keys: the worker does what follows. */
  private readonly outbox: OutboxService;
  private chromium: OpenChromium | null = null;
  private context: ScanContext | null = null;
  private states: StateRun | null = null;
  private browserFailures = 0;
  private lost = false;

  constructor(
    private readonly em: EntityManager,
    private readonly scan: ClaimedScan,
    private readonly options: ScannerOptions,
  ) {
    const { settings, production } = options;
    const exceptions = parseExceptions(settings.allowedPrivateTargets);
    this.scope = { domains: scan.domains, allowedTargets: exceptions.targets, production };
    this.outbox = OutboxService.appendOnly(em, { topics: [SCAN_FINISHED] });
    this.proxy = new GuardedProxy({
      resolver: new NameResolver({
        timeoutMs: CONNECT_TIMEOUT_MS,
        ...(settings.nameServers.length > 0 && { servers: settings.nameServers }),
      }),
      exceptions,
      connectTimeoutMs: CONNECT_TIMEOUT_MS,
      pageBytesMax: settings.pageMegabytes * MEGABYTE,
    });
  }

  async run(signal: AbortSignal): Promise<void> {
    const renewing = this.keepLease();
    const stop = (): void => this.closeBrowsers();
    signal.addEventListener('abort', stop);
    try {
      const em = this.em.fork();
      await recoverPages(em, this.scan);
      await addPages(
        em,
        this.scan,
        this.scan.urls.map((url) => ({ url, depth: 0 })),
      );
      const port = await this.proxy.listen();
      await this.conclude(await this.testStates(await this.visitAll(port, signal), { port, signal }));
    } finally {
      clearInterval(renewing);
      signal.removeEventListener('abort', stop);
      await this.chromium?.close();
      await this.proxy.close();
    }
  }

  private async visitAll(port: number, signal: AbortSignal): Promise<Ending> {
    const { stateMinutes, scanMinutes, scanMegabytes } = this.options.settings;
    const deadline = this.scan.startedAt.getTime() + Math.min(stateMinutes, scanMinutes) * 60_000;
    for (;;) {
      if (signal.aborted) return { kind: 'stopped' };
      if (this.lost) return { kind: 'lost' };
      if (Date.now() > deadline)
        return { kind: 'finished', stoppedBy: 'time_limit', unvisited: 'time_limit' };
      if (this.proxy.bytes > scanMegabytes * MEGABYTE)
        return { kind: 'finished', stoppedBy: 'byte_limit', unvisited: 'byte_limit' };
      const next = await this.nextPage();
      if (next.page === null) return { kind: 'finished', stoppedBy: null, unvisited: next.unvisited };
      if (!(await this.ensureBrowser(port))) {
        if (this.browserFailures >= BROWSER_FAILURES_MAX) return { kind: 'browser_failed' };
        continue;
      }
      if (!(await beginVisit(this.em.fork(), this.scan, next.page.number))) return { kind: 'lost' };
      const result = await this.visit(next.page);
      if (signal.aborted) return { kind: 'stopped' };
      if (!(await this.store(next.page, result))) return { kind: 'lost' };
      if (this.browserFailures >= BROWSER_FAILURES_MAX) return { kind: 'browser_failed' };
      await sleep(PAGE_PAUSE_MS, undefined, { signal }).catch(() => {});
    }
  }

  /** The consent states, after a crawl that found its end. */
  private async testStates(
    crawl: Ending,
    { port, signal }: { port: number; signal: AbortSignal },
  ): Promise<Ending> {
    if (crawl.kind !== 'finished') return crawl;
    await this.chromium?.close();
    this.chromium = null;
    const { em, scan, options, scope, proxy } = this;
    this.states = new StateRun({
      ...{ em, scan, scanner: options, scope, proxy, proxyPort: port },
      isActive: () => !signal.aborted && !this.lost,
    });
    // A crawl that took its time still leaves the scan's for the states.
    const ending = await this.states.run(crawl.stoppedBy === 'byte_limit' ? 'byte_limit' : null);
    if (ending.kind === 'inactive') return { kind: signal.aborted ? 'stopped' : 'lost' };
    return { ...crawl, stoppedBy: crawl.stoppedBy ?? ending.stoppedBy };
  }

  /** The next page that may be visited; `page` null: none, and why the rest is left out. */
  private async nextPage(): Promise<{ page: FrontierPage } | { page: null; unvisited: PageReason }> {
    const em = this.em.fork();
    for (;;) {
      const pages = (await readFrontier(em, this.scan)).filter(({ status }) => status !== 'skipped');
      const known = pages.map((page) => ({ ...page, visited: page.status !== 'found' }));
      if (known.filter(({ visited }) => visited).length >= this.scan.pagesMax)
        return { page: null, unvisited: 'page_limit' };
      const page = choosePage(known);
      if (page === null) return { page: null, unvisited: 'same_template' };
      const isDuplicate = known.some(({ visited, finalUrl }) => visited && finalUrl === page.url);
      const host = await readHost(em, this.scan.projectId, new URL(page.url).host);
      if (!isDuplicate && mayVisitHost(host)) return { page };
      await skipPage(em, this.scan, page.number, isDuplicate ? 'duplicate' : 'unverified_host');
    }
  }

  private async ensureBrowser(port: number): Promise<boolean> {
    if (this.chromium) return true;
    try {
      this.chromium = await openChromium(this.options.browser, port);
      this.context = await ScanContext.prepare(this.chromium.context);
      return true;
    } catch (error) {
      this.browserFailures += 1;
      this.options.log(
        `scanner: Chromium could not be started: ${firstLine(error)} (docs/scans.md has the usual causes)`,
      );
      return false;
    }
  }

  private async visit({ url }: FrontierPage): Promise<PageResult> {
    const { chromium, context, scope, proxy, scan } = this;
    if (!chromium || !context) return CRASHED;
    const timeoutMs = this.options.settings.pageSeconds * 1000;
    const visiting = visitPage(context, url, { projectId: scan.projectId, scope, timeoutMs, proxy });
    const result = await within<PageResult | null>(timeoutMs + VISIT_EXTRA_MS, visiting, null);
    if (result !== null && result.reason !== 'crashed') return result;
    // The profile goes with the browser; the next page starts with an empty one.
    this.chromium = null;
    proxy.closePage();
    await chromium.close();
    if (result === null) this.browserFailures += 1;
    return result ?? CRASHED;
  }

  /** False: the scan is no longer this scanner's, and nothing was stored. */
  private store(page: FrontierPage, result: PageResult): Promise<boolean> {
    return this.em.fork().transactional(async (tx) => {
      if (!(await holdScan(tx, this.scan))) return false;
      await storeVisit(tx, this.scan, page, result);
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
      const { stoppedBy, unvisited } = ending;
      const conclusion = concludeScan({
        stoppedBy,
        failedPages: pages.filter(({ status }) => status === 'failed').length,
        skippedUnverified: pages.some(({ reason }) => reason === 'unverified_host'),
      });
      await endScan(tx, this.scan, { ...conclusion, unvisited });
      await this.outbox.append(tx, scanFinishedMessage(this.scan));
    });
  }

  /** Renews the lease until it cannot: then another scanner may have the scan. */
  private keepLease(): NodeJS.Timeout {
    let renewedMs = performance.now();
    return setInterval(() => {
      const beganMs = performance.now();
      renewScan(this.em.fork(), this.scan, SCAN_LEASE_MS).then(
        (held) => {
          if (held) renewedMs = beganMs;
          else this.lose();
        },
        () => {
          if (performance.now() - renewedMs > SCAN_LEASE_MS) this.lose();
        },
      );
    }, RENEW_EVERY_MS);
  }

  /** Ends the visit in progress, too. */
  private lose(): void {
    this.lost = true;
    this.closeBrowsers();
  }

  private closeBrowsers(): void {
    void this.chromium?.close();
    void this.states?.close();
  }
}

function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';
}
