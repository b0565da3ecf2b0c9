import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import { Complaint } from '../../shared/complaint.js';
import { SettingsFrom } from '../../shared/inject-settings.js';
import { type OutboxSettings, outboxSettings } from '../outbox.settings.js';
import { FairShare } from '../domain/fair-share.js';
import { OutboxMetrics } from '../infrastructure/outbox.metrics.js';
import { OutboxClaimer } from '../infrastructure/outbox.claimer.js';
import { OutboxService } from '../outbox.service.js';
import { OutboxSettler } from './outbox.settler.js';
import { type LeasedMessage, OutboxStore } from '../infrastructure/outbox.store.js';
import {
  type Attempt,
  type Ending,
  OUTBOX_UNKNOWN_OUTCOMES_MAX,
  type OutboxMessage,
} from '../domain/outbox-message.js';

const LOWEST_PROJECT = '00000000-0000-0000-0000-000000000000';
/** Longest that a shutdown waits for attempts under way, beyond their own timeout. */
const DRAIN_EXTRA_MS = 5_000;
/** Pause after a claim failed, e.g. because the database is away. */
const CLAIM_RETRY_MS = 500;
/**
 * Messages that a worker leases at most, as a multiple of its slots: those that wait for a slot, those under way
 * and those whose outcome waits to be written. Past it, a slow database stops the claims; a worker that dies
 * leaves so many unknown.
 */
const LEASED_PER_SLOT = 3;
/** A message that waited longer for its slot goes back: the settings it was prepared with may be old. */
const READY_MAX_MS = 2_000;

/** A timer may go off so much before its time, by the clock that the pause is measured with. */
const TIMER_EARLY_MS = 2;

/** How an attempt ended, seen from here. */
type AttemptEnd = Ending<unknown> | { kind: 'threw'; cause: unknown };

/** A message that is prepared and waits for a slot. */
interface Ready {
  leased: LeasedMessage;
  attempt: Attempt<unknown> | undefined;
  claimedMs: number;
  /** To be called once its outcome is written, or it was given back. */
  done: () => void;
}

/**
 * Works through the outbox: claims as many messages as there are free slots, fair between projects, has
 * their handlers attempt them, and settles what came of them. It is rung (by BullMQ, by a finished attempt);
 * it never asks by itself, and two rings at once are one.
 */
@Injectable()
export class OutboxDispatcher implements BeforeApplicationShutdown {
  private readonly claimFailure = new Complaint(
    new Logger(OutboxDispatcher.name),
    'messages could not be claimed; trying again',
  );
  private readonly share: FairShare;
  private readonly abort = new AbortController();
  private afterProject = LOWEST_PROJECT;
  private running: Promise<void> | null = null;
  private rung = false;
  private stopping = false;
  /** The batches under way; each ends with the last of its outcomes written. */
  private readonly batches = new Set<Promise<void>>();
  /** What waits for a slot, by project; no entry is empty. */
  private readonly ready = new Map<string, Ready[]>();
  private leasedCount = 0;
  private draining: Promise<void> | null = null;

  constructor(
    private readonly claimer: OutboxClaimer,
    private readonly store: OutboxStore,
    private readonly settler: OutboxSettler,
    private readonly outbox: OutboxService,
    private readonly metrics: OutboxMetrics,
    @SettingsFrom(outboxSettings) private readonly settings: OutboxSettings,
  ) {
    metrics.watch(this);
    this.share = new FairShare(settings.slots);
  }

  /** Attempts under way. */
  get inFlight(): number {
    return this.settings.slots - this.share.free;
  }

  /** Messages that wait for a slot, are under way, or have an outcome not yet written. */
  get leased(): number {
    return this.leasedCount;
  }

  /** Looks for work now. Never waits and never throws. */
  ring(): void {
    this.rung = true;
    if (this.running || this.stopping) return;
    this.running = this.run().finally(() => {
      this.running = null;
      if (this.rung) this.ring();
    });
  }

  /** Stops claiming and waits until what is under way has ended and is settled. */
  beforeApplicationShutdown(): Promise<void> {
    this.draining ??= this.drain();
    return this.draining;
  }

