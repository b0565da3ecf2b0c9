import type { CDPSession, Cookie, Page, Request, Response } from 'playwright-core';
import {
  cut,
  isThirdParty,
  type ItemDetails,
  maskUrl,
  maskValue,
  type ObservedItem,
} from '../domain/observation.js';
import { ITEMS_PER_PAGE_MAX } from '../domain/scan-limits.js';
import { readStorage, STORAGE_SCRIPT } from './page-script.js';

/** Requests of which headers are read; a page with more keeps the first ones. */
const REQUESTS_MAX = 1000;
/** How long the browser may take to hand over the headers of what it sent. */
const HEADERS_TIMEOUT_MS = 2_000;
const STORAGE_TIMEOUT_MS = 2_000;
const FRAMES_MAX = 50;

/** Cookies as the browser keeps them; Playwright's type does not name the partition. */
type StoredCookie = Cookie & { partitionKey?: string };

/** What a page requests and stores, from its first request to the end of its visit. */
export class PageRecorder {
  private readonly requests: Request[] = [];
  private readonly statuses = new Map<Request, Response>();
  private readonly sockets: string[] = [];
  private readonly initiators = new Map<string, string>();
  private lastActivityMs = performance.now();
  private open = 0;

  constructor(private readonly page: Page) {
    page.on('request', (request) => {
      this.touch(1);
      if (this.requests.length < REQUESTS_MAX) this.requests.push(request);
    });
    page.on('response', (response) => this.statuses.set(response.request(), response));
    page.on('requestfinished', () => this.touch(-1));
    page.on('requestfailed', () => this.touch(-1));
    page.on('websocket', (socket) => {
      if (this.sockets.length < REQUESTS_MAX) this.sockets.push(socket.url());
    });
  }

  /** Learns from the protocol which script caused a request. Frames of other sites are not included. */
  async watchInitiators(session: CDPSession): Promise<void> {
    session.on('Network.requestWillBeSent', ({ request, initiator }) => {
      const source = initiator.url ?? initiator.stack?.callFrames.find(({ url }) => url !== '')?.url;
      if (source && this.initiators.size < REQUESTS_MAX) this.initiators.set(request.url, source);
    });
    await session.send('Network.enable');
  }

  /** For how long nothing was requested or received; 0 while a request is open. */
  get quietMs(): number {
    return this.open > 0 ? 0 : performance.now() - this.lastActivityMs;
  }

  /** Everything seen on the page at `url`. `before` and `after` are the cookies of the profile. */
  async observe(
    url: string,
    { before, after }: { before: readonly StoredCookie[]; after: readonly StoredCookie[] },
  ): Promise<ObservedItem[]> {
    const host = hostOf(url);
    const cookies = cookieItems(
      { before, after, setBy: await this.cookieNamesSet(), sent: await this.cookieNamesSent() },
      host,
    );
    const storage = await this.storageItems(host);
    return [...cookies, ...storage, ...this.requestItems(host)].slice(0, ITEMS_PER_PAGE_MAX);
  }

  private touch(change: number): void {
    this.open = Math.max(0, this.open + change);
    this.lastActivityMs = performance.now();
  }

  /** Names in the `Set-Cookie` headers of this page's responses. */
  private async cookieNamesSet(): Promise<Set<string>> {
    const headers = await Promise.all(
      [...this.statuses.values()].map((response) => within(HEADERS_TIMEOUT_MS, response.headersArray(), [])),
    );
    const set = headers.flat().filter(({ name }) => name.toLowerCase() === 'set-cookie');
    return new Set(
      set.flatMap(({ value }) => value.split('\n')).map((line) => line.split('=')[0]?.trim() ?? ''),
    );
  }

  /** `host name` of the cookies that requests of this page sent. */
  private async cookieNamesSent(): Promise<{ host: string; name: string }[]> {
    const sent = await Promise.all(
      this.requests.map(async (request) => {
        const { cookie = '' } = await within<Record<string, string>>(
          HEADERS_TIMEOUT_MS,
          request.allHeaders(),
          {},
        );
        const host = hostOf(request.url());
        return cookie.split(';').map((pair) => ({ host, name: pair.split('=')[0]?.trim() ?? '' }));
      }),
    );
    return sent.flat().filter(({ name }) => name !== '');
  }

