import { describe, expect, it } from '@jest/globals';
import { absoluteTime, clockTime, dayRange, dayStart, dayText, relativeTime } from './time.js';

const NOW = new Date('2026-03-10T12:00:00Z');
const before = (seconds: number): string => relativeTime(new Date(NOW.getTime() - seconds * 1000), NOW, 'en');

describe('relativeTime', () => {
  it.each([
    [0, 'now'],
    [59, '59 seconds ago'],
    [60, '1 minute ago'],
    [3_599, '59 minutes ago'],
    [3_600, '1 hour ago'],
    [86_399, '23 hours ago'],
    [86_400, 'yesterday'],
    [29 * 86_400, '29 days ago'],
    [30 * 86_400, 'last month'],
    [-40, 'in 40 seconds'],
  ])('tells %d seconds before as "%s"', (seconds, text) => expect(before(seconds)).toBe(text));
});

describe('days', () => {
  it('begin at midnight of the zone, and lead back to their text', () => {
    expect(dayStart('2026-03-10', 'utc')?.toISOString()).toBe('2026-03-10T00:00:00.000Z');
    expect(dayStart('2026-02-28', 'utc', 1)?.toISOString()).toBe('2026-03-01T00:00:00.000Z');
    for (const zone of ['utc', 'local'] as const)
      expect(dayText(dayStart('2026-03-29', zone) ?? NOW, zone)).toBe('2026-03-29');
    expect(dayStart('29.3.2026', 'utc')).toBeNull();
  });

  it('are whole in a range, the last one too', () => {
    const day = '2026-02-28';
    expect(dayRange({ from: day, to: day }, 'utc')).toEqual({
      from: '2026-02-28T00:00:00.000Z',
      to: '2026-03-01T00:00:00.000Z',
    });
    expect(dayRange({ from: day, to: day }, 'local')).toEqual({
      from: new Date(2026, 1, 28).toISOString(),
      to: new Date(2026, 2, 1).toISOString(),
    });
    expect(dayRange({ from: 'x' }, 'utc')).toEqual({});
  });
});

describe('clockTime', () => {
  it.each([
    ['2026-03-10T02:14:00Z', '02:14'],
    ['2026-03-09T02:14:00Z', 'Mar 9, 02:14'],
  ])('of %s is %s', (at, expected) =>
    expect(clockTime(new Date(at), { zone: 'utc', now: NOW, language: 'en' })).toBe(expected),
  );
});

describe('absoluteTime', () => {
  it('names the zone', () => expect(absoluteTime(NOW, 'utc', 'en')).toBe('Mar 10, 2026, 12:00:00 PM UTC'));
});
