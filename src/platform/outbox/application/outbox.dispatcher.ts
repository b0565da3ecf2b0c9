import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import { ThrottledLog } from '../../operations/throttled-log.js';
import { InjectSettings } from '../../settings/inject-settings.js';
import { type OutboxSettings, outboxSettings } from '../outbox.settings.js';
import type { OutboxMessage } from '../domain/outbox-message.js';
import { POLLING_MS, PollPacer, type PollResult } from '../domain/poll-pacer.js';
import { type ClaimRequest, LOWEST_KEY, OutboxClaimer } from '../infrastructure/outbox.claimer.js';
import { OutboxMetrics } from '../infrastructure/outbox.metrics.js';
import { OutboxStore } from '../infrastructure/outbox.store.js';
import { OutboxService } from '../outbox.service.js';
import { OutboxAttempts } from './outbox.attempts.js';
import { PartitionRotation } from './partition-rotation.js';
import { OutboxSettler } from './outbox.settler.js';
import { WorkerSlots } from './worker-slots.js';

/** How much longer than the longest attempt a shutdown waits for attempts in progress. */
const DRAIN_EXTRA_MS = 5_000;
/** Pause after a claim failed, e.g. because the database is unavailable. */
const CLAIM_RETRY_MS = 500;

/**
 * Claims as many messages as there are free slots, fairly between ordering keys, and passes them to
 * `OutboxAttempts`. BullMQ jobs and finished attempts request polls; under load the dispatcher also
 * polls on a schedule. Concurrent requests are combined into one poll.
 */
@Injectable()
export class OutboxDispatcher implements BeforeApplicationShutdown {
  private readonly claimFailure = new ThrottledLog(
    new Logger(OutboxDispatcher.name),
    'could not claim messages; retrying',
  );
  private readonly slots: WorkerSlots;
  private readonly attempts: OutboxAttempts;
  private readonly pace: PollPacer;
  /** Set while a poll is scheduled. */
  private nextPoll: NodeJS.Timeout | undefined;
  /** Start of the next claim, by partition. */
  private readonly afterKey = new Map<number, string>();
  private running: Promise<void> | null = null;
  private pollRequested = false;
  private stopping = false;
  private draining: Promise<void> | null = null;

  constructor(
    private readonly claimer: OutboxClaimer,
    private readonly store: OutboxStore,
    settler: OutboxSettler,
    private readonly outbox: OutboxService,
    private readonly rotation: PartitionRotation,
    metrics: OutboxMetrics,
    @InjectSettings(outboxSettings) { slots, leaseMs, gatherMs }: OutboxSettings,
  ) {
    this.pace = new PollPacer(gatherMs);
    this.slots = new WorkerSlots(slots, (topic) => outbox.handlerOf(topic));
    this.attempts = new OutboxAttempts({
      slots: this.slots,
      store,
      settler,
      outbox,
      metrics,
      leaseMs,
      requestPoll: () => this.requestPoll(),
    });
    metrics.watch(this.slots);
  }

  /** Attempts in progress. */
  get inFlight(): number {
    return this.slots.inFlight;
  }

  /** Messages waiting for a slot, in progress, or with an unwritten outcome. */
  get leased(): number {
    return this.slots.leased;
  }

  /** Requests a poll: at once, or after the poll interval under load. Never waits and never throws. */
  requestPoll(): void {
    this.pollRequested = true;
    if (this.running || this.stopping) return;
    const waitMs = this.pace.waitMs(performance.now());
    if (waitMs > 0) return this.pollIn(waitMs);
    this.running = this.run().finally(() => {
      this.running = null;
      if (this.pollRequested) return this.requestPoll();
      const nextPollInMs = this.pace.nextPollInMs(performance.now());
      if (nextPollInMs !== null) this.pollIn(nextPollInMs);
    });
  }

  private pollIn(waitMs: number): void {
    if (this.stopping) return;
    this.nextPoll ??= setTimeout(() => {
      this.nextPoll = undefined;
      this.requestPoll();
    }, Math.ceil(waitMs));
  }

  /** Stops claiming and waits until running attempts of all topics have ended and are settled. */
  beforeApplicationShutdown(): Promise<void> {
    this.draining ??= this.drain();
    return this.draining;
  }

