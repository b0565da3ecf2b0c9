import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { type BackOff, backOffMs } from '../../time/back-off.js';
import { isConnectionFailure } from '../../database/postgres-error.js';
import { ThrottledLog } from '../../operations/throttled-log.js';
import { type Attempt, type AttemptResult, type OutboxMessage } from '../domain/outbox-message.js';
import type { OutboxMetrics } from '../infrastructure/outbox.metrics.js';
import type { LeasedMessage, OutboxStore } from '../infrastructure/outbox.store.js';
import type { OutboxService } from '../outbox.service.js';
import type { OutboxSettler } from './outbox.settler.js';
import type { Ready, WorkerSlots } from './worker-slots.js';

/** A message that waited longer for a slot is released, because its settings may be outdated. */
const READY_MAX_MS = 2_000;
/** Pause before preparing a batch again after the database was unreachable. */
const PREPARE_AGAIN_MS = 250;
/** Timers may fire this much early, measured by the clock of the pause. */
const TIMER_EARLY_MS = 2;

/** How an attempt ended. */
type AttemptEnd = AttemptResult<unknown> | { kind: 'threw'; cause: unknown };

/** Delays of attempts that lost the database. They grow, since a statement that always times out looks the same. */
const DATABASE_RETRY: BackOff = { baseMs: 1_000, factor: 2, longestMs: 30_000 };

/** Dependencies of an attempt. */
export interface AttemptParts {
  slots: WorkerSlots;
  store: OutboxStore;
  settler: OutboxSettler;
  outbox: OutboxService;
  metrics: OutboxMetrics;
  leaseMs: number;
  /** Called when more messages may be claimable: a slot is free, or a message was released. */
  requestPoll: () => void;
}

/**
 * Prepares and attempts the messages that one worker claimed, through their handlers, as slots
 * become free, and settles the outcomes.
 */
export class OutboxAttempts {
  private readonly releaseFailure = new ThrottledLog(
    new Logger(OutboxAttempts.name),
    'could not release messages; they become available when their leases expire',
  );
  private readonly unprepared = new ThrottledLog(
    new Logger(OutboxAttempts.name),
    'cannot connect to the database to prepare messages; retrying',
  );
  private readonly abort = new AbortController();
  /** Resolves the promise of `ended`. */
  private nothingLeft: (() => void) | undefined;
  private stopping = false;

  constructor(private readonly parts: AttemptParts) {}

  /** Counts them at once and prepares them in the background, so the next claim need not wait. */
  begin(leased: LeasedMessage[], claimedMs: number): void {
    const { metrics, slots } = this.parts;
    metrics.reclaims.inc(leased.filter(({ message }) => message.abandonedAttempts > 0).length);
    slots.claimed(leased, claimedMs);
    for (const [topic, entries] of Map.groupBy(leased, ({ message }) => message.topic)) {
      void this.beginOf(topic, entries, claimedMs);
    }
  }

  /** Starts no further attempts, and releases messages that wait for a slot. */
  stop(): void {
    this.stopping = true;
    for (const key of this.parts.slots.waitingKeys) this.giveBack(key);
  }

  /** Resolves once all started attempts are settled or released. Call `stop` first. */
  ended(): Promise<void> {
    return new Promise((nothingLeft) => {
      if (this.parts.slots.leased === 0) nothingLeft();
      else this.nothingLeft = nothingLeft;
    });
  }

  /** Aborts the attempts in progress. */
  cutOff(): void {
    this.abort.abort();
  }

  /** At most half of the lease: after a longer pause of the process another worker may hold the message. */
  private get readyMaxMs(): number {
    return Math.min(READY_MAX_MS, this.parts.leaseMs / 2);
  }

  /** Never rejects. */
  private async beginOf(topic: string, entries: LeasedMessage[], claimedMs: number): Promise<void> {
    const attempts = await this.prepareInTime(topic, entries, claimedMs);
    if (attempts === null) return this.release(entries);
    for (const [index, leased] of entries.entries())
      this.enqueue({ leased, attempt: attempts[index], claimedMs });
  }

  /**
   * Prepares once the database is readable, without counting failures against the messages. Returns null if that
   * takes half of the lease, or the worker stops.
   */
  private async prepareInTime(
    topic: string,
    entries: LeasedMessage[],
    claimedMs: number,
  ): Promise<Attempt<unknown>[] | null> {
    for (;;) {
      try {
        return await this.prepare(topic, entries);
      } catch (error) {
        this.unprepared.warn(error);
        if (this.stopping || performance.now() - claimedMs > this.parts.leaseMs / 2) return null;
        await sleep(PREPARE_AGAIN_MS);
      }
    }
  }

  /**
   * Lets the handler prepare a batch. If it throws, the messages are prepared one by one, so that a
   * bad one fails alone, as an attempt that throws. Rejects if the database is unreachable.
   */
  private async prepare(topic: string, entries: LeasedMessage[]): Promise<Attempt<unknown>[]> {
    try {
      return await this.parts.outbox.handlerOf(topic).prepare(entries.map(({ message }) => message));
    } catch (error) {
      if (isConnectionFailure(error)) throw error;
      if (entries.length === 1) return [() => Promise.reject(error as Error)];
      const alone = await Promise.all(entries.map((entry) => this.prepare(topic, [entry])));
      return alone.flat();
    }
  }

