import { InjectQueue } from '@nestjs/bullmq';
import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import type { Queue } from 'bullmq';
import { queueReady, QUEUES } from '../../database/queue.js';
import { InjectSettings } from '../../settings/inject-settings.js';
import { type QueueSettings, queueSettings } from '../../database/database.settings.js';
import { ThrottledLog } from '../../operations/throttled-log.js';

export const OUTBOX_QUEUE = QUEUES.outbox;
export const POLL_JOB = 'poll';
const WAKE_JOB = 'wake';
/** Notifications closer together than this are combined. */
const NOTIFY_INTERVAL_MS = 20;

/**
 * Wakes a worker to claim messages. At most one wake-up job is queued, for any number of records
 * and projects, because a worker claims messages of all of them.
 */
@Injectable()
export class WakeupNotifier implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly unreachable = new ThrottledLog(
    new Logger(WakeupNotifier.name),
    'cannot connect to the queue; records wait for the next poll',
  );
  private timer: NodeJS.Timeout | null = null;
  private lastNotifiedMs = -Infinity;
  private closed = false;
  /** A wake-up is being sent, which may take until the queue is available again. */
  private sending = false;
  private notifyAgain = false;

  constructor(
    @InjectQueue(OUTBOX_QUEUE) private readonly queue: Queue,
    @InjectSettings(queueSettings) private readonly queueSettings: QueueSettings,
  ) {
    queue.on('error', (error) => this.complain(error));
  }

  onApplicationBootstrap(): Promise<void> {
    return queueReady(this.queueSettings, this.queue);
  }

  /** Never waits and never throws: the poll finds messages whose wake-up is lost. */
  notify(): void {
    if (this.timer || this.closed) return;
    if (this.sending) {
      // Pending wake-ups would pile up in memory while the queue is unavailable.
      this.notifyAgain = true;
      return;
    }
    const waitMs = Math.max(0, this.lastNotifiedMs + NOTIFY_INTERVAL_MS - performance.now());
    this.timer = setTimeout(() => {
      this.timer = null;
      this.lastNotifiedMs = performance.now();
      void this.send();
    }, waitMs);
  }

  private async send(): Promise<void> {
    this.sending = true;
    try {
      // `keepLastIfActive` keeps a wake-up that is sent during a claim, which may have passed the new message.
      await this.queue.add(
        WAKE_JOB,
        {},
        {
          deduplication: { id: WAKE_JOB, keepLastIfActive: true },
          removeOnComplete: true,
          removeOnFail: true,
        },
      );
    } catch (error) {
      this.complain(error);
    }
    this.sending = false;
    if (this.notifyAgain) {
      this.notifyAgain = false;
      this.notify();
    }
  }

  onModuleDestroy(): void {
    this.closed = true;
    if (this.timer) clearTimeout(this.timer);
  }

  private complain(error: unknown): void {
    if (!this.closed) this.unreachable.warn(error);
  }
}