  private async storageItems(pageHost: string): Promise<ObservedItem[]> {
    const frames = this.page.frames().slice(0, FRAMES_MAX);
    const found = await Promise.all(
      frames.map(async (frame) => {
        const stored = readStorage(await within(STORAGE_TIMEOUT_MS, frame.evaluate(STORAGE_SCRIPT), null));
        const host = hostOf(frame.url());
        const itemsOf = (
          kind: 'local_storage' | 'session_storage',
          entries: [string, string][],
        ): ObservedItem[] =>
          entries.map(([name, value]) => ({
            ...{ kind, name: cut(name), host, thirdParty: isThirdParty(host, pageHost) },
            details: maskValue(value),
          }));
        return [...itemsOf('local_storage', stored.local), ...itemsOf('session_storage', stored.session)];
      }),
    );
    // Frames of one origin share their storage.
    const all = found.flat();
    return [...new Map(all.map((item) => [`${item.kind} ${item.host} ${item.name}`, item])).values()];
  }

  private requestItems(pageHost: string): ObservedItem[] {
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
    for (const request of this.requests) {
      const status = this.statuses.get(request)?.status();
      const initiator = this.initiatorOf(request);
      add(request.url(), {
        ...{ method: request.method(), type: request.resourceType() },
        ...(initiator !== null && { initiator }),
        ...(status !== undefined && { httpStatus: status }),
      });
    }
    for (const url of this.sockets) add(url, { method: 'GET', type: 'websocket' });
    return [...items.values()];
  }

  /** Address of the script or frame behind a request, without query; null: the page itself was requested. */
  private initiatorOf(request: Request): string | null {
    const source = this.initiators.get(request.url()) ?? frameUrl(request);
    const masked = source === null ? null : maskUrl(source);
    return masked && cut(`${masked.host}${masked.name.split('?')[0] ?? ''}`);
  }
}

/** Cookies that the page set or changed, and those that its requests sent. */
function cookieItems(
  seen: {
    before: readonly StoredCookie[];
    after: readonly StoredCookie[];
    setBy: ReadonlySet<string>;
    sent: readonly { host: string; name: string }[];
  },
  pageHost: string,
): ObservedItem[] {
  const known = new Map(seen.before.map((cookie) => [cookieKey(cookie), cookie]));
  return seen.after.flatMap((cookie): ObservedItem[] => {
    const former = known.get(cookieKey(cookie));
    const isSet = former?.value !== cookie.value || former.expires !== cookie.expires;
    const isSent = seen.sent.some(
      ({ host, name }) => name === cookie.name && isOnDomain(host, cookie.domain),
    );
    if (!isSet && !isSent) return [];
    const { path, httpOnly, secure, sameSite } = cookie;
    return [
      {
        kind: 'cookie',
        name: cut(cookie.name),
        host: cut(cookie.domain),
        thirdParty: isThirdParty(cookie.domain, pageHost),
        details: {
          ...{ path: cut(path), httpOnly, secure, sameSite, sent: isSent },
          partitioned: (cookie.partitionKey ?? '') !== '',
          ...(cookie.expires > 0 && { expiresAt: new Date(cookie.expires * 1000).toISOString() }),
          ...(isSet && { setBy: seen.setBy.has(cookie.name) ? ('response' as const) : ('script' as const) }),
          ...maskValue(cookie.value),
        },
      },
    ];
  });
}

function cookieKey({ name, domain, path, partitionKey = '' }: StoredCookie): string {
  return JSON.stringify([name, domain, path, partitionKey]);
}

function isOnDomain(host: string, domain: string): boolean {
  const bare = host.replace(/:\d+$/, '');
  return bare === domain || (domain.startsWith('.') && `.${bare}`.endsWith(domain));
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
