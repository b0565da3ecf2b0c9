import type { CDPSession, Frame, Page, Request, Response } from 'playwright-core';
import type { Exchange, Header } from '../domain/har.js';
import {
  cut,
  isThirdParty,
  type ItemDetails,
  maskUrl,
  maskValue,
  type ObservedItem,
} from '../domain/observation.js';
import { ITEMS_PER_PAGE_MAX } from '../domain/scan-limits.js';
import { blockedItems, type BlockedCookie, cookieItems, type ProfileCookies } from './cookie-items.js';
import type { HookReport } from './page-hooks.js';
import { CONSENT_EVENTS_SCRIPT, readConsentEvents, readStorage, STORAGE_SCRIPT } from './page-script.js';

/** Requests of which headers are read; a page with more keeps the first ones. */
const REQUESTS_MAX = 1000;
const BLOCKED_MAX = 100;
/** How long the browser may take to hand over the headers of what it sent. */
const HEADERS_TIMEOUT_MS = 2_000;
const STORAGE_TIMEOUT_MS = 2_000;
const FRAMES_MAX = 50;

/** A request with what the browser knows of it. */
interface Recorded {
  request: Request;
  response: Response | null;
  requestHeaders: Header[];
  responseHeaders: Header[];
}

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
      set: [...this.cookiesSetByScripts(), ...this.cookiesSetByResponses(recorded)],
      sent: cookiesSent(recorded),
    });
    const frames = this.page.frames().slice(0, FRAMES_MAX);
    return [
      ...cookies,
      ...blockedItems(this.blocked, host),
      ...(await this.storageItems(frames, host)),
      ...this.fingerprintItems(host),
      ...(await this.consentEvents(host)),
      ...this.requestItems(recorded, host),
    ].slice(0, ITEMS_PER_PAGE_MAX);
  }

  /** The requests for an archive, not masked. */
  async exchanges(page: number): Promise<Exchange[]> {
    return (await this.read()).map(({ request, response, requestHeaders, responseHeaders }) => {
      const body = request.postDataBuffer();
      const { startTime, responseEnd } = request.timing();
      return {
        page,
        startedAt: new Date(startTime > 0 ? startTime : 0),
        ...{ method: request.method(), url: request.url(), type: request.resourceType() },
        initiator: this.initiatorOf(request),
        ...{ requestHeaders, responseHeaders },
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
        return { request, response, requestHeaders, responseHeaders };
      }),
    ));
  }

  private cookiesSetByScripts(): { name: string; by: 'script'; source: string | null }[] {
    return this.reports
      .filter(({ kind }) => kind === 'cookie')
      .map(({ name, source }) => ({ name, by: 'script', source: placeOf(source) }));
  }

  private cookiesSetByResponses(
    recorded: readonly Recorded[],
  ): { name: string; by: 'response'; source: string | null }[] {
    return recorded.flatMap(({ request, responseHeaders }) =>
      responseHeaders
        .filter(({ name }) => name.toLowerCase() === 'set-cookie')
        .flatMap(({ value }) => value.split('\n'))
        .map((line) => ({
          name: line.split('=')[0]?.trim() ?? '',
          by: 'response' as const,
          source: placeOf(request.url()),
        })),
    );
  }

  private async storageItems(frames: readonly Frame[], pageHost: string): Promise<ObservedItem[]> {
    const sources = new Map(
      this.reports
        .filter(({ kind }) => kind === 'storage')
        .map(({ name, source }) => [name, placeOf(source)]),
    );
    const found = await Promise.all(
      frames.map(async (frame) => {
        const stored = readStorage(
          await within<unknown>(STORAGE_TIMEOUT_MS, frame.evaluate(STORAGE_SCRIPT), null),
        );
        const host = hostOf(frame.url());
        const itemsOf = (
          kind: 'local_storage' | 'session_storage',
          entries: [string, string][],
        ): ObservedItem[] =>
          entries.map(([name, value]) => {
            const initiator = sources.get(name) ?? null;
            return {
              ...{ kind, name: cut(name), host, thirdParty: isThirdParty(host, pageHost) },
              details: { ...maskValue(value), ...(initiator !== null && { initiator }) },
            };
          });
        const databases = stored.databases.map((name): ObservedItem => ({
          ...{
            kind: 'indexed_db',
            name: cut(name),
            host,
            thirdParty: isThirdParty(host, pageHost),
            details: {},
          },
        }));
        return [
          ...itemsOf('local_storage', stored.local),
          ...itemsOf('session_storage', stored.session),
          ...databases,
        ];
      }),
    );
    // Frames of one origin share their storage.
    const all = found.flat();
    return [...new Map(all.map((item) => [`${item.kind} ${item.host} ${item.name}`, item])).values()];
  }

  /** Calls that can identify a device, by the host of the script. */
  private fingerprintItems(pageHost: string): ObservedItem[] {
    const calls = this.reports.filter(({ kind }) => kind !== 'cookie' && kind !== 'storage');
    return calls.map(({ kind, name, source }) => {
      const host = source === null ? pageHost : hostOf(source);
      const initiator = placeOf(source);
      return {
        ...{ kind: 'fingerprint', name, host, thirdParty: isThirdParty(host, pageHost) },
        details: { type: kind, ...(initiator !== null && { initiator }) },
      };
    });
  }

  private async consentEvents(host: string): Promise<ObservedItem[]> {
    const read = await within<unknown>(STORAGE_TIMEOUT_MS, this.page.evaluate(CONSENT_EVENTS_SCRIPT), null);
    return readConsentEvents(read).map(({ name, consent }, order) => ({
      ...{ kind: 'consent_event', name: cut(name), host, thirdParty: false },
      details: { order: order + 1, ...(consent !== null && { consent }) },
    }));
  }

  private requestItems(recorded: readonly Recorded[], pageHost: string): ObservedItem[] {
    const items = new Map<string, ObservedItem>();
    const add = (url: string, details: ItemDetails): void => {
      const masked = maskUrl(url);
      if (!masked) return;
      const { host, name } = masked;
      const key = [details.method, details.type, host, name].join(' ');
      const known = items.get(key);
      const count = (known?.details.count ?? 0) + 1;
      items.set(key, {
        ...{ kind: 'request', name, host, thirdParty: isThirdParty(host, pageHost) },
        details: { ...known?.details, ...details, count },
      });
    };
    for (const { request, response } of recorded) {
      const initiator = this.initiatorOf(request);
      const bodyBytes = request.postDataBuffer()?.length ?? 0;
      add(request.url(), {
        ...{ method: request.method(), type: request.resourceType() },
        ...(initiator !== null && { initiator }),
        ...(response && { httpStatus: response.status() }),
        ...(bodyBytes > 0 && { bodyBytes }),
      });
    }
    for (const url of this.sockets) add(url, { method: 'GET', type: 'websocket' });
    return [...items.values()];
  }

  /** The script or frame behind a request; null: the page itself was requested. */
  private initiatorOf(request: Request): string | null {
    return placeOf(this.initiators.get(request.url()) ?? frameUrl(request));
  }
}

/** `host name` of the cookies that requests sent. */
function cookiesSent(recorded: readonly Recorded[]): { host: string; name: string }[] {
  return recorded.flatMap(({ request, requestHeaders }) => {
    const host = hostOf(request.url());
    return requestHeaders
      .filter(({ name }) => name.toLowerCase() === 'cookie')
      .flatMap(({ value }) => value.split(';'))
      .map((pair) => ({ host, name: pair.split('=')[0]?.trim() ?? '' }))
      .filter(({ name }) => name !== '');
  });
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

/** Host and path of an address, without its query. */
function placeOf(source: string | null): string | null {
  const masked = source === null ? null : maskUrl(source);
  return masked && cut(`${masked.host}${masked.name.split('?')[0] ?? ''}`);
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : '';
}

/** A promise of the browser, which may never settle. */
export function within<T>(timeoutMs: number, promise: Promise<T>, otherwise: T): Promise<T> {
  return Promise.race([
    promise.catch(() => otherwise),
    new Promise<T>((resolve) => setTimeout(() => resolve(otherwise), timeoutMs).unref()),
  ]);
}
