/**
 * Enforces the concurrency limit of topics that have one, over claimed and running messages of this worker. Other
 * topics share the slots of the worker.
 */
export class TopicSlots {
  private readonly claimedOf = new Map<string, number>();

  /** Concurrent messages of a topic; undefined if only the slots limit it. */
  constructor(private readonly slotsMaxOf: (topic: string) => number | undefined) {}

  claimed(topic: string): void {
    this.claimedOf.set(topic, (this.claimedOf.get(topic) ?? 0) + 1);
  }

  /** A claimed message ended or was released. */
  ended(topic: string): void {
    this.claimedOf.set(topic, (this.claimedOf.get(topic) ?? 0) - 1);
  }

  /** The topics that may be claimed now, and the remaining capacity of limited ones. */
  freeOf(topics: readonly string[]): { topics: string[]; freeOfTopic: Map<string, number> } {
    const freeOfTopic = new Map<string, number>();
    for (const topic of topics) {
      const slotsMax = this.slotsMaxOf(topic);
      if (slotsMax === undefined) continue;
      freeOfTopic.set(topic, Math.max(0, slotsMax - (this.claimedOf.get(topic) ?? 0)));
    }
    const claimable = topics.filter((topic) => freeOfTopic.get(topic) !== 0);
    for (const topic of topics) if (freeOfTopic.get(topic) === 0) freeOfTopic.delete(topic);
    return { topics: claimable, freeOfTopic };
  }
}

/** Initial concurrency of a key, whose receiver is unknown. */
export const SHARE_START = 4;
/** Largest fraction of the slots for one key (design §6.5). */
export const SHARE_OF_ONE_KEY = 1 / 4;
/**
 * Largest fraction of the slots for all slow keys together, so that the others always find a slot.
 */
const SHARE_OF_SLOW_KEYS = 1 / 2;
/** An attempt that takes longer makes its key a slow one. */
export const SLOW_MS = 2_000;
/**
 * Below this response time, as many messages again are claimed ahead: a claim takes a large part of
 * such a time, and the receiver would be idle. For slower receivers they would only grow old.
 */
export const AHEAD_BELOW_MS = 250;
/**
 * After this long without work a key starts small again: its connections may be closed, and a hundred handshakes
 * at once can overload a receiver that was fast.
 */
export const SHARE_RESTART_MS = 3_000;
/** A key without work is removed after this time. */
const FORGET_MS = 60_000;

interface KeyShare {
  /** Claimed messages, started or not. */
  claimed: number;
  inFlight: number;
  limit: number;
  /** Upper bound of `limit`, set by the topic. */
  max: number;
  /** Duration of the last response. */
  lastMs: number;
  slow: boolean;
  /** Start times of the attempts in progress, oldest first. */
  startedAt: number[];
  idleSince: number;
  /** Nothing of it is claimed before this time. */
  pausedUntilMs: number;
}

/**
 * Divides a worker's slots between ordering keys; each slot takes one attempt. A key starts with a few slots,
 * gains one with each healthy response, however slow, up to a quarter of all slots, and loses half with each
 * failure. Slow keys share half of the slots evenly: a receiver that responds after 2.5 s gets as many attempts as
 * it handles while other keys do not need the slots, a hanging receiver holds few slots however many records are
 * queued, and slow keys together never delay healthy ones. Times are of a monotonic clock, in milliseconds.
 */
export class FairShare {
  private readonly shares = new Map<string, KeyShare>();
  private inFlight = 0;

  constructor(private readonly slots: number) {}

  get free(): number {
    return this.slots - this.inFlight;
  }

  /** Remaining claimable messages of each known key; `SHARE_START` for all others. */
  freeOf(nowMs: number): Map<string, number> {
    this.forgetIdle(nowMs);
    const slow = [...this.shares.values()].filter((share) => isSlow(share, nowMs));
    const slowSlots = Math.floor(this.slots * SHARE_OF_SLOW_KEYS);
    const level = fairLevel(slow, slowSlots);
    const slowIsFull = slow.reduce((sum, share) => sum + share.claimed, 0) >= slowSlots;
    return new Map(
      [...this.shares].map(([key, share]) => {
        if (nowMs < share.pausedUntilMs) return [key, 0];
        if (!isSlow(share, nowMs)) {
          const ahead = share.lastMs < AHEAD_BELOW_MS ? share.limit : 0;
          return [key, Math.max(0, Math.min(share.max, share.limit + ahead) - share.claimed)];
        }
        // At least one, otherwise a receiver's recovery would never be detected.
        const entitled = Math.max(1, Math.min(share.limit, share.max, level));
        return [key, slowIsFull ? 0 : Math.max(0, entitled - share.claimed)];
      }),
    );
  }

