import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { isConnectionFailure } from '../../shared/postgres-error.js';
import { ThrottledLog } from '../../shared/throttled-log.js';
import { type Attempt, type AttemptResult, type OutboxMessage } from '../domain/outbox-message.js';
import type { OutboxMetrics } from '../infrastructure/outbox.metrics.js';
import type { LeasedMessage, OutboxStore } from '../infrastructure/outbox.store.js';
import type { OutboxService } from '../outbox.service.js';
import type { OutboxSettler } from './outbox.settler.js';
import type { Ready, WorkerSlots } from './worker-slots.js';

/** A message that waited longer for its slot goes back: the settings it was prepared with may be old. */
const READY_MAX_MS = 2_000;
/** Pause before a batch is prepared again that could not be, because the database was away. */
const PREPARE_AGAIN_MS = 250;
/** A timer may go off so much before its time, by the clock that the pause is measured with. */
const TIMER_EARLY_MS = 2;

/** How an attempt ended, seen from here. */
type AttemptEnd = AttemptResult<unknown> | { kind: 'threw'; cause: unknown };

/** An attempt that lost the database is retried; it is no bug of its handler. */
const DATABASE_UNREACHABLE: AttemptEnd = {
  kind: 'retry',
  afterMs: 1_000,
  error: 'The database cannot be reached.',
};

/** What attempts are made with. */
export interface AttemptParts {
  slots: WorkerSlots;
  store: OutboxStore;
  settler: OutboxSettler;
  outbox: OutboxService;
  metrics: OutboxMetrics;
  leaseMs: number;
  /** Called where there may be more to claim: a slot is free, or a message was put back. */
  requestPoll: () => void;
}

/** Has handlers prepare and attempt what one worker has claimed, as slots become free, and what came of it settled. */
export class OutboxAttempts {
  private readonly releaseFailure = new ThrottledLog(
    new Logger(OutboxAttempts.name),
    'messages could not be given back; others get them when their leases have run out',
  );
  private readonly unprepared = new ThrottledLog(
    new Logger(OutboxAttempts.name),
    'the database cannot be reached to prepare messages; trying again',
  );
  private readonly abort = new AbortController();
  /** Who waits for the end of all that was begun. */
  private nothingLeft: (() => void) | undefined;
  private stopping = false;

  constructor(private readonly parts: AttemptParts) {}

  /** Counts them at once and works in the background: the next claim need not wait for this preparation. */
  begin(leased: LeasedMessage[], claimedMs: number): void {
    const { metrics, slots } = this.parts;
    metrics.reclaims.inc(leased.filter(({ message }) => message.abandonedAttempts > 0).length);
    slots.claimed(leased, claimedMs);
    for (const [topic, entries] of Map.groupBy(leased, ({ message }) => message.topic)) {
      void this.beginOf(topic, entries, claimedMs);
    }
  }

  /** Begins no further attempt; gives back what waits for a slot. */
  stop(): void {
    this.stopping = true;
    for (const key of this.parts.slots.waitingKeys) this.giveBack(key);
  }

  /** Resolves once all that was begun is settled or given back. Call it stopped: nothing may be begun any more. */
  ended(): Promise<void> {
    return new Promise((nothingLeft) => {
      if (this.parts.slots.leased === 0) nothingLeft();
      else this.nothingLeft = nothingLeft;
    });
  }

  /** Cuts off what is still under way. */
  cutOff(): void {
    this.abort.abort();
  }

  /** Never more than half of the lease: after a pause of the process the message may be somebody else's. */
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
   * Prepares as soon as the database can be read, of which nothing is counted against the messages; null where that took
   * half of their lease, or the worker stops.
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
   * Has the handler prepare a batch. Where that throws, each message is prepared alone, so that a poisoned
   * one stands alone; it comes back as an attempt that throws. Rejects where the database cannot be reached.
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

  /** Begins what has a slot. */
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
      end = isConnectionFailure(cause) ? DATABASE_UNREACHABLE : { kind: 'threw', cause };
    }
    // The receiver has answered: its slot is free, and need not wait until the outcome is on the disk.
    const healthy = end.kind !== 'settled' || end.healthy;
    const snooze = end.kind === 'snooze' ? { snoozeMs: end.afterMs } : {};
    const freed = slots.left(leased, { startedMs, nowMs: performance.now(), healthy, ...snooze });
    if (end.kind === 'snooze') setTimeout(requestPoll, end.afterMs + TIMER_EARLY_MS).unref();
    // What waits behind a receiver that fails may be sent by another worker, or later.
    if (!healthy || end.kind === 'snooze') this.giveBack(orderingKey);
    for (const key of freed) {
      if (slots.isFull) break;
      this.startReady(key);
    }
    requestPoll();
    await this.conclude(leased, end, claimedMs);
    const madeRoom = this.forget(1);
    // A message that was put back may be due again.
    if (madeRoom || end.kind !== 'settled') requestPoll();
  }

  /** Gives back all that is ready of a key. */
  private giveBack(orderingKey: string): void {
    const line = this.parts.slots.takeWaiting(orderingKey);
    if (line.length > 0) void this.release(line.map(({ leased }) => leased));
  }

  /** Gives messages back as if they had never been claimed. Never rejects. */
  private async release(leased: LeasedMessage[]): Promise<void> {
    const { slots, requestPoll } = this.parts;
    for (const one of leased) slots.givenBack(one, performance.now());
    await this.returnAll(leased);
    this.forget(leased.length);
    requestPoll();
  }

  /** Returns whether there is room now, and was none before. */
  private forget(count: number): boolean {
    const { slots } = this.parts;
    const madeRoom = slots.forget(count);
    if (slots.leased === 0) this.nothingLeft?.();
    return madeRoom;
  }

  /** Where this fails the leases run out by themselves. Never rejects. */
  private async returnAll(leased: LeasedMessage[]): Promise<void> {
    await this.parts.store.release(leased).catch((error: unknown) => this.releaseFailure.warn(error));
  }

  /** Makes the attempt, unless its message's workers died too often. Throws, or rejects, where the handler does. */
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

  private conclude(leased: LeasedMessage, end: AttemptEnd, claimedMs: number): Promise<void> {
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
