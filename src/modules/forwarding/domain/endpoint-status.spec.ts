import { describe, expect, it } from '@jest/globals';
import { judgeEndpoint } from './endpoint-status.js';

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
