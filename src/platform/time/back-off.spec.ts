import { describe, expect, it } from '@jest/globals';
import { backOffMs } from './back-off.js';

describe(backOffMs.name, () => {
  const schedule = { baseMs: 100, factor: 3, longestMs: 2_000 };

  it('multiplies the wait with each try, up to the longest', () => {
    expect([1, 2, 3, 4, 1_000].map((tries) => backOffMs(tries, schedule))).toEqual([
      100, 300, 900, 2_000, 2_000,
    ]);
  });
});
