/** A timer may go off so much before its time. */
const TIMER_EARLY_MS = 1;

/** Who waits for an instant. */
export interface Sleeper {
  onAlarm(): void;
}

/**
 * One timer for many deadlines, most of which are canceled before they are reached: ten thousand attempts a second
 * would each set and clear a timer. Instants are of a monotonic clock, in milliseconds.
 */
export class AlarmClock {
  private readonly alarms = new Map<Sleeper, number>();
  private timer: NodeJS.Timeout | undefined;
  private ringsAt = Number.POSITIVE_INFINITY;

  /** Calls `onAlarm` at that instant, once, unless it is cleared before; a second call replaces the first. */
  set(sleeper: Sleeper, at: number): void {
    this.alarms.set(sleeper, at);
    if (at < this.ringsAt) this.wind(at);
  }

  clear(sleeper: Sleeper): void {
    this.alarms.delete(sleeper);
  }

  /** The timer may fire without a due deadline: it is not reset for each deadline that is added or canceled. */
  private wind(at: number): void {
    clearTimeout(this.timer);
    this.ringsAt = at;
    // Unreferenced: a sleeper has a connection, a name or a signal that keeps the process alive. `setImmediate` reads sockets
    // first: after a pause of this process timers fire before I/O, and a response that arrived in time would be late.
    this.timer = setTimeout(() => setImmediate(this.ring), Math.max(0, at - performance.now())).unref();
  }

  private readonly ring = (): void => {
    this.ringsAt = Number.POSITIVE_INFINITY;
    const due = performance.now() + TIMER_EARLY_MS;
    let next = Number.POSITIVE_INFINITY;
    for (const [sleeper, at] of this.alarms) {
      if (at > due) {
        next = Math.min(next, at);
        continue;
      }
      this.alarms.delete(sleeper);
      sleeper.onAlarm();
    }
    if (next < this.ringsAt) this.wind(next);
  };
}
