import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { AdaptiveBatch } from '../../limits/adaptive-batch.js';
import { ThrottledLog } from '../../operations/throttled-log.js';
import { isConnectionFailure } from '../../database/postgres-error.js';
import type { ListValue } from '../../database/list-literal.js';
import { InjectSettings } from '../../settings/inject-settings.js';
import { type OutboxSettings, outboxSettings } from '../outbox.settings.js';
import type { AttemptResult, Failure, Settled } from '../domain/outbox-message.js';
import type { SingleStatementSettlement } from '../outbox.handler.js';
import { OutboxService } from '../outbox.service.js';
import { SingleStatementSettler } from '../infrastructure/single-statement-settler.js';
import { type LeasedMessage, leaseKey, OutboxStore } from '../infrastructure/outbox.store.js';

/** Messages settled in one transaction. */
const SETTLE_BATCH_MAX = 256;
/** With two, one batch is flushed to disk while the next one runs. */
const SETTLE_BATCHES_MAX = 2;
/** No caller waits for an outcome, so those of 20 ms are batched unless the batch fills up sooner. */
const SETTLE_GATHER = { ms: 20, enough: SETTLE_BATCH_MAX };
const RECONNECT_PAUSE_MS = 250;
/**
 * While the database is unavailable, an outcome that its handler logs late is kept for ten leases. At most
 * ten times as many outcomes wait as a worker may lease.
 */
const LATE_LEASES = 10;

interface Finished {
  leased: LeasedMessage;
  outcome: unknown;
  /** Monotonic; the lease begins then, at the latest. */
  claimedMs: number;
  /** Frees the worker's permit; the second call changes nothing. */
  done(): void;
}

