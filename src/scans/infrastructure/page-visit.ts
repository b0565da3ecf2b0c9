import type { BrowserContext, Page, Response, Route } from 'playwright-core';
import { newId } from '../../shared/ids.js';
import { isLoaderOf, isRecordRequest } from '../domain/own-requests.js';
import type { PageReason } from '../domain/scan.js';
import { judgeScanAddress, normalizePageUrl, type ScanScope } from '../domain/scan-address.js';
import { LINKS_PER_PAGE_MAX } from '../domain/scan-limits.js';
import type { PageResult } from './frontier.rows.js';
import type { GuardedProxy } from './guarded-proxy.js';
import { PageRecorder, within } from './page-recorder.js';
import { PAGE_FACTS_SCRIPT, readFacts } from './page-script.js';

/** A page counts as loaded once it was quiet for this long after its load event, */
const QUIET_MS = 500;
/** or this long after it in any case. */
const DWELL_MAX_MS = 1_500;
const POLL_MS = 50;
/** How long the browser may take for one command. */
const COMMAND_TIMEOUT_MS = 3_000;

const CORS = {
  'access-control-allow-origin': '*',
  'access-control-allow-headers': '*',
  'access-control-allow-methods': '*',
};

export interface VisitOptions {
  projectId: string;
  scope: ScanScope;
  timeoutMs: number;
  proxy: GuardedProxy;
}

/** Answers requests that would create records in our own service. Once for each browser. */
export async function answerRecordRequests(context: BrowserContext): Promise<void> {
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

/** Loads one page, waits until it is quiet, and returns what it stored and requested. */
export async function visitPage(
  context: BrowserContext,
  url: string,
  options: VisitOptions,
): Promise<PageResult> {
  const startedMs = performance.now();
  const { proxy, timeoutMs } = options;
  const refused = { downloads: 0, popups: 0, dialogs: 0 };
  const before = await context.cookies();
  proxy.openPage();
  const page = await context.newPage();
  const refusePopup = (popup: Page): void => {
    refused.popups += 1;
    void popup.close().catch(() => {});
  };
  context.on('page', refusePopup);
  try {
    let crashed = false;
    page.on('crash', () => (crashed = true));
    page.on('dialog', (dialog) => {
      refused.dialogs += 1;
      void dialog.dismiss().catch(() => {});
    });
    page.on('download', (download) => {
      refused.downloads += 1;
      void download.cancel().catch(() => {});
    });
    const recorder = new PageRecorder(page);
    await within(COMMAND_TIMEOUT_MS, watchInitiators(context, page, recorder), undefined);
    const loaded = await load(page, url, timeoutMs);
    if (loaded.kind === 'loaded') await quiet(recorder);
    const failure = failureOf(page, { url, loaded, crashed, downloads: refused.downloads, options });
    const outside = failure === 'redirected_outside';
    const facts = outside ? readFacts(null) : await factsOf(page, crashed);
    const after = await within(COMMAND_TIMEOUT_MS, context.cookies(), before);
    const finalUrl = normalizePageUrl(page.url());
    return {
      status: failure === null ? 'visited' : 'failed',
      reason: failure,
      httpStatus: loaded.response?.status() ?? null,
      finalUrl: finalUrl === url ? null : finalUrl,
      // On a foreign page nothing is verified and nothing is reported.
      loaderFound: facts.scripts.some((script) => isLoaderOf(options.projectId, script)),
      durationMs: Math.round(performance.now() - startedMs),
      items: outside ? [] : await recorder.observe(finalUrl ?? url, { before, after }),
      links: linksIn(facts.links, options.scope),
      aliases: linksIn([...facts.canonical, finalUrl ?? url], options.scope).filter((alias) => alias !== url),
      refused,
    };
  } finally {
    context.off('page', refusePopup);
    // Nothing that the page sends while it closes leaves the machine.
    proxy.closePage();
    await within(COMMAND_TIMEOUT_MS, page.close(), undefined);
  }
}

interface Loaded {
  kind: 'loaded' | 'timeout' | 'failed';
  /** Of the document; null: there was none. */
  response: Response | null;
  /** Where the last redirect led. */
  reached: string;
}

async function load(page: Page, url: string, timeoutMs: number): Promise<Loaded> {
  let response: Response | null = null;
  let reached = url;
  page.on('request', (each) => {
    if (each.isNavigationRequest() && each.frame() === page.mainFrame()) reached = each.url();
  });
  page.on('response', (each) => {
    if (each.request().isNavigationRequest() && each.frame() === page.mainFrame()) response = each;
  });
  try {
    await page.goto(url, { waitUntil: 'load', timeout: timeoutMs });
    return { kind: 'loaded', response, reached };
  } catch (error) {
    const isTimeout = error instanceof Error && error.name === 'TimeoutError';
    return { kind: isTimeout ? 'timeout' : 'failed', response, reached };
  }
}

/** Waits until nothing is requested for a moment, at most for the dwell time. */
async function quiet(recorder: PageRecorder): Promise<void> {
  const deadlineMs = performance.now() + DWELL_MAX_MS;
  while (recorder.quietMs < QUIET_MS && performance.now() < deadlineMs)
    await new Promise((wake) => setTimeout(wake, POLL_MS));
}

/** Why the page counts as failed; null: it was loaded. */
function failureOf(
  page: Page,
  {
    url,
    loaded: { kind, response, reached },
    crashed,
    downloads,
    options: { proxy, scope },
  }: { url: string; loaded: Loaded; crashed: boolean; downloads: number; options: VisitOptions },
): PageReason | null {
  if (crashed) return 'crashed';
  const refusal = proxy.refusalOf(url);
  if (refusal === 'too_large') return 'too_large';
  if (judgeScanAddress(reached, scope) === 'outside_project') return 'redirected_outside';
  if (kind === 'loaded' && judgeScanAddress(page.url(), scope) !== null) return 'redirected_outside';
  if (response !== null && response.status() >= 400) return 'http_error';
  if (downloads > 0 || (response !== null && !isHtml(response))) return 'not_html';
  if (kind === 'timeout') return 'timeout';
  if (kind === 'loaded') return null;
  const failed = proxy.refusalOf(reached) ?? refusal;
  return failed === null || failed === 'closed' ? 'connection_failed' : failed;
}

function isHtml(response: Response): boolean {
  const type = response.headers()['content-type'] ?? 'text/html';
  return /^\s*(text\/html|application\/xhtml\+xml)\b/i.test(type);
}

async function factsOf(page: Page, crashed: boolean): Promise<ReturnType<typeof readFacts>> {
  return readFacts(
    crashed ? null : await within<unknown>(COMMAND_TIMEOUT_MS, page.evaluate(PAGE_FACTS_SCRIPT), null),
  );
}

async function watchInitiators(context: BrowserContext, page: Page, recorder: PageRecorder): Promise<void> {
  await recorder.watchInitiators(await context.newCDPSession(page));
}

/** The addresses that may be scanned, each once. */
function linksIn(links: readonly string[], scope: ScanScope): string[] {
  const normalized = links.map((link) => normalizePageUrl(link));
  const inScope = normalized
    .filter((link) => link !== null)
    .filter((link) => judgeScanAddress(link, scope) === null);
  return [...new Set(inScope)].slice(0, LINKS_PER_PAGE_MAX);
}
