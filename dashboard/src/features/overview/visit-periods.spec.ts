import { describe, expect, it } from '@jest/globals';
import type { PeriodComparisonResponse } from '../../client/types.gen';
import { visitPeriods } from './visit-periods.js';

const comparison = (now: string, before: string) =>
  ({ now: { from: now }, before: { from: before } }) as PeriodComparisonResponse;

describe('visitPeriods', () => {
  it('compares the hours that have ended', () => {
    const day = comparison('2026-11-24T00:00:00.000Z', '2026-11-23T00:00:00.000Z');
    expect(visitPeriods(day, new Date('2026-11-24T04:36:00Z'))).toEqual({
      now: { from: '2026-11-24T00:00:00.000Z', to: '2026-11-24T05:00:00.000Z' },
      before: { from: '2026-11-23T00:00:00.000Z', to: '2026-11-23T04:00:00.000Z' },
    });
  });

  it('ends with the shorter month', () => {
    const month = comparison('2026-03-01T00:00:00.000Z', '2026-02-01T00:00:00.000Z');
    expect(visitPeriods(month, new Date('2026-03-31T12:30:00Z')).before.to).toBe('2026-03-01T00:00:00.000Z');
  });

  it('has nothing to compare in the first hour', () => {
    const day = comparison('2026-11-24T00:00:00.000Z', '2026-11-23T00:00:00.000Z');
    const { before } = visitPeriods(day, new Date('2026-11-24T00:59:59Z'));
    expect(before.from).toBe(before.to);
  });
});
