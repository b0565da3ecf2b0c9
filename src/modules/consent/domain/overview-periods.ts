/** A period; `to` is exclusive. */
export interface Span {
  from: Date;
  to: Date;
}

/** The current day or month, and the same elapsed time of the previous one. */
export interface Comparison {
  now: Span;
  before: Span;
}

/**
 * Today and this month up to `now`, each with the same elapsed time of the previous one, in a
 * user's time zone.
 */
export function overviewPeriods(now: Date, timeZone: string): { today: Comparison; month: Comparison } {
  const clock = clockOf(timeZone);
  const { year, month, day } = clock(now);
  const start = (y: number, m: number, d: number): Date => localMidnight(y, m, d, clock);
  return {
    today: comparison(now, start(year, month, day), start(year, month, day - 1)),
    month: comparison(now, start(year, month, 1), start(year, month - 1, 1)),
  };
}

/** The last days up to today, oldest first, in a user's time zone. Today ends at `now`. */
export function lastDays(now: Date, timeZone: string, count: number): Span[] {
  const clock = clockOf(timeZone);
  const { year, month, day } = clock(now);
  const starts = Array.from({ length: count }, (_, index) =>
    localMidnight(year, month, day - count + 1 + index, clock),
  );
  return starts.map((from, index) => ({ from, to: starts[index + 1] ?? now }));
}

function comparison(now: Date, from: Date, before: Date): Comparison {
  const sameStretchMs = before.getTime() + (now.getTime() - from.getTime());
  // A month may be longer than the previous one.
  const endMs = Math.min(sameStretchMs, from.getTime());
  return { now: { from, to: now }, before: { from: before, to: new Date(endMs) } };
}

/**
 * The instant at which a day starts. Months count from 0; a day or month out of range overflows
 * into the next one.
 */
function localMidnight(year: number, month: number, day: number, clock: Clock): Date {
  const midnightUtcMs = Date.UTC(year, month, day);
  // Corrected with the offset of the result: the first offset may be from the other side of a clock change.
  const guess = new Date(midnightUtcMs - offsetMs(new Date(midnightUtcMs), clock));
  const midnight = new Date(midnightUtcMs - offsetMs(guess, clock));
  if (offsetMs(midnight, clock) === offsetMs(guess, clock)) return midnight;
  // If the clocks skip midnight, the day starts with the change, the later of the two.
  return new Date(Math.max(guess.getTime(), midnight.getTime()));
}

/** The zone's offset from UTC. */
function offsetMs(at: Date, clock: Clock): number {
  const { year, month, day, hour, minute, second } = clock(at);
  const shownMs = Date.UTC(year, month, day, hour, minute, second);
  return shownMs - Math.floor(at.getTime() / 1000) * 1000;
}

/** Local date and time in a zone; months count from 0. */
type Clock = (at: Date) => Record<'year' | 'month' | 'day' | 'hour' | 'minute' | 'second', number>;

/** Creating a format takes longer than using it, so one serves all days of a response. */
function clockOf(timeZone: string): Clock {
  const format = new Intl.DateTimeFormat('en', {
    timeZone,
    calendar: 'gregory',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  return (at) => {
    const parts = format.formatToParts(at);
    const part = (type: Intl.DateTimeFormatPartTypes): number =>
      Number(parts.find((each) => each.type === type)?.value);
    return {
      year: part('year'),
      month: part('month') - 1,
      day: part('day'),
      hour: part('hour'),
      minute: part('minute'),
      second: part('second'),
    };
  };
}
