import { expect, it } from '@jest/globals';
import { EVENT_ATTEMPTS_MAX, eventRetryDelayMs } from './retry-delay.js';

it('waits 2 s, then three times as long each time, an hour at most', () => {
  const delays = Array.from({ length: EVENT_ATTEMPTS_MAX - 1 }, (_, n) => eventRetryDelayMs(n + 1) / 1000);
  expect(delays).toEqual([2, 6, 18, 54, 162, 486, 1458, 3600, 3600, 3600, 3600]);
});
