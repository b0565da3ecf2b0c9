import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import { ThrottledLog } from '../../shared/throttled-log.js';
import { SettingsFrom } from '../../shared/inject-settings.js';
import { type OutboxSettings, outboxSettings } from '../outbox.settings.js';
import { type Attempt, type Ending, type OutboxMessage } from '../domain/outbox-message.js';
import { AWAKE_MS, ClaimPace, type Look } from '../domain/claim-pace.js';
import { type ClaimRequest, LOWEST_KEY, OutboxClaimer } from '../infrastructure/outbox.claimer.js';
import { OutboxMetrics } from '../infrastructure/outbox.metrics.js';
import { type LeasedMessage, OutboxStore } from '../infrastructure/outbox.store.js';
import { OutboxService } from '../outbox.service.js';
import { OutboxSettler } from './outbox.settler.js';
import { type Ready, WorkerSlots } from './worker-slots.js';

/** Longest that a shutdown waits for attempts under way, beyond the longest that one may take. */
const DRAIN_EXTRA_MS = 5_000;
/** Pause after a claim failed, e.g. because the database is away. */
const CLAIM_RETRY_MS = 500;
/** A message that waited longer for its slot goes back: the settings it was prepared with may be old. */
const READY_MAX_MS = 2_000;

/** A timer may go off so much before its time, by the clock that the pause is measured with. */
const TIMER_EARLY_MS = 2;

/** How an attempt ended, seen from here. */
type AttemptEnd = Ending<unknown> | { kind: 'threw'; cause: unknown };

/**
 * Works through the outbox: claims as many messages as there are free slots, fair between ordering keys, has
 * their handlers attempt them, and settles what came of them. It is rung (by BullMQ, by a finished attempt);
 * it never asks by itself, and two rings at once are one.
 */
@Injectable()
export class OutboxDispatcher implements BeforeApplicationShutdown {
  private readonly claimFailure = new ThrottledLog(
    new Logger(OutboxDispatcher.name),
    'messages could not be claimed; trying again',
  );
  private readonly slots: WorkerSlots;
  private readonly abort = new AbortController();
  private readonly pace = new ClaimPace();
  /** Set while a look is to come. */
  private nextLook: NodeJS.Timeout | undefined;
  private afterKey = LOWEST_KEY;
  private running: Promise<void> | null = null;
  private rung = false;
  private stopping = false;
  /** The batches under way; each ends with the last of its outcomes written. */
  private readonly batches = new Set<Promise<void>>();
  private draining: Promise<void> | null = null;

  constructor(
    private readonly claimer: OutboxClaimer,
    private readonly store: OutboxStore,
    private readonly settler: OutboxSettler,
    private readonly outbox: OutboxService,
    private readonly metrics: OutboxMetrics,
    @SettingsFrom(outboxSettings) private readonly settings: OutboxSettings,
  ) {
    this.slots = new WorkerSlots(settings.slots, (topic) => outbox.handlerOf(topic).slotsMax);
    metrics.watch(this.slots);
  }

  /** Attempts under way. */
  get inFlight(): number {
    return this.slots.inFlight;
  }

  /** Messages that wait for a slot, are under way, or have an outcome not yet written. */
  get leased(): number {
    return this.slots.leased;
  }

  /** Looks for work: now, or, while work keeps coming, in some milliseconds. Never waits and never throws. */
  ring(): void {
    this.rung = true;
    if (this.running || this.stopping) return;
    const waitMs = this.pace.waitMs(performance.now());
    if (waitMs > 0) return this.lookIn(waitMs);
    this.running = this.run().finally(() => {
      this.running = null;
      if (this.rung) return this.ring();
      const againMs = this.pace.againMs(performance.now());
      if (againMs !== null) this.lookIn(againMs);
    });
  }

  private lookIn(waitMs: number): void {
    if (this.stopping) return;
    this.nextLook ??= setTimeout(() => {
      this.nextLook = undefined;
      this.ring();
    }, Math.ceil(waitMs));
  }

  /** Stops claiming and waits until what is under way has ended and is settled, whatever its topic. */
  beforeApplicationShutdown(): Promise<void> {
    this.draining ??= this.drain();
    return this.draining;
  }