/** Writes outcomes in adaptive batches: those that finished while the last batch was written. */
@Injectable()
export class OutboxSettler {
  private readonly logger = new Logger(OutboxSettler.name);
  private readonly unreachable = new ThrottledLog(
    this.logger,
    'cannot write outcomes: no connection to the database',
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
    isPatient: (entry, nowMs) => this.isPatient(entry, nowMs),
  });

  constructor(
    private readonly em: EntityManager,
    private readonly store: OutboxStore,
    private readonly singleStatement: SingleStatementSettler,
    private readonly outbox: OutboxService,
    @InjectSettings(outboxSettings) private readonly settings: OutboxSettings,
  ) {}

  /**
   * Resolves once the outcome is stored and the message is deleted, or when the lease expires. In the latter case
   * the message is claimed again, and the outcome is still logged if the handler has `settleLate`. Never rejects.
   */
  settle(leased: LeasedMessage, outcome: unknown, claimedMs: number): Promise<void> {
    return new Promise((done) => {
      this.finished.add({ leased, outcome, claimedMs, done });
    });
  }

  /** Schedules a retry that the handler requested. Never rejects. */
  async retry(
    leased: LeasedMessage,
    end: Extract<AttemptResult<unknown>, { kind: 'retry' }>,
    claimedMs: number,
  ): Promise<void> {
    const { topic, abandonedAttempts } = leased.message;
    try {
      const discarded = abandonedAttempts >= this.outbox.handlerOf(topic).retry.abandonedAttemptsMax;
      await this.whileLeased(claimedMs, () =>
        this.writeFailure(leased, end, (tx) => this.store.retry(leased, { ...end, discarded }, tx)),
      );
    } catch (error) {
      await this.fail(leased, error, claimedMs);
    }
  }

  /** Moves a message that its handler declared dead to the dead letters. Never rejects. */
  async deadLetter(
    leased: LeasedMessage,
    end: Extract<AttemptResult<unknown>, { kind: 'dead' }>,
    claimedMs: number,
  ): Promise<void> {
    try {
      await this.whileLeased(claimedMs, () =>
        this.writeFailure(leased, end, (tx) => this.store.deadLetter(leased, end.error, tx)),
      );
    } catch (error) {
      await this.fail(leased, error, claimedMs);
    }
  }

  /**
   * Counts a thrown error against a message: it is retried on its handler's schedule, and becomes a dead letter
   * after the last retry. Never rejects.
   */
  async fail(leased: LeasedMessage, cause: unknown, claimedMs: number): Promise<void> {
    const failures = leased.message.failures + 1;
    const error = cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause);
    const { projectId, id, topic } = leased.message;
    try {
      const { retry } = this.outbox.handlerOf(topic);
      if (failures >= retry.failuresMax) {
        await this.whileLeased(claimedMs, () =>
          this.writeFailure(leased, { kind: 'dead', error }, (tx) =>
            this.store.deadLetter(leased, error, tx),
          ),
        );
        this.logger.error(
          { err: cause, projectId, messageId: id, topic, failures },
          'dead-lettered an outbox message',
        );
        return;
      }
      const afterMs = retry.delayMs(failures);
      await this.whileLeased(claimedMs, () =>
        this.writeFailure(leased, { kind: 'retry', error }, (tx) =>
          this.store.retry(leased, { afterMs, error }, tx),
        ),
      );
      this.logger.warn(
        { err: cause, projectId, messageId: id, topic, failures, afterMs },
        'outbox message failed',
      );
    } catch (error) {
      // The lease expires and the message is claimed again.
      this.logger.warn({ err: error, projectId, messageId: id }, 'could not retry a failed outbox message');
    }
  }

  /** Repeats a write while the database is unreachable and the lease is valid. */
  private async whileLeased(claimedMs: number, write: () => Promise<void>): Promise<void> {
    for (;;) {
      try {
        return await write();
      } catch (error) {
        if (!isConnectionFailure(error) || this.isLeaseOver(claimedMs, performance.now())) throw error;
        this.unreachable.warn(error);
        await sleep(RECONNECT_PAUSE_MS);
      }
    }
  }

  private isLeaseOver(claimedMs: number, nowMs: number): boolean {
    return claimedMs + this.settings.leaseMs <= nowMs;
  }

  /** Whether an outcome still waits for the database. */
  private isPatient({ leased, claimedMs, done }: Finished, nowMs: number): boolean {
    if (!this.isLeaseOver(claimedMs, nowMs)) return true;
    done();
    const isLogged = this.outbox.handlerOf(leased.message.topic).settleLate !== undefined;
    return isLogged && claimedMs + LATE_LEASES * this.settings.leaseMs > nowMs;
  }

  /** Uses one transaction if the handler also writes. Does nothing if the lease was lost. */
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
    const rest = await this.settleInOneStatement(batch);
    const late = rest.length > 0 ? await this.writeTogether(rest) : [];
    if (late.length > 0) await this.writeLate(late);
    for (const entry of batch) entry.done();
  }

  /** Settles the entries that need no transaction; returns the others, in order. */
  private async settleInOneStatement(batch: Finished[]): Promise<Finished[]> {
    const handlers = Map.groupBy(batch, ({ leased }) => this.outbox.handlerOf(leased.message.topic));
    const written = new Set<Finished>();
    for (const [{ singleStatement }, entries] of handlers) {
      if (!singleStatement) continue;
      const chosen = eligibleEntries(singleStatement, entries);
      if (chosen.length === 0) continue;
      const places = await this.singleStatement.settle(singleStatement, chosen);
      const done = chosen.filter((_, place) => places.has(place));
      for (const { entry } of done) written.add(entry);
      singleStatement.written(done.map(({ entry }) => toSettled(entry)));
    }
    return batch.filter((entry) => !written.has(entry));
  }

  /** Returns the outcomes whose lease was lost; nothing is written for them. */
  private async writeTogether(batch: Finished[]): Promise<Finished[]> {
    return await this.em.fork().transactional(async (tx) => {
      const removed = await this.store.remove(
        tx,
        batch.map((entry) => entry.leased),
      );
      const ours = batch.filter((entry) => removed.has(leaseKey(entry.leased)));
      for (const [topic, entries] of Map.groupBy(ours, (entry) => entry.leased.message.topic)) {
        await this.outbox.handlerOf(topic).settle(tx, entries.map(toSettled));
      }
      return batch.filter((entry) => !removed.has(leaseKey(entry.leased)));
    });
  }

  /** In a separate transaction: it locks records, which an erasure does before it locks messages. */
  private async writeLate(late: Finished[]): Promise<void> {
    for (const [topic, entries] of Map.groupBy(late, (entry) => entry.leased.message.topic)) {
      const handler = this.outbox.handlerOf(topic);
      if (!handler.settleLate) continue;
      await this.em.fork().transactional((tx) => handler.settleLate?.(tx, entries.map(toSettled)));
    }
  }

  private async refuse(entry: Finished, cause: unknown): Promise<void> {
    await this.fail(entry.leased, cause, entry.claimedMs);
    entry.done();
  }
}

function toSettled({ leased, outcome }: Finished): Settled<unknown> {
  return { message: leased.message, outcome };
}

/**
 * Entries that need no transaction: all or none of a key, so that its outcomes are judged together.
 */
function eligibleEntries(
  singleStatement: SingleStatementSettlement,
  entries: Finished[],
): { entry: Finished; leased: LeasedMessage; values: ListValue[] }[] {
  const judged = entries.map((entry) => ({ entry, values: singleStatement.valuesOf(toSettled(entry)) }));
  const slowKeys = new Set(
    judged.flatMap(({ entry, values }) => (values === null ? [entry.leased.message.orderingKey] : [])),
  );
  return judged.flatMap(({ entry, values }) =>
    values === null || slowKeys.has(entry.leased.message.orderingKey)
      ? []
      : [{ entry, leased: entry.leased, values }],
  );
}
