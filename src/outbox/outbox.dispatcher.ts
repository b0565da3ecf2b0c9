import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import { Complaint } from '../shared/complaint.js';
import { InjectSettings, type Settings } from '../shared/settings.js';
import { FairShare } from './domain/fair-share.js';
import { OutboxClaimer } from './outbox.claimer.js';
import { OutboxService } from './outbox.service.js';
import { OutboxSettler } from './outbox.settler.js';
import { type HeldMessage, OutboxStore } from './outbox.store.js';
import {
  type Attempt,
  type Ending,
  OUTBOX_UNKNOWN_OUTCOMES_MAX,
  type OutboxMessage,
} from './outbox.types.js';

const LOWEST_PROJECT = '00000000-0000-0000-0000-000000000000';
/** Longest that a shutdown waits for attempts under way, beyond their own timeout. */
const DRAIN_EXTRA_MS = 5_000;
/** Pause after a claim failed, e.g. because the database is away. */
const CLAIM_RETRY_MS = 500;
/**
 * Messages that a worker holds at most, as a multiple of its slots: those under way and those whose outcome
 * waits to be written. Past it, a slow database stops the claims; a worker that dies leaves so many unknown.
 */
const HELD_PER_SLOT = 2;

/** How an attempt ended, seen from here. */
type AttemptEnd =
  | Ending<unknown>
  | { kind: 'threw'; cause: unknown }
  /** It was not begun, because the message may be somebody else's by now. */
  | { kind: 'not_begun' };

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
  private held = 0;
  private draining: Promise<void> | null = null;
  /** Leases taken over from a worker that died, for the metrics. */
  reclaims = 0;
  /** Messages given up because their outcome was unknown too often, for the metrics. */
  givenUp = 0;

  constructor(
    private readonly claimer: OutboxClaimer,
    private readonly store: OutboxStore,
    private readonly settler: OutboxSettler,
    private readonly outbox: OutboxService,
    @InjectSettings() private readonly settings: Settings,
  ) {
    this.share = new FairShare(settings.forwarding.slots);
  }

  /** Attempts under way and outcomes not yet written. */
  get inFlight(): number {
    return this.held;
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
    const deadline = new Promise<void>((wake) => {
      setTimeout(wake, this.settings.forwarding.timeoutMs + DRAIN_EXTRA_MS).unref();
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
   * Claims until no slot is free or a whole walk over the projects is done. What a walk passed by (a project
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
    return Math.min(this.share.free, this.heldMax - this.held);
  }

  private get heldMax(): number {
    return this.settings.forwarding.slots * HELD_PER_SLOT;
  }

  /** Takes the slots at once and works in the background: the next claim need not wait for this preparation. */
  private begin(held: HeldMessage[], claimedMs: number): void {
    this.reclaims += held.filter(({ message }) => message.unknownOutcomes > 0).length;
    this.held += held.length;
    for (const { message } of held) this.share.started(message.projectId, claimedMs);
    const topics = [...Map.groupBy(held, ({ message }) => message.topic)];
    const batch = Promise.all(
      topics.map(async ([topic, entries]) => {
        const attempts = await this.prepare(topic, entries);
        await Promise.all(entries.map((entry, index) => this.attempt(entry, attempts[index], claimedMs)));
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
  private async prepare(topic: string, entries: HeldMessage[]): Promise<Attempt<unknown>[]> {
    try {
      return await this.outbox.handlerOf(topic).prepare(entries.map(({ message }) => message));
    } catch (error) {
      if (entries.length === 1) return [() => Promise.reject(error as Error)];
      const alone = await Promise.all(entries.map((entry) => this.prepare(topic, [entry])));
      return alone.flat();
    }
  }

  /** Never rejects. */
  private async attempt(
    held: HeldMessage,
    attempt: Attempt<unknown> | undefined,
    claimedMs: number,
  ): Promise<void> {
    const end = await this.endOf(held.message, attempt, claimedMs);
    // The receiver has answered: its slot is free, and need not wait until the outcome is on the disk.
    const healthy = end.kind !== 'settled' || end.healthy;
    this.share.ended(held.message.projectId, { startedMs: claimedMs, nowMs: performance.now(), healthy });
    this.ring();
    await this.conclude(held, end, claimedMs);
    const wasFull = this.held >= this.heldMax;
    this.held -= 1;
    // A message that was put back may be due again.
    if (wasFull || end.kind !== 'settled') this.ring();
  }

  private async endOf(
    message: OutboxMessage,
    attempt: Attempt<unknown> | undefined,
    claimedMs: number,
  ): Promise<AttemptEnd> {
    try {
      if (message.unknownOutcomes >= OUTBOX_UNKNOWN_OUTCOMES_MAX) {
        this.givenUp += 1;
        const outcome = this.outbox.handlerOf(message.topic).giveUp(message);
        return { kind: 'settled', outcome, healthy: true };
      }
      if (!attempt) throw new Error(`the handler of ${message.topic} prepared too few attempts`);
      // Half of the lease went by before the work began (a paused process): the message may be somebody else's.
      if (performance.now() - claimedMs > this.settings.outbox.leaseMs / 2) return { kind: 'not_begun' };
      return await attempt(this.abort.signal);
    } catch (cause) {
      return { kind: 'threw', cause };
    }
  }

  private async conclude(held: HeldMessage, end: AttemptEnd, claimedMs: number): Promise<void> {
    switch (end.kind) {
      case 'settled':
        return this.settler.settle(held, end.outcome, claimedMs);
      case 'retry':
        return this.store.putBack(held, end).catch((error: unknown) => this.settler.fail(held, error));
      case 'threw':
        return this.settler.fail(held, end.cause);
      case 'not_begun':
    }
  }
}
