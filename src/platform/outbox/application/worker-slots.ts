import { FairShare, SHARE_OF_ONE_KEY, TopicSlots } from '../domain/fair-share.js';
import type { Attempt } from '../domain/outbox-message.js';
import type { OutboxHandler } from '../outbox.handler.js';
import type { ClaimRequest } from '../infrastructure/outbox.claimer.js';
import type { LeasedMessage } from '../infrastructure/outbox.store.js';

/**
 * The most messages that a worker leases, as a multiple of its slots: waiting for a slot, in progress, or waiting
 * to be written. This bound stops claims when the database is slow, and limits the unknown outcomes if the worker
 * dies.
 */
const LEASED_PER_SLOT = 3;
/**
 * The smallest claim, as a fraction of the slots. Two more slots of messages per slot are queued at
 * that point.
 */
const CLAIM_PER_SLOT = 1 / 4;

/** A prepared message waiting for a slot. */
export interface Ready {
  leased: LeasedMessage;
  attempt: Attempt<unknown> | undefined;
  claimedMs: number;
}

/** The end of an attempt; times are monotonic. */
export interface SlotEnd {
  startedMs: number;
  nowMs: number;
  /** False: it failed as with a busy or dead receiver. */
  healthy: boolean;
  /** How long to claim nothing of this key; absent if an attempt was made. */
  snoozeMs?: number;
}

/**
 * The messages leased by one worker, and the allocation of its slots: fair between ordering keys,
 * and within the limits of topics.
 */
export class WorkerSlots {
  private readonly share: FairShare;
  private readonly topicSlots: TopicSlots;
  /** Messages waiting for a slot, by ordering key; no entry is empty. */
  private readonly ready = new Map<string, Ready[]>();
  private leasedCount = 0;

  constructor(
    private readonly slots: number,
    private readonly boundsOf: (topic: string) => Pick<OutboxHandler, 'slotsMax' | 'slotsPerKeyMax'>,
  ) {
    this.share = new FairShare(slots);
    // A topic with a limit never uses all slots, even if the worker has few.
    const shareMax = Math.max(1, Math.floor(slots * SHARE_OF_ONE_KEY));
    this.topicSlots = new TopicSlots((topic) => {
      const { slotsMax } = boundsOf(topic);
      return slotsMax === undefined ? undefined : Math.min(slotsMax, shareMax);
    });
  }

  /** Attempts in progress. */
  get inFlight(): number {
    return this.slots - this.share.free;
  }

  /** Whether a ready attempt of any key must wait. */
  get isFull(): boolean {
    return this.share.free <= 0;
  }

  /** Messages waiting for a slot, in progress, or with an unwritten outcome. */
  get leased(): number {
    return this.leasedCount;
  }

  /** Number of messages that may be claimed now: 0 if too few for a claim. */
  get room(): number {
    const room = this.slots * LEASED_PER_SLOT - this.leasedCount;
    return room < this.slots * CLAIM_PER_SLOT ? 0 : room;
  }

  /** The claim request for all handled topics. */
  claimable(
    topics: readonly string[],
    nowMs: number,
  ): Omit<ClaimRequest, 'afterKey' | 'part' | 'throttledTopics'> {
    const perKeyOfTopic = new Map<string, number>();
    for (const topic of topics) {
      const { slotsPerKeyMax } = this.boundsOf(topic);
      if (slotsPerKeyMax !== undefined) perKeyOfTopic.set(topic, slotsPerKeyMax);
    }
    return {
      ...this.topicSlots.freeOf(topics),
      perKeyOfTopic,
      limit: this.room,
      limitPerKey: this.share.startLimit,
      freeOf: this.share.freeOf(nowMs),
    };
  }

  claimed(leased: readonly LeasedMessage[], nowMs: number): void {
    this.leasedCount += leased.length;
    for (const { message } of leased) {
      this.share.claimed(message.orderingKey, nowMs, this.boundsOf(message.topic).slotsPerKeyMax);
      this.topicSlots.claimed(message.topic);
    }
  }

  add(ready: Ready): void {
    const { orderingKey } = ready.leased.message;
    const line = this.ready.get(orderingKey);
    if (line) line.push(ready);
    else this.ready.set(orderingKey, [ready]);
  }

  /** The keys with waiting messages. */
  get waitingKeys(): string[] {
    return [...this.ready.keys()];
  }

  /** Removes and returns the oldest message of a key that may start; undefined if none may. */
  next(orderingKey: string): Ready | undefined {
    const line = this.ready.get(orderingKey);
    if (!line || !this.share.mayStart(orderingKey)) return undefined;
    const next = line.shift();
    if (line.length === 0) this.ready.delete(orderingKey);
    return next;
  }

  /** Removes and returns all waiting messages of a key. */
  takeWaiting(orderingKey: string): Ready[] {
    const line = this.ready.get(orderingKey) ?? [];
    this.ready.delete(orderingKey);
    return line;
  }

  started({ message }: LeasedMessage, nowMs: number): void {
    this.share.started(message.orderingKey, nowMs);
  }

  /**
   * Frees the slot of an ended attempt, whose outcome is not written yet. Returns the keys whose
   * attempts may start now: all keys if the worker was full, else only this one.
   */
  left({ message }: LeasedMessage, { startedMs, nowMs, healthy, snoozeMs }: SlotEnd): Iterable<string> {
    const wasFull = this.isFull;
    this.topicSlots.ended(message.topic);
    if (snoozeMs === undefined) this.share.ended(message.orderingKey, { startedMs, nowMs, healthy });
    else this.share.snooze(message.orderingKey, { startedMs, nowMs, afterMs: snoozeMs });
    return wasFull ? this.ready.keys() : [message.orderingKey];
  }

  /** Its attempt never started. */
  givenBack({ message }: LeasedMessage, nowMs: number): void {
    this.topicSlots.ended(message.topic);
    this.share.givenBack(message.orderingKey, nowMs);
  }

  /** Removes ended leases; returns whether the worker was full before and has room now. */
  forget(count: number): boolean {
    const wasFull = this.room === 0;
    this.leasedCount -= count;
    return wasFull && this.room > 0;
  }
}
