import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { EntityManager } from '@mikro-orm/postgresql';
import { toHar } from '../browser/har.js';
import type { ScanScope } from '../../modules/scans/domain/scan-address.js';
import type { ScanState, StateReason } from '../../modules/scans/domain/scan-state.js';
import { chooseStatePages } from '../site/page-choice.js';
import { SCANNER_NAME } from '../../modules/scans/domain/scanner.js';
import { type OpenChromium, openChromium } from '../browser/chromium.js';
import {
  type ClaimedScan,
  countRefusals,
  type FrontierPage,
  holdScan,
  isVerifiedHost,
  readFrontier,
} from '../../modules/scans/infrastructure/frontier.rows.js';
import type { GuardedProxy } from '../browser/guarded-proxy.js';
import { ScanContext } from '../browser/scan-tab.js';
import {
  addStates,
  type Artifact,
  beginState,
  readOpenStates,
  storeArtifact,
  storeState,
  storeStateItems,
} from '../../modules/scans/infrastructure/state.rows.js';
import { type StateResult, testState } from '../browser/state-test.js';
import { within } from '../browser/within.js';
import type { PageFaults } from './page-faults.js';
import type { ScanBudget } from './scan-budget.js';
import type { ScannerOptions } from './scanner-options.js';
import type { SitePace } from './site-rules.js';

const MEGABYTE = 1_000_000;
/** A larger archive or screenshot is not kept. */
const ARTIFACT_BYTES_MAX = 5 * MEGABYTE;

interface StateRunOptions {
  em: EntityManager;
  scan: ClaimedScan;
  scanner: ScannerOptions;
  scope: ScanScope;
  proxy: GuardedProxy;
  proxyPort: number;
  pace: SitePace;
  faults: PageFaults;
  budget: ScanBudget;
  /** Whether the scan is still this scanner's, and the scanner is not stopping. */
  isActive: () => boolean;
  /** Ends the wait for a browser that has been closed. */
  signal: AbortSignal;
}

/** How the states of a scan ended. `inactive`: the scanner stops, or the scan is another one's. */
export type StatesEnding =
  | { kind: 'inactive' }
  | { kind: 'turn_over' }
  | { kind: 'ended'; stoppedBy: 'time_limit' | 'byte_limit' | null; isUnverified: boolean };

/** Tests the consent states of a scan after its crawl, each in a fresh profile, and each at most twice. */
export class StateRun {
  private chromium: OpenChromium | null = null;

  constructor(private readonly options: StateRunOptions) {}

  /** `limit`: what ended the crawl, so that no state is tested. */
  async run(limit: 'time_limit' | 'byte_limit' | null): Promise<StatesEnding> {
    const { em, scan, isActive, faults, budget } = this.options;
    await addStates(em.fork(), scan);
    const loaded = (await readFrontier(em.fork(), scan)).filter(({ status }) => status === 'visited');
    const verified = await this.verifiedPages(loaded);
    const pages = chooseStatePages(verified, this.options.scanner.settings.statePages);
    const isUnverified = loaded.length > 0 && pages.length === 0;
    let stoppedBy = limit;
    for (const state of await readOpenStates(em.fork(), scan)) {
      if (!isActive() || faults.areTooMany) return { kind: 'inactive' };
      if (await budget.isTurnOver()) return { kind: 'turn_over' };
      stoppedBy ??= budget.limitReached('states');
      const reason =
        stoppedBy ?? (loaded.length === 0 ? 'no_pages' : isUnverified ? 'unverified_host' : null);
      const ended =
        reason === null
          ? await this.test(state, pages)
          : await this.store(state, untested(state, { reason, loaded }));
      if (!ended) return { kind: 'inactive' };
    }
    return { kind: 'ended', stoppedBy, isUnverified };
  }

  /** Pages on hosts that are the project's: a page of another host is loaded once a day, and that was the crawl. */
  private async verifiedPages(loaded: readonly FrontierPage[]): Promise<FrontierPage[]> {
    const { em, scan } = this.options;
    const known = new Map<string, boolean>();
    const isVerified = async (url: string): Promise<boolean> => {
      const { host } = new URL(url);
      const verified = known.get(host) ?? (await isVerifiedHost(em.fork(), scan, host));
      known.set(host, verified);
      return verified;
    };
    const pages: FrontierPage[] = [];
    for (const page of loaded) {
      const finalUrl = page.finalUrl ?? page.url;
      if (!(await isVerified(finalUrl))) continue;
      // A host that only redirects there is not visited again.
      pages.push({ ...page, url: (await isVerified(page.url)) ? page.url : finalUrl });
    }
    return pages;
  }

  /** Ends the state in progress. */
  async close(): Promise<void> {
    await this.chromium?.close();
  }

