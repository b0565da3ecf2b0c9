import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import { newId } from '../shared/ids.js';
import { InjectSettings, type Settings } from '../shared/settings.js';
import { FairShare } from './domain/fair-share.js';
import { OutboxService } from './outbox.service.js';
import { OutboxSettler } from './outbox.settler.js';
import { type HeldMessage, OutboxStore } from './outbox.store.js';
import { type Attempt, OUTBOX_UNKNOWN_OUTCOMES_MAX, type OutboxMessage } from './outbox.types.js';

const LOWEST_PROJECT = '00000000-0000-0000-0000-000000000000';
/** Longest that a shutdown waits for attempts under way, beyond their own timeout. */
const DRAIN_EXTRA_MS = 5_000;
/** Pause after a claim failed, e.g. because the database is away. */
const CLAIM_RETRY_MS = 500;

/**
 * Works through the outbox: claims as many messages as there are free slots, fair between projects, has
 * their handlers attempt them, and settles what came of them. It is rung (by BullMQ, by a finished attempt);
 * it never asks by itself, and two rings at once are one.
 */
@Injectable()
export class OutboxDispatcher implements BeforeApplicationShutdown {
  private readonly logger = new Logger(OutboxDispatcher.name);
  private readonly share: FairShare;
  private readonly abort = new AbortController();
  private afterProject = LOWEST_PROJECT;
  private running: Promise<void> | null = null;
  private rung = false;
  private stopping = false;
  private readonly attempts = new Set<Promise<void>>();
  /** Leases taken over from a worker that died, for the metrics. */
  reclaims = 0;
  /** Messages given up because their outcome was unknown too often, for the metrics. */
  givenUp = 0;

  constructor(
    private readonly store: OutboxStore,
    private readonly settler: OutboxSettler,
    private readonly outbox: OutboxService,
    @InjectSettings() private readonly settings: Settings,
  ) {
    this.share = new FairShare(settings.forwarding.slots);
  }

  /** Attempts under way and outcomes not yet written. */
  get inFlight(): number {
    return this.share.used;
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
  async beforeApplicationShutdown(): Promise<void> {
    this.stopping = true;
    await this.running;
    const deadline = new Promise<void>((wake) => {
      setTimeout(wake, this.settings.forwarding.timeoutMs + DRAIN_EXTRA_MS).unref();
    });
    await Promise.race([Promise.all(this.attempts), deadline]);
    this.abort.abort();
  }

  private async run(): Promise<void> {
    try {
      while (this.rung && !this.stopping) {
        this.rung = false;
        await this.claimAll();
      }
    } catch (error) {
      this.logger.warn({ err: error }, 'messages could not be claimed; trying again');
      await new Promise((wake) => setTimeout(wake, CLAIM_RETRY_MS));
      this.rung = true;
    }
  }

  /** Claims until no slot is free or a whole walk over the projects finds nothing. */
  private async claimAll(): Promise<void> {
    let foundInWalk = this.afterProject !== LOWEST_PROJECT;
    while (this.share.free > 0 && !this.stopping) {
      const claimedMs = performance.now();
      const { claimId, messages, nextProject, reachedEnd } = await this.store.claim(newId(), {
        topics: this.outbox.topics,
        limit: this.share.free,
        limitPerProject: this.share.startLimit,
        freeOf: this.share.freeOf(claimedMs),
        afterProject: this.afterProject,
      });
      this.afterProject = nextProject;
      foundInWalk ||= messages.length > 0;
      if (messages.length > 0)
        await this.begin(
          messages.map((message) => ({ message, claimId })),
          claimedMs,
        );
      if (reachedEnd) {
        if (!foundInWalk) return;
        foundInWalk = false;
      }
    }
  }

  private async begin(held: HeldMessage[], claimedMs: number): Promise<void> {
    this.reclaims += held.filter(({ message }) => message.unknownOutcomes > 0).length;
    for (const { message } of held) this.share.started(message.projectId, claimedMs);
    for (const [topic, entries] of Map.groupBy(held, ({ message }) => message.topic)) {
      const attempts = await this.prepare(topic, entries);
      entries.forEach((entry, index) => {
        const work = this.attempt(entry, attempts[index], claimedMs).finally(() => {
          this.attempts.delete(work);
          this.ring();
        });
        this.attempts.add(work);
      });
    }
  }

  /**
   * Has the handler prepare a batch. Where that throws, each message is prepared alone, so that a poisoned
   * one stands alone; it comes back as an attempt that throws.
   */
  private async prepare(topic: string, entries: HeldMessage[]): Promise<Attempt<unknown>[]> {
    const handler = this.outbox.handlerOf(topic);
    const prepare = (messages: OutboxMessage[]): Promise<Attempt<unknown>[]> => handler.prepare(messages);
    try {
      return await prepare(entries.map(({ message }) => message));
    } catch (error) {
      if (entries.length === 1) return [() => Promise.reject(error as Error)];
      const alone = await Promise.all(entries.map((entry) => this.prepare(topic, [entry])));
      return alone.flat();
    }
  }

  private async attempt(
    held: HeldMessage,
    attempt: Attempt<unknown> | undefined,
    claimedMs: number,
  ): Promise<void> {
    const { message } = held;
    let healthy = true;
    try {
      if (message.unknownOutcomes >= OUTBOX_UNKNOWN_OUTCOMES_MAX) {
        this.givenUp += 1;
        await this.settler.settle(held, this.outbox.handlerOf(message.topic).giveUp(message), claimedMs);
        return;
      }
      if (!attempt) throw new Error(`the handler of ${message.topic} prepared too few attempts`);
      // Half of the lease went by before the work began (a paused process): the message may be somebody else's.
      if (performance.now() - claimedMs > this.settings.outbox.leaseMs / 2) return;
      const ending = await attempt(this.abort.signal);
      if (ending.kind === 'settled') {
        healthy = ending.healthy;
        await this.settler.settle(held, ending.outcome, claimedMs);
      } else {
        await this.store.putBack(held, ending);
      }
    } catch (error) {
      await this.settler.fail(held, error);
    } finally {
      this.share.ended(message.projectId, { startedMs: claimedMs, nowMs: performance.now(), healthy });
    }
  }
}
