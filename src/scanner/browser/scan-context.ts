import { randomBytes } from 'node:crypto';
import type { BrowserContext, Page, Route } from 'playwright-core';
import { newId } from '../../platform/identity/ids.js';
import { isRecordRequest } from './own-requests.js';
import { hooksScript, type HookReport, readReport } from './page-hooks.js';
import { StoredEntries } from './storage-items.js';

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