  /** Until a state ended or was attempted often enough. False: the scan is no longer this scanner's. */
  private async test(state: ScanState, pages: readonly FrontierPage[]): Promise<boolean> {
    const { em, scan, isActive } = this.options;
    for (let reason: StateReason = 'scanner_stopped'; ; reason = 'browser_failed') {
      const begun = await beginState(em.fork(), scan, state);
      if (begun === 'lost') return false;
      if (begun === 'exhausted') return this.store(state, notTested(reason));
      const result = await this.attempt(state, pages);
      if (!isActive()) return false;
      if (result !== null) return this.store(state, result);
    }
  }

  /** null: the browser failed. */
  private async attempt(state: ScanState, pages: readonly FrontierPage[]): Promise<StateResult | null> {
    const { scanner, scope, proxy, proxyPort, pace, faults, isActive } = this.options;
    const { stateMinutes, pageSeconds, dwellSeconds } = scanner.settings;
    try {
      this.chromium = await openChromium(scanner.browser, proxyPort);
      scanner.metrics.browserStarted();
      // Stopped while it was opened: there was nothing to close yet.
      if (!isActive()) return null;
      const timeoutMs = pageSeconds * 1000;
      const options = { scope, proxy, pace, timeoutMs, dwellMs: dwellSeconds * 1000 };
      const testing = ScanContext.prepare(this.chromium.context, { signal: state === 'signal' }).then(
        (context) => testState(context, state, { pages, options }),
      );
      const never = new Promise<StateResult>(() => {});
      const signal = AbortSignal.any([this.options.signal, faults.signal]);
      const late = within(stateMinutes * 60_000, never, notTested('time_limit'), signal);
      const result = await Promise.race([testing, late]);
      if (!isActive()) return null;
      if (this.chromium.exceeded !== null) return notTested(this.chromium.exceeded);
      if (faults.take()) return notTested('scanner_error');
      return (await this.chromium.isAlive()) ? result : null;
    } catch (error) {
      if (this.chromium?.exceeded) return notTested(this.chromium.exceeded);
      if (this.chromium === null) scanner.metrics.browserFailed();
      // If the browser is still running, a page made the test fail.
      if (isActive() && (await this.chromium?.isAlive())) faults.report(error);
      else if (isActive()) scanner.log(`scanner: state ${state}: ${firstLine(error)}`);
      return faults.take() ? notTested('scanner_error') : null;
    } finally {
      proxy.closePage();
      await this.chromium?.close();
      this.chromium = null;
    }
  }

  /** False: the scan is no longer this scanner's, and nothing was stored. */
  private async store(state: ScanState, result: StateResult): Promise<boolean> {
    const { em, scan, scanner } = this.options;
    const artifacts = await this.artifactsOf(result);
    return em.fork().transactional(async (tx) => {
      if (!(await holdScan(tx, scan))) return false;
      for (const [page, items] of result.items) await storeStateItems(tx, scan, { state, page, items });
      for (const artifact of artifacts) await storeArtifact(tx, scan, { state, artifact });
      await countRefusals(tx, scan, result.refused);
      await storeState(tx, scan, { state, end: result });
      scanner.metrics.tested(state, result.status);
      return true;
    });
  }

  /** An archive of each page, and a screenshot of the first. */
  private async artifactsOf({ pages: [first], screenshot, archive }: StateResult): Promise<Artifact[]> {
    const software = { browser: this.options.scanner.browser.version, scanner: SCANNER_NAME };
    const artifacts = await Promise.all(
      archive.pages.map(async (page): Promise<Artifact> => {
        const exchanges = archive.exchanges.filter((each) => each.page === page.number);
        const har = JSON.stringify(toHar(software, [page], exchanges));
        return { kind: 'har', page: page.number, content: await promisify(gzip)(har) };
      }),
    );
    if (screenshot !== null && first !== undefined)
      artifacts.push({ kind: 'screenshot', page: first, content: screenshot });
    return artifacts.filter(({ content }) => content.length <= ARTIFACT_BYTES_MAX);
  }
}

/** The crawl loaded the pages of hosts that are not verified before any choice: that state has its items. */
function untested(
  state: ScanState,
  { reason, loaded }: { reason: StateReason; loaded: readonly FrontierPage[] },
): StateResult {
  const result = notTested(reason);
  if (state !== 'before' || reason !== 'unverified_host') return result;
  return { ...result, status: 'tested', pages: loaded.map(({ number }) => number) };
}

function notTested(reason: StateReason): StateResult {
  return {
    status: 'not_tested',
    reason,
    driver: null,
    pages: [],
    items: new Map(),
    screenshot: null,
    archive: { pages: [], exchanges: [] },
    refused: { downloads: 0, popups: 0, dialogs: 0 },
  };
}

function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';
}
