import { randomBytes } from 'node:crypto';
import type { BrowserContext, Page, Request, Response, Route } from 'playwright-core';
import { judgeScanAddress, type ScanScope } from '../../modules/scans/domain/scan-address.js';
import type { PageReason } from '../../modules/scans/domain/scan.js';
import { newId } from '../../platform/identity/ids.js';
import { type GuardedProxy, isRecordRequest } from './guarded-proxy.js';
import { type HookReport, hooksScript, readReport } from './page-hooks.js';
import { PageRecorder } from './page-recorder.js';
import { StoredEntries } from './recorded-items.js';
import { within } from './within.js';

const CORS = {
  'access-control-allow-origin': '*',
  'access-control-allow-headers': '*',
  'access-control-allow-methods': '*',
};

/** Of the key that marks reports of the hooks; a page cannot guess it. */
const KEY_BYTES = 16;

/** Runs in each frame of a browser that sends Global Privacy Control. */
const SIGNAL_SCRIPT = `Object.defineProperty(Navigator.prototype, 'globalPrivacyControl', {
  configurable: true, enumerable: true, get: () => true,
});`;

/** A profile in which pages are observed. */
export class ScanContext {
  /** The data that its pages left in its storages. */
  readonly entries = new StoredEntries();
  private readonly listeners = new Map<Page, (report: HookReport) => void>();

  private constructor(readonly browser: BrowserContext) {}

  /** Prepares a fresh profile; `signal`: it sends Global Privacy Control. */
  static async prepare(browser: BrowserContext, { signal = false } = {}): Promise<ScanContext> {
    const context = new ScanContext(browser);
    const key = randomBytes(KEY_BYTES).toString('hex');
    await answerRecordRequests(browser);
    // Never `exposeBinding`: it leaves functions in each page that end this process when the page calls them.
    browser.on('console', (message) => {
      const page = message.page();
      const report = readReport(message.text(), key);
      if (page && report) context.listeners.get(page)?.(report);
    });
    await browser.addInitScript({ content: hooksScript(key) });
    if (signal) {
      await browser.setExtraHTTPHeaders({ 'Sec-GPC': '1' });
      await browser.addInitScript({ content: SIGNAL_SCRIPT });
    }
    return context;
  }

  /** Hands over what hooks in the frames of a page report. */
  listen(page: Page, listener: (report: HookReport) => void): void {
    this.listeners.set(page, listener);
  }
}

/** Answers requests that would create records in our own service. */
async function answerRecordRequests(context: BrowserContext): Promise<void> {
  await context.route(
    (url) => isRecordRequest(url, undefined),
    async (route: Route) => {
      const method = route.request().method();
      if (!isRecordRequest(new URL(route.request().url()), method)) return route.continue();
      const isConsent = method === 'POST' && new URL(route.request().url()).pathname.includes('/consents');
      return isConsent
        ? route.fulfill({
            status: 201,
            headers: CORS,
            json: { id: newId(), receivedAt: new Date().toISOString(), duplicate: false },
          })
        : route.fulfill({ status: 204, headers: CORS });
    },
  );
}

/** A page counts as loaded once it was quiet for this long after its load event, */
const QUIET_MS = 500;
/** or this long after it in any case. */
const DWELL_MAX_MS = 1_500;
const POLL_MS = 50;
/** How long what a page does when it is left may take. */
const LEFT_MS = 300;
/** Timeout of one browser command. */
export const COMMAND_TIMEOUT_MS = 3_000;

/** What pages attempted and the scanner refused. */
export interface Refusals {
  downloads: number;
  popups: number;
  dialogs: number;
}

/** Data to explain a failed load. */
export interface LoadRules {
  scope: ScanScope;
  timeoutMs: number;
  proxy: GuardedProxy;
}

interface Loaded {
  kind: 'loaded' | 'timeout' | 'failed';
  /** Of the document; null: there was none. */
  response: Response | null;
  /** Where the last redirect led. */
  reached: string;
}

/** A tab in which pages are loaded one after the other, and observed. */
export class ScanTab {
  readonly recorder: PageRecorder;
  private readonly answers = new Map<string, number>();
  private crashed = false;
  private downloads = 0;

  private constructor(
    readonly page: Page,
    refused: Refusals,
  ) {
    this.recorder = new PageRecorder(page);
    page.on('crash', () => (this.crashed = true));
    page.on('response', (response) => {
      // Chromium requests addresses that are none to us, such as http://a%20b/.
      if (!URL.canParse(response.url()) || !this.isMain(response.request())) return;
      const { protocol, origin } = new URL(response.url());
      if (/^https?:$/.test(protocol)) this.answers.set(origin, performance.now());
    });
    page.on('dialog', (dialog) => {
      refused.dialogs += 1;
      // A page may ask whether it may be left.
      const answer = dialog.type() === 'beforeunload' ? dialog.accept() : dialog.dismiss();
      void answer.catch(() => {});
    });
    page.on('download', (download) => {
      this.downloads += 1;
      refused.downloads += 1;
      void download.cancel().catch(() => {});
    });
  }

