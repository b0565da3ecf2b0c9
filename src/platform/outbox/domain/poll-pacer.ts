/** The interval if a poll left messages behind, so fast receivers do not wait for their next messages. */
export const BUSY_POLL_INTERVAL_MS = 5;
/** A worker counts as loaded if polls that find work are at most this many intervals apart. */
const UNDER_LOAD_INTERVALS = 2;
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
  /** Writers have skipped wake-ups since other workers were last woken. */
  private owesWakeup = false;
  private wokeOthersMs = Number.NEGATIVE_INFINITY;

  /**
   * `intervalMs` is the minimum interval between polls that find work, so messages are claimed, prepared and settled
   * together. A message waits at most this long, and not at all on an idle worker.
   */
  constructor(private readonly intervalMs: number) {}

  record(look: PollResult): void {
    this.last = look;
    if (!look.found) return;
    this.isUnderLoad = look.beganMs - this.foundMs <= UNDER_LOAD_INTERVALS * this.intervalMs;
    this.foundMs = look.endedMs;
  }

  /** How long a requested poll must wait; 0: it may start. */
  waitMs(nowMs: number): number {
    if (!this.last.found) return 0;
    const intervalMs = this.last.leftMore
      ? Math.min(BUSY_POLL_INTERVAL_MS, this.intervalMs)
      : this.intervalMs;
    return Math.max(0, this.last.beganMs + intervalMs - nowMs);
  }

  /** Whether to announce that this worker polls. */
  shouldAnnouncePolling(nowMs: number): boolean {
    return this.last.found && this.isUnderLoad && this.pollingUntilMs - nowMs < POLLING_MS / 2;
  }

  /** Records the announcement that this worker polls for another `POLLING_MS`. */
  announcedPolling(nowMs: number): void {
    this.pollingUntilMs = nowMs + POLLING_MS;
    this.owesWakeup = true;
  }

  /**
   * Whether to wake other workers: this one left messages that they can take, and writers sent no wake-ups because of
   * its announcement. At most every half `POLLING_MS`, and once after the announced time.
   */
  shouldWakeOthers(nowMs: number): boolean {
    if (!this.last.leftMore || !this.owesWakeup) return false;
    return this.isAnnouncementOver || nowMs - this.wokeOthersMs >= POLLING_MS / 2;
  }

  /** Records that other workers were woken. */
  wokeOthers(nowMs: number): void {
    this.wokeOthersMs = nowMs;
    if (this.isAnnouncementOver) this.owesWakeup = false;
  }

  /**
   * When the next unrequested poll starts, in milliseconds; null: never. The last one starts after the announced
   * time.
   */
  nextPollInMs(nowMs: number): number | null {
    if (this.isAnnouncementOver) return null;
    return Math.max(0, this.last.beganMs + this.intervalMs - nowMs);
  }

  /** Whether the last poll began after the announced time. */
  private get isAnnouncementOver(): boolean {
    return this.last.beganMs > this.pollingUntilMs;
  }
}
