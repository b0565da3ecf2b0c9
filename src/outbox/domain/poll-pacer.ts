/**
 * Looks that find work begin no sooner than so long after each other: of 500 messages a second ten are then claimed,
 * prepared and settled together. A message waits so long at most, and one that comes while nothing does for nothing.
 */
export const POLL_INTERVAL_MS = 20;
/** The same where more is known to wait than could be claimed: whoever is quick shall not wait for his next ones. */
export const BUSY_POLL_INTERVAL_MS = 5;
/** Work keeps coming where a look that finds some begins so soon after another one: from 25 messages a second on. */
const UNDER_LOAD_GAP_MS = 40;
/** For so long a worker then looks by itself, and nobody need ring for it. */
export const POLLING_MS = 250;

/** What came of a look into the outbox. Times are of a monotonic clock, in milliseconds. */
export interface PollResult {
  beganMs: number;
  endedMs: number;
  found: boolean;
  /** More may wait: of a key or a topic that has its fill, or because the worker has. */
  leftMore: boolean;
}

/** When a worker looks into the outbox: at once where it was idle, and at intervals while work keeps coming. */
export class PollPacer {
  private last: PollResult = {
    beganMs: Number.NEGATIVE_INFINITY,
    endedMs: Number.NEGATIVE_INFINITY,
    found: false,
    leftMore: false,
  };
  /** When the last look that found something ended. */
  private foundMs = Number.NEGATIVE_INFINITY;
  private isUnderLoad = false;
  private pollingUntilMs = Number.NEGATIVE_INFINITY;

  record(look: PollResult): void {
    this.last = look;
    if (!look.found) return;
    this.isUnderLoad = look.beganMs - this.foundMs <= UNDER_LOAD_GAP_MS;
    this.foundMs = look.endedMs;
  }

  /** How long a look that was asked for has to wait; 0: it may begin. */
  waitMs(nowMs: number): number {
    if (!this.last.found) return 0;
    const intervalMs = this.last.leftMore ? BUSY_POLL_INTERVAL_MS : POLL_INTERVAL_MS;
    return Math.max(0, this.last.beganMs + intervalMs - nowMs);
  }

  /** Whether it is time to say that this worker looks by itself. A worker that has its fill leaves it to the others. */
  shouldAnnouncePolling(nowMs: number): boolean {
    const { found, leftMore } = this.last;
    return found && !leftMore && this.isUnderLoad && this.pollingUntilMs - nowMs < POLLING_MS / 2;
  }

  /** It was said, by then, that this worker looks by itself for another `AWAKE_MS`. */
  announcedPolling(nowMs: number): void {
    this.pollingUntilMs = nowMs + POLLING_MS;
  }

  /** In how many milliseconds it looks unasked; null: not at all. The last of these looks begins after what was said. */
  nextPollInMs(nowMs: number): number | null {
    if (this.last.beganMs > this.pollingUntilMs) return null;
    return Math.max(0, this.last.beganMs + POLL_INTERVAL_MS - nowMs);
  }
}
