/** From the first instant on, up to the second. */
export interface Span {
  from: Date;
  to: Date;
}

/** A day or a month that has begun, and the same stretch of the one before it. */
export interface Comparison {
  now: Span;
  before: Span;
}

const HOUR_MS = 60 * 60 * 1000;

/**
 * Today and this month up to `now`, each beside as much of the one before, in a person's zone. The stretch before ends
 * with a full hour, as the counts of earlier days are by the hour.
 */
export function overviewPeriods(now: Date, timeZone: string): { today: Comparison; month: Comparison } {
  const { year, month, day } = localDate(now, timeZone);
  const start = (y: number, m: number, d: number): Date => localMidnight(y, m, d, timeZone);
  return {
    today: comparison(now, start(year, month, day), start(year, month, day - 1)),
    month: comparison(now, start(year, month, 1), start(year, month - 1, 1)),
  };
}

function comparison(now: Date, from: Date, before: Date): Comparison {
  const sameStretchMs = before.getTime() + (now.getTime() - from.getTime());
  // A month may be longer than the one before it.
  const endMs = Math.min(Math.floor(sameStretchMs / HOUR_MS) * HOUR_MS, from.getTime());
  return {
    now: { from, to: now },
    before: { from: before, to: new Date(Math.max(endMs, before.getTime())) },
  };
}

/**
 * The instant at which a day starts. Months count from 0; a day or month out of range overflows
 * into the next one.
 */
function localMidnight(year: number, month: number, day: number, timeZone: string): Date {
  const midnightUtcMs = Date.UTC(year, month, day);
  // Corrected with the offset of the result: the first offset may be from the other side of a clock
  // change.
  const guess = new Date(midnightUtcMs - offsetMs(new Date(midnightUtcMs), timeZone));
  const midnight = new Date(midnightUtcMs - offsetMs(guess, timeZone));
  if (offsetMs(midnight, timeZone) === offsetMs(guess, timeZone)) return midnight;
  // Where the clocks skip midnight, the day starts with the change, the later of the two.
  return new Date(Math.max(guess.getTime(), midnight.getTime()));
}

/** How far the clocks of a zone are ahead of UTC. */
function offsetMs(at: Date, timeZone: string): number {
  const { year, month, day, hour, minute, second } = localDate(at, timeZone);
  const shownMs = Date.UTC(year, month, day, hour, minute, second);
  return shownMs - Math.floor(at.getTime() / 1000) * 1000;
}

function localDate(at: Date, timeZone: string) {
  const parts = new Intl.DateTimeFormat('en', {
    timeZone,
    calendar: 'gregory',
    hourCycle: 'h23',
    ...{ year: 'numeric', month: 'numeric', day: 'numeric' },
    ...{ hour: 'numeric', minute: 'numeric', second: 'numeric' },
  }).formatToParts(at);
  const part = (type: Intl.DateTimeFormatPartTypes): number =>
    Number(parts.find((each) => each.type === type)?.value);
  return {
    ...{ year: part('year'), month: part('month') - 1, day: part('day') },
    ...{ hour: part('hour'), minute: part('minute'), second: part('second') },
  };
}
