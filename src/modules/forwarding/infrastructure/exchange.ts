import { type AlarmClock, NO_ALARM, type Sleeper } from '../../../platform/time/alarm-clock.js';
import { ResponseParser } from '../domain/response-parser.js';
import { type Answer, isSuccess } from '../domain/outcome.js';
import { type AddressLimiter, Snoozed } from './address-limiter.js';
import { type Connection, type ConnectionUser, SHUT_DOWN } from './connections.js';
import { ConnectFailure } from './guarded-connector.js';

/**
 * Time limit for the rest of a response after its head, which already decides the outcome (design
 * §6.5).
 */
const RESPONSE_REST_MS = 1_000;

/**
 * `stale`: a reused connection closed before the first byte of a response. Usually it closed before
 * the request arrived; a receiver that read the request first gets it twice (docs/forwarding.md).
 * `snooze`: nothing was sent. `address` is the receiver's; null: there was no connection.
 */
export type ExchangeEnd =
  | { kind: 'answered'; answer: Answer; address: string | null }
  | { kind: 'snooze'; afterMs: number }
  | { kind: 'aborted' }
  | { kind: 'stale' };

/** The outcome if the connection closes without a response. */
export const RESET: Answer = {
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

export interface ExchangeRequest {
  text: string;
  deadlineAt: number;
  limiter: AddressLimiter;
  keepsBody: boolean;
  /** Aborts it; undefined: it cannot be aborted. */
  signal: AbortSignal | undefined;
}

/** One request and its response, on one connection. */
export class Exchange implements ConnectionUser, Sleeper {
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
    if (error instanceof ConnectFailure) {
      return this.end({ kind: 'error', category: error.category, reason: error.message });
    }
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
