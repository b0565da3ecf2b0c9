import { Injectable, Logger } from '@nestjs/common';
import { type BackOff, backOffMs } from '../../shared/back-off.js';

/**
 * How long a storage that failed is left alone: 0.5 s, 1 s, 2 s … 30 s. There is no last attempt: what is not
 * published stays to be published.
 */
const BACK_OFF: BackOff = { baseMs: 500, factor: 2, longestMs: 30_000 };
/** An outage is said again this often. */
const COMPLAINT_INTERVAL_MS = 10_000;
/** Messages of one outage come back spread over this share of the wait, not all in one instant. */
const JITTER = 0.2;

/**
 * Whether storage answers. While it does not, one attempt at a time finds out and the others are put off at
 * once: nothing queues up in the worker behind a storage that hangs.
 */
@Injectable()
export class StorageHealth {
  private readonly logger = new Logger(StorageHealth.name);
  private failures = 0;
  private closedUntilMs = -Infinity;
  private complainedMs = -Infinity;
  private awaySinceMs = 0;
  private probing = false;
  /** Failed writes since the start, for the metrics. */
  failedWrites = 0;

  get up(): boolean {
    return this.failures === 0;
  }

  /** Milliseconds until the next attempt; 0: now. A caller that gets 0 must report the outcome. */
  enter(nowMs: number): number {
    if (this.up) return 0;
    if (nowMs < this.closedUntilMs) return spread(this.closedUntilMs - nowMs);
    if (this.probing) return spread(backOffMs(this.failures, BACK_OFF));
    this.probing = true;
    return 0;
  }

  /** The attempt ended without storage having been asked. */
  unused(): void {
    this.probing = false;
  }

  worked(nowMs: number): void {
    if (!this.up) {
      const seconds = Math.round((nowMs - this.awaySinceMs) / 1000);
      this.logger.log(`object storage works again after ${seconds} s; publishing pending changes`);
    }
    this.failures = 0;
    this.probing = false;
    this.complainedMs = -Infinity;
  }

  /** Returns how long to wait before the next attempt. */
  failed(error: unknown, nowMs: number): number {
    if (this.up) this.awaySinceMs = nowMs;
    this.failures += 1;
    this.failedWrites += 1;
    this.probing = false;
    const waitMs = backOffMs(this.failures, BACK_OFF);
    this.closedUntilMs = nowMs + waitMs;
    if (nowMs - this.complainedMs >= COMPLAINT_INTERVAL_MS) {
      this.complainedMs = nowMs;
      this.logger.error(
        { err: error, failures: this.failures, waitMs },
        'cannot write to object storage; sites keep their current configuration, retrying',
      );
    }
    return spread(waitMs);
  }
}

function spread(ms: number): number {
  return Math.ceil(ms * (1 + Math.random() * JITTER));
}
