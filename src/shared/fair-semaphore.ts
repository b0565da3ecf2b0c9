import { DomainError } from './domain-error.js';

/** How many may do something at once, in all and for one key, e.g. a project. */
export interface SemaphoreLimits {
  places: number;
  placesPerKey: number;
  /** What a key is, as a refusal names it; a project by default. */
  noun?: 'project' | 'account';
  /** How many of one key may wait; more are refused at once. */
  waitingPerKeyMax: number;
  /** How long one waits before it is refused. */
  waitMs: number;
  /** `Retry-After` of a refused caller. */
  retryAfterSeconds: number;
}

interface Waiting {
  enter(): void;
}

/**
 * Places that keys share fairly: a key never holds more than its share, and those that wait are let in by turns of
 * the keys, not in the order in which they came. One process's places; they cost nothing while they are free.
 */
export class FairSemaphore {
  private readonly taken = new Map<string, number>();
  /** Keys in the order of their turns; a key goes behind the others when one of its waiting was let in. */
  private readonly waiting = new Map<string, Waiting[]>();
  private takenInAll = 0;

  constructor(private readonly limits: SemaphoreLimits) {}

  /**
   * Takes a place until the returned function is called, waiting for one if need be.
   * @throws DomainError `too_many_requests` (429) where the key's own share is used up, `overloaded` (503) where
   *   the places of all are; the signal's reason where it is aborted first.
   */
  async take(key: string, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (!this.hasPlaceFor(key)) await this.waitForPlace(key, signal);
    else this.enter(key);
    let left = false;
    return () => {
      if (!left) this.leave(key);
      left = true;
    };
  }

  private hasPlaceFor(key: string): boolean {
    return this.takenInAll < this.limits.places && (this.taken.get(key) ?? 0) < this.limits.placesPerKey;
  }

  private enter(key: string): void {
    this.takenInAll += 1;
    this.taken.set(key, (this.taken.get(key) ?? 0) + 1);
  }

  private leave(key: string): void {
    this.takenInAll -= 1;
    const left = (this.taken.get(key) ?? 0) - 1;
    if (left > 0) this.taken.set(key, left);
    else this.taken.delete(key);
    for (const [next, queue] of this.waiting) {
      if (!this.hasPlaceFor(next)) continue;
      this.waiting.delete(next);
      const first = queue.shift();
      if (queue.length > 0) this.waiting.set(next, queue);
      this.enter(next);
      first?.enter();
      return;
    }
  }

  private waitForPlace(key: string, signal: AbortSignal): Promise<void> {
    const queue = this.waiting.get(key) ?? [];
    if (queue.length >= this.limits.waitingPerKeyMax) throw this.refusal(key);
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
      };
      const giveUp = (reason: unknown): void => {
        stop();
        this.forget(key, waiting);
        reject(reason as Error);
      };
      const onAbort = (): void => giveUp(signal.reason);
      const timer = setTimeout(() => giveUp(this.refusal(key)), this.limits.waitMs);
      const waiting: Waiting = {
        enter: () => {
          stop();
          resolve();
        },
      };
      signal.addEventListener('abort', onAbort);
      queue.push(waiting);
      this.waiting.set(key, queue);
    });
  }

  private forget(key: string, gone: Waiting): void {
    const queue = this.waiting.get(key)?.filter((waiting) => waiting !== gone) ?? [];
    if (queue.length > 0) this.waiting.set(key, queue);
    else this.waiting.delete(key);
  }

  private refusal(key: string): DomainError {
    const { retryAfterSeconds, placesPerKey, noun = 'project' } = this.limits;
    if ((this.taken.get(key) ?? 0) >= placesPerKey) {
      return new DomainError(
        'too_many_requests',
        `At most ${placesPerKey} of these can run at once per ${noun}. Try again when one has finished.`,
        { retryAfterSeconds },
      );
    }
    return new DomainError('overloaded', 'Too many of these are running. Try again shortly.', {
      retryAfterSeconds,
    });
  }
}