  private async drain(): Promise<void> {
    this.stopping = true;
    clearTimeout(this.nextLook);
    for (const key of this.slots.waitingKeys) this.giveBack(key);
    // Nobody shall go without a ring because of what this worker said; where that fails, the poll makes up for it.
    await this.store.sayAsleep().catch(() => {});
    const deadline = new Promise<void>((wake) => {
      setTimeout(wake, this.outbox.attemptMaxMs + DRAIN_EXTRA_MS).unref();
    });
    // Batches are looked at once no claim can add one any more.
    const ended = Promise.resolve(this.running).then(() => Promise.all(this.batches));
    await Promise.race([ended, deadline]);
    this.abort.abort();
  }

  private async run(): Promise<void> {
    try {
      while (this.rung && !this.stopping && this.pace.waitMs(performance.now()) === 0) {
        this.rung = false;
        const beganMs = performance.now();
        const seen = await this.claimAll();
        this.pace.looked({ ...seen, beganMs, endedMs: performance.now() });
        if (this.pace.isToSayAwake(performance.now())) {
          await this.store.sayAwake(AWAKE_MS);
          this.pace.saidAwake(performance.now());
        }
      }
    } catch (error) {
      this.claimFailure.warn(error);
      await new Promise((wake) => setTimeout(wake, CLAIM_RETRY_MS));
      this.rung = true;
    }
  }

  /**
   * Claims until it has leased its fill or a whole walk over the keys is done. What a walk passed by (a key or a
   * topic that has its fill, a message that comes later) rings again when its time has come.
   */
  private async claimAll(): Promise<Pick<Look, 'found' | 'leftMore'>> {
    const look = { found: false, leftMore: false };
    let wholeWalk = this.afterKey === LOWEST_KEY;
    while (this.slots.room > 0 && !this.stopping) {
      const claimedMs = performance.now();
      const claimable = this.slots.claimable(this.outbox.topics, claimedMs);
      const claimed = await this.claimer.claim({
        ...claimable,
        gatedTopics: this.outbox.gatedTopics,
        afterKey: this.afterKey,
      });
      const { claimId, messages, nextKey, reachedEnd } = claimed;
      this.afterKey = nextKey;
      look.found ||= messages.length > 0;
      look.leftMore ||= mayHaveMore(claimable, messages);
      if (messages.length > 0) {
        this.begin(
          messages.map((message) => ({ message, claimId })),
          claimedMs,
        );
      }
      if (reachedEnd) {
        if (wholeWalk) return look;
        wholeWalk = true;
      }
    }
    return { ...look, leftMore: true };
  }

  /** Never more than half of the lease: after a pause of the process the message may be somebody else's. */
  private get readyMaxMs(): number {
    return Math.min(READY_MAX_MS, this.settings.leaseMs / 2);
  }

  /** Counts them at once and works in the background: the next claim need not wait for this preparation. */
  private begin(leased: LeasedMessage[], claimedMs: number): void {
    this.metrics.reclaims.inc(leased.filter(({ message }) => message.unknownOutcomes > 0).length);
    this.slots.claimed(leased, claimedMs);
    const topics = [...Map.groupBy(leased, ({ message }) => message.topic)];
    const batch = Promise.all(
      topics.map(async ([topic, entries]) => {
        const attempts = await this.prepare(topic, entries);
        await Promise.all(
          entries.map((entry, index) => this.enqueue({ leased: entry, attempt: attempts[index], claimedMs })),
        );
      }),
    ).then(() => {
      this.batches.delete(batch);
    });
    this.batches.add(batch);
  }

  /**
   * Has the handler prepare a batch. Where that throws, each message is prepared alone, so that a poisoned
   * one stands alone; it comes back as an attempt that throws.
   */
  private async prepare(topic: string, entries: LeasedMessage[]): Promise<Attempt<unknown>[]> {
    try {
      return await this.outbox.handlerOf(topic).prepare(entries.map(({ message }) => message));
    } catch (error) {
      if (entries.length === 1) return [() => Promise.reject(error as Error)];
      const alone = await Promise.all(entries.map((entry) => this.prepare(topic, [entry])));
      return alone.flat();
    }
  }

