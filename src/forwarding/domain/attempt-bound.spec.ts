import { describe, expect, it } from '@jest/globals';
import { AttemptBound, PUT_OFF_MAX_MS } from './attempt-bound.js';

const bound = (keysMax = 100) => new AttemptBound({ burst: 3, perSecond: 2, keysMax });
const takeAll = (of: AttemptBound, count: number, nowMs: number, key = 'a') =>
  Array.from({ length: count }, () => of.take(key, nowMs));

describe('AttemptBound', () => {
  it('lets the burst pass, and puts each further one off a little more', () => {
    expect(takeAll(bound(), 6, 10_000)).toEqual([0, 0, 0, 500, 1000, 1500]);
  });

  it('lets one more pass with each interval, and not a moment sooner', () => {
    const attempts = bound();
    takeAll(attempts, 3, 10_000);
    expect(attempts.take('a', 10_499)).toBeGreaterThan(0);
    expect(attempts.take('a', 10_500)).toBe(0);
    expect(attempts.take('a', 10_500)).toBeGreaterThan(0);
  });

  it('gives the whole burst again after a rest, and never more', () => {
    const attempts = bound();
    takeAll(attempts, 3, 10_000);
    expect(takeAll(attempts, 4, 3_600_000).filter((waitMs) => waitMs === 0)).toHaveLength(3);
  });

  it('puts nothing off by more than a minute', () => {
    expect(Math.max(...takeAll(bound(), 1_000, 0))).toBe(PUT_OFF_MAX_MS);
  });

  it('counts each key alone, and takes back an attempt', () => {
    const attempts = bound();
    takeAll(attempts, 4, 0);
    expect(attempts.take('b', 0)).toBe(0);
    expect(attempts.isExhausted('a', 0)).toBe(true);
    expect([attempts.exhausted(0), attempts.exhausted(0, 'a'), attempts.exhausted(0, 'b')]).toEqual([
      1, 1, 0,
    ]);
    attempts.refund('a');
    expect(attempts.exhausted(0)).toBe(0);
    expect(takeAll(attempts, 2, 0)).toEqual([0, 1000]);
    attempts.refund('never counted');
  });

  it('counts an attempt that is made all the same, and for a minute at most', () => {
    const attempts = bound();
    takeAll(attempts, 3, 0);
    for (let i = 0; i < 4; i++) attempts.charge('a', 0);
    expect(attempts.isExhausted('a', 2_499)).toBe(true);
    expect(attempts.isExhausted('a', 2_500)).toBe(false);
    for (let i = 0; i < 1_000; i++) attempts.charge('a', 10_000);
    expect(attempts.isExhausted('a', 10_000 + PUT_OFF_MAX_MS)).toBe(true);
    expect(attempts.isExhausted('a', 10_500 + PUT_OFF_MAX_MS)).toBe(false);
  });

  it('is exhausted with the last of the burst, not before', () => {
    const attempts = bound();
    takeAll(attempts, 2, 0);
    expect(attempts.isExhausted('a', 0)).toBe(false);
    attempts.take('a', 0);
    expect(attempts.isExhausted('a', 0)).toBe(true);
  });

  it('is exhausted until the next interval, and never where nothing was counted', () => {
    const attempts = bound();
    takeAll(attempts, 3, 10_000);
    expect(attempts.isExhausted('a', 10_499)).toBe(true);
    expect(attempts.isExhausted('a', 10_500)).toBe(false);
    expect(attempts.isExhausted('b', 10_000)).toBe(false);
  });

  it('keeps so many keys and no more', () => {
    const attempts = bound(10);
    for (let i = 0; i < 1_000; i++) takeAll(attempts, 3, 0, `host-${i}`);
    expect(attempts.exhausted(0)).toBe(10);
  });
});
