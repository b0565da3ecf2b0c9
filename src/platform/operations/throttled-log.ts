import type { Logger } from '@nestjs/common';

/** The same problem is logged at most once in this time, not per request or retry. */
const WARNING_INTERVAL_MS = 10_000;

/**
 * Logs a lasting problem, such as an unavailable database, only now and then, for any number of
 * retries.
 */
export class ThrottledLog {
  private lastMs = -Infinity;
  private unsaid = 0;
  private silent = false;

  constructor(
    private readonly logger: Logger,
    private readonly sentence: string,
  ) {}

  /** Logs the sentence with the error, and the number of suppressed warnings since the last one. */
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

  /** For a process that is stopping, where closed connections are expected. */
  silence(): void {
    this.silent = true;
  }
}
