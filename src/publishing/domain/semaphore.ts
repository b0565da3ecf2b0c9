/** One of the places of a semaphore. */
export interface Slot {
  /** Resolves when it is this one's. */
  free: Promise<void>;
  /** Releases the slot to the next waiter. The holder calls it once. */
  release(): void;
}

/** A bounded number of slots and of waiters; waiters get slots in the order of arrival. */
export class Semaphore {
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(
    private readonly slots: number,
    private readonly inAll: number,
  ) {}

  /** A slot, to be had now or later; null where too many wait already. */
  acquire(): Slot | null {
    if (this.running + this.waiting.length >= this.inAll) return null;
    const release = (): void => {
      const next = this.waiting.shift();
      if (next) next();
      else this.running -= 1;
    };
    if (this.running < this.slots) {
      this.running += 1;
      return { free: Promise.resolve(), release };
    }
    return { free: new Promise((begin) => this.waiting.push(begin)), release };
  }
}
