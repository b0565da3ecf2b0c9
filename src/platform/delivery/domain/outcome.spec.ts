import { describe, expect, it } from '@jest/globals';
import { FAILURE_CATEGORIES, type FailureCategory, isHealthy, judgeResponse } from './outcome.js';

describe('judgeResponse (spec §3.3)', () => {
  it.each([200, 201, 202, 204, 299])('%d is a delivery', (httpStatus) => {
    expect(judgeResponse({ kind: 'status', httpStatus })).toEqual({ outcome: 'delivered', httpStatus });
  });

  it.each([
    [101, 'http_other'],
    [199, 'http_other'],
    [300, 'redirect'],
    [301, 'redirect'],
    [399, 'redirect'],
    [400, 'http_4xx'],
    [401, 'http_4xx'],
    [499, 'http_4xx'],
    [500, 'http_5xx'],
    [599, 'http_5xx'],
    [600, 'http_other'],
    [999, 'http_other'],
  ])('%d is a failure of the category %s', (httpStatus, category) => {
    expect(judgeResponse({ kind: 'status', httpStatus })).toMatchObject({
      outcome: 'failed',
      category,
      httpStatus,
      reason: expect.stringContaining(String(httpStatus)),
    });
  });

  it.each([401, 403])('says of %d that the authentication was refused', (httpStatus) => {
    expect(judgeResponse({ kind: 'status', httpStatus })).toMatchObject({
      category: 'http_4xx',
      reason: `The endpoint returned ${httpStatus}: it rejected the authentication.`,
    });
  });

  it.each([400, 402, 404])('says of %d no more than that', (httpStatus) => {
    const reason = `The endpoint returned ${httpStatus}.`;
    expect(judgeResponse({ kind: 'status', httpStatus })).toMatchObject({ reason });
  });

  it('a network error is a failure without a status', () => {
    const answer = { kind: 'error', category: 'connect', reason: 'No.' } as const;
    expect(judgeResponse(answer)).toEqual({
      outcome: 'failed',
      category: 'connect',
      reason: 'No.',
      httpStatus: null,
    });
  });
});

describe(isHealthy.name, () => {
  const of = (category: FailureCategory | null): boolean => isHealthy({ category });

  it('takes slots from a receiver alone that is not found, not reached or too slow', () => {
    expect(FAILURE_CATEGORIES.filter((category) => !of(category))).toEqual(['dns', 'connect', 'timeout']);
    expect(of(null)).toBe(true);
  });
});
