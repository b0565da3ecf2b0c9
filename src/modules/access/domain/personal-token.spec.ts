import { describe, expect, it } from '@jest/globals';
import {
  generatePersonalToken,
  generateUserCode,
  isEarlyPoll,
  isPersonalToken,
  isRecentSignIn,
  readUserCode,
  RECENT_SIGN_IN_MS,
} from './personal-token.js';

const NOW = new Date('2026-12-01T09:30:00Z');
const before = (ms: number): Date => new Date(NOW.getTime() - ms);

describe('a user code', () => {
  it('has two groups of four letters that resemble no other, and differs each time', () => {
    const codes = Array.from({ length: 200 }, generateUserCode);
    for (const code of codes) expect(code).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
    expect(new Set(codes).size).toBe(200);
  });

  it.each(['BCDF-GHJK', 'bcdf-ghjk', 'BCDFGHJK', ' bcdf ghjk '])('is read from %j', (typed) => {
    expect(readUserCode(typed)).toBe('BCDF-GHJK');
  });

  it.each(['', 'BCDF-GHJ', 'BCDF-GHJKL', 'BCDF-GHJA', 'BCDF-GHJ1', 'BCDF-GHJß', 'BCDF_GHJK'])(
    'is none in %j',
    (typed) => {
      expect(readUserCode(typed)).toBeNull();
    },
  );
});

it('tells a personal token from an API key', () => {
  expect(generatePersonalToken()).toMatch(/^cp_[\w-]{43}$/);
  expect([isPersonalToken(generatePersonalToken()), isPersonalToken('ck_x')]).toEqual([true, false]);
});

it('takes a sign-in as recent for an hour', () => {
  expect(isRecentSignIn(before(RECENT_SIGN_IN_MS - 1), NOW)).toBe(true);
  expect(isRecentSignIn(before(RECENT_SIGN_IN_MS), NOW)).toBe(false);
});

it('finds a poll early until its interval has passed', () => {
  expect(isEarlyPoll({ polledAt: null, intervalSeconds: 5 }, NOW)).toBe(false);
  expect(isEarlyPoll({ polledAt: before(4_999), intervalSeconds: 5 }, NOW)).toBe(true);
  expect(isEarlyPoll({ polledAt: before(5_000), intervalSeconds: 5 }, NOW)).toBe(false);
});
