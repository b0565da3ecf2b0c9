import { readFileSync } from 'node:fs';
import type { OnApplicationShutdown } from '@nestjs/common';
import { type EndpointExceptions, parseExceptions } from '../network/address-policy.js';
import { NameResolver } from '../network/name-resolver.js';
import { AlarmClock, NO_ALARM, type Sleeper } from '../time/alarm-clock.js';
import { type HeaderList, requestText } from './domain/http-request.js';
import { type Answer, isSuccess } from './domain/outcome.js';
import { ResponseParser } from './domain/response-parser.js';
import type { DeliverySettings } from './delivery.settings.js';
import {
  type Connection,
  Connections,
  type ConnectionUser,
  SHUT_DOWN,
} from './infrastructure/connections.js';
import {
  type AddressLimiter,
  ConnectFailure,
  guardedConnector,
  NO_LIMIT,
  Snoozed,
} from './infrastructure/guarded-connector.js';

/** One POST. The URL was judged before; the sender makes the binding check, of the resolved addresses. */
export interface OutboundRequest {
  url: URL;
  headers: HeaderList;
  body: string;
  /** Absent: no limit. */
  limiter?: AddressLimiter;
  /** Whether a failure includes the beginning of its response body; absent: no. */
  keepsBody?: boolean;
}

/**
 * `aborted`: the caller's signal ended it, and the fate of the request is unknown. `snooze`: nothing was
 * sent, because all addresses are over their limits. `address` is the receiver's; null: it was not reached.
 */
export type SendResult =
  | { kind: 'answered'; answer: Answer; durationMs: number; address: string | null }
  | { kind: 'snooze'; afterMs: number }
  | { kind: 'aborted' };

/** Sends requests to receivers, over persistent connections shared by all projects. */
export class Sender implements OnApplicationShutdown {
  readonly exceptions: EndpointExceptions;
  private readonly timeoutMs: number;
  private readonly connections: Connections;
  /** The deadlines of all exchanges in progress. */
  private readonly clock = new AlarmClock<Exchange>();
  /** Signals that abort their exchanges: a worker has one for all, so each gets one listener. */
  private readonly signals = new WeakSet<AbortSignal>();

  /** `resolver` replaces the system's name servers. */
  constructor(settings: DeliverySettings, resolver?: NameResolver) {
    const { connectTimeoutMs, timeoutMs, allowedPrivateTargets, extraCaFile } = settings;
    this.timeoutMs = timeoutMs;
    this.exceptions = parseExceptions(allowedPrivateTargets);
    this.connections = new Connections(
      guardedConnector({
        resolver: resolver ?? new NameResolver({ timeoutMs: connectTimeoutMs }),
        exceptions: this.exceptions,
        timeoutMs: connectTimeoutMs,
        extraCa: extraCaFile ? readFileSync(extraCaFile, 'utf8') : '',
      }),
    );
  }

  /** The last of Nest's hooks: the outbox has finished its attempts before. */
  onApplicationShutdown(): void {
    this.connections.destroy();
  }

  /**
   * Sends a request and returns its outcome. Receiver and network errors are outcomes, never
   * exceptions. The whole call, including the second try, takes at most the configured time.
   *
   * @throws Error for an invalid header value, which is a bug.
   */
  async send(request: OutboundRequest, signal?: AbortSignal): Promise<SendResult> {
    const startedAt = performance.now();
    const deadlineAt = startedAt + this.timeoutMs;
    const text = requestText(request);
    const { url, limiter = NO_LIMIT, keepsBody = false } = request;
    if (signal) this.listenTo(signal);
    const make = (fresh: boolean) =>
      this.exchange({ url, text, deadlineAt, limiter, keepsBody, fresh, signal });
    let end = await make(false);
    // On a new connection, because other kept ones may be dead too.
    if (end.kind === 'stale') end = await make(true);
    if (end.kind === 'aborted' || end.kind === 'snooze') return end;
    const { answer, address } = end.kind === 'stale' ? { answer: RESET, address: null } : end;
    return { kind: 'answered', answer, address, durationMs: Math.round(performance.now() - startedAt) };
  }

  private exchange({
    url,
    fresh,
    ...work
  }: ExchangeRequest & { url: URL; fresh: boolean }): Promise<ExchangeEnd> {
    if (work.signal?.aborted) return Promise.resolve({ kind: 'aborted' });
    const exchange = new Exchange(work, this.clock);
    this.connections.use(url, exchange, { fresh });
    return exchange.ended;
  }

  private listenTo(signal: AbortSignal): void {
    if (this.signals.has(signal)) return;
    this.signals.add(signal);
    signal.addEventListener('abort', () => {
      const aborted = this.clock.asleep.filter((exchange) => exchange.signal === signal);
      for (const exchange of aborted) exchange.abort();
    });
  }
}

/** Time limit for the rest of a response after its head, which already decides the outcome (design §6.5). */
const RESPONSE_REST_MS = 1_000;

