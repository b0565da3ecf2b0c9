import { describe, expect, it } from '@jest/globals';
import { lastDays, overviewPeriods } from './overview-periods.js';

const spans = (now: string, timeZone: string): Record<string, string[]> =>
  Object.fromEntries(
    Object.entries(overviewPeriods(new Date(now), timeZone)).map(([name, { now: present, before }]) => [
      name,
      [present.from, before.from, before.to].map((at) => at.toISOString().slice(0, 16)),
    ]),
  );

describe(overviewPeriods, () => {
  it.each([
    [
      'UTC',
      '2026-11-20T10:30:00Z',
      ['2026-11-20T00:00', '2026-11-19T00:00', '2026-11-19T10:30'],
      ['2026-11-01T00:00', '2026-10-01T00:00', '2026-10-20T10:30'],
    ],
    [
      'Europe/Berlin',
      '2026-11-20T23:30:00Z',
      ['2026-11-20T23:00', '2026-11-19T23:00', '2026-11-19T23:30'],
      // Clocks went back on the 25th of October.
      ['2026-10-31T23:00', '2026-09-30T22:00', '2026-10-20T22:30'],
    ],
    [
      'Asia/Kolkata',
      '2026-01-01T00:00:00Z',
      ['2025-12-31T18:30', '2025-12-30T18:30', '2025-12-31T00:00'],
      ['2025-12-31T18:30', '2025-11-30T18:30', '2025-12-01T00:00'],
    ],
    [
      'America/New_York',
      // The day on which clocks go forward has 23 hours.
      '2026-03-09T12:00:00Z',
      ['2026-03-09T04:00', '2026-03-08T05:00', '2026-03-08T13:00'],
      ['2026-03-01T05:00', '2026-02-01T05:00', '2026-02-09T12:00'],
    ],
    [
      'Australia/Sydney',
      // Clocks went forward at 16:00 UTC: between the local midnight, at 14:00, and that of UTC.
      '2028-10-01T02:30:00Z',
      ['2028-09-30T14:00', '2028-09-29T14:00', '2028-09-30T02:30'],
      ['2028-09-30T14:00', '2028-08-31T14:00', '2028-09-01T02:30'],
    ],
    [
      'Australia/Sydney',
      // Clocks went back on the first of the month.
      '2029-04-01T02:30:00Z',
      ['2029-03-31T13:00', '2029-03-30T13:00', '2029-03-31T02:30'],
      ['2029-03-31T13:00', '2029-02-28T13:00', '2029-03-01T02:30'],
    ],
    [
      'America/Los_Angeles',
      // The day of the clock change: started before it, read after it.
      '2026-11-01T20:00:00Z',
      ['2026-11-01T07:00', '2026-10-31T07:00', '2026-10-31T20:00'],
      ['2026-11-01T07:00', '2026-10-01T07:00', '2026-10-01T20:00'],
    ],
    [
      'America/Santiago',
      // The first hour of the day does not exist.
      '2026-09-06T12:00:00Z',
      ['2026-09-06T04:00', '2026-09-05T04:00', '2026-09-05T12:00'],
      ['2026-09-01T04:00', '2026-08-01T04:00', '2026-08-06T12:00'],
    ],
    [
      'Asia/Beirut',
      // The same east of UTC.
      '2026-03-29T12:00:00Z',
      ['2026-03-28T22:00', '2026-03-27T22:00', '2026-03-28T12:00'],
      ['2026-02-28T22:00', '2026-01-31T22:00', '2026-02-28T22:00'],
    ],
  ])('in %s at %s', (timeZone, now, today, month) => {
    expect(spans(now, timeZone)).toEqual({ today, month });
  });

  it('never reaches into the present month', () => {
    expect(spans('2026-03-31T12:00:00Z', 'UTC')['month']).toEqual([
      '2026-03-01T00:00',
      '2026-02-01T00:00',
      '2026-03-01T00:00',
    ]);
  });
});

describe(lastDays, () => {
  it('follow one another, over a clock change too, up to now', () => {
    const days = lastDays(new Date('2026-10-26T10:00:00Z'), 'Europe/Berlin', 3);
    expect(days.map(({ from, to }) => [from, to].map((at) => at.toISOString().slice(0, 16)))).toEqual([
      ['2026-10-23T22:00', '2026-10-24T22:00'],
      // Clocks went back, so this day had 25 hours.
      ['2026-10-24T22:00', '2026-10-25T23:00'],
      ['2026-10-25T23:00', '2026-10-26T10:00'],
    ]);
  });
});
