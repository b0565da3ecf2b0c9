import { describe, expect, it } from '@jest/globals';
import { isLonger, parseDuration } from './declared-duration.js';

const DAY = 86_400;

it.each([
  ['session', 0],
  ['Session', 0],
  ['Sitzung', 0],
  ['30 minutes', 1800],
  ['1 day', DAY],
  ['2 Tage', 2 * DAY],
  ['a week', 7 * DAY],
  ['13 months', 13 * 30.44 * DAY],
  ['1 Jahr', 365.25 * DAY],
  ['1.5 years', 1.5 * 365.25 * DAY],
  ['1,5 Jahre', 1.5 * 365.25 * DAY],
  ['until deleted', null],
  ['30 minutes after last activity', null],
  ['60 days till 3650 days', null],
  ['', null],
])('reads %s as %s s', (text, seconds) => {
  expect(parseDuration(text)).toBe(seconds);
});

describe('a lifetime', () => {
  it('is longer than declared beyond 5 percent and an hour', () => {
    expect(isLonger(10 * DAY * 1.05 + 3600, 10 * DAY)).toBe(false);
    expect(isLonger(10 * DAY * 1.05 + 3601, 10 * DAY)).toBe(true);
  });
  it('of a session is never longer, and of a day is longer than a session', () => {
    expect(isLonger(null, 0)).toBe(false);
    expect(isLonger(3600, 0)).toBe(false);
    expect(isLonger(3601, 0)).toBe(true);
  });
});
