import { Transform } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';

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
