/** Timers may fire this much early. */
const TIMER_EARLY_MS = 1;

/** The index of a sleeper without an alarm. */
export const NO_ALARM = -1;

/** An object that waits for a time of one clock. */
export interface Sleeper {
  /** Index among the clock's alarms; only the clock changes it. Initially `NO_ALARM`. */
  place: number;
  onAlarm(): void;
}

/**
 * One timer for many deadlines, most of which are canceled before they are reached: ten thousand
 * attempts a second would each set and clear a timer. Times are of a monotonic clock, in
 * milliseconds.
 *
 * The alarms are in lists and not in a Map: V8 replaces a Map that changes this often again and
 * again, each replaced one refers to the next, and an old one that is not collected yet keeps all
 * later ones, with all their sleepers. With 64 requests at once, 1.5 KB of each outlived it; now
 * 0.03.
 */
export class AlarmClock<S extends Sleeper = Sleeper> {
  /** Unordered. */
  private readonly sleepers: S[] = [];
  private readonly instants: number[] = [];
  private timer: NodeJS.Timeout | undefined;
  private ringsAt = Number.POSITIVE_INFINITY;

  /** The sleepers with a pending alarm. */
  get asleep(): readonly S[] {
    return this.sleepers;
  }

  /**
   * Calls `onAlarm` at that time, once, unless it is cleared before; a second call replaces the
   * first.
   */
  set(sleeper: S, at: number): void {
    if (sleeper.place === NO_ALARM) sleeper.place = this.sleepers.push(sleeper) - 1;
    this.instants[sleeper.place] = at;
    if (at < this.ringsAt) this.wind(at);
  }

  clear(sleeper: S): void {
    const { place } = sleeper;
    if (place === NO_ALARM) return;
    sleeper.place = NO_ALARM;
    const last = this.sleepers.pop();
    const at = this.instants.pop();
    if (last === sleeper || last === undefined || at === undefined) return;
    last.place = place;
    this.sleepers[place] = last;
    this.instants[place] = at;
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
    const awake = this.sleepers.filter((_sleeper, place) => (this.instants[place] ?? due) <= due);
    for (const sleeper of awake) {
      // The previous one may have cleared it.
      if (sleeper.place === NO_ALARM) continue;
      this.clear(sleeper);
      sleeper.onAlarm();
    }
    const next = this.instants.reduce((first, at) => Math.min(first, at), Number.POSITIVE_INFINITY);
    if (next < this.ringsAt) this.wind(next);
  };
}