  private enqueue(ready: Ready): void {
    const { orderingKey } = ready.leased.message;
    this.parts.slots.add(ready);
    if (this.stopping) this.giveBack(orderingKey);
    else this.startReady(orderingKey);
  }

  /** Starts attempts while slots are free. */
  private startReady(orderingKey: string): void {
    const { slots } = this.parts;
    for (let next = slots.next(orderingKey); next; next = slots.next(orderingKey)) {
      if (performance.now() - next.claimedMs > this.readyMaxMs) void this.release([next.leased]);
      else void this.attempt(next);
    }
  }

  /** Never rejects. */
  private async attempt({ leased, attempt, claimedMs }: Ready): Promise<void> {
    const { slots, requestPoll } = this.parts;
    const { orderingKey } = leased.message;
    const startedMs = performance.now();
    slots.started(leased, startedMs);
    let end: AttemptEnd;
    try {
      end = await this.made(leased.message, attempt);
    } catch (cause) {
      end = isConnectionFailure(cause) ? lostDatabase(leased.message) : { kind: 'threw', cause };
    }
    // The slot is free once the receiver has responded, before the outcome is stored.
    const healthy = end.kind !== 'settled' || end.healthy;
    const snooze = end.kind === 'snooze' ? { snoozeMs: end.afterMs } : {};
    const freed = slots.left(leased, { startedMs, nowMs: performance.now(), healthy, ...snooze });
    if (end.kind === 'snooze') setTimeout(requestPoll, end.afterMs + TIMER_EARLY_MS).unref();
    // Other workers may send the messages that are queued here for a failing receiver.
    if (!healthy || end.kind === 'snooze') this.giveBack(orderingKey);
    for (const key of freed) {
      if (slots.isFull) break;
      this.startReady(key);
    }
    requestPoll();
    // Not awaited: what the attempt sent need not be kept in memory until the outcome is stored.
    void this.conclude(leased, end, claimedMs);
  }

  /** Stores how an attempt ended, and removes the message from memory. Never rejects. */
  private async conclude(leased: LeasedMessage, end: AttemptEnd, claimedMs: number): Promise<void> {
    await this.store(leased, end, claimedMs);
    const madeRoom = this.forget(1);
    // A retried message may be due again.
    if (madeRoom || end.kind !== 'settled') this.parts.requestPoll();
  }

  /** Releases all prepared messages of a key. */
  private giveBack(orderingKey: string): void {
    const line = this.parts.slots.takeWaiting(orderingKey);
    if (line.length > 0) void this.release(line.map(({ leased }) => leased));
  }

  /** Releases messages without counting the claim. Never rejects. */
  private async release(leased: LeasedMessage[]): Promise<void> {
    const { slots, requestPoll } = this.parts;
    for (const one of leased) slots.givenBack(one, performance.now());
    await this.returnAll(leased);
    this.forget(leased.length);
    requestPoll();
  }

  /** Returns whether the worker was full before and has room now. */
  private forget(count: number): boolean {
    const { slots } = this.parts;
    const madeRoom = slots.forget(count);
    if (slots.leased === 0) this.nothingLeft?.();
    return madeRoom;
  }

  /** If this fails, the leases expire. Never rejects. */
  private async returnAll(leased: LeasedMessage[]): Promise<void> {
    await this.parts.store.release(leased).catch((error: unknown) => this.releaseFailure.warn(error));
  }

  /**
   * Makes the attempt, unless too many workers died during the message's attempts. Throws or
   * rejects if the handler does.
   */
  private made(
    message: OutboxMessage,
    attempt: Attempt<unknown> | undefined,
  ): AttemptResult<unknown> | Promise<AttemptResult<unknown>> {
    const handler = this.parts.outbox.handlerOf(message.topic);
    if (message.abandonedAttempts >= handler.retry.abandonedAttemptsMax) {
      this.parts.metrics.discarded.inc();
      return handler.discard(message);
    }
    if (!attempt) throw new Error(`the handler of ${message.topic} prepared too few attempts`);
    return attempt(this.abort.signal);
  }

  private store(leased: LeasedMessage, end: AttemptEnd, claimedMs: number): Promise<void> {
    const { settler } = this.parts;
    switch (end.kind) {
      case 'settled':
        return settler.settle(leased, end.outcome, claimedMs);
      case 'snooze':
        return this.returnAll([leased]);
      case 'retry':
        return settler.retry(leased, end, claimedMs);
      case 'dead':
        return settler.deadLetter(leased, end, claimedMs);
      case 'threw':
        return settler.fail(leased, end.cause, claimedMs);
    }
  }
}

/**
 * An attempt that lost the database is retried and never becomes a dead letter: its handler has no
 * bug.
 */
function lostDatabase({ failures }: OutboxMessage): AttemptEnd {
  return {
    kind: 'retry',
    afterMs: backOffMs(failures + 1, DATABASE_RETRY),
    error: 'Cannot connect to the database.',
  };
}