  /** `max`: the topic's limit per key. */
  claimed(key: string, nowMs: number, max = Number.POSITIVE_INFINITY): void {
    const share = this.shares.get(key) ?? {
      claimed: 0,
      inFlight: 0,
      limit: this.startLimit,
      max,
      lastMs: Number.POSITIVE_INFINITY,
      slow: false,
      startedAt: [],
      idleSince: nowMs,
      pausedUntilMs: 0,
    };
    this.shares.set(key, share);
    share.claimed += 1;
  }

  /** A claimed message was released without an attempt. */
  givenBack(key: string, nowMs: number): void {
    const share = this.known(key);
    share.claimed -= 1;
    share.idleSince = nowMs;
  }

  /** Whether there is a slot for a claimed message of the key. */
  mayStart(key: string): boolean {
    const share = this.known(key);
    return this.free > 0 && share.inFlight < share.limit;
  }

  started(key: string, nowMs: number): void {
    const share = this.known(key);
    share.inFlight += 1;
    share.startedAt.push(nowMs);
    this.inFlight += 1;
  }

  /**
   * A started message was snoozed: pauses claims of the key, then allows one message at a time. The messages keep
   * their due time in the outbox; moving them to a later one would make each claim read past all of them.
   */
  snooze(
    key: string,
    { startedMs, nowMs, afterMs }: { startedMs: number; nowMs: number; afterMs: number },
  ): void {
    const share = this.known(key);
    this.leaveSlot(share, startedMs);
    share.idleSince = nowMs;
    // Concurrent attempts end one after the other; the first one ends the pause.
    if (nowMs >= share.pausedUntilMs) share.pausedUntilMs = nowMs + afterMs;
    share.limit = 1;
    share.lastMs = Number.POSITIVE_INFINITY;
  }

  /** `healthy` false: the attempt failed as with a busy or dead receiver. */
  ended(
    key: string,
    { startedMs, nowMs, healthy }: { startedMs: number; nowMs: number; healthy: boolean },
  ): void {
    const share = this.known(key);
    this.leaveSlot(share, startedMs);
    share.lastMs = nowMs - startedMs;
    share.slow = !healthy || share.lastMs > SLOW_MS;
    share.limit = healthy ? Math.min(this.cap, share.limit + 1) : Math.max(1, Math.floor(share.limit / 2));
    share.idleSince = nowMs;
  }

  /** The share of an unknown key. */
  get startLimit(): number {
    return Math.min(SHARE_START, this.cap);
  }

  private known(key: string): KeyShare {
    const share = this.shares.get(key);
    if (!share) throw new Error('a message is worked on that was never claimed');
    return share;
  }

  private leaveSlot(share: KeyShare, startedMs: number): void {
    share.startedAt.splice(share.startedAt.indexOf(startedMs), 1);
    share.claimed -= 1;
    share.inFlight -= 1;
    this.inFlight -= 1;
  }

  private get cap(): number {
    return Math.max(1, Math.floor(this.slots * SHARE_OF_ONE_KEY));
  }

  private forgetIdle(nowMs: number): void {
    for (const [key, share] of this.shares) {
      if (share.claimed > 0) continue;
      const idleMs = nowMs - share.idleSince;
      if (idleMs > FORGET_MS) this.shares.delete(key);
      else if (idleMs > SHARE_RESTART_MS) share.limit = Math.min(share.limit, this.startLimit);
    }
  }
}

/** Slow by its last response, or because a running attempt is slow. */
function isSlow(share: KeyShare, nowMs: number): boolean {
  const oldest = share.startedAt[0];
  return share.slow || (oldest !== undefined && nowMs - oldest > SLOW_MS);
}

/** The share of `slots` for each active slow key, such that unused slots go to other keys. */
function fairLevel(slow: KeyShare[], slots: number): number {
  const limits = slow
    .filter((share) => share.claimed > 0)
    .map((share) => share.limit)
    .toSorted((one, other) => one - other);
  let left = slots;
  for (const [index, limit] of limits.entries()) {
    const level = Math.floor(left / (limits.length - index));
    if (limit > level) return level;
    left -= limit;
  }
  return slots;
}
