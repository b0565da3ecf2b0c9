import { describe, expect, it } from '@jest/globals';
import { undeliveredSentence } from './undelivered-sentence.js';

const CLOCK = { zone: 'utc' as const, now: new Date('2026-11-24T12:00:00Z') };
const FIRST = '2026-11-24T02:14:00Z';
const LAST = '2026-11-24T02:31:00Z';
const UNAVAILABLE = { category: 'http_5xx' as const, httpStatus: 503, records: 2 };
const TIMEOUT = { category: 'timeout' as const, httpStatus: null, records: 1 };

describe('undeliveredSentence', () => {
  it.each([
    [[UNAVAILABLE], FIRST, LAST, 'Your endpoint returned 503 between 02:14 and 02:31.'],
    [[UNAVAILABLE], FIRST, FIRST, 'Your endpoint returned 503 at 02:14.'],
    [[UNAVAILABLE], '2026-11-20T02:14:00Z', null, 'Your endpoint returned 503 since Nov 20, 02:14.'],
    [[UNAVAILABLE], '2026-11-20T02:14:00Z', LAST, 'Your endpoint returned 503 between Nov 20 and Nov 24.'],
    [[TIMEOUT], FIRST, LAST, 'Timed out between 02:14 and 02:31.'],
    [[{ ...TIMEOUT, category: null }], FIRST, LAST, 'They failed between 02:14 and 02:31.'],
    [[UNAVAILABLE, TIMEOUT], FIRST, LAST, 'Most often: Your endpoint returned 503 between 02:14 and 02:31.'],
    [[], null, null, ''],
  ])('of %j from %s to %s', (causes, firstFailedAt, lastFailedAt, expected) =>
    expect(undeliveredSentence({ causes, firstFailedAt, lastFailedAt }, CLOCK)).toBe(expected),
  );
});
