import { describe, expect, it } from '@jest/globals';
import { retentionStart } from './erasure.js';

describe('retentionStart', () => {
  it.each([
    ['2026-11-01T00:00:00.000Z', 12, '2025-11-01T00:00:00.000Z'],
    ['2026-11-30T23:59:59.999Z', 12, '2025-11-01T00:00:00.000Z'],
    ['2026-12-01T00:00:00.000Z', 12, '2025-12-01T00:00:00.000Z'],
    ['2026-03-31T12:00:00.000Z', 1, '2026-02-01T00:00:00.000Z'],
    ['2026-01-15T12:00:00.000Z', 13, '2024-12-01T00:00:00.000Z'],
  ])('at %s, with %i months kept, is %s: whole months alone go', (now, retentionMonths, start) => {
    expect(retentionStart(new Date(now), retentionMonths).toISOString()).toBe(start);
  });
});
