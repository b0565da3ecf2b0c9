import type { IncomingMessage, Server as HttpServer, ServerResponse } from 'node:http';
import type { Server as HttpsServer } from 'node:https';
import type { Socket } from 'node:net';
import { Server as TlsServer } from 'node:tls';
import { clientNetwork, clientSite, NETWORKS_PER_SITE } from '../network/client-network.js';
import { refuseConnection } from './protocol-errors.js';

/** Concurrent requests of one connection. The next one is parsed once a response was sent. */
const RUNNING_PER_CONNECTION_MAX = 4;
/** Pipelined requests that start in one turn of the event loop, over all connections: a few milliseconds of work. */
const STARTS_PER_TURN_MAX = 4;
/**
 * Parts of one connection parsed per turn. A body may be full of empty lines, and each of them ends
 * a part.
 */
const PARTS_PER_TURN_MAX = 16;
/**
 * Unparsed pipelined requests of one network: 128 connections with a full read (64 KiB) each. Beyond it, or beyond ten
 * times as much of an IPv6 site (/48): 429.
 */
const HELD_BYTES_PER_NETWORK_MAX = 8 * 1024 * 1024;

const HELD_TOO_MUCH = {
  status: 429,
  code: 'too_many_requests',
  detail: 'Too many pipelined requests from one address. Wait for responses before sending more.',
} as const;

/** Ends a request's headers; the parser accepts nothing else (test/app/pipelining.e2e.spec.ts). */
const END_OF_HEADERS = Buffer.from('\r\n\r\n');

/**
 * Limits pipelined requests (RFC 9112 §9.3.2). Without it Node dispatches every request of one
 * read, 64 KiB or about 1,400 requests, before anything else is served. Here the parser receives at
 * most one pipelined request at a time, and the unparsed rest stays in the socket's buffer, so that
 * TCP slows the client down. Requests of a client that waits for each response are not delayed.
 * Call it before the server listens.
 */
export function limitPipelining(
  server: HttpServer | HttpsServer,
  heldBytesMax: number = HELD_BYTES_PER_NETWORK_MAX,
): void {
  const turns = new Turns(heldBytesMax);
  const connections = new WeakMap<Socket, Connection>();
  // After Node's own listener, which attaches the parser.
  server.on(server instanceof TlsServer ? 'secureConnection' : 'connection', (socket: Socket) => {
    connections.set(socket, new Connection(socket, turns));
  });
  // Once all listeners are attached, so that this one runs first.
  server.once('listening', () =>
    server.prependListener('request', (request: IncomingMessage, response: ServerResponse) =>
      connections.get(request.socket)?.begin(request, response),
    ),
  );
}

/** The held requests of a client network. */
class Network {
  heldBytes = 0;
  /** Connections whose next request may start, in the order of their turns. */
  readonly waiting = new Set<Connection>();

  readonly site: string | null;

  constructor(readonly key: string) {
    this.site = clientSite(key);
  }
}

/** Starts a few pipelined requests in each turn of the event loop. Networks take turns, and so do their connections. */
class Turns {
  /** Networks with held bytes. */
  private readonly networks = new Map<string, Network>();
  /** The held bytes of IPv6 sites, whose networks may all belong to one client. */
  private readonly heldOfSites = new Map<string, number>();
  private readonly queue = new Set<Network>();
  private isScheduled = false;

  constructor(private readonly heldBytesMax: number) {}

  network(key: string): Network {
    return this.networks.get(key) ?? new Network(key);
  }

  /** Adds to the held bytes of a network. */
  count(network: Network, bytes: number): void {
    network.heldBytes += bytes;
    if (network.heldBytes > 0) this.networks.set(network.key, network);
    else this.networks.delete(network.key);
    if (network.site === null) return;
    const heldOfSite = (this.heldOfSites.get(network.site) ?? 0) + bytes;
    if (heldOfSite > 0) this.heldOfSites.set(network.site, heldOfSite);
    else this.heldOfSites.delete(network.site);
  }

  /** Whether the network or its site exceeds its limit of held bytes. */
  isFull({ heldBytes, site }: Network): boolean {
    const heldOfSite = site === null ? 0 : (this.heldOfSites.get(site) ?? 0);
    return heldBytes > this.heldBytesMax || heldOfSite > this.heldBytesMax * NETWORKS_PER_SITE;
  }

  add(network: Network, connection: Connection): void {
    network.waiting.add(connection);
    this.queue.add(network);
    this.schedule();
  }

  private schedule(): void {
    if (this.isScheduled || this.queue.size === 0) return;
    this.isScheduled = true;
    setImmediate(() => this.run());
  }

  private run(): void {
    this.isScheduled = false;
    for (let starts = 0; starts < STARTS_PER_TURN_MAX; starts++) {
      const [network] = this.queue;
      if (!network) return;
      this.queue.delete(network);
      const [connection] = network.waiting;
      if (connection) network.waiting.delete(connection);
      if (network.waiting.size > 0) this.queue.add(network);
      connection?.grant();
    }
    this.schedule();
  }
}

