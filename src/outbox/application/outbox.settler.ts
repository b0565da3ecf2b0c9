import { Injectable, Logger } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { AdaptiveBatch } from '../../shared/adaptive-batch.js';
import { type BackOff, backOffMs } from '../../shared/back-off.js';
import { Complaint } from '../../shared/complaint.js';
import { isConnectionFailure } from '../../shared/postgres-error.js';
import { SettingsFrom } from '../../shared/inject-settings.js';
import { type OutboxSettings, outboxSettings } from '../outbox.settings.js';
import { OutboxService } from '../outbox.service.js';
import { type LeasedMessage, leaseKey, OutboxStore } from '../infrastructure/outbox.store.js';

/** Messages settled in one transaction. */
const SETTLE_BATCH_MAX = 256;
const RECONNECT_PAUSE_MS = 250;
/** After so many throws a message is buried as a dead letter. */
export const OUTBOX_FAILURES_MAX = 8;
const BACK_OFF: BackOff = { baseMs: 1_000, factor: 2, longestMs: 5 * 60_000 };

interface Finished {
  leased: LeasedMessage;
  outcome: unknown;
  /** Monotonic; past it the lease is gone, and the message is somebody else's. */
  leaseEndsMs: number;
  done(): void;
}

/** Writes outcomes in adaptive batches: whatever has ended while the last batch was written. */
@Injectable()
export class OutboxSettler {
  private readonly logger = new Logger(OutboxSettler.name);
  private readonly unreachable = new Complaint(
    this.logger,
    'outcomes cannot be written: the database cannot be reached',
  );
  private readonly finished = new AdaptiveBatch<Finished>({
    batchesMax: 1,
    entriesMax: SETTLE_BATCH_MAX,
    write: (batch) => this.write(batch),
    refuse: (entry, cause) => this.refuse(entry, cause),
    isUnreachable: isConnectionFailure,
    unreachable: (error) => this.unreachable.about(error),
    reconnectPauseMs: RECONNECT_PAUSE_MS,
    isPatient(entry, nowMs) {
      if (entry.leaseEndsMs > nowMs) return true;
      entry.done();
      return false;
    },
  });

  constructor(
    private readonly em: EntityManager,
    private readonly store: OutboxStore,
    private readonly outbox: OutboxService,
    @SettingsFrom(outboxSettings) private readonly settings: OutboxSettings,
  ) {}

  /**
   * Resolves once the outcome is written and the message is out of the outbox, or the lease ran out before
   * that could be done: then the outcome is unknown and the message is claimed again. Never rejects.
   */
  settle(leased: LeasedMessage, outcome: unknown, claimedMs: number): Promise<void> {
    return new Promise((done) => {
      this.finished.add({ leased, outcome, leaseEndsMs: claimedMs + this.settings.leaseMs, done });
    });
  }

  /** Counts a throw against a message: it waits longer each time, and is buried in the end. Never rejects. */
  async fail(leased: LeasedMessage, cause: unknown): Promise<void> {
    const failures = leased.message.failures + 1;
    const error = cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause);
    const { projectId, id, topic } = leased.message;
    try {
      if (failures >= OUTBOX_FAILURES_MAX) {
        await this.store.bury(leased, error);
        this.logger.error(
          { err: cause, projectId, messageId: id, topic, failures },
          'outbox message buried as a dead letter',
        );
        return;
      }
      const afterMs = backOffMs(failures, BACK_OFF);
      await this.store.putBack(leased, { afterMs, error });
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

  private async write(batch: Finished[]): Promise<void> {
    await this.em.fork().transactional(async (tx) => {
      const removed = await this.store.remove(
        tx,
        batch.map((entry) => entry.leased),
      );
      const ours = batch.filter((entry) => removed.has(leaseKey(entry.leased)));
      for (const [topic, entries] of Map.groupBy(ours, (entry) => entry.leased.message.topic)) {
        const settled = entries.map(({ leased, outcome }) => ({ message: leased.message, outcome }));
        await this.outbox.handlerOf(topic).settle(tx, settled);
      }
    });
    for (const entry of batch) entry.done();
  }

  private async refuse(entry: Finished, cause: unknown): Promise<void> {
    await this.fail(entry.leased, cause);
    entry.done();
  }
}
