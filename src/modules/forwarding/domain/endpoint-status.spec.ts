import { describe, expect, it } from '@jest/globals';
import { CAUSES_MAX, judgeEndpoint, summarizeFailures } from './endpoint-status.js';
import type { FailureCategory } from '../../../platform/delivery/domain/outcome.js';

const EARLIER = new Date('2026-11-23T08:00:00.000Z');
const LATER = new Date('2026-11-23T08:00:00.001Z');

describe(judgeEndpoint, () => {
  const facts = {
    isOn: true,
    lastDeliveredAt: null,
    lastFailedAt: null,
    failingSince: null,
    heldSince: null,
  };

  it.each([
    ['off', { isOn: false, lastFailedAt: LATER, heldSince: EARLIER }, 'off', null],
    ['without an attempt', {}, 'unused', null],
    ['that delivered', { lastDeliveredAt: EARLIER }, 'healthy', null],
    ['that delivered last', { lastDeliveredAt: LATER, lastFailedAt: EARLIER }, 'healthy', null],
    ['that delivered and failed at once', { lastDeliveredAt: LATER, lastFailedAt: LATER }, 'healthy', null],
    ['that failed last', { lastDeliveredAt: EARLIER, lastFailedAt: LATER }, 'failing', LATER],
    ['that failed repeatedly', { lastFailedAt: LATER, failingSince: EARLIER }, 'failing', EARLIER],
    ['that is held', { lastDeliveredAt: LATER, heldSince: EARLIER }, 'held', EARLIER],
  ])('judges an endpoint %s', (_, given, state, since) => {
    expect(judgeEndpoint({ ...facts, ...given })).toEqual({ state, since });
  });
});

const failure = (minute: number, category: FailureCategory, httpStatus: number | null = null) => ({
  attemptedAt: new Date(Date.UTC(2026, 10, 24, 2, minute)),
  category,
  httpStatus,
});

describe('summarizeFailures', () => {
  it('has neither times nor causes without failures', () =>
    expect(summarizeFailures([])).toEqual({ firstFailedAt: null, lastFailedAt: null, causes: [] }));

  it('has the first and the last failure, and the most frequent cause first', () =>
    expect(
      summarizeFailures([
        failure(31, 'timeout'),
        failure(14, 'http_5xx', 503),
        failure(20, 'http_5xx', 503),
        failure(21, 'http_5xx', 500),
      ]),
    ).toEqual({
      firstFailedAt: new Date('2026-11-24T02:14:00Z'),
      lastFailedAt: new Date('2026-11-24T02:31:00Z'),
      causes: [
        { category: 'http_5xx', httpStatus: 503, records: 2 },
        { category: 'timeout', httpStatus: null, records: 1 },
        { category: 'http_5xx', httpStatus: 500, records: 1 },
      ],
    }));

  it('names a bounded number of causes', () => {
    const failures = [500, 501, 502, 503, 504].map((status) => failure(0, 'http_5xx', status));
    expect(summarizeFailures(failures).causes).toHaveLength(CAUSES_MAX);
  });
});