/**
 * `stale`: a reused connection closed before the first byte of a response. Usually it closed before
 * the request arrived; a receiver that read the request first gets it twice (docs/forwarding.md).
 * `snooze`: nothing was sent. `address` is the receiver's; null: there was no connection.
 */
type ExchangeEnd =
  | { kind: 'answered'; answer: Answer; address: string | null }
  | { kind: 'snooze'; afterMs: number }
  | { kind: 'aborted' }
  | { kind: 'stale' };

/** The outcome if the connection closes without a response. */
const RESET: Answer = {
  kind: 'error',
  category: 'reset',
  reason: 'The endpoint closed the connection without a response.',
};
const TIMEOUT: Answer = {
  kind: 'error',
  category: 'timeout',
  reason: 'The endpoint took too long to respond.',
};
const NO_HTTP: Answer = {
  kind: 'error',
  category: 'http_other',
  reason: 'The endpoint did not respond with valid HTTP.',
};

/** Error codes of closed connections. */
const CLOSED_CODES = ['ECONNRESET', 'EPIPE'];

interface ExchangeRequest {
  text: string;
  deadlineAt: number;
  limiter: AddressLimiter;
  keepsBody: boolean;
  /** Aborts it; undefined: it cannot be aborted. */
  signal: AbortSignal | undefined;
}

/** One request and its response, on one connection. */
class Exchange implements ConnectionUser, Sleeper {
  readonly ended: Promise<ExchangeEnd>;
  place = NO_ALARM;
  private readonly reader = new ResponseParser();
  private connection: Connection | undefined;
  private hasAnswerBegun = false;
  private resolve: ((end: ExchangeEnd) => void) | null = null;

  readonly limiter: AddressLimiter;
  readonly signal: AbortSignal | undefined;
  private readonly text: string;
  private readonly deadlineAt: number;
  private readonly keepsBody: boolean;

  /**
   * `text` is the whole request; `deadlineAt` is of a monotonic clock. With `keepsBody`, a failure
   * includes the part of its body that was read anyway; nothing waits for the rest.
   */
  constructor(
    { text, deadlineAt, limiter, keepsBody, signal }: ExchangeRequest,
    private readonly clock: AlarmClock<Exchange>,
  ) {
    this.text = text;
    this.deadlineAt = deadlineAt;
    this.keepsBody = keepsBody;
    this.limiter = limiter;
    this.signal = signal;
    this.ended = new Promise((resolve) => {
      this.resolve = resolve;
    });
    clock.set(this, deadlineAt);
  }

  onConnection(connection: Connection): void {
    // The deadline has passed, so nothing may be sent.
    if (!this.resolve) return connection.close();
    this.connection = connection;
    connection.write(this.text);
  }

  onBytes(bytes: Buffer): void {
    this.hasAnswerBegun = true;
    const hadStatus = this.reader.httpStatus !== null;
    switch (this.reader.read(bytes)) {
      case 'open':
        if (hadStatus || this.reader.httpStatus === null) return;
        return this.clock.set(this, Math.min(this.deadlineAt, performance.now() + RESPONSE_REST_MS));
      case 'whole':
        this.end(this.statusOr(NO_HTTP));
        return this.connection?.release(this.reader.keepMs);
      case 'cut':
      case 'invalid':
        this.end(this.statusOr(NO_HTTP));
        return this.connection?.close();
    }
  }

  onClosed(error: Error | null): void {
    if (error === SHUT_DOWN) return this.finish({ kind: 'aborted' });
    if (error instanceof Snoozed) return this.finish({ kind: 'snooze', afterMs: error.afterMs });
    if (error instanceof ConnectFailure)
      return this.end({ kind: 'error', category: error.category, reason: error.message });
    const isClosed = error === null || ('code' in error && CLOSED_CODES.includes(String(error.code)));
    if (isClosed && this.connection?.isReused !== false && !this.hasAnswerBegun)
      this.finish({ kind: 'stale' });
    else this.end(this.statusOr(isClosed ? RESET : NO_HTTP));
  }

  /** The deadline passed, or the time limit for the rest of a response. */
  onAlarm(): void {
    this.end(this.statusOr(TIMEOUT));
    this.connection?.close();
  }

  /** The fate of the request is then unknown. */
  abort(): void {
    this.finish({ kind: 'aborted' });
    this.connection?.close();
  }

  private statusOr(otherwise: Answer): Answer {
    const { httpStatus, retryAfter } = this.reader;
    if (httpStatus === null) return otherwise;
    const body = this.keepsBody && !isSuccess(httpStatus) ? this.reader.receivedBody() : undefined;
    return { kind: 'status', httpStatus, retryAfter, body };
  }

  private end(answer: Answer): void {
    this.finish({ kind: 'answered', answer, address: this.connection?.address ?? null });
  }

  /** Reports the end, once. */
  private finish(end: ExchangeEnd): void {
    this.resolve?.(end);
    this.resolve = null;
    this.clock.clear(this);
  }
}
