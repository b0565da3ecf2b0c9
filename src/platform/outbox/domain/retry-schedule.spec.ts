import { expect, it } from '@jest/globals';
import { BUG_SCHEDULE } from './retry-schedule.js';

it('waits two minutes in all for what throws, each time twice as long, five minutes at most', () => {
  const waits = Array.from(
    { length: BUG_SCHEDULE.failuresMax - 1 },
    (_, n) => BUG_SCHEDULE.delayMs(n + 1) / 1000,
  );
  expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64]);
  expect(BUG_SCHEDULE.delayMs(9)).toBe(256_000);
  expect(BUG_SCHEDULE.delayMs(10)).toBe(300_000);
});
