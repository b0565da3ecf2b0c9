import { describe, expect, it } from '@jest/globals';
import { endpointHealth } from './health.js';

const EARLIER = '2026-11-23T08:00:00.000Z';
const LATER = '2026-11-23T08:00:00.001Z';

describe('healthOf', () => {
  const facts = (lastDeliveredAt: string | null, failedAt: string | null) => ({
    available: true,
    enabled: true,
    state: 'active' as const,
    lastDeliveredAt,
    lastFailure:
      failedAt === null
        ? null
        : { at: failedAt, reason: 'No.', category: 'http_5xx' as const, httpStatus: 500 },
  });

  it.each([
    ['never tried', null, null, 'waiting'],
    ['delivered to', EARLIER, null, 'good'],
    ['failed', null, EARLIER, 'bad'],
    ['recovered', LATER, EARLIER, 'good'],
    ['failed later', EARLIER, LATER, 'bad'],
  ] as const)('of a receiver that was %s', (_, deliveredAt, failedAt, health) => {
    expect(endpointHealth(facts(deliveredAt, failedAt))).toBe(health);
  });

  it('is bad while records are held, and off where nothing is sent', () => {
    const good = facts(LATER, EARLIER);
    expect(endpointHealth({ ...good, state: 'held' })).toBe('bad');
    expect(endpointHealth({ ...good, enabled: false })).toBe('off');
    expect(endpointHealth({ ...good, available: false, state: 'held' })).toBe('off');
  });
});
