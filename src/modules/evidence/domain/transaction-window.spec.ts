import { describe, expect, it } from '@jest/globals';
import { nextWindow } from './transaction-window.js';

const next = (window: number, found: number, sequenced = 0): number =>
  nextWindow({ window, found, batchMax: 100, sequenced });

describe('nextWindow', () => {
  it('is what the last batch spanned, if that was full', () => {
    expect(next(6_000, 100, 400)).toBe(400);
    expect(next(6_000, 100, 99)).toBe(100);
    expect(next(6_000, 100, 9_000)).toBe(6_000);
  });

  it('stays the same after a quarter of a batch, and doubles after less, up to a million', () => {
    expect(next(400, 99)).toBe(400);
    expect(next(400, 25)).toBe(400);
    expect(next(400, 24)).toBe(800);
    expect(next(1_000_000, 0)).toBe(1_000_000);
  });
});
