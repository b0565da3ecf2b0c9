import { describe, expect, it } from '@jest/globals';
import { newId } from '../../../platform/identity/ids.js';
import { firstScanAt, nextScanAt } from './scan-schedule.js';
import { DAY_MS } from './scan-limits.js';

const NOW = new Date('2026-12-11T10:00:00Z');
const PROJECT = '01a1fb60-3c2a-73bf-9797-72771439104f';

describe('the first time of a schedule', () => {
  it('is within 24 hours, and always at the same time of the day for a project', () => {
    const first = firstScanAt(PROJECT, NOW);
    expect(first.getTime()).toBeGreaterThan(NOW.getTime());
    expect(first.getTime()).toBeLessThanOrEqual(NOW.getTime() + DAY_MS);
    expect(firstScanAt(PROJECT, new Date(first.getTime() - 1))).toEqual(first);
    expect(firstScanAt(PROJECT, first)).toEqual(new Date(first.getTime() + DAY_MS));
  });

  it('is spread over the day', () => {
    const hours = new Set(
      Array.from({ length: 500 }, () => firstScanAt(newId(), NOW).toISOString().slice(11, 13)),
    );
    expect(hours.size).toBe(24);
  });
});

describe('the next time', () => {
  it.each([
    ['weekly', '2026-12-11T09:00:00Z', '2026-12-18T09:00:00.000Z'],
    ['weekly', '2026-11-01T09:00:00Z', '2026-12-13T09:00:00.000Z'],
    ['weekly', '2026-12-04T10:00:00Z', '2026-12-18T10:00:00.000Z'],
    ['weekly', '2026-12-04T10:00:00.001Z', '2026-12-11T10:00:00.001Z'],
    ['monthly', '2026-12-11T09:00:00Z', '2027-01-11T09:00:00.000Z'],
    ['monthly', '2026-01-31T09:00:00Z', '2026-12-28T09:00:00.000Z'],
    ['monthly', '2026-11-28T09:00:00Z', '2026-12-28T09:00:00.000Z'],
    ['monthly', '2026-11-29T09:00:00Z', '2026-12-28T09:00:00.000Z'],
  ] as const)('%s after %s is %s', (frequency, due, expected) => {
    expect(nextScanAt(new Date(due), { frequency, now: NOW }).toISOString()).toBe(expected);
  });
});
