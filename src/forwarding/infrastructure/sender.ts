import { readFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import type { OnApplicationShutdown } from '@nestjs/common';
import { Agent, type buildConnector, Client, type Dispatcher, errors, Pool } from 'undici';
import type { ForwardingSettings } from '../forwarding.settings.js';
import type { OutboxSettings } from '../../outbox/outbox.settings.js';
import { type EndpointExceptions, parseExceptions } from '../domain/endpoint-policy.js';
import type { Answer } from '../domain/outcome.js';
import type { HeaderList } from '../domain/outbound-request.js';
import { AlarmClock, type Sleeper } from '../../shared/alarm-clock.js';
import { ConnectFailure, guardedConnector } from './guarded-connector.js';
import { type InterimResponses, watchInterimResponses } from './interim-responses.js';
import { NameResolver } from './name-resolver.js';

/** Bytes of an answer that are read, so that the connection can be used again; then it is cut (design §6.5). */
export const RESPONSE_BYTES_MAX = 16 * 1024;
/** How long the rest of an answer may take after its head: the outcome stands by then. */
export const RESPONSE_REST_MS = 1000;
/** An idle connection is closed after this, unless the receiver says a shorter time. */
const IDLE_TIMEOUT_MS = 10_000;
const IDLE_TIMEOUT_MAX_MS = 60_000;
/** Connections per origin, as a multiple of the slots: no project waits for another one's hanging receiver. */
const CONNECTIONS_PER_SLOT = 2;

/** One POST. The URL was judged; the addresses behind it are judged here, with authority. */
export interface OutboundRequest {
  url: URL;
  headers: HeaderList;
  body: string;
}

/** `aborted` says that the caller's signal ended it: what became of the request is unknown. */
export type SendResult = { kind: 'answered'; answer: Answer; durationMs: number } | { kind: 'aborted' };

/** What sending is bounded by, and where it may go. */
export type SenderSettings = ForwardingSettings & Pick<OutboxSettings, 'slots'>;

/** Sends requests to receivers, over connections that are kept and shared by all projects. */
export class Sender implements OnApplicationShutdown {
  readonly exceptions: EndpointExceptions;
  private readonly timeoutMs: number;
  /** Keeps connections. */
  private readonly agent: Agent;
  /** One connection for each request: for the second try, which must not meet another dead connection. */
  private readonly freshAgent: Agent;
  private readonly clock = new AlarmClock();
  /** What is under way by the signal that ends it: a worker has one for all, and each listener costs a look at the others. */
  private readonly underWay = new WeakMap<AbortSignal, Set<Exchange>>();

  /** `resolver` replaces the one that asks the system's name servers. */
  constructor(settings: SenderSettings, resolver?: NameResolver) {
    const { connectTimeoutMs, timeoutMs, slots, allowedPrivateTargets, extraCaFile } = settings;
    this.timeoutMs = timeoutMs;
    this.exceptions = parseExceptions(allowedPrivateTargets);
    const connect = guardedConnector({
      resolver: resolver ?? new NameResolver({ timeoutMs: connectTimeoutMs }),
      exceptions: this.exceptions,
      timeoutMs: connectTimeoutMs,
      extraCa: extraCaFile ? readFileSync(extraCaFile, 'utf8') : '',
    });
    const options: Agent.Options = {
      connect,
      allowH2: false,
      connections: slots * CONNECTIONS_PER_SLOT,
      keepAliveTimeout: IDLE_TIMEOUT_MS,
      keepAliveMaxTimeout: IDLE_TIMEOUT_MAX_MS,
      // The deadlines of `Exchange` are exact; undici's count in half seconds.
      headersTimeout: 0,
      bodyTimeout: 0,
      factory: (origin, poolOptions) => new Pool(origin, { ...poolOptions, factory: makeClient }),
    };
    this.agent = new Agent({ ...options, pipelining: 1 });
    this.freshAgent = new Agent({ ...options, pipelining: 0 });
  }

  /** The last of Nest's hooks: the outbox has let its attempts end by then. */
  async onApplicationShutdown(): Promise<void> {
    await Promise.all([this.agent.destroy(), this.freshAgent.destroy()]);
  }

  /**
   * Sends one request and says what came of it; it never throws for what a receiver or the network does.
   * All of it, the second try included, takes at most the configured time.
   */
  async send(request: OutboundRequest, signal?: AbortSignal): Promise<SendResult> {
    const startedAt = performance.now();
    const deadlineAt = startedAt + this.timeoutMs;
    let end = await this.exchange(this.agent, request, { deadlineAt, signal });
    if (end.kind === 'stale') end = await this.exchange(this.freshAgent, request, { deadlineAt, signal });
    if (end.kind === 'aborted') return end;
    const answer: Answer = end.kind === 'stale' ? RESET : end.answer;
    return { kind: 'answered', answer, durationMs: Math.round(performance.now() - startedAt) };
  }

  private async exchange(
    agent: Agent,
    request: OutboundRequest,
    { deadlineAt, signal }: { deadlineAt: number; signal: AbortSignal | undefined },
  ): Promise<ExchangeEnd> {
    if (signal?.aborted) return { kind: 'aborted' };
    const exchange = new Exchange(request, deadlineAt, this.clock);
    const others = signal && this.endedBy(signal);
    others?.add(exchange);
    const end = await exchange.run(agent);
    others?.delete(exchange);
    return end;
  }

  private endedBy(signal: AbortSignal): Set<Exchange> {
    const known = this.underWay.get(signal);
    if (known) return known;
    const exchanges = new Set<Exchange>();
    this.underWay.set(signal, exchanges);
    signal.addEventListener('abort', () => {
      for (const exchange of exchanges) exchange.abort();
    });
    return exchanges;
  }
}

const RESET: Answer = {
  kind: 'error',
  category: 'reset',
  reason: 'The endpoint closed the connection without an answer.',
};

/** A client that knows which socket it writes to, and how often it has. Pools use one socket per client. */
class CountingClient extends Client {
  /** Requests begun on the socket in use. */
  requestsOnSocket = 0;
  /** Of the socket in use. */
  interim: InterimResponses | undefined;

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    if (handler instanceof Exchange) handler.client = this;
    return super.dispatch(options, handler);
  }
}

