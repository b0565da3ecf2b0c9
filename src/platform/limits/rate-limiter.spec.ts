import { describe, expect, it } from '@jest/globals';
import { RateLimiter } from './rate-limiter.js';

const limiterOf3 = (keysMax = 10): RateLimiter => new RateLimiter({ points: 3, windowMs: 60_000, keysMax });

describe(RateLimiter.name, () => {
  it('allows the last request within the limit, and returns how long the next one has to wait', () => {
    const limiter = limiterOf3();
    expect([limiter.consume('a', 0), limiter.consume('a', 1), limiter.consume('a', 2)]).toEqual([0, 0, 0]);
    expect(limiter.consume('a', 10_000)).toBe(50_000);
    expect(limiter.consume('b', 10_000)).toBe(0);
  });

  it('starts a new window when the last one has ended, not a millisecond earlier', () => {
    const limiter = limiterOf3();
    for (let n = 0; n < 4; n++) limiter.consume('a', 0);
    expect(limiter.consume('a', 59_999)).toBe(1);
    expect(limiter.consume('a', 60_000)).toBe(0);
  });

  it('consumes several points at once', () => {
    const limiter = limiterOf3();
    expect(limiter.consume('a', 0, 3)).toBe(0);
    expect(limiter.consume('a', 0)).toBe(60_000);
    expect(limiter.consume('b', 0, 4)).toBe(60_000);
  });

  it('remembers at most as many keys as allowed, the most recently used ones', () => {
    const limiter = limiterOf3(2);
    for (let n = 0; n < 4; n++) limiter.consume('a', 0);
    limiter.consume('b', 0);
    limiter.consume('a', 0);
    for (let n = 0; n < 1_000; n++) {
      limiter.consume(`made up ${n}`, 0);
      limiter.consume('a', 0);
    }
    expect(limiter.size).toBe(2);
    expect(limiter.consume('a', 0)).toBe(60_000);
    expect(limiter.consume('b', 0)).toBe(0);
  });
});
