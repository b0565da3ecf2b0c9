import { describe, expect, it } from '@jest/globals';
import { nextStretch } from './seal-pace.js';

const next = (stretch: number, found: number, taken = 0): number =>
  nextStretch({ stretch, found, foundMax: 100, taken });

describe('how many transactions a step reads', () => {
  it('is what the last one took, where there was more than that', () => {
    expect(next(6_000, 100, 400)).toBe(400);
    expect(next(6_000, 100, 99)).toBe(100);
    expect(next(6_000, 100, 9_000)).toBe(6_000);
  });

  it('stays where the step was well filled, and doubles where it was not, up to a million', () => {
    expect(next(400, 99)).toBe(400);
    expect(next(400, 25)).toBe(400);
    expect(next(400, 24)).toBe(800);
    expect(next(1_000_000, 0)).toBe(1_000_000);
  });
});
