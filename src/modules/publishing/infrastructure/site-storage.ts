import { Injectable, Logger } from '@nestjs/common';
import { type OutboxSettings, outboxSettings } from '../../../platform/outbox/outbox.settings.js';
import { InjectSettings } from '../../../platform/settings/inject-settings.js';
import { ObjectStorage } from '../../../platform/storage/object-storage.js';
import { type BackOff, backOffMs } from '../../../platform/time/back-off.js';
import { type PublishingSettings, publishingSettings } from '../publishing.settings.js';

/** Where the published objects are (setting STORAGE_URL). */
@Injectable()
export class SiteStorage extends ObjectStorage {
  constructor(
    @InjectSettings(publishingSettings) { storage }: PublishingSettings,
    @InjectSettings(outboxSettings) outbox: OutboxSettings,
  ) {
    super(storage, outbox);
  }
}

/** The circuit opens for 0.5 s, 1 s, 2 s … 30 s. There is no last attempt, because changes wait until published. */
const BACK_OFF: BackOff = { baseMs: 500, factor: 2, longestMs: 30_000 };
/** An outage is logged this often. */
const LOG_INTERVAL_MS = 10_000;
/** Messages that wait for the same outage are retried over this share of the wait, not all at once. */
const JITTER = 0.2;

/**
 * Circuit breaker for object storage. After a failure it is open: callers wait, and after the wait one probe at a time
 * passes. So a storage that hangs does not fill the worker with waiting messages.
 */
@Injectable()
export class StorageCircuitBreaker {
  private readonly logger = new Logger(StorageCircuitBreaker.name);
  private failures = 0;
  private openUntilMs = -Infinity;
  private loggedMs = -Infinity;
  private openSinceMs = 0;
  private probing = false;
  /** Failed writes since the start, for the metrics. */
  failedWrites = 0;

  get isClosed(): boolean {
    return this.failures === 0;
  }

  /**
   * Milliseconds until the caller may write; 0: now. A caller that gets 0 must call `succeeded`, `failed` or `release`.
   */
  acquire(nowMs: number): number {
    if (this.isClosed) return 0;
    if (nowMs < this.openUntilMs) return spread(this.openUntilMs - nowMs);
    if (this.probing) return spread(backOffMs(this.failures, BACK_OFF));
    this.probing = true;
    return 0;
  }

  /** The caller did not write. */
  release(): void {
    this.probing = false;
  }

  succeeded(nowMs: number): void {
    if (!this.isClosed) {
      const seconds = Math.round((nowMs - this.openSinceMs) / 1000);
      this.logger.log(`object storage works again after ${seconds} s; publishing pending changes`);
    }
    this.failures = 0;
    this.probing = false;
    this.loggedMs = -Infinity;
  }

  /** Returns how long to wait before the next attempt. */
  failed(error: unknown, nowMs: number): number {
    if (this.isClosed) this.openSinceMs = nowMs;
    this.failures += 1;
    this.failedWrites += 1;
    this.probing = false;
    const waitMs = backOffMs(this.failures, BACK_OFF);
    this.openUntilMs = nowMs + waitMs;
    if (nowMs - this.loggedMs >= LOG_INTERVAL_MS) {
      this.loggedMs = nowMs;
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
