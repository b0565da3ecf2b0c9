/**
 * Minimum interval between polls that find work. At 500 messages a second, ten messages are claimed, prepared and
 * settled together. A message waits at most this long, and not at all on an idle worker.
 */
export const POLL_INTERVAL_MS = 20;
/** The interval if a poll left messages behind, so fast receivers do not wait for their next messages. */
export const BUSY_POLL_INTERVAL_MS = 5;
/** A worker counts as loaded if polls that find work are at most this far apart: from 25 messages a second. */
const UNDER_LOAD_GAP_MS = 40;
/** How long a loaded worker then polls on a schedule, without wake-ups. */
export const POLLING_MS = 250;

/** The result of one poll. Times are of a monotonic clock, in milliseconds. */
export interface PollResult {
  beganMs: number;
  endedMs: number;
  found: boolean;
  /** More messages may be queued, because a key, a topic or the worker is full. */
  leftMore: boolean;
}

/** Decides when a worker polls: at once if it was idle, at intervals under load. */
export class PollPacer {
  private last: PollResult = {
    beganMs: Number.NEGATIVE_INFINITY,
    endedMs: Number.NEGATIVE_INFINITY,
    found: false,
    leftMore: false,
  };
  /** When the last poll that found work ended. */
  private foundMs = Number.NEGATIVE_INFINITY;
  private isUnderLoad = false;
  private pollingUntilMs = Number.NEGATIVE_INFINITY;

  record(look: PollResult): void {
    this.last = look;
    if (!look.found) return;
    this.isUnderLoad = look.beganMs - this.foundMs <= UNDER_LOAD_GAP_MS;
    this.foundMs = look.endedMs;
  }

  /** How long a requested poll must wait; 0: it may start. */
  waitMs(nowMs: number): number {
    if (!this.last.found) return 0;
    const intervalMs = this.last.leftMore ? BUSY_POLL_INTERVAL_MS : POLL_INTERVAL_MS;
    return Math.max(0, this.last.beganMs + intervalMs - nowMs);
  }

  /** Whether to announce that this worker polls. A full worker leaves new messages to the others. */
  shouldAnnouncePolling(nowMs: number): boolean {
    const { found, leftMore } = this.last;
    return found && !leftMore && this.isUnderLoad && this.pollingUntilMs - nowMs < POLLING_MS / 2;
  }

  /** Records the announcement that this worker polls for another `POLLING_MS`. */
  announcedPolling(nowMs: number): void {
    this.pollingUntilMs = nowMs + POLLING_MS;
  }

  /**
   * When the next unrequested poll starts, in milliseconds; null: never. The last one starts after the announced
   * time.
   */
  nextPollInMs(nowMs: number): number | null {
    if (this.last.beganMs > this.pollingUntilMs) return null;
    return Math.max(0, this.last.beganMs + POLL_INTERVAL_MS - nowMs);
  }
}
