import { describe, expect, it } from '@jest/globals';
import { overviewPeriods } from './overview-periods.js';

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
      ['2026-11-20T00:00', '2026-11-19T00:00', '2026-11-19T10:00'],
      ['2026-11-01T00:00', '2026-10-01T00:00', '2026-10-20T10:00'],
    ],
    [
      'Europe/Berlin',
      '2026-11-20T23:30:00Z',
      ['2026-11-20T23:00', '2026-11-19T23:00', '2026-11-19T23:00'],
      // Clocks went back on the 25th of October.
      ['2026-10-31T23:00', '2026-09-30T22:00', '2026-10-20T22:00'],
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
