/** One of the places of a semaphore. */
export interface Slot {
  /** Resolves when it is this one's. */
  free: Promise<void>;
  /** Hands it to the next one; once, by whoever has it. */
  release(): void;
}

/** So many at once, and so many in all, those that wait included; they get their slots in the order of asking. */
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
