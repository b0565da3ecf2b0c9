import { readFileSync } from 'node:fs';
import type { OnApplicationShutdown } from '@nestjs/common';
import type { ForwardingSettings } from '../forwarding.settings.js';
import { type EndpointExceptions, parseExceptions } from '../../../platform/network/address-policy.js';
import type { Answer } from '../domain/outcome.js';
import { type HeaderList, requestText } from '../domain/outbound-request.js';
import { AlarmClock } from '../../../platform/time/alarm-clock.js';
import { type AddressLimiter, NO_LIMIT } from './address-limiter.js';
import { Connections } from './connections.js';
import { Exchange, type ExchangeEnd, type ExchangeRequest, RESET } from './exchange.js';
import { guardedConnector } from './guarded-connector.js';
import { NameResolver } from '../../../platform/network/name-resolver.js';

/**
 * One POST. The URL was judged before; the sender makes the binding check, of the resolved
 * addresses.
 */
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
 * `aborted`: the caller's signal ended it, and the fate of the request is unknown. `snooze`:
 * nothing was sent, because all addresses are over their limits. `address` is the receiver's; null:
 * it was not reached.
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
  constructor(settings: ForwardingSettings, resolver?: NameResolver) {
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
