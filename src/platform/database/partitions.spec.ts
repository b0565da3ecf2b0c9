import { describe, expect, it } from '@jest/globals';
import { periodStart } from './partitions.js';

describe('periodStart', () => {
  it.each([
    ['month', '2026-12-31T23:59:59.999Z', 0, '2026-12-01T00:00:00.000Z'],
    ['month', '2026-12-31T23:59:59.999Z', 1, '2027-01-01T00:00:00.000Z'],
    ['month', '2027-01-01T00:00:00.000Z', 0, '2027-01-01T00:00:00.000Z'],
    ['month', '2027-01-01T00:00:00.000Z', -1, '2026-12-01T00:00:00.000Z'],
    ['day', '2026-12-31T23:59:59.999Z', 0, '2026-12-31T00:00:00.000Z'],
    ['day', '2026-12-31T23:59:59.999Z', 1, '2027-01-01T00:00:00.000Z'],
    ['day', '2027-03-01T00:00:00.000Z', 0, '2027-03-01T00:00:00.000Z'],
    ['day', '2027-03-01T00:00:00.000Z', -1, '2027-02-28T00:00:00.000Z'],
  ] as const)('of the %s at %s, %i on, is %s', (period, at, offset, start) => {
    expect(periodStart(period, new Date(at), offset).toISOString()).toBe(start);
  });
});
