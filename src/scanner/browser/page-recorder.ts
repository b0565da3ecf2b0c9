import type { CDPSession, Page, Request, Response } from 'playwright-core';
import type { RecordedExchange, Header } from './har.js';
import { cut, maskValue, type ObservedItem } from '../../modules/scans/domain/observation.js';
import { ITEMS_PER_PAGE_MAX } from '../../modules/scans/domain/scan-limits.js';
import { blockedItems, type BlockedCookie, cookieItems, type ProfileCookies } from './cookie-items.js';
import type { HookReport } from './page-hooks.js';
import {
  CONSENT_EVENTS_SCRIPT,
  type ConsentEvent,
  readConsentEvents,
  readStorage,
  STORAGE_SCRIPT,
} from './page-script.js';
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
  type SettingResponse,
  storageHostOf,
  storageItems,
  type StoredEntries,
} from './recorded-items.js';
import { within } from './within.js';

/** Requests of which headers are read; a page with more keeps the first ones. */
const REQUESTS_MAX = 1000;
/** Further addresses are not named as scripts. */
const ADDRESSES_MAX = 5000;
const BLOCKED_MAX = 100;
/** Why the browser announces a request that it never sends: a policy of the page stops it, or it lacks encryption. */
const UNSENT: ReadonlySet<string> = new Set(['csp', 'mixed-content']);
/** How long to wait for the browser to return the headers of sent requests. */
const HEADERS_TIMEOUT_MS = 2_000;
const STORAGE_TIMEOUT_MS = 2_000;
const FRAMES_MAX = 50;

/** The stored data of an open page. */
interface PageContent {
  frames: FrameContent[];
  events: ConsentEvent[];
}

interface FrameScript {
  url: string;
  /** Address of the document that requested it. */
  document: string;
  isLoaded: boolean;
}

/** A page's requests and stored data, from its first request, or from `restart`, to the end of its visit. */
export class PageRecorder {
  private requests: Request[] = [];
  private sockets: string[] = [];
  private reports: HookReport[] = [];
  private blocked: BlockedCookie[] = [];
  private handshakes: SettingResponse[] = [];
  /** The page's stored data at the last read. */
  private content: PageContent = { frames: [], events: [] };
  private readonly responses = new Map<Request, Response>();
  /** Scripts that documents of the main frame requested, by the request's id. */
  private readonly scripts = new Map<string, FrameScript>();
  /** Addresses that the tab requested. Only those are named as scripts. */
  private readonly requested = new Set<string>();
  /** Addresses of sources, of the requests of each address in order. */
  private readonly initiators = new Map<string, string[]>();
  private lastActivityMs = performance.now();
  private open = 0;
  /** Headers are read once, for items and for the archive. */
  private recorded: Promise<Recorded[]> | null = null;

  constructor(private readonly page: Page) {
    page.on('request', (request) => {
      this.touch(1);
      if (this.requested.size < ADDRESSES_MAX) this.requested.add(withoutFragment(request.url()));
      if (this.requests.length < REQUESTS_MAX) this.requests.push(request);
    });
    page.on('response', (response) => this.responses.set(response.request(), response));
    page.on('requestfinished', () => this.touch(-1));
    page.on('requestfailed', () => this.touch(-1));
    page.on('websocket', (socket) => {
      if (this.sockets.length < REQUESTS_MAX) this.sockets.push(socket.url());
    });
  }

  /** Records a report of a hook in the page. */
  readonly note = (report: HookReport): void => {
    if (this.reports.length < REQUESTS_MAX) this.reports.push(report);
  };

