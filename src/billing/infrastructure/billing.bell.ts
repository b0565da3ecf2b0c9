import { InjectQueue } from '@nestjs/bullmq';
import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import type { Queue } from 'bullmq';
import { queueReady, QUEUES } from '../../shared/queue.js';
import { SettingsFrom } from '../../shared/inject-settings.js';
import { type QueueSettings, queueSettings } from '../../shared/queue.settings.js';

export const BILLING_QUEUE = QUEUES.billing;
const WAKE_JOB = 'wake';
/** Rings that come closer together than this are one. */
const RING_INTERVAL_MS = 20;
const COMPLAINT_INTERVAL_MS = 10_000;

/** The doorbell of the inbox, as the outbox has one: at most one wake-up waits, and losing it costs a poll. */
@Injectable()
export class BillingBell implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger(BillingBell.name);
  private timer: NodeJS.Timeout | null = null;
  private lastRingMs = -Infinity;
  private lastComplaintMs = -Infinity;
  private closed = false;

  constructor(
    @InjectQueue(BILLING_QUEUE) private readonly queue: Queue,
    @SettingsFrom(queueSettings) private readonly queueSettings: QueueSettings,
  ) {
    queue.on('error', (error) => this.complain(error));
  }

  onApplicationBootstrap(): Promise<void> {
    return queueReady(this.queueSettings, this.queue);
  }

  /** Never waits and never throws. */
  ring(): void {
    if (this.timer || this.closed) return;
    const waitMs = Math.max(0, this.lastRingMs + RING_INTERVAL_MS - performance.now());
    this.timer = setTimeout(() => {
      this.timer = null;
      this.lastRingMs = performance.now();
      const options = {
        deduplication: { id: WAKE_JOB, keepLastIfActive: true },
        removeOnComplete: true,
        removeOnFail: true,
      };
      this.queue.add(WAKE_JOB, {}, options).catch((error: unknown) => this.complain(error));
    }, waitMs);
  }

  onModuleDestroy(): void {
    this.closed = true;
    if (this.timer) clearTimeout(this.timer);
  }

  private complain(error: unknown): void {
    if (this.closed || performance.now() - this.lastComplaintMs < COMPLAINT_INTERVAL_MS) return;
    this.lastComplaintMs = performance.now();
    this.logger.warn({ err: error }, 'the queue cannot be reached; billing events wait for the poll');
  }
}