  private async drain(): Promise<void> {
    this.stopping = true;
    clearTimeout(this.nextPoll);
    this.attempts.stop();
    // Other processes must not skip wake-ups because of this worker. If this fails, the poll finds
    // the messages.
    await this.store.withdrawPolling().catch(() => {});
    const deadline = new Promise<void>((wake) => {
      setTimeout(wake, this.outbox.attemptMaxMs + DRAIN_EXTRA_MS).unref();
    });
    // Waits for claims in progress first, because they may add batches.
    const ended = Promise.resolve(this.running).then(() => this.attempts.ended());
    await Promise.race([ended, deadline]);
    this.attempts.cutOff();
  }

  private async run(): Promise<void> {
    try {
      while (this.pollRequested && !this.stopping && this.pace.waitMs(performance.now()) === 0) {
        this.pollRequested = false;
        const beganMs = performance.now();
        const result = await this.claimAll();
        this.pace.record({ ...result, beganMs, endedMs: performance.now() });
        if (this.pace.shouldAnnouncePolling(performance.now())) {
          await this.store.announcePolling(POLLING_MS);
          this.pace.announcedPolling(performance.now());
        }
        if (this.pace.shouldWakeOthers(performance.now())) {
          this.outbox.notifyWorkers();
          this.pace.wokeOthers(performance.now());
        }
      }
    } catch (error) {
      this.claimFailure.warn(error);
      await new Promise((wake) => setTimeout(wake, CLAIM_RETRY_MS));
      this.pollRequested = true;
    }
  }

  /**
   * Claims until the worker is full or has walked all keys of all partitions. Skipped messages (of a full key or topic,
   * or not due yet) cause another poll later.
   */
  private async claimAll(): Promise<Pick<PollResult, 'found' | 'leftMore'>> {
    const { claimed } = this.rotation;
    const result = { found: false, leftMore: false };
    for (const part of claimed.due(performance.now())) {
      const ofPart = await this.claimPart(part);
      result.found ||= ofPart.found;
      result.leftMore ||= ofPart.leftMore;
      if (ofPart.isDone) claimed.foundNothing(part, performance.now());
    }
    if (result.found) this.rotation.noteClaim();
    return result;
  }

  /** `isDone`: all keys were visited, and none had a message to claim. */
  private async claimPart(
    part: number,
  ): Promise<Pick<PollResult, 'found' | 'leftMore'> & { isDone: boolean }> {
    const result = { found: false, leftMore: false };
    let hasSkipped = false;
    let afterKey = this.afterKey.get(part) ?? LOWEST_KEY;
    let wholeWalk = afterKey === LOWEST_KEY;
    while (this.slots.room > 0 && !this.stopping) {
      const claimedMs = performance.now();
      const claimable = this.slots.claimable(this.outbox.topics, claimedMs);
      const { claimId, messages, nextKey, reachedEnd, openPart } = await this.claimer.claim({
        ...claimable,
        part,
        throttledTopics: this.outbox.throttledTopics,
        afterKey,
      });
      // The new open partition is polled at once.
      if (this.rotation.claimed.opened(openPart)) this.pollRequested = true;
      afterKey = nextKey;
      this.afterKey.set(part, afterKey);
      result.found ||= messages.length > 0;
      result.leftMore ||= mayHaveMore(claimable, messages);
      hasSkipped ||= skipsMessages(claimable);
      if (messages.length > 0) {
        this.attempts.begin(
          messages.map((message) => ({ message, claimId })),
          claimedMs,
        );
      }
      if (reachedEnd) {
        if (wholeWalk) return { ...result, isDone: !result.found && !hasSkipped };
        wholeWalk = true;
      }
    }
    return { ...result, leftMore: true, isDone: false };
  }
}

/** Whether a claim left out messages of a key or topic without a free slot. */
function skipsMessages({ freeOf, freeOfTopic }: Pick<ClaimRequest, 'freeOf' | 'freeOfTopic'>): boolean {
  for (const free of [...freeOf.values(), ...freeOfTopic.values()]) if (free <= 0) return true;
  return false;
}

/** Whether a claim reached the limit of some key, so more messages of it may be queued. */
function mayHaveMore(
  { freeOf, limitPerKey }: Pick<ClaimRequest, 'freeOf' | 'limitPerKey'>,
  messages: readonly OutboxMessage[],
): boolean {
  const claimedByKey = new Map<string, number>();
  for (const { orderingKey } of messages) {
    const claimed = (claimedByKey.get(orderingKey) ?? 0) + 1;
    if (claimed >= (freeOf.get(orderingKey) ?? limitPerKey)) return true;
    claimedByKey.set(orderingKey, claimed);
  }
  return false;
}
