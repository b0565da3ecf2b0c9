import { InjectQueue } from '@nestjs/bullmq';
import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import type { Queue } from 'bullmq';

export const OUTBOX_QUEUE = 'outbox';
export const POLL_JOB = 'poll';
const WAKE_JOB = 'wake';
/** Rings that come closer together than this are one. */
const RING_INTERVAL_MS = 20;
/** A queue that is away is said once in this time, not once a request. */
const COMPLAINT_INTERVAL_MS = 10_000;

/**
 * The doorbell: tells some worker that there is something in the outbox. At most one wake-up waits in the
 * queue, whatever the number of records and projects, because a worker that wakes looks at all of them.
 */
@Injectable()
export class OutboxBell implements OnModuleDestroy {
  private readonly logger = new Logger(OutboxBell.name);
  private timer: NodeJS.Timeout | null = null;
  private lastRingMs = -Infinity;
  private lastComplaintMs = -Infinity;
  private closed = false;

  constructor(@InjectQueue(OUTBOX_QUEUE) private readonly queue: Queue) {
    queue.on('error', (error) => this.complain(error));
  }

  /** Never waits and never throws: the poll makes up for a ring that is lost. */
  ring(): void {
    if (this.timer || this.closed) return;
    const waitMs = Math.max(0, this.lastRingMs + RING_INTERVAL_MS - performance.now());
    this.timer = setTimeout(() => {
      this.timer = null;
      this.lastRingMs = performance.now();
      // A ring during a worker's walk over the outbox is kept for after it, or a late message would be missed.
      this.queue
        .add(
          WAKE_JOB,
          {},
          {
            deduplication: { id: WAKE_JOB, keepLastIfActive: true },
            removeOnComplete: true,
            removeOnFail: true,
          },
        )
        .catch((error: unknown) => this.complain(error));
    }, waitMs);
  }

  onModuleDestroy(): void {
    this.closed = true;
    if (this.timer) clearTimeout(this.timer);
  }

  private complain(error: unknown): void {
    if (this.closed || performance.now() - this.lastComplaintMs < COMPLAINT_INTERVAL_MS) return;
    this.lastComplaintMs = performance.now();
    this.logger.warn({ err: error }, 'the queue cannot be reached; records wait for the poll');
  }
}
