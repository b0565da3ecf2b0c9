import { describe, expect, it } from '@jest/globals';
import { RateWindow } from './rate-window.js';

const window = (keysMax = 10): RateWindow => new RateWindow({ countMax: 3, windowMs: 60_000, keysMax });

describe(RateWindow.name, () => {
  it('lets the last one within the limit pass, and tells the next one how long to wait', () => {
    const counted = window();
    expect([counted.add('a', 0), counted.add('a', 1), counted.add('a', 2)]).toEqual([0, 0, 0]);
    expect(counted.add('a', 10_000)).toBe(50_000);
    expect(counted.add('b', 10_000)).toBe(0);
  });

  it('begins anew when the window has ended, not a millisecond earlier', () => {
    const counted = window();
    for (let n = 0; n < 4; n++) counted.add('a', 0);
    expect(counted.add('a', 59_999)).toBe(1);
    expect(counted.add('a', 60_000)).toBe(0);
  });

  it('counts what costs more as so many', () => {
    const counted = window();
    expect(counted.add('a', 0, 3)).toBe(0);
    expect(counted.add('a', 0)).toBe(60_000);
    expect(counted.add('b', 0, 4)).toBe(60_000);
  });

  it('remembers no more keys than it may, the latest ones', () => {
    const counted = window(2);
    for (let n = 0; n < 4; n++) counted.add('a', 0);
    counted.add('b', 0);
    counted.add('a', 0);
    for (let n = 0; n < 1_000; n++) {
      counted.add(`made up ${n}`, 0);
      counted.add('a', 0);
    }
    expect(counted.size).toBe(2);
    expect(counted.add('a', 0)).toBe(60_000);
    expect(counted.add('b', 0)).toBe(0);
  });
});
