import { describe, expect, it } from '@jest/globals';
import { nextStretchMs } from './seal-pace.js';

const HOUR_MS = 3_600_000;
const next = (stretchMs: number, found: number, takenMs = 0): number =>
  nextStretchMs({ stretchMs, found, foundMax: 100, takenMs });

describe('how much time a step reads', () => {
  it('is what the last one took, where there was more than that', () => {
    expect(next(60_000, 100, 4_000)).toBe(4_000);
    expect(next(60_000, 100, 999)).toBe(1_000);
    // A clock that was set back, or one that was far behind: never longer for that.
    expect(next(60_000, 100, 90_000)).toBe(60_000);
  });

  it('stays where the step was well filled, and doubles where it was not, up to an hour', () => {
    expect(next(4_000, 99)).toBe(4_000);
    expect(next(4_000, 25)).toBe(4_000);
    expect(next(4_000, 24)).toBe(8_000);
    expect(next(HOUR_MS, 0)).toBe(HOUR_MS);
  });
});
