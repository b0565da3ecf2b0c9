import { Injectable, Logger } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { AdaptiveBatch } from '../../shared/adaptive-batch.js';
import { ThrottledLog } from '../../shared/throttled-log.js';
import { isConnectionFailure } from '../../shared/postgres-error.js';
import type { ListValue } from '../../shared/list-literal.js';
import { SettingsFrom } from '../../shared/inject-settings.js';
import { type OutboxSettings, outboxSettings } from '../outbox.settings.js';
import type { Ending, Failure, Settled } from '../domain/outbox-message.js';
import type { QuickWriting } from '../outbox.handler.js';
import { OutboxService } from '../outbox.service.js';
import { QuickSettlement } from '../infrastructure/quick-settlement.js';
import { type LeasedMessage, leaseKey, OutboxStore } from '../infrastructure/outbox.store.js';

/** Messages settled in one transaction. */
const SETTLE_BATCH_MAX = 256;
/** With two, a batch is on its way to the disk while the next one runs. */
const SETTLE_BATCHES_MAX = 2;
/** Nobody waits for an outcome of a delivery: those of 20 ms go together, unless a batch is full sooner. */
const SETTLE_GATHER = { ms: 20, enough: SETTLE_BATCH_MAX };
const RECONNECT_PAUSE_MS = 250;

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
  private readonly unreachable = new ThrottledLog(
    this.logger,
    'outcomes cannot be written: the database cannot be reached',
  );
  private readonly finished = new AdaptiveBatch<Finished>({
    batchesMax: SETTLE_BATCHES_MAX,
    entriesMax: SETTLE_BATCH_MAX,
    gather: SETTLE_GATHER,
    write: (batch) => this.write(batch),
    refuse: (entry, cause) => this.refuse(entry, cause),
    isUnreachable: isConnectionFailure,
    unreachable: (error) => this.unreachable.warn(error),
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
    private readonly quick: QuickSettlement,
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

  /** Puts a message back that its handler wants to try again. Never rejects. */
  async putBack(leased: LeasedMessage, end: Extract<Ending<unknown>, { kind: 'retry' }>): Promise<void> {
    try {
      await this.writeFailure(leased, end, (tx) => this.store.putBack(leased, end, tx));
    } catch (error) {
      await this.fail(leased, error);
    }
  }

  /** Buries a message that its handler says is dead. Never rejects. */
  async bury(leased: LeasedMessage, end: Extract<Ending<unknown>, { kind: 'dead' }>): Promise<void> {
    try {
      await this.writeFailure(leased, end, (tx) => this.store.bury(leased, end.error, tx));
    } catch (error) {
      await this.fail(leased, error);
    }
  }

  /** Counts a throw against a message: it waits as its handler's schedule says, and is buried in the end. Never rejects. */
  async fail(leased: LeasedMessage, cause: unknown): Promise<void> {
    const failures = leased.message.failures + 1;
    const error = cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause);
    const { projectId, id, topic } = leased.message;
    try {
      const { retry } = this.outbox.handlerOf(topic);
      if (failures >= retry.failuresMax) {
        await this.writeFailure(leased, { kind: 'dead', error }, (tx) => this.store.bury(leased, error, tx));
        this.logger.error(
          { err: cause, projectId, messageId: id, topic, failures },
          'outbox message buried as a dead letter',
        );
        return;
      }
      const afterMs = retry.delayMs(failures);
      await this.writeFailure(leased, { kind: 'retry', error }, (tx) =>
        this.store.putBack(leased, { afterMs, error }, tx),
      );
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

  /** One transaction where the handler has something to write as well; nothing where the lease was not ours any more. */
  private async writeFailure(
    { message }: LeasedMessage,
    { kind, error, outcome = null }: Pick<Failure<unknown>, 'kind' | 'error'> & { outcome?: unknown },
    change: (tx: EntityManager) => Promise<boolean>,
  ): Promise<void> {
    const handler = this.outbox.handlerOf(message.topic);
    if (!handler.failed) {
      await change(this.em.fork());
      return;
    }
    await this.em.fork().transactional(async (tx) => {
      if (await change(tx)) await handler.failed?.(tx, message, { kind, error, outcome });
    });
  }

  private async write(batch: Finished[]): Promise<void> {
    const rest = await this.writeQuickly(batch);
    if (rest.length > 0) await this.writeTogether(rest);
    for (const entry of batch) entry.done();
  }

  /** Writes what takes no transaction; returns the others, in their order. */
  private async writeQuickly(batch: Finished[]): Promise<Finished[]> {
    const handlers = Map.groupBy(batch, ({ leased }) => this.outbox.handlerOf(leased.message.topic));
    const written = new Set<Finished>();
    for (const [{ quick }, entries] of handlers) {
      if (!quick) continue;
      const chosen = quickOf(quick, entries);
      if (chosen.length === 0) continue;
      const places = await this.quick.settle(quick, chosen);
      const done = chosen.filter((_, place) => places.has(place));
      for (const { entry } of done) written.add(entry);
      quick.written(done.map(({ entry }) => settledOf(entry)));
    }
    return batch.filter((entry) => !written.has(entry));
  }

  private async writeTogether(batch: Finished[]): Promise<void> {
    await this.em.fork().transactional(async (tx) => {
      const removed = await this.store.remove(
        tx,
        batch.map((entry) => entry.leased),
      );
      const ours = batch.filter((entry) => removed.has(leaseKey(entry.leased)));
      for (const [topic, entries] of Map.groupBy(ours, (entry) => entry.leased.message.topic)) {
        await this.outbox.handlerOf(topic).settle(tx, entries.map(settledOf));
      }
    });
  }

  private async refuse(entry: Finished, cause: unknown): Promise<void> {
    await this.fail(entry.leased, cause);
    entry.done();
  }
}

function settledOf({ leased, outcome }: Finished): Settled<unknown> {
  return { message: leased.message, outcome };
}

/** Those that take no transaction: of a key all or none, so that its outcomes are judged together. */
function quickOf(
  quick: QuickWriting,
  entries: Finished[],
): { entry: Finished; leased: LeasedMessage; values: ListValue[] }[] {
  const judged = entries.map((entry) => ({ entry, values: quick.valuesOf(settledOf(entry)) }));
  const slowKeys = new Set(
    judged.flatMap(({ entry, values }) => (values === null ? [entry.leased.message.orderingKey] : [])),
  );
  return judged.flatMap(({ entry, values }) =>
    values === null || slowKeys.has(entry.leased.message.orderingKey)
      ? []
      : [{ entry, leased: entry.leased, values }],
  );
}
