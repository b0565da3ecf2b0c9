import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { FAILURE_CATEGORIES, judgeResponse } from '../../../platform/delivery/domain/outcome.js';
import type { ClassifiedOutcome } from './delivery-outcome.js';
import { healthSignalOf } from '../../../platform/delivery/domain/health-signal.js';
import { isRetryOver, isTemporary, retryDelayMs, retryKey, retryOf, retryPayload } from './retry.js';

const NOW = new Date('2026-12-01T12:00:00Z');
const HOUR_MS = 3_600_000;
const RETRIES = { enabled: true, hours: 24 };
const TERMS = { retryFailures: RETRIES, now: NOW, random: 0 };
const FIRST = { attempt: 1, firstAttemptAt: NOW };

function failure(httpStatus: number, retryAfter?: string): ClassifiedOutcome {
  const answer = { kind: 'status', httpStatus, retryAfter } as const;
  return {
    id: 'id',
    durationMs: 1,
    attemptedAt: NOW,
    host: 'receiver.example.com',
    category: null,
    reason: null,
    ...judgeResponse(answer),
    health: healthSignalOf(answer, 'project', NOW),
  };
}
const failedBy = (category: ClassifiedOutcome['category']): ClassifiedOutcome => ({
  ...failure(500),
  category,
  httpStatus: null,
});

describe('the failures that are retried', () => {
  it('are those that go away without a change to the record', () => {
    const categories = FAILURE_CATEGORIES.filter((category) => isTemporary(failedBy(category)));
    expect(categories).toEqual(['dns', 'connect', 'tls', 'timeout', 'reset', 'http_5xx', 'worker_lost']);
  });

  it('include 5xx and seven other statuses', () => {
    const statuses = Array.from({ length: 400 }, (_, index) => 200 + index);
    expect(statuses.filter((status) => isTemporary(failure(status)))).toEqual([
      401,
      403,
      404,
      408,
      410,
      425,
      429,
      ...Array.from({ length: 100 }, (_, index) => 500 + index),
    ]);
  });

  it('are none where retries are off, or visitors chose the endpoint', () => {
    expect(retryDelayMs(failure(503), FIRST, TERMS)).toBe(5_000);
    const off = { ...TERMS, retryFailures: { ...RETRIES, enabled: false } };
    expect(retryDelayMs(failure(503), FIRST, off)).toBeNull();
    const elsewhere: ClassifiedOutcome = { ...failure(503), health: { kind: 'elsewhere' } };
    expect(retryDelayMs(elsewhere, FIRST, TERMS)).toBeNull();
  });
});

describe('the delay before a retry', () => {
  it('doubles from 5 seconds to 5 minutes', () => {
    const delays = [1, 2, 3, 4, 5, 6, 7, 8, 50].map((attempt) =>
      retryDelayMs(failure(503), { ...FIRST, attempt }, TERMS),
    );
    expect(delays).toEqual([5_000, 10_000, 20_000, 40_000, 80_000, 160_000, 300_000, 300_000, 300_000]);
  });

  it('is at least Retry-After of 429 and 503, up to an hour', () => {
    expect(retryDelayMs(failure(429, '600'), FIRST, TERMS)).toBe(600_000);
    expect(retryDelayMs(failure(503, '7200'), FIRST, TERMS)).toBe(HOUR_MS);
    expect(retryDelayMs(failure(503, '1'), FIRST, TERMS)).toBe(5_000);
    expect(retryDelayMs(failure(502, '600'), FIRST, TERMS)).toBe(5_000);
  });

  it('is none if the retry would be at the end of the period or later', () => {
    const began = (beforeMs: number): typeof FIRST => ({
      ...FIRST,
      firstAttemptAt: new Date(NOW.getTime() - 24 * HOUR_MS + beforeMs),
    });
    expect(retryDelayMs(failure(503), began(5_001), TERMS)).toBe(5_000);
    expect(retryDelayMs(failure(503), began(5_000), TERMS)).toBeNull();
    expect(isRetryOver(began(1), RETRIES, NOW)).toBe(false);
    expect(isRetryOver(began(0), RETRIES, NOW)).toBe(true);
  });

  it('stays between its bounds, whatever the attempt, the jitter and the answer', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 10_000 }),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        fc.integer({ min: 200, max: 599 }),
        fc.option(fc.integer({ min: 0, max: 100_000 }).map(String), { nil: undefined }),
        (attempt, random, status, retryAfter) => {
          const delayMs = retryDelayMs(
            failure(status, retryAfter),
            { ...FIRST, attempt },
            { ...TERMS, random },
          );
          expect(delayMs === null).toBe(!isTemporary(failure(status)));
          if (delayMs === null) return;
          expect(delayMs).toBeGreaterThanOrEqual(5_000);
          expect(delayMs).toBeLessThanOrEqual(retryAfter === undefined ? 300_000 : HOUR_MS);
          const later = retryDelayMs(
            failure(status, retryAfter),
            { ...FIRST, attempt: attempt + 1 },
            { ...TERMS, random },
          );
          expect(later).toBeGreaterThanOrEqual(delayMs);
        },
      ),
    );
  });
});

describe('the message of a retry', () => {
  it('carries the attempts so far', () => {
    const state = { attempt: 3, firstAttemptAt: NOW, queuedAt: new Date(NOW.getTime() - 5) };
    expect(retryOf({ payload: retryPayload(state) })).toEqual(state);
  });

  it('differs from that of a first attempt, and of an erasure', () => {
    expect(retryOf({ payload: null })).toBeNull();
    expect(retryOf({ payload: { erasedAt: NOW.toISOString() } })).toBeNull();
  });

  it('has slots beside the first attempts of its project', () => {
    const projectId = '01938c5e-7a3b-7c11-9f00-2b5e8d3c4a1f';
    expect(retryKey(projectId)).not.toBe(projectId);
    expect(retryKey(projectId)).toBe(retryKey(projectId));
  });
});
