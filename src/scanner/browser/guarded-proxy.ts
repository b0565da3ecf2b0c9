import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as httpRequest,
  type Server,
  type ServerResponse,
} from 'node:http';
import { type AddressInfo, connect, isIP, type Socket } from 'node:net';
import { type Duplex, pipeline, Transform } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { isExcludedHost } from '../../modules/scans/domain/scan-address.js';
import {
  type EndpointExceptions,
  hostAndPort,
  isAddressAllowed,
  isPrivateName,
  literalAddress,
} from '../../platform/network/address-policy.js';
import { asLookup, judgeAddresses, type NameResolver } from '../../platform/network/name-resolver.js';

/** The routes of this service that record something about a visitor. */
const RECORDS = /^\/v1\/projects\/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\/(consents|visits)\/?$/i;

/** Whether a request would create a record, on any host of the service. A scan must not create any. */
export function isRecordRequest({ pathname }: URL, method: string | undefined): boolean {
  return method !== 'GET' && method !== 'HEAD' && RECORDS.test(pathname);
}

/** Whether an address is the loader of a project: on any host, because a CDN may serve it, and below the prefix of a path proxy. */
export function isLoaderOf(projectId: string, text: string): boolean {
  return URL.canParse(text) && new URL(text).pathname.endsWith(`/cdn/${projectId}/loader.js`);
}

const WEB_PORTS = new Set(['80', '443']);
/** How long one of several addresses is tried before the next one is tried beside it. */
const ADDRESS_ATTEMPT_MS = 1000;
/** Connections of one page at a time. */
const CONNECTIONS_MAX = 256;
/** Headers that are about the connection to the proxy. */
const HOP_HEADERS = ['proxy-connection', 'proxy-authorization', 'connection', 'keep-alive', 'te', 'upgrade'];

/** Why the proxy opened no connection. */
export type ProxyRefusal = 'blocked_address' | 'unresolved' | 'connection_failed' | 'too_large' | 'closed';

const STATUS: Readonly<Record<ProxyRefusal, number>> = {
  blocked_address: 403,
  closed: 403,
  too_large: 403,
  unresolved: 502,
  connection_failed: 502,
};

export interface ProxyOptions {
  resolver: NameResolver;
  exceptions: EndpointExceptions;
  /** Hosts that are never contacted. */
  excludedHosts: readonly string[];
  connectTimeoutMs: number;
  pageBytesMax: number;
  requestLimit: RequestLimit;
}

class Refused extends Error {
  constructor(readonly refusal: ProxyRefusal) {
    super(refusal);
  }
}

/**
 * The only way out of the scanner's browser: opens connections to public addresses on the ports 80 and 443, and to
 * private targets that the operator allowed. A name is resolved once per connection, every address of it is judged, and
 * the judged addresses are the ones connected to.
 */
export class GuardedProxy {
  private readonly server: Server;
  /** Of the current page. */
  private readonly rate: RequestRate;
  private readonly sockets = new Set<Duplex>();
  private readonly upstreams = new Set<Socket>();
  /** Refusals of the current page, by `host:port`. */
  private refusals = new Map<string, ProxyRefusal>();
  private pageOpen = false;
  private pageBytes = 0;
  private bytesMax = 0;
  private overLimit = false;
  private transferred = 0;