  static async open(context: ScanContext, refused: Refusals): Promise<ScanTab> {
    const page = await context.browser.newPage();
    const tab = new ScanTab(page, refused);
    context.listen(page, tab.recorder.note);
    // Without it, a page would load unobserved, even its loader.
    await tab.watch(context);
    return tab;
  }

  get isCrashed(): boolean {
    return this.crashed;
  }

  /** When pages in it were last answered, redirects and pages that scripts opened included, by origin. */
  get answered(): ReadonlyMap<string, number> {
    return this.answers;
  }

  /** Loads an address and waits until it is quiet. `failure` null: it was loaded. */
  async load(
    url: string,
    { scope, timeoutMs, proxy }: LoadRules,
  ): Promise<{ failure: PageReason | null; response: Response | null }> {
    this.downloads = 0;
    this.answers.clear();
    const loaded = await this.goTo(url, timeoutMs);
    if (loaded.kind === 'loaded') await this.quiet();
    return { failure: this.failureOf(url, loaded, { scope, proxy }), response: loaded.response };
  }

  /** Leaves the page like a visitor: requests and storage of its unload handlers belong to it. */
  async leave(): Promise<void> {
    if (this.crashed) return;
    const closed = new Promise<void>((resolve) => this.page.once('close', () => resolve()));
    // Hooks report nothing of a page that is being replaced.
    void this.page.close({ runBeforeUnload: true }).catch(() => {});
    await within(COMMAND_TIMEOUT_MS, closed, undefined);
    await new Promise((wake) => setTimeout(wake, LEFT_MS));
  }

  async close(): Promise<void> {
    await within(COMMAND_TIMEOUT_MS, this.page.close(), undefined);
  }

  /** Waits until nothing is requested for a moment, at most for the dwell time of a crawl. */
  private async quiet(): Promise<void> {
    const deadlineMs = performance.now() + DWELL_MAX_MS;
    while (this.recorder.quietMs < QUIET_MS && performance.now() < deadlineMs)
      await new Promise((wake) => setTimeout(wake, POLL_MS));
  }

  private async watch(context: ScanContext): Promise<void> {
    await this.recorder.watch(await context.browser.newCDPSession(this.page));
  }

  private async goTo(url: string, timeoutMs: number): Promise<Loaded> {
    const { page } = this;
    let response: Response | null = null;
    let reached = url;
    const onRequest = (each: Request): void => {
      if (this.isMain(each)) reached = each.url();
    };
    const onResponse = (each: Response): void => {
      if (this.isMain(each.request())) response = each;
    };
    page.on('request', onRequest);
    page.on('response', onResponse);
    try {
      await page.goto(url, { waitUntil: 'load', timeout: timeoutMs });
      return { kind: 'loaded', response, reached };
    } catch (error) {
      const isTimeout = error instanceof Error && error.name === 'TimeoutError';
      return { kind: isTimeout ? 'timeout' : 'failed', response, reached };
    } finally {
      page.off('request', onRequest);
      page.off('response', onResponse);
    }
  }

  /** Whether a request is for the page itself. */
  private isMain(request: Request): boolean {
    try {
      return request.isNavigationRequest() && request.frame() === this.page.mainFrame();
    } catch {
      // Of a frame that does not exist yet, or of none.
      return false;
    }
  }

  private failureOf(
    url: string,
    { kind, response, reached }: Loaded,
    { scope, proxy }: Pick<LoadRules, 'scope' | 'proxy'>,
  ): PageReason | null {
    if (this.crashed) return 'crashed';
    const refusal = proxy.refusalOf(url);
    if (refusal === 'too_large') return 'too_large';
    const elsewhere = judgeScanAddress(reached, scope);
    if (elsewhere === 'outside_project') return 'redirected_outside';
    if (elsewhere === 'excluded') return 'excluded_host';
    if (kind === 'loaded' && judgeScanAddress(this.page.url(), scope) !== null) return 'redirected_outside';
    if (response !== null && response.status() >= 400) return 'http_error';
    // Downloads of frames do not count: the page itself is none.
    if ((kind === 'failed' && this.downloads > 0) || (response !== null && !isHtml(response)))
      return 'not_html';
    if (kind === 'timeout') return 'timeout';
    if (kind === 'loaded') return null;
    const failed = proxy.refusalOf(reached) ?? refusal;
    return failed === null || failed === 'closed' ? 'connection_failed' : failed;
  }
}

/** Closes pages that the site opens. Returns what ends that. */
export function refusePopups(context: ScanContext, refused: Refusals): () => void {
  const refuse = (popup: Page): void => {
    refused.popups += 1;
    void popup.close().catch(() => {});
  };
  context.browser.on('page', refuse);
  return () => context.browser.off('page', refuse);
}

function isHtml(response: Response): boolean {
  const type = response.headers()['content-type'] ?? 'text/html';
  return /^\s*(text\/html|application\/xhtml\+xml)\b/i.test(type);
}