function makeClient(origin: URL, options: object): Dispatcher {
  const { connect, ...rest } = options as Client.Options & { connect: buildConnector.connector };
  const client: CountingClient = new CountingClient(origin, {
    ...rest,
    connect: (target, callback) =>
      connect(target, (error: Error | null, socket: Socket | null) => {
        client.requestsOnSocket = 0;
        client.interim = socket ? watchInterimResponses(socket) : undefined;
        // The two callbacks have the same shape; undici's type is a union of tuples.
        (callback as (error: Error | null, socket: Socket | null) => void)(error, socket);
      }),
  });
  return client;
}

/** `stale`: a kept connection was closed before any byte of an answer, so the receiver never took the request. */
type ExchangeEnd = { kind: 'answered'; answer: Answer } | { kind: 'aborted' } | { kind: 'stale' };

/** Made once: an error costs its stack trace, and nobody ever reads this one. */
const OVER = new Error('The attempt is over.');

/** Codes with which a connection ends early. */
const CLOSED_CODES = ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'];

/** One request on one connection, as undici's handler: below `undici.request`, which hides the connection. */
class Exchange implements Dispatcher.DispatchHandler, Sleeper {
  client: CountingClient | undefined;
  private controller: Dispatcher.DispatchController | undefined;
  private reused = false;
  private answerBegun = false;
  private httpStatus: number | null = null;
  private retryAfter: string | undefined;
  private bytesRead = 0;
  private ended = false;
  private resolve!: (end: ExchangeEnd) => void;

  constructor(
    private readonly request: OutboundRequest,
    private readonly deadlineAt: number,
    private readonly clock: AlarmClock,
  ) {}

  run(agent: Agent): Promise<ExchangeEnd> {
    const { url, headers, body } = this.request;
    return new Promise((resolve) => {
      this.resolve = resolve;
      this.clock.set(this, this.deadlineAt);
      const path = url.pathname + url.search;
      return agent.dispatch({ origin: url.origin, path, method: 'POST', headers, body }, this);
    });
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    // The deadline passed while the connection was being made: nothing may be sent any more.
    if (this.ended) return controller.abort(OVER);
    const { client } = this;
    if (!client) return;
    this.reused = client.requestsOnSocket > 0;
    client.requestsOnSocket += 1;
    client.interim?.expectAnswer();
  }

  onResponseStarted(): void {
    this.answerBegun = true;
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    httpStatus: number,
    headers: IncomingHttpHeaders,
  ): void {
    if (httpStatus < 200) return;
    this.httpStatus = httpStatus;
    if (httpStatus > 299) this.retryAfter = headers['retry-after'];
    this.clock.set(this, Math.min(this.deadlineAt, performance.now() + RESPONSE_REST_MS));
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.bytesRead += chunk.length;
    if (this.bytesRead > RESPONSE_BYTES_MAX) this.endByStatus();
  }

  onResponseEnd(): void {
    // Nothing is left to cut: the connection is free already.
    this.controller = undefined;
    this.endByStatus();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.httpStatus !== null) this.endByStatus();
    else if (error instanceof errors.ClientDestroyedError) this.end({ kind: 'aborted' });
    else if (this.isClosed(error) && this.reused && !this.answerBegun) this.end({ kind: 'stale' });
    else this.end({ kind: 'answered', answer: this.answerOf(error) });
  }

  /** What becomes of the request is unknown then. */
  abort(): void {
    this.end({ kind: 'aborted' });
  }

  /** The deadline has passed, or the time for the rest of an answer. */
  onAlarm(): void {
    if (this.httpStatus !== null) return this.endByStatus();
    const reason = 'The endpoint took too long to answer.';
    this.end({ kind: 'answered', answer: { kind: 'error', category: 'timeout', reason } });
  }

  private endByStatus(): void {
    if (this.httpStatus === null) return this.end({ kind: 'answered', answer: RESET });
    const { httpStatus, retryAfter } = this;
    this.end({ kind: 'answered', answer: { kind: 'status', httpStatus, retryAfter } });
  }

  /** Says how it ended, once, and frees the connection: by cutting it where something is still to come. */
  private end(end: ExchangeEnd): void {
    if (this.ended) return;
    this.ended = true;
    this.clock.clear(this);
    this.resolve(end);
    this.controller?.abort(OVER);
  }

  private isClosed(error: Error): boolean {
    return 'code' in error && CLOSED_CODES.includes(String(error.code));
  }

  private answerOf(error: Error): Answer {
    if (error instanceof ConnectFailure) {
      return { kind: 'error', category: error.category, reason: error.message };
    }
    if (this.isClosed(error)) return RESET;
    return {
      kind: 'error',
      category: 'http_other',
      reason: 'The endpoint did not answer with valid HTTP.',
    };
  }
}