  constructor(private readonly options: ProxyOptions) {
    this.rate = new RequestRate(options.requestLimit);
    this.server = createServer((request, response) => void this.forward(request, response));
    this.server.on('connect', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      void this.tunnel(request.url ?? '', socket, head);
    });
    // Requests are judged by their target, not by how they would leave the protocol.
    this.server.on('upgrade', (_request, socket: Duplex) => socket.destroy());
    this.server.on('connection', (socket: Socket) => this.track(this.sockets, socket));
    this.server.maxConnections = CONNECTIONS_MAX;
  }

  /** Listens on loopback; resolves to the port. */
  async listen(): Promise<number> {
    await new Promise<void>((ready) => this.server.listen(0, '127.0.0.1', ready));
    return (this.server.address() as AddressInfo).port;
  }

  /** Bytes received since the proxy was created. */
  get bytes(): number {
    return this.transferred;
  }

  /** Lets the requests of a page through, or of several that are open together. */
  openPage(pages = 1): void {
    this.refusals = new Map();
    this.pageBytes = 0;
    this.bytesMax = this.options.pageBytesMax * pages;
    this.overLimit = false;
    this.rate.refill(pages);
    this.pageOpen = true;
  }

  /** Cuts all connections, so that nothing a page sends while it is closed leaves the machine. */
  closePage(): void {
    this.pageOpen = false;
    for (const socket of [...this.upstreams, ...this.sockets]) socket.destroy();
  }

  /** Why requests of this page to the address got no connection; null: they were not refused. */
  refusalOf(url: string): ProxyRefusal | null {
    if (this.overLimit) return 'too_large';
    return URL.canParse(url) ? (this.refusals.get(hostAndPort(new URL(url))) ?? null) : null;
  }

  async close(): Promise<void> {
    this.closePage();
    await new Promise<void>((done) => {
      this.server.close(() => done());
      this.server.closeAllConnections();
    });
  }

  /** CONNECT: `https:` and web sockets. */
  private async tunnel(authority: string, socket: Duplex, head: Buffer): Promise<void> {
    socket.on('error', () => socket.destroy());
    this.track(this.sockets, socket);
    const gone = abortedBy(socket);
    const gate = this.rate.gate(gone);
    if (head.length > 0) gate.write(head);
    socket.pipe(gate);
    try {
      await this.rate.take(1, gone);
      const upstream = await this.connectTo(targetIn(authority));
      if (gone.aborted) return void upstream.destroy();
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      upstream.pipe(socket);
      gate.pipe(upstream);
      upstream.on('close', () => socket.destroy());
      socket.on('close', () => upstream.destroy());
    } catch (error) {
      if (gone.aborted) return void socket.destroy();
      const status = STATUS[this.note(authority, error)];
      socket.end(`HTTP/1.1 ${status} Refused\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`);
    }
  }

  /** A request with an absolute address: `http:`. */
  private async forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = URL.canParse(request.url ?? '') ? new URL(request.url ?? '') : null;
    if (url?.protocol !== 'http:') return void response.writeHead(400).end();
    // The browser answers these itself, except beacons and others sent in the background.
    if (isRecordRequest(url, request.method)) return void response.writeHead(204).end();
    const gone = abortedBy(response);
    try {
      await this.rate.take(1, gone);
      const socket = await this.connectTo({ host: url.hostname, port: url.port || '80' });
      if (gone.aborted) return void socket.destroy();
      const upstream = httpRequest({
        createConnection: () => socket,
        method: request.method ?? 'GET',
        path: `${url.pathname}${url.search}`,
        headers: withoutHops({ ...request.headers, host: url.host }),
      });
      upstream.on('response', (answer) => {
        try {
          response.writeHead(answer.statusCode ?? 502, withoutHops(answer.headers));
        } catch {
          // A status or header that Node reads but does not write.
          return void socket.destroy();
        }
        // Ends the response early, too, if the connection is cut.
        pipeline(answer, response, () => {});
      });
      upstream.on('socket', () => socket.resume());
      upstream.on('error', () => response.destroy());
      response.on('close', () => socket.destroy());
      request.pipe(upstream);
    } catch (error) {
      if (gone.aborted) return;
      const status = STATUS[this.note(url.host, error)];
      if (response.headersSent) response.destroy();
      else response.writeHead(status).end();
    }
  }

  private note(authority: string, error: unknown): ProxyRefusal {
    const refusal = error instanceof Refused ? error.refusal : 'connection_failed';
    const target = targetIn(authority);
    if (target) this.refusals.set(`${target.host}:${target.port}`, refusal);
    return refusal;
  }

  /** @throws Refused */
  private async connectTo(target: { host: string; port: string } | null): Promise<Socket> {
    if (!this.pageOpen) throw new Refused('closed');
    if (this.overLimit) throw new Refused('too_large');
    if (!target) throw new Refused('blocked_address');
    const { host, port } = target;
    const { exceptions, excludedHosts, resolver, connectTimeoutMs } = this.options;
    if (isExcludedHost(host, excludedHosts)) throw new Refused('blocked_address');
    const exempt = exceptions.targets.has(`${host}:${port}`);
    if (!exempt && !WEB_PORTS.has(port)) throw new Refused('blocked_address');
    const address = literalAddress(host);
    const isPrivate = address === null ? isPrivateName(host) : !isAddressAllowed(address, exceptions);
    if (isPrivate && !exempt) throw new Refused('blocked_address');
    const addresses = address === null ? await resolver.resolve(host) : [address];
    const judgement = judgeAddresses(addresses, { exceptions, exempt });
    if (judgement !== 'allowed')
      throw new Refused(judgement === 'not_public' ? 'blocked_address' : 'unresolved');
    const found = addresses.map((each) => ({ address: each, family: isIP(each) }));
    const socket = connect({
      host: address ?? host,
      port: Number(port),
      lookup: asLookup(() => Promise.resolve(found)),
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: ADDRESS_ATTEMPT_MS,
    });
    return this.established(socket, connectTimeoutMs);
  }

  private established(socket: Socket, timeoutMs: number): Promise<Socket> {
    this.track(this.upstreams, socket);
    socket.on('data', (chunk: Buffer) => this.count(chunk.length));
    // Data flows once it is piped to the browser.
    socket.pause();
    return new Promise((resolve, reject) => {
      const deadline = setTimeout(() => socket.destroy(), timeoutMs);
      socket.once('close', () => {
        clearTimeout(deadline);
        reject(new Refused('connection_failed'));
      });
      socket.on('error', () => socket.destroy());
      socket.once('connect', () => {
        clearTimeout(deadline);
        resolve(socket);
      });
    });
  }

  private count(bytes: number): void {
    this.transferred += bytes;
    this.pageBytes += bytes;
    if (this.pageBytes <= this.bytesMax) return;
    this.overLimit = true;
    for (const upstream of this.upstreams) upstream.destroy();
  }

  private track<S extends Duplex>(all: Set<S>, socket: S): void {
    all.add(socket);
    socket.once('close', () => all.delete(socket));
  }
}