  /** Gets from the protocol which script caused a request. Frames of other sites are not included. */
  async watch(session: CDPSession): Promise<void> {
    session.on('Network.requestWillBeSent', ({ request, initiator }) => {
      const source = initiator.url ?? initiator.stack?.callFrames.find(({ url }) => url !== '')?.url ?? '';
      const known = this.initiators.get(keyOf(request)) ?? [];
      if (this.initiators.size < REQUESTS_MAX && known.length < REQUESTS_MAX)
        this.initiators.set(keyOf(request), [...known, source]);
    });
    const { frameTree } = await session.send('Page.getFrameTree');
    session.on('Network.requestWillBeSent', ({ requestId, request, documentURL, frameId, type }) => {
      const isScript = type === 'Script' && frameId === frameTree.frame.id;
      if (isScript && this.scripts.size < REQUESTS_MAX)
        this.scripts.set(requestId, { url: request.url, document: documentURL, isLoaded: false });
    });
    session.on('Network.responseReceived', ({ requestId, response }) => {
      const script = this.scripts.get(requestId);
      if (script && response.status >= 200 && response.status < 400) script.isLoaded = true;
    });
    const sockets = new Map<string, string>();
    session.on('Network.webSocketCreated', ({ requestId, url }) => {
      if (sockets.size < REQUESTS_MAX) sockets.set(requestId, url);
    });
    session.on('Network.webSocketHandshakeResponseReceived', ({ requestId, response }) => {
      const headers = Object.entries(response.headers).map(([name, value]) => ({ name, value }));
      if (this.handshakes.length < REQUESTS_MAX)
        this.handshakes.push({ url: sockets.get(requestId) ?? '', headers });
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

  /** Drops all observations: the following ones are after a choice. */
  restart(): void {
    this.requests = [];
    this.sockets = [];
    this.reports = [];
    this.blocked = [];
    this.handshakes = [];
    this.initiators.clear();
    this.recorded = null;
  }

  /** The scripts that a document of the main frame loaded, by the network's own log. */
  scriptsOf(url: string): string[] {
    const host = hostOf(url);
    const own = [...this.scripts.values()].filter(({ document }) => hostOf(document) === host);
    return own.filter(({ isLoaded }) => isLoaded).map((script) => script.url);
  }

  /** Time without a request or response; 0 while a request is open. */
  get quietMs(): number {
    return this.open > 0 ? 0 : performance.now() - this.lastActivityMs;
  }

  /** Reads what the page stores and the headers of its requests, before it is left. */
  async readContent(): Promise<void> {
    const [frames, events] = await Promise.all([this.readFrames(), this.readEvents(), this.read()]);
    this.content = { frames, events };
  }

  /** Everything seen on the page at `url`. `entries`: what earlier pages stored; null: other pages were open, too. */
  async observe(
    url: string,
    { profile, entries }: { profile: ProfileCookies; entries: StoredEntries | null },
  ): Promise<ObservedItem[]> {
    const host = hostOf(url);
    const recorded = await this.read();
    const { sockets, handshakes } = this;
    const reports = this.reports.map((report) => ({ ...report, source: this.knownSource(report.source) }));
    const { frames, events } = this.content;
    const responses = recorded.map(({ request, responseHeaders }) => ({
      url: request.url(),
      headers: responseHeaders,
    }));
    const cookies = cookieItems(profile, {
      pageHost: host,
      frameHosts: frames.map((frame) => frame.host),
      set: [...cookiesSetByResponses([...responses, ...handshakes]), ...cookiesSetByScripts(reports)],
      sent: cookiesSent(recorded),
    });
    const stored = storageItems(frames, { pageHost: host, reports, known: entries });
    entries?.add(frames);
    return [
      ...cookies,
      ...blockedItems(this.blocked, host),
      ...stored,
      ...fingerprintItems(reports, host),
      ...events.map(({ name, consent }, order): ObservedItem => ({
        kind: 'consent_event',
        name: cut(name),
        host,
        thirdParty: false,
        details: { order: order + 1, ...(consent !== null && { consent }) },
      })),
      ...requestItems({ recorded, sockets, reports }, host),
    ].slice(0, ITEMS_PER_PAGE_MAX);
  }

  /** The requests for an archive, not masked. */
  async exchanges(page: number): Promise<RecordedExchange[]> {
    return (await this.read()).map(({ request, response, requestHeaders, responseHeaders, initiator }) => {
      const body = request.postDataBuffer();
      const { startTime, responseEnd } = request.timing();
      return {
        page,
        startedAt: new Date(startTime > 0 ? startTime : 0),
        method: request.method(),
        url: request.url(),
        type: request.resourceType(),
        initiator,
        requestHeaders,
        responseHeaders,
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
    const sources = this.sourcesOf(this.requests);
    return (this.recorded ??= Promise.all(
      this.requests.map(async (request, at) => {
        const response = this.responses.get(request) ?? null;
        const [requestHeaders, responseHeaders] = await Promise.all([
          within<Header[]>(HEADERS_TIMEOUT_MS, request.headersArray(), []),
          response ? within<Header[]>(HEADERS_TIMEOUT_MS, response.headersArray(), []) : [],
        ]);
        const source = sources[at] ?? null;
        const initiator = placeOf(source === null ? frameUrl(request) : this.knownSource(source));
        return { request, response, requestHeaders, responseHeaders, initiator };
      }),
    ).then((recorded) => recorded.filter(({ request }) => !UNSENT.has(request.failure()?.errorText ?? ''))));
  }

  /** The address of what caused each request. Equal requests have their sources in the same order. */
  private sourcesOf(requests: readonly Request[]): (string | null)[] {
    const counts = new Map<string, number>();
    return requests.map((request) => {
      const key = keyOf({ method: request.method(), url: request.url() });
      const place = counts.get(key) ?? 0;
      counts.set(key, place + 1);
      return this.initiators.get(key)?.[place] || null;
    });
  }

  /** A script is named by an address that the tab requested: any other may be the page's invention. */
  private knownSource(source: string | null): string | null {
    return source !== null && this.requested.has(withoutFragment(source)) ? source : null;
  }

  private readFrames(): Promise<FrameContent[]> {
    return Promise.all(
      this.page
        .frames()
        .slice(0, FRAMES_MAX)
        .map(async (frame) => {
          const read = within<unknown>(STORAGE_TIMEOUT_MS, frame.evaluate(STORAGE_SCRIPT), null);
          return { host: storageHostOf(frame), ...readStorage(await read) };
        }),
    );
  }

  private async readEvents(): Promise<ConsentEvent[]> {
    return readConsentEvents(
      await within<unknown>(STORAGE_TIMEOUT_MS, this.page.evaluate(CONSENT_EVENTS_SCRIPT), null),
    );
  }
}

function withoutFragment(url: string): string {
  return url.split('#', 1)[0] ?? '';
}

const keyOf = ({ method, url }: { method: string; url: string }): string => `${method} ${url}`;

function frameUrl(request: Request): string | null {
  if (request.isNavigationRequest()) return null;
  try {
    return request.frame().url();
  } catch {
    // Requests of a deleted frame, or of none.
    return null;
  }
}
