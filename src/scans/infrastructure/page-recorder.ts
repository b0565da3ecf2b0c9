import type { CDPSession, Page, Request, Response } from 'playwright-core';
import type { Exchange, Header } from '../domain/har.js';
import { cut, maskValue, type ObservedItem } from '../domain/observation.js';
import { ITEMS_PER_PAGE_MAX } from '../domain/scan-limits.js';
import { blockedItems, type BlockedCookie, cookieItems, type ProfileCookies } from './cookie-items.js';
import type { HookReport } from './page-hooks.js';
import { CONSENT_EVENTS_SCRIPT, readConsentEvents, readStorage, STORAGE_SCRIPT } from './page-script.js';
import {
  cookiesSent,
  cookiesSetByResponses,
  cookiesSetByScripts,
  fingerprintItems,
  type FrameContent,
  hostOf,
  placeOf,
  type Recorded,
  requestItems,
  storageItems,
} from './recorded-items.js';
import { within } from './within.js';

/** Requests of which headers are read; a page with more keeps the first ones. */
const REQUESTS_MAX = 1000;
const BLOCKED_MAX = 100;
/** How long the browser may take to hand over the headers of what it sent. */
const HEADERS_TIMEOUT_MS = 2_000;
const STORAGE_TIMEOUT_MS = 2_000;
const FRAMES_MAX = 50;

/** What a page requests and stores, from its first request, or from `restart`, to the end of its visit. */
export class PageRecorder {
  private requests: Request[] = [];
  private sockets: string[] = [];
  private reports: HookReport[] = [];
  private blocked: BlockedCookie[] = [];
  private readonly responses = new Map<Request, Response>();
  private readonly initiators = new Map<string, string>();
  private lastActivityMs = performance.now();
  private open = 0;
  /** Headers are read once, for items and for the archive. */
  private recorded: Promise<Recorded[]> | null = null;

  constructor(private readonly page: Page) {
    page.on('request', (request) => {
      this.touch(1);
      if (this.requests.length < REQUESTS_MAX) this.requests.push(request);
    });
    page.on('response', (response) => this.responses.set(response.request(), response));
    page.on('requestfinished', () => this.touch(-1));
    page.on('requestfailed', () => this.touch(-1));
    page.on('websocket', (socket) => {
      if (this.sockets.length < REQUESTS_MAX) this.sockets.push(socket.url());
    });
  }

  /** What a hook in the page reports. */
  readonly note = (report: HookReport): void => {
    if (this.reports.length < REQUESTS_MAX) this.reports.push(report);
  };

  /** Learns from the protocol which script caused a request. Frames of other sites are not included. */
  async watch(session: CDPSession): Promise<void> {
    session.on('Network.requestWillBeSent', ({ request, initiator }) => {
      const source = initiator.url ?? initiator.stack?.callFrames.find(({ url }) => url !== '')?.url;
      if (source && this.initiators.size < REQUESTS_MAX) this.initiators.set(request.url, source);
    });
    session.on('Network.responseReceivedExtraInfo', ({ blockedCookies }) => {
      for (const { blockedReasons, cookieLine, cookie } of blockedCookies) {
        if (this.blocked.length >= BLOCKED_MAX) return;
        const name = cookie?.name ?? cookieLine.split('=')[0]?.trim() ?? '';
        this.blocked.push({ name, domain: cookie?.domain ?? '', reason: blockedReasons[0] ?? 'unknown' });
      }
    });
    await session.send('Network.enable');
  }

  /** Forgets what was seen: what follows comes after a choice. */
  restart(): void {
    this.requests = [];
    this.sockets = [];
    this.reports = [];
    this.blocked = [];
    this.recorded = null;
  }

  /** For how long nothing was requested or received; 0 while a request is open. */
  get quietMs(): number {
    return this.open > 0 ? 0 : performance.now() - this.lastActivityMs;
  }

  /** Everything seen on the page at `url`. */
  async observe(url: string, profile: ProfileCookies): Promise<ObservedItem[]> {
    const host = hostOf(url);
    const recorded = await this.read();
    const cookies = cookieItems(profile, {
      pageHost: host,
      set: [...cookiesSetByScripts(this.reports), ...cookiesSetByResponses(recorded)],
      sent: cookiesSent(recorded),
    });
    const { sockets, reports } = this;
    return [
      ...cookies,
      ...blockedItems(this.blocked, host),
      ...storageItems(await this.readFrames(), reports, host),
      ...fingerprintItems(reports, host),
      ...(await this.consentEvents(host)),
      ...requestItems({ recorded, sockets, reports }, host),
    ].slice(0, ITEMS_PER_PAGE_MAX);
  }

  /** The requests for an archive, not masked. */
  async exchanges(page: number): Promise<Exchange[]> {
    return (await this.read()).map(({ request, response, requestHeaders, responseHeaders, initiator }) => {
      const body = request.postDataBuffer();
      const { startTime, responseEnd } = request.timing();
      return {
        page,
        startedAt: new Date(startTime > 0 ? startTime : 0),
        ...{ method: request.method(), url: request.url(), type: request.resourceType() },
        ...{ initiator, requestHeaders, responseHeaders },
        body: body === null ? null : { ...maskValue(body.toString('latin1')), valueLength: body.length },
        bodyType: requestHeaders.find(({ name }) => name.toLowerCase() === 'content-type')?.value ?? '',
        status: response?.status() ?? null,
        statusText: response?.statusText() ?? '',
        durationMs: responseEnd,
      };
    });
  }

  private touch(change: number): void {
    this.open = Math.max(0, this.open + change);
    this.lastActivityMs = performance.now();
  }

  private read(): Promise<Recorded[]> {
    return (this.recorded ??= Promise.all(
      this.requests.map(async (request) => {
        const response = this.responses.get(request) ?? null;
        const [requestHeaders, responseHeaders] = await Promise.all([
          within<Header[]>(HEADERS_TIMEOUT_MS, request.headersArray(), []),
          response ? within<Header[]>(HEADERS_TIMEOUT_MS, response.headersArray(), []) : [],
        ]);
        return { request, response, requestHeaders, responseHeaders, initiator: this.initiatorOf(request) };
      }),
    ));
  }

  private readFrames(): Promise<FrameContent[]> {
    return Promise.all(
      this.page
        .frames()
        .slice(0, FRAMES_MAX)
        .map(async (frame) => {
          const read = within<unknown>(STORAGE_TIMEOUT_MS, frame.evaluate(STORAGE_SCRIPT), null);
          return { host: hostOf(frame.url()), ...readStorage(await read) };
        }),
    );
  }

  private async consentEvents(host: string): Promise<ObservedItem[]> {
    const read = await within<unknown>(STORAGE_TIMEOUT_MS, this.page.evaluate(CONSENT_EVENTS_SCRIPT), null);
    return readConsentEvents(read).map(({ name, consent }, order) => ({
      ...{ kind: 'consent_event', name: cut(name), host, thirdParty: false },
      details: { order: order + 1, ...(consent !== null && { consent }) },
    }));
  }

  /** The script or frame behind a request; null: the page itself was requested. */
  private initiatorOf(request: Request): string | null {
    return placeOf(this.initiators.get(request.url()) ?? frameUrl(request));
  }
}

function frameUrl(request: Request): string | null {
  if (request.isNavigationRequest()) return null;
  try {
    return request.frame().url();
  } catch {
    // Requests of a frame that is gone, or of none.
    return null;
  }
}
