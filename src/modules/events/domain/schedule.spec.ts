import { describe, expect, it } from '@jest/globals';
import { eventDelayMs, failingStep } from './schedule.js';

const [SECOND, MINUTE, HOUR, DAY] = [1000, 60_000, 3_600_000, 86_400_000];

describe(eventDelayMs.name, () => {
  it.each([
    [1, 5 * SECOND],
    [2, 30 * SECOND],
    [3, 2 * MINUTE],
    [4, 10 * MINUTE],
    [5, 30 * MINUTE],
    [6, 1 * HOUR],
    [7, 3 * HOUR],
    [8, 6 * HOUR],
    [9, 12 * HOUR],
    [10, 24 * HOUR],
    [11, 24 * HOUR],
  ])('after %i failures is %i ms, and up to a tenth longer', (tries, ms) => {
    expect(eventDelayMs(tries, null, 0)).toBe(ms);
    expect(eventDelayMs(tries, null, 0.999)).toBeGreaterThan(ms * 1.099);
    expect(eventDelayMs(tries, null, 0.999)).toBeLessThanOrEqual(ms * 1.1);
  });

  it('is never shorter than Retry-After, and no longer because of it', () => {
    expect(eventDelayMs(1, HOUR, 0)).toBe(HOUR);
    expect(eventDelayMs(7, HOUR, 0)).toBe(3 * HOUR);
  });
});

describe(failingStep.name, () => {
  const NOW = new Date('2026-12-10T12:00:00.000Z');
  const after = (days: number, mailedDay: number) =>
    failingStep(new Date(NOW.getTime() - days * DAY), mailedDay, NOW);

  it('is a mail on the first and third day, and the end on the fifth, each once', () => {
    expect([after(0.99, 0), after(1, 0), after(2.99, 1)]).toEqual([null, { day: 1, disable: false }, null]);
    expect([after(3, 1), after(4.99, 3)]).toEqual([{ day: 3, disable: false }, null]);
    expect([after(5, 3), after(6, 5)]).toEqual([{ day: 5, disable: true }, null]);
  });

  it('is one mail for days that passed unnoticed', () => {
    expect([after(4, 0), after(9, 0)]).toEqual([
      { day: 3, disable: false },
      { day: 5, disable: true },
    ]);
  });
});
