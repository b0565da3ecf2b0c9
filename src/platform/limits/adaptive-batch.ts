/** The operations of an `AdaptiveBatch` on its entries. */
export interface BatchWork<Entry> {
  /** Concurrent batches. */
  batchesMax: number;
  /** Entries of one batch. */
  entriesMax: number;
  /**
   * A batch of fewer than `enough` entries starts at least `ms` after the previous one, so that entries share a commit
   * at low rates, too. An entry that arrives later than that is written at once. Absent: no delay.
   */
  gather?: { ms: number; enough: number };
  /** Entries with the same key are never in one batch; absent: no restriction. */
  keyOf?(entry: Entry): string;
  /** Writes a batch and resolves its entries. If it throws, nothing of the batch is written. */
  write(batch: Entry[]): Promise<void>;
  /** Rejects an entry that cannot be written even in a batch of its own. Never rejects itself. */
  refuse(entry: Entry, cause: unknown): Promise<void>;
  /** Whether the database is unavailable: then the batch waits and is written again. */
  isUnreachable(error: unknown): boolean;
  /** Called each time the database is unavailable. */
  unreachable(error: unknown): void;
  /** How long to wait before the retry. */
  reconnectPauseMs: number;
  /**
   * Whether an entry keeps waiting after that pause; if not, it is resolved here. Times are
   * monotonic.
   */
  isPatient(entry: Entry, nowMs: number): boolean;
}

/**
 * Writes entries in adaptive batches: each batch takes all waiting entries, in order. A single
 * entry is written at once, and batches grow with the load. If a batch fails, its entries are
 * written one by one, so that only the bad one fails.
 */
export class AdaptiveBatch<Entry> {
  private waiting: Entry[] = [];
  private running = 0;
  private beganMs = Number.NEGATIVE_INFINITY;
  /** Set while queued entries wait for more. */
  private gathering: NodeJS.Timeout | undefined;

  constructor(private readonly work: BatchWork<Entry>) {}

  /** Entries waiting for their batch. */
  get waitingCount(): number {
    return this.waiting.length;
  }

  /** Never waits and never throws. */
  add(entry: Entry): void {
    this.waiting.push(entry);
    this.begin();
  }

  /** Starts a batch, or sets a timer for its start. */
  private begin(): void {
    if (this.running >= this.work.batchesMax || this.isEarly()) return;
    void this.run();
  }

  private isEarly(): boolean {
    const { gather } = this.work;
    if (gather === undefined || this.waiting.length >= gather.enough) return false;
    if (this.gathering) return true;
    const waitMs = Math.ceil(this.beganMs + gather.ms - performance.now());
    if (waitMs <= 0) return false;
    this.gathering = setTimeout(() => {
      this.gathering = undefined;
      this.begin();
    }, waitMs);
    return true;
  }

  private async run(): Promise<void> {
    this.running += 1;
    while (this.waiting.length > 0 && !this.isEarly()) {
      this.beganMs = performance.now();
      const batch = this.take();
      try {
        await this.work.write(batch);
      } catch (error) {
        await this.recover(batch, error);
      }
    }
    // In the same tick as the check of the queue: the next entry starts a new batch.
    this.running -= 1;
  }

  private take(): Entry[] {
    const { entriesMax, keyOf } = this.work;
    if (!keyOf || this.waiting.length === 1) return this.waiting.splice(0, entriesMax);
    const batch: Entry[] = [];
    const later: Entry[] = [];
    const keys = new Set<string>();
    for (const entry of this.waiting) {
      const key = keyOf(entry);
      if (batch.length < entriesMax && !keys.has(key)) {
        keys.add(key);
        batch.push(entry);
      } else {
        later.push(entry);
      }
    }
    this.waiting = later;
    return batch;
  }

  private async recover(batch: Entry[], cause: unknown): Promise<void> {
    if (this.work.isUnreachable(cause)) return this.waitForDatabase(batch, cause);
    const [only] = batch;
    if (only !== undefined && batch.length === 1) return this.work.refuse(only, cause);
    for (const entry of batch) {
      try {
        await this.work.write([entry]);
      } catch (error) {
        await this.recover([entry], error);
      }
    }
  }

  /** The batch may or may not be committed, so writing it twice must be harmless. */
  private async waitForDatabase(batch: Entry[], cause: unknown): Promise<void> {
    this.work.unreachable(cause);
    await new Promise((wake) => setTimeout(wake, this.work.reconnectPauseMs));
    const nowMs = performance.now();
    this.waiting = [...batch, ...this.waiting].filter((entry) => this.work.isPatient(entry, nowMs));
  }
}