  /** Resolves once the message is settled or given back. Never rejects. */
  private enqueue(ready: Omit<Ready, 'done'>): Promise<void> {
    return new Promise((done) => {
      const { orderingKey } = ready.leased.message;
      this.slots.add({ ...ready, done });
      if (this.stopping) this.giveBack(orderingKey);
      else this.startReady(orderingKey);
    });
  }

  /** Begins what has a slot. */
  private startReady(orderingKey: string): void {
    for (let next = this.slots.next(orderingKey); next; next = this.slots.next(orderingKey)) {
      if (performance.now() - next.claimedMs > this.readyMaxMs) void this.release([next]);
      else void this.attempt(next);
    }
  }

  /** Never rejects. */
  private async attempt({ leased, attempt, claimedMs, done }: Ready): Promise<void> {
    const { orderingKey } = leased.message;
    const startedMs = performance.now();
    this.slots.started(leased, startedMs);
    const end = await this.endOf(leased.message, attempt);
    // The receiver has answered: its slot is free, and need not wait until the outcome is on the disk.
    const healthy = end.kind !== 'settled' || end.healthy;
    const putOff = end.kind === 'put_off' ? { putOffMs: end.afterMs } : {};
    this.slots.left(leased, { startedMs, nowMs: performance.now(), healthy, ...putOff });
    if (end.kind === 'put_off') setTimeout(() => this.ring(), end.afterMs + TIMER_EARLY_MS).unref();
    // What waits behind a receiver that fails may be sent by another worker, or later.
    if (!healthy || end.kind === 'put_off') this.giveBack(orderingKey);
    for (const waiting of this.slots.waitingKeys) this.startReady(waiting);
    this.ring();
    await this.conclude(leased, end, claimedMs);
    const madeRoom = this.slots.forget(1);
    // A message that was put back may be due again.
    if (madeRoom || end.kind !== 'settled') this.ring();
    done();
  }

  /** Gives back all that is ready of a key. */
  private giveBack(orderingKey: string): void {
    const line = this.slots.takeWaiting(orderingKey);
    if (line.length > 0) void this.release(line);
  }

  /** Gives messages back as if they had never been claimed. Never rejects. */
  private async release(line: Ready[]): Promise<void> {
    for (const { leased } of line) this.slots.givenBack(leased, performance.now());
    // Where this fails the leases run out by themselves.
    await this.store.release(line.map(({ leased }) => leased)).catch((error: unknown) => {
      this.claimFailure.warn(error);
    });
    this.slots.forget(line.length);
    for (const { done } of line) done();
    this.ring();
  }

  private async endOf(message: OutboxMessage, attempt: Attempt<unknown> | undefined): Promise<AttemptEnd> {
    try {
      const handler = this.outbox.handlerOf(message.topic);
      if (message.unknownOutcomes >= handler.retry.unknownOutcomesMax) {
        this.metrics.givenUp.inc();
        return handler.giveUp(message);
      }
      if (!attempt) throw new Error(`the handler of ${message.topic} prepared too few attempts`);
      return await attempt(this.abort.signal);
    } catch (cause) {
      return { kind: 'threw', cause };
    }
  }

  private async conclude(leased: LeasedMessage, end: AttemptEnd, claimedMs: number): Promise<void> {
    switch (end.kind) {
      case 'settled':
        return this.settler.settle(leased, end.outcome, claimedMs);
      case 'put_off':
        // Where this fails the lease runs out by itself.
        return this.store.release([leased]).catch((error: unknown) => {
          this.claimFailure.warn(error);
        });
      case 'retry':
        return this.settler.putBack(leased, end);
      case 'dead':
        return this.settler.bury(leased, end);
      case 'threw':
        return this.settler.fail(leased, end.cause);
    }
  }
}

/** Whether a claim took all that it might of some key: then more of it may wait. */
function mayHaveMore(
  { freeOf, limitPerKey }: Pick<ClaimRequest, 'freeOf' | 'limitPerKey'>,
  messages: readonly OutboxMessage[],
): boolean {
  const claimedOf = new Map<string, number>();
  for (const { orderingKey } of messages) {
    const claimed = (claimedOf.get(orderingKey) ?? 0) + 1;
    if (claimed >= (freeOf.get(orderingKey) ?? limitPerKey)) return true;
    claimedOf.set(orderingKey, claimed);
  }
  return false;
}