  private async drain(): Promise<void> {
    this.stopping = true;
    for (const projectId of this.ready.keys()) this.giveBack(projectId);
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
      while (this.rung && !this.stopping) {
        this.rung = false;
        await this.claimAll();
      }
    } catch (error) {
      this.claimFailure.about(error);
      await new Promise((wake) => setTimeout(wake, CLAIM_RETRY_MS));
      this.rung = true;
    }
  }

  /**
   * Claims until it has leased its fill or a whole walk over the projects is done. What a walk passed by (a project
   * that has its fill, a message that comes later) rings again when its time has come.
   */
  private async claimAll(): Promise<void> {
    let wholeWalk = this.afterProject === LOWEST_PROJECT;
    for (let room = this.room; room > 0 && !this.stopping; room = this.room) {
      const claimedMs = performance.now();
      const { claimId, messages, nextProject, reachedEnd } = await this.claimer.claim({
        topics: this.outbox.topics,
        limit: room,
        limitPerProject: this.share.startLimit,
        freeOf: this.share.freeOf(claimedMs),
        afterProject: this.afterProject,
      });
      this.afterProject = nextProject;
      if (messages.length > 0) {
        this.begin(
          messages.map((message) => ({ message, claimId })),
          claimedMs,
        );
      }
      if (reachedEnd) {
        if (wholeWalk) return;
        wholeWalk = true;
      }
    }
  }

  /** How many messages may be claimed now. */
  private get room(): number {
    return this.leasedMax - this.leased;
  }

  /** Never more than half of the lease: after a pause of the process the message may be somebody else's. */
  private get readyMaxMs(): number {
    return Math.min(READY_MAX_MS, this.settings.leaseMs / 2);
  }

  private get leasedMax(): number {
    return this.settings.slots * LEASED_PER_SLOT;
  }

  /** Counts them at once and works in the background: the next claim need not wait for this preparation. */
  private begin(leased: LeasedMessage[], claimedMs: number): void {
    this.metrics.reclaims.inc(leased.filter(({ message }) => message.unknownOutcomes > 0).length);
    this.leasedCount += leased.length;
    for (const { message } of leased) this.share.claimed(message.projectId, claimedMs);
    const topics = [...Map.groupBy(leased, ({ message }) => message.topic)];
    const batch = Promise.all(
      topics.map(async ([topic, entries]) => {
        const attempts = await this.prepare(topic, entries);
        await Promise.all(entries.map((entry, index) => this.enqueue(entry, attempts[index], claimedMs)));
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
  private enqueue(
    leased: LeasedMessage,
    attempt: Attempt<unknown> | undefined,
    claimedMs: number,
  ): Promise<void> {
    const { projectId } = leased.message;
    return new Promise((done) => {
      const line = this.ready.get(projectId) ?? [];
      this.ready.set(projectId, line);
      line.push({ leased, attempt, claimedMs, done });
      if (this.stopping) this.giveBack(projectId);
      else this.startReady(projectId);
    });
  }

  /** Begins what has a slot. */
  private startReady(projectId: string): void {
    const line = this.ready.get(projectId) ?? [];
    while (line.length > 0 && this.share.mayStart(projectId)) {
      const next = line.shift();
      if (next && performance.now() - next.claimedMs > this.readyMaxMs) void this.release(projectId, [next]);
      else if (next) void this.attempt(next);
    }
    if (line.length === 0) this.ready.delete(projectId);
  }

  /** Never rejects. */
  private async attempt({ leased, attempt, claimedMs, done }: Ready): Promise<void> {
    const { projectId } = leased.message;
    const startedMs = performance.now();
    this.share.started(projectId, startedMs);
    const end = await this.endOf(leased.message, attempt);
    // The receiver has answered: its slot is free, and need not wait until the outcome is on the disk.
    const healthy = end.kind !== 'settled' || end.healthy;
    if (end.kind === 'put_off') this.putOff(projectId, startedMs, end.afterMs);
    else this.share.ended(projectId, { startedMs, nowMs: performance.now(), healthy });
    // What waits behind a receiver that fails may be sent by another worker, or later.
    if (!healthy || end.kind === 'put_off') this.giveBack(projectId);
    for (const waiting of [...this.ready.keys()]) this.startReady(waiting);
    this.ring();
    await this.conclude(leased, end, claimedMs);
    const wasFull = this.leased >= this.leasedMax;
    this.leasedCount -= 1;
    // A message that was put back may be due again.
    if (wasFull || end.kind !== 'settled') this.ring();
    done();
  }

  /** Leaves the project alone for a while, and looks again then. */
  private putOff(projectId: string, startedMs: number, afterMs: number): void {
    this.share.putOff(projectId, { startedMs, nowMs: performance.now(), afterMs });
    setTimeout(() => this.ring(), afterMs + TIMER_EARLY_MS).unref();
  }

  /** Gives back all that is ready of a project. */
  private giveBack(projectId: string): void {
    const line = this.ready.get(projectId) ?? [];
    this.ready.delete(projectId);
    if (line.length > 0) void this.release(projectId, line);
  }

  /** Gives messages back as if they had never been claimed. Never rejects. */
  private async release(projectId: string, line: Ready[]): Promise<void> {
    for (const _ of line) this.share.givenBack(projectId, performance.now());
    // Where this fails the leases run out by themselves.
    await this.store.release(line.map(({ leased }) => leased)).catch((error: unknown) => {
      this.claimFailure.about(error);
    });
    this.leasedCount -= line.length;
    for (const { done } of line) done();
    this.ring();
  }

  private async endOf(message: OutboxMessage, attempt: Attempt<unknown> | undefined): Promise<AttemptEnd> {
    try {
      if (message.unknownOutcomes >= OUTBOX_UNKNOWN_OUTCOMES_MAX) {
        this.metrics.givenUp.inc();
        const outcome = this.outbox.handlerOf(message.topic).giveUp(message);
        return { kind: 'settled', outcome, healthy: true };
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
          this.claimFailure.about(error);
        });
      case 'retry':
        return this.store.putBack(leased, end).catch((error: unknown) => this.settler.fail(leased, error));
      case 'threw':
        return this.settler.fail(leased, end.cause);
    }
  }
}
