import { describe, expect, it } from '@jest/globals';
import { PacedRateLimiter, SNOOZE_MAX_MS } from './paced-rate-limiter.js';

const limiterOf3 = (keysMax = 100) => new PacedRateLimiter({ burst: 3, perSecond: 2, keysMax });
const consumeAll = (of: PacedRateLimiter, count: number, nowMs: number, key = 'a') =>
  Array.from({ length: count }, () => of.consume(key, nowMs));

describe('PacedRateLimiter', () => {
  it('allows the burst, and spaces further attempts out', () => {
    expect(consumeAll(limiterOf3(), 6, 10_000)).toEqual([0, 0, 0, 500, 1000, 1500]);
  });

  it('allows one more attempt per interval, and no sooner', () => {
    const limiter = limiterOf3();
    consumeAll(limiter, 3, 10_000);
    expect(limiter.consume('a', 10_499)).toBeGreaterThan(0);
    expect(limiter.consume('a', 10_500)).toBe(0);
    expect(limiter.consume('a', 10_500)).toBeGreaterThan(0);
  });

  it('allows the whole burst again after a pause, and never more', () => {
    const limiter = limiterOf3();
    consumeAll(limiter, 3, 10_000);
    expect(consumeAll(limiter, 4, 3_600_000).filter((waitMs) => waitMs === 0)).toHaveLength(3);
  });

  it('returns a wait of at most a minute', () => {
    expect(Math.max(...consumeAll(limiterOf3(), 1_000, 0))).toBe(SNOOZE_MAX_MS);
  });

  it('counts each key separately, and refunds an attempt', () => {
    const limiter = limiterOf3();
    consumeAll(limiter, 4, 0);
    expect(limiter.consume('b', 0)).toBe(0);
    expect(limiter.isExhausted('a', 0)).toBe(true);
    expect([limiter.exhausted(0), limiter.exhausted(0, 'a'), limiter.exhausted(0, 'b')]).toEqual([1, 1, 0]);
    limiter.refund('a');
    expect(limiter.exhausted(0)).toBe(0);
    expect(consumeAll(limiter, 2, 0)).toEqual([0, 1000]);
    limiter.refund('never counted');
  });

  it('charges an attempt that exceeds the limit, for at most a minute', () => {
    const limiter = limiterOf3();
    consumeAll(limiter, 3, 0);
    for (let i = 0; i < 4; i++) limiter.charge('a', 0);
    expect(limiter.isExhausted('a', 2_499)).toBe(true);
    expect(limiter.isExhausted('a', 2_500)).toBe(false);
    for (let i = 0; i < 1_000; i++) limiter.charge('a', 10_000);
    expect(limiter.isExhausted('a', 10_000 + SNOOZE_MAX_MS)).toBe(true);
    expect(limiter.isExhausted('a', 10_500 + SNOOZE_MAX_MS)).toBe(false);
  });

  it('is exhausted by the last attempt of the burst, not before', () => {
    const limiter = limiterOf3();
    consumeAll(limiter, 2, 0);
    expect(limiter.isExhausted('a', 0)).toBe(false);
    limiter.consume('a', 0);
    expect(limiter.isExhausted('a', 0)).toBe(true);
  });

  it('is exhausted until the next interval, and never without attempts', () => {
    const limiter = limiterOf3();
    consumeAll(limiter, 3, 10_000);
    expect(limiter.isExhausted('a', 10_499)).toBe(true);
    expect(limiter.isExhausted('a', 10_500)).toBe(false);
    expect(limiter.isExhausted('b', 10_000)).toBe(false);
  });

  it('remembers at most as many keys as allowed', () => {
    const limiter = limiterOf3(10);
    for (let i = 0; i < 1_000; i++) consumeAll(limiter, 3, 0, `host-${i}`);
    expect(limiter.exhausted(0)).toBe(10);
  });
});
