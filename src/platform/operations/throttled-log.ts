import type { Logger } from '@nestjs/common';

/** The same trouble is logged at most once in this time, not once a request or retry. */
const WARNING_INTERVAL_MS = 10_000;

/** Trouble that lasts, such as a database that is away: one line now and then, whatever the number of retries. */
export class ThrottledLog {
  private lastMs = -Infinity;
  private unsaid = 0;
  private silent = false;

  constructor(
    private readonly logger: Logger,
    private readonly sentence: string,
  ) {}

  /** Logs the sentence with the error, and how often it was left unsaid since the last time. */
  warn(error: unknown): void {
    if (this.silent) return;
    const nowMs = performance.now();
    if (nowMs - this.lastMs < WARNING_INTERVAL_MS) {
      this.unsaid += 1;
      return;
    }
    this.logger.warn({ err: error, unsaid: this.unsaid }, this.sentence);
    this.lastMs = nowMs;
    this.unsaid = 0;
  }

  /** For a process that ends: what breaks off then is no news. */
  silence(): void {
    this.silent = true;
  }
}