/**
 * Sits between a socket and Node's parser. While requests are held, the socket is paused and
 * buffers them. Node may resume the socket at any time, for example to read a body; data that then
 * arrives is put back.
 */
class Connection {
  private readonly parse: (chunk: Buffer) => void;
  /** Null without held bytes: the client waits for its responses. */
  private network: Network | null = null;
  /** Requests that have started and whose response is not sent. */
  private running = 0;
  private begun = 0;
  private latest: IncomingMessage | null = null;
  /** Bytes in the socket's buffer that wait for their turn. */
  private heldBytes = 0;
  private isGranted = false;
  private isOneByteShort = false;
  /** Node paused the socket, because a body or the responses are read too slowly, and resumes it itself. */
  private isPausedByNode = false;

  constructor(
    private readonly socket: Socket,
    private readonly turns: Turns,
  ) {
    const [parse] = socket.listeners('data');
    if (!parse) throw new Error('Node attached no HTTP parser to this socket.');
    this.parse = parse as (chunk: Buffer) => void;
    socket.removeListener('data', this.parse);
    socket.on('data', (chunk: Buffer) => this.receive(chunk));
    socket.once('close', () => this.setHeld(0));
  }

  begin(request: IncomingMessage, response: ServerResponse): void {
    this.begun++;
    this.running++;
    this.latest = request;
    response.once('close', () => {
      this.running--;
      this.offer();
    });
  }

  /** The next part may be parsed; it arrives as soon as the socket flows. */
  grant(): void {
    this.isGranted = true;
    this.socket.resume();
  }

  private receive(chunk: Buffer): void {
    const { socket } = this;
    this.isPausedByNode = false;
    // The last response of this connection was sent; later requests are ignored.
    if (socket.writableEnded) {
      if (socket.writableFinished) socket.destroy();
      return;
    }
    if (!this.network && (this.running === 0 || this.isMidRequest()) && !hasTwoHeaders(chunk))
      this.parse(chunk);
    else if (this.isGranted) this.take(chunk);
    else this.hold(chunk);
  }

  /** Parses until at most one more request has started; holds the rest. */
  private take(chunk: Buffer): void {
    const { socket, begun } = this;
    this.isGranted = false;
    let at = 0;
    for (let parts = 0; at < chunk.length && parts < PARTS_PER_TURN_MAX; parts++) {
      if (this.begun > begun || socket.isPaused()) break;
      // A body of the last request that may run.
      if (this.running >= RUNNING_PER_CONNECTION_MAX && !this.isMidRequest()) break;
      const next = this.endOfPart(chunk, at);
      this.parse(chunk.subarray(at, next));
      at = next;
      if (socket.destroyed || socket.writableEnded) return;
    }
    if (at < chunk.length) this.hold(chunk.subarray(at));
    else this.setHeld(socket.readableLength);
  }

  /**
   * The next part ends where headers end. While four requests run it ends one byte earlier, because
   * headers of a fifth may follow the body of the fourth.
   */
  private endOfPart(chunk: Buffer, at: number): number {
    if (this.isOneByteShort) {
      this.isOneByteShort = false;
      return at + 1;
    }
    const end = chunk.indexOf(END_OF_HEADERS, at);
    if (end === -1) return chunk.length;
    this.isOneByteShort = this.running >= RUNNING_PER_CONNECTION_MAX;
    return end + END_OF_HEADERS.length - (this.isOneByteShort ? 1 : 0);
  }

  private hold(rest: Buffer): void {
    const { socket } = this;
    this.isPausedByNode = socket.isPaused();
    socket.pause();
    socket.unshift(rest);
    const isNew = this.network === null;
    this.setHeld(socket.readableLength);
    // An accepted connection is never refused later.
    if (isNew && this.network && this.turns.isFull(this.network)) this.refuse();
    else this.offer();
  }

  private refuse(): void {
    if (this.running > 0) this.socket.destroy();
    else refuseConnection(this.socket, HELD_TOO_MUCH);
    this.setHeld(0);
  }

  private setHeld(bytes: number): void {
    if (bytes === this.heldBytes) return;
    const network = this.network ?? this.turns.network(clientNetwork(this.socket.remoteAddress ?? ''));
    this.turns.count(network, bytes - this.heldBytes);
    if (bytes === 0) network.waiting.delete(this);
    this.heldBytes = bytes;
    this.network = bytes > 0 ? network : null;
  }

  /** Waits for a turn if the next request may start; otherwise the end of a response calls this again. */
  private offer(): void {
    if (!this.network || this.isPausedByNode || this.isGranted) return;
    const mayStart = this.running < RUNNING_PER_CONNECTION_MAX && !this.socket.writableNeedDrain;
    if (mayStart || this.isMidRequest()) this.turns.add(this.network, this);
  }

  private isMidRequest(): boolean {
    return this.latest !== null && !this.latest.complete;
  }
}

/** Whether a chunk may contain more than one request. Its end may be the middle of a request. */
function hasTwoHeaders(chunk: Buffer): boolean {
  const first = chunk.indexOf(END_OF_HEADERS);
  return first !== -1 && chunk.includes(END_OF_HEADERS, first + END_OF_HEADERS.length);
}
