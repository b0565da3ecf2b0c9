/** Numbers that one seed decides (mulberry32): good enough to choose faults, and the same on every machine. */
export class Random {
  constructor(private state: number) {}

  /** A whole number, both ends included. */
  between({ from, to }: { from: number; to: number }): number {
    return from + Math.floor(this.next() * (to - from + 1));
  }

  shuffled<T>(values: readonly T[]): T[] {
    const drawn = values.map((value) => ({ value, at: this.next() }));
    return drawn.toSorted((a, b) => a.at - b.at).map(({ value }) => value);
  }

  /** From 0 up to, but not, 1. */
  private next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
}