/** Host and port of a CONNECT request, the host in the form that addresses are judged in; null: malformed. */
function targetIn(authority: string): { host: string; port: string } | null {
  const text = `http://${authority}`;
  if (!/^[^@/?#\s\\]+$/.test(authority) || !URL.canParse(text)) return null;
  const { hostname, port } = new URL(text);
  return { host: hostname, port: port || '80' };
}

/** Aborted once the browser has closed its side. */
function abortedBy(side: Duplex | ServerResponse): AbortSignal {
  const controller = new AbortController();
  for (const event of ['end', 'close']) side.once(event, () => controller.abort());
  return controller.signal;
}

function withoutHops(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP_HEADERS.includes(name)));
}

/** How many requests pages may send at once, and per second after that. */
export interface RequestLimit {
  burst: number;
  perSecond: number;
}

/** More than the pages of most shops request while they load; a loop of requests gets the rate. */
export const REQUEST_LIMIT: RequestLimit = { burst: 2_000, perSecond: 50 };

const TLS_HEADER_BYTES = 5;
const TLS_TYPES = { first: 20, last: 23 };

/** A token bucket of requests. Further requests wait. */
export class RequestRate {
  private capacity = 0;
  private tokens = 0;
  private filledMs = performance.now();

  constructor(private readonly limit: RequestLimit) {
    this.refill(1);
  }

  /** For the next page, or for several that are open together. */
  refill(pages: number): void {
    this.capacity = this.limit.burst * pages;
    this.tokens = this.capacity;
    this.filledMs = performance.now();
  }

  /**
   * Takes tokens, and waits until the bucket has no debt. Undefined: without a wait. Rejects once the signal is aborted; the
   * tokens stay taken.
   */
  take(count: number, signal: AbortSignal): Promise<void> | undefined {
    const { perSecond } = this.limit;
    const nowMs = performance.now();
    const filled = this.tokens + ((nowMs - this.filledMs) / 1000) * perSecond;
    this.tokens = Math.min(this.capacity, filled) - count;
    this.filledMs = nowMs;
    if (this.tokens >= 0) return undefined;
    return sleep((-this.tokens / perSecond) * 1000, undefined, { ref: false, signal });
  }

  /** Passes on what a browser sends through a tunnel, at the rate, until the signal is aborted. */
  gate(signal: AbortSignal): Transform {
    const records = new TlsRecords();
    return new Transform({
      transform: async (chunk: Buffer, _encoding, done) => {
        const waiting = this.take(records.count(chunk), signal)?.catch(() => {});
        if (waiting) await waiting;
        done(null, signal.aborted ? null : chunk);
      },
    });
  }
}

/**
 * Counts the records of a TLS connection, which a proxy sees without its content: Chromium sends each request, and each 16
 * KiB of a body, as a record. Of a connection without TLS, every chunk counts.
 */
class TlsRecords {
  private header = Buffer.alloc(0);
  private left = 0;

  count(chunk: Buffer): number {
    let records = 0;
    for (let at = 0; at < chunk.length;) {
      if (this.left > 0) {
        const skipped = Math.min(this.left, chunk.length - at);
        this.left -= skipped;
        at += skipped;
        continue;
      }
      const end = Math.min(chunk.length, at + TLS_HEADER_BYTES - this.header.length);
      this.header = Buffer.concat([this.header, chunk.subarray(at, end)]);
      at = end;
      const type = this.header[0] ?? 0;
      if (type < TLS_TYPES.first || type > TLS_TYPES.last) {
        this.header = Buffer.alloc(0);
        return records + 1;
      }
      if (this.header.length < TLS_HEADER_BYTES) return records;
      this.left = this.header.readUInt16BE(3);
      this.header = Buffer.alloc(0);
      records += 1;
    }
    return records;
  }
}
