import { DomainError } from '../errors/domain-error.js';

/** Limits of a semaphore, in total and per key. A key is usually a project. */
export interface SemaphoreLimits {
  permits: number;
  permitsPerKey: number;
  /** The word for a key in errors; a project by default. */
  noun?: 'project' | 'account';
  /** Callers of one key that may wait; more are refused at once. */
  waitingPerKeyMax: number;
  /** How long a caller waits before it is refused. */
  waitMs: number;
  /** `Retry-After` of a refused caller. */
  retryAfterSeconds: number;
}

interface Waiter {
  grant(): void;
}

/**
 * Permits of this process that keys share fairly: a key never holds more than its share, and permits go to waiting keys
 * in turn, not in the order of arrival.
 */
export class FairSemaphore {
  private readonly held = new Map<string, number>();
  /** Keys in the order of their turns; a key that was granted a permit moves to the end. */
  private readonly waiting = new Map<string, Waiter[]>();
  private heldInTotal = 0;

  constructor(private readonly limits: SemaphoreLimits) {}

  /**
   * Acquires a permit, waiting for one if necessary. The returned function releases it.
   * @throws DomainError `too_many_requests` (429) if the key's share is used up, `overloaded` (503) if all permits
   *   are; the signal's reason if it is aborted first.
   */
  async acquire(key: string, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (this.hasPermitFor(key)) this.count(key);
    else await this.wait(key, signal);
    let isReleased = false;
    return () => {
      if (!isReleased) this.release(key);
      isReleased = true;
    };
  }

  private hasPermitFor(key: string): boolean {
    return this.heldInTotal < this.limits.permits && (this.held.get(key) ?? 0) < this.limits.permitsPerKey;
  }

  private count(key: string): void {
    this.heldInTotal += 1;
    this.held.set(key, (this.held.get(key) ?? 0) + 1);
  }

  private release(key: string): void {
    this.heldInTotal -= 1;
    const left = (this.held.get(key) ?? 0) - 1;
    if (left > 0) this.held.set(key, left);
    else this.held.delete(key);
    for (const [next, queue] of this.waiting) {
      if (!this.hasPermitFor(next)) continue;
      this.waiting.delete(next);
      const first = queue.shift();
      if (queue.length > 0) this.waiting.set(next, queue);
      this.count(next);
      first?.grant();
      return;
    }
  }

  private wait(key: string, signal: AbortSignal): Promise<void> {
    const queue = this.waiting.get(key) ?? [];
    if (queue.length >= this.limits.waitingPerKeyMax) throw this.refusal(key);
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
      };
      const fail = (reason: unknown): void => {
        stop();
        this.forget(key, waiter);
        reject(reason as Error);
      };
      const onAbort = (): void => fail(signal.reason);
      const timer = setTimeout(() => fail(this.refusal(key)), this.limits.waitMs);
      const waiter: Waiter = {
        grant: () => {
          stop();
          resolve();
        },
      };
      signal.addEventListener('abort', onAbort);
      queue.push(waiter);
      this.waiting.set(key, queue);
    });
  }

  private forget(key: string, gone: Waiter): void {
    const queue = this.waiting.get(key)?.filter((waiter) => waiter !== gone) ?? [];
    if (queue.length > 0) this.waiting.set(key, queue);
    else this.waiting.delete(key);
  }

  private refusal(key: string): DomainError {
    const { retryAfterSeconds, permitsPerKey, noun = 'project' } = this.limits;
    if ((this.held.get(key) ?? 0) >= permitsPerKey) {
      return new DomainError(
        'too_many_requests',
        `At most ${permitsPerKey} of these can run at once per ${noun}. Try again when one has finished.`,
        { retryAfterSeconds },
      );
    }
    return new DomainError('overloaded', 'Too many of these are running. Try again shortly.', {
      retryAfterSeconds,
    });
  }
}
