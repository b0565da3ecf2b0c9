/**
 * Looks that find work begin no sooner than so long after each other: of 500 messages a second ten are then claimed,
 * prepared and settled together. A message waits so long at most, and one that comes while nothing does for nothing.
 */
export const LOOK_INTERVAL_MS = 20;
/** The same where more is known to wait than could be claimed: whoever is quick shall not wait for his next ones. */
export const BUSY_LOOK_INTERVAL_MS = 5;
/** Work keeps coming where a look that finds some begins so soon after another one: from 25 messages a second on. */
const KEEPS_COMING_MS = 40;
/** For so long a worker then looks by itself, and nobody need ring for it. */
export const AWAKE_MS = 250;

/** What came of a look into the outbox. Times are of a monotonic clock, in milliseconds. */
export interface Look {
  beganMs: number;
  endedMs: number;
  found: boolean;
  /** More may wait: of a key or a topic that has its fill, or because the worker has. */
  leftMore: boolean;
}

/** When a worker looks into the outbox: at once where it was idle, and at intervals while work keeps coming. */
export class ClaimPace {
  private last: Look = {
    beganMs: Number.NEGATIVE_INFINITY,
    endedMs: Number.NEGATIVE_INFINITY,
    found: false,
    leftMore: false,
  };
  /** When the last look that found something ended. */
  private foundMs = Number.NEGATIVE_INFINITY;
  private keepsComing = false;
  private awakeUntilMs = Number.NEGATIVE_INFINITY;

  looked(look: Look): void {
    this.last = look;
    if (!look.found) return;
    this.keepsComing = look.beganMs - this.foundMs <= KEEPS_COMING_MS;
    this.foundMs = look.endedMs;
  }

  /** How long a look that was asked for has to wait; 0: it may begin. */
  waitMs(nowMs: number): number {
    if (!this.last.found) return 0;
    const intervalMs = this.last.leftMore ? BUSY_LOOK_INTERVAL_MS : LOOK_INTERVAL_MS;
    return Math.max(0, this.last.beganMs + intervalMs - nowMs);
  }

  /** Whether it is time to say that this worker looks by itself. A worker that has its fill leaves it to the others. */
  isToSayAwake(nowMs: number): boolean {
    const { found, leftMore } = this.last;
    return found && !leftMore && this.keepsComing && this.awakeUntilMs - nowMs < AWAKE_MS / 2;
  }

  /** It was said, by then, that this worker looks by itself for another `AWAKE_MS`. */
  saidAwake(nowMs: number): void {
    this.awakeUntilMs = nowMs + AWAKE_MS;
  }

  /** In how many milliseconds it looks unasked; null: not at all. The last of these looks begins after what was said. */
  againMs(nowMs: number): number | null {
    if (this.last.beganMs > this.awakeUntilMs) return null;
    return Math.max(0, this.last.beganMs + LOOK_INTERVAL_MS - nowMs);
  }
}
