import { describe, expect, it } from '@jest/globals';
import { period } from './period.js';
import { RANGES } from './range.js';

const lengthMs = ({ from, to }: { from: string; to: string }): number => Date.parse(to) - Date.parse(from);

describe('period', () => {
  it('ends with the running minute, and the period before at the same point', () => {
    expect(period(7, new Date('2026-03-10T04:36:56Z'))).toEqual({
      now: { from: '2026-03-04T00:00:00.000Z', to: '2026-03-10T04:37:00.000Z' },
      before: { from: '2026-02-25T00:00:00.000Z', to: '2026-03-03T04:37:00.000Z' },
      finishedHours: {
        now: { from: '2026-03-04T00:00:00.000Z', to: '2026-03-10T04:00:00.000Z' },
        before: { from: '2026-02-25T00:00:00.000Z', to: '2026-03-03T04:00:00.000Z' },
      },
      interval: 'day',
    });
  });

  it('takes a day by hours', () => {
    expect(period(1, new Date('2026-03-10T12:00:00Z'))).toMatchObject({
      now: { from: '2026-03-09T13:00:00.000Z', to: '2026-03-10T12:01:00.000Z' },
      before: { from: '2026-03-08T13:00:00.000Z', to: '2026-03-09T12:01:00.000Z' },
      interval: 'hour',
    });
  });

  // Clocks in Berlin go forward on 2026-03-29 and back on 2026-10-25, in New York on other days.
  it.each([
    '2026-03-29T00:59:59.999Z',
    '2026-03-29T01:00:00Z',
    '2026-10-25T01:30:00Z',
    '2026-03-08T07:00:00Z',
  ])('compares periods of equal length at %s, also where clocks change', (at) => {
    for (const days of RANGES) {
      const { now, before, finishedHours } = period(days, new Date(at));
      expect(lengthMs(now)).toBe(lengthMs(before));
      expect(lengthMs(finishedHours.now)).toBe(lengthMs(finishedHours.before));
      expect(Date.parse(now.from) - Date.parse(before.from)).toBe(days * 86_400_000);
      expect(Date.parse(now.to)).toBeGreaterThan(Date.parse(at));
    }
  });

  it('changes with the minute, and with the day', () => {
    const at = (text: string) => period(30, new Date(`2026-11-24T${text}Z`));
    expect(at('04:36:00')).toEqual(at('04:36:59.999'));
    expect(at('04:37:00').now).toEqual({ ...at('04:36:59.999').now, to: '2026-11-24T04:38:00.000Z' });
    expect(at('23:59:59.999').now.from).toBe('2026-10-26T00:00:00.000Z');
    expect(period(30, new Date('2026-11-25T00:00:00Z')).now.from).toBe('2026-10-27T00:00:00.000Z');
  });

  it('has no finished hour in the first hour of a day', () => {
    const { finishedHours } = period(7, new Date('2026-03-10T00:59:59Z'));
    expect(finishedHours.now.to).toBe('2026-03-10T00:00:00.000Z');
  });
});
