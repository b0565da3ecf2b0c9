import { describe, expect, it } from '@jest/globals';
import { FAILURE_CATEGORIES, type FailureCategory } from './outcome.js';
import { retryAfterMs, healthSignalOf } from './health-signal.js';

const NOW = new Date('2026-11-21T12:00:00.000Z');
const ofStatus = (httpStatus: number, retryAfter?: string): ReturnType<typeof healthSignalOf> =>
  healthSignalOf({ kind: 'status', httpStatus, retryAfter }, 'project', NOW);
const ofError = (category: FailureCategory): ReturnType<typeof healthSignalOf> =>
  healthSignalOf({ kind: 'error', category, reason: 'It failed.' }, 'project', NOW);

describe('what an answer says about a receiver', () => {
  it.each([401, 403, 404, 408, 410, 429, 500, 502, 503, 504, 599])('takes %i for an outage', (status) => {
    expect(ofStatus(status)).toEqual({ kind: 'down', retryAfterMs: null });
  });

  it.each([301, 302, 307, 399, 400, 402, 405, 406, 407, 409, 411, 413, 415, 422, 428, 430, 451, 499, 600])(
    'takes %i for an answer about one record',
    (status) => {
      expect(ofStatus(status)).toEqual({ kind: 'unclear' });
    },
  );

  it.each([200, 202, 204, 299])('takes %i for a success', (status) => {
    expect(ofStatus(status)).toEqual({ kind: 'up' });
  });

  it('takes five kinds of failing to reach it for an outage, and no other', () => {
    const down = FAILURE_CATEGORIES.filter((category) => ofError(category).kind === 'down');
    expect(down.toSorted()).toEqual(['connect', 'dns', 'reset', 'timeout', 'tls']);
    const others = FAILURE_CATEGORIES.filter((category) => !down.includes(category));
    expect(new Set(others.map((category) => ofError(category).kind))).toEqual(new Set(['unclear']));
  });

  it('learns nothing from an endpoint that a visitor named', () => {
    expect(healthSignalOf({ kind: 'status', httpStatus: 500 }, 'legacy', NOW)).toEqual({ kind: 'elsewhere' });
    expect(healthSignalOf({ kind: 'status', httpStatus: 200 }, 'legacy', NOW)).toEqual({ kind: 'elsewhere' });
  });

  it.each([429, 503])('obeys the Retry-After of %i', (status) => {
    expect(ofStatus(status, '120')).toEqual({ kind: 'down', retryAfterMs: 120_000 });
  });

  it.each([500, 502, 408, 401])('does not heed the Retry-After of %i', (status) => {
    expect(ofStatus(status, '120')).toEqual({ kind: 'down', retryAfterMs: null });
  });
});

describe('Retry-After', () => {
  it.each([
    ['0', 0],
    ['1', 1_000],
    [' 30 ', 30_000],
    ['3600', 3_600_000],
    ['3601', 3_600_000],
    ['99999999999999999999', 3_600_000],
    ['Sat, 21 Nov 2026 12:00:10 GMT', 10_000],
    ['Sat, 21 Nov 2026 14:00:00 GMT', 3_600_000],
    ['Sat, 21 Nov 2026 11:59:59 GMT', 0],
  ])('%s is a wait of %i ms', (header, waitMs) => {
    expect(retryAfterMs(header, NOW)).toBe(waitMs);
  });

  it.each([undefined, '', 'soon', '-5', '1.5', '2026-11-21T12:00:10Z'])('says nothing in "%s"', (header) => {
    expect(retryAfterMs(header, NOW)).toBeNull();
  });
});
