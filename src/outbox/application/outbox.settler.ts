import { Injectable, Logger } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { Complaint } from '../../shared/complaint.js';
import { isConnectionFailure } from '../../shared/postgres-error.js';
import { InjectSettings, type Settings } from '../../shared/settings.js';
import { OutboxService } from '../outbox.service.js';
import { type HeldMessage, leaseKey, OutboxStore } from '../infrastructure/outbox.store.js';

/** Messages settled in one transaction. */
const SETTLE_BATCH_MAX = 256;
const RECONNECT_PAUSE_MS = 250;
/** After so many throws a message is buried as a dead letter. */
export const OUTBOX_FAILURES_MAX = 8;
const BACKOFF_BASE_MS = 1_000;
const BACKOFF_MAX_MS = 5 * 60_000;

interface Finished {
  held: HeldMessage;
  outcome: unknown;
  /** Monotonic; past it the lease is gone, and the message is somebody else's. */
  leaseEndsMs: number;
  done(): void;
}

/** Writes outcomes in adaptive batches, like the ingest: whatever has ended while the last batch was written. */
@Injectable()
export class OutboxSettler {
  private readonly logger = new Logger(OutboxSettler.name);
  private readonly unreachable = new Complaint(
    this.logger,
    'outcomes cannot be written: the database cannot be reached',
  );
  private finished: Finished[] = [];
  private running = false;

  constructor(
    private readonly em: EntityManager,
    private readonly store: OutboxStore,
    private readonly outbox: OutboxService,
    @InjectSettings() private readonly settings: Settings,
  ) {}

  /**
   * Resolves once the outcome is written and the message is out of the outbox, or the lease ran out before
   * that could be done: then the outcome is unknown and the message is claimed again. Never rejects.
   */
  settle(held: HeldMessage, outcome: unknown, claimedMs: number): Promise<void> {
    return new Promise((done) => {
      this.finished.push({ held, outcome, leaseEndsMs: claimedMs + this.settings.outbox.leaseMs, done });
      if (!this.running) void this.run();
    });
  }

  /** Counts a throw against a message: it waits longer each time, and is buried in the end. Never rejects. */
  async fail(held: HeldMessage, cause: unknown): Promise<void> {
    const failures = held.message.failures + 1;
    const error = cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause);
    const { projectId, id, topic } = held.message;
    try {
      if (failures >= OUTBOX_FAILURES_MAX) {
        await this.store.bury(held, error);
        this.logger.error(
          { err: cause, projectId, messageId: id, topic, failures },
          'outbox message buried as a dead letter',
        );
        return;
      }
      const afterMs = Math.min(BACKOFF_MAX_MS, BACKOFF_BASE_MS * 2 ** (failures - 1));
      await this.store.putBack(held, { afterMs, error });
      this.logger.warn(
        { err: cause, projectId, messageId: id, topic, failures, afterMs },
        'outbox message failed',
      );
    } catch (error) {
      // The lease ends by itself, and the message is claimed again.
      this.logger.warn(
        { err: error, projectId, messageId: id },
        'a failed outbox message could not be put back',
      );
    }
  }

  private async run(): Promise<void> {
    this.running = true;
    while (this.finished.length > 0) {
      const batch = this.finished.splice(0, SETTLE_BATCH_MAX);
      try {
        await this.write(batch);
        for (const entry of batch) entry.done();
      } catch (error) {
        if (isConnectionFailure(error)) await this.waitForDatabase(batch, error);
        else await this.writeOneByOne(batch, error);
      }
    }
    this.running = false;
  }

  private async write(batch: Finished[]): Promise<void> {
    await this.em.fork().transactional(async (tx) => {
      const removed = await this.store.remove(
        tx,
        batch.map((entry) => entry.held),
      );
      const ours = batch.filter((entry) => removed.has(leaseKey(entry.held)));
      for (const [topic, entries] of Map.groupBy(ours, (entry) => entry.held.message.topic)) {
        const settled = entries.map(({ held, outcome }) => ({ message: held.message, outcome }));
        await this.outbox.handlerOf(topic).settle(tx, settled);
      }
    });
  }

  /** One outcome of the batch cannot be written: each goes alone, so that only the bad one waits. */
  private async writeOneByOne(batch: Finished[], cause: unknown): Promise<void> {
    for (const entry of batch) {
      try {
        if (batch.length === 1) throw cause;
        await this.write([entry]);
      } catch (error) {
        await this.fail(entry.held, error);
      }
      entry.done();
    }
  }

  private async waitForDatabase(batch: Finished[], cause: unknown): Promise<void> {
    this.unreachable.about(cause);
    await new Promise((wake) => setTimeout(wake, RECONNECT_PAUSE_MS));
    const nowMs = performance.now();
    for (const entry of batch) {
      if (entry.leaseEndsMs > nowMs) this.finished.unshift(entry);
      else entry.done();
    }
  }
}
