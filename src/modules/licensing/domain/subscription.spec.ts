import { expect, it } from '@jest/globals';
import { resolveTier } from './resolve-tier.js';
import { newSubscription } from './subscription.js';

it('grants nothing while it says nothing', () => {
  const now = new Date('2026-11-20T12:00:00.000Z');
  const key = { provider: 'stripe', externalId: 'sub_1', projectId: 'p', id: 's1' } as const;
  const subscription = newSubscription(key, now);
  expect(subscription).toMatchObject({
    ...key,
    tier: null,
    collectionPaused: false,
    syncSeq: 0,
    createdAt: now,
  });
  // Nor does a tier in the row grant anything.
  for (const tier of [null, 'pro'] as const) {
    const resolved = resolveTier({ subscriptions: [{ ...subscription, tier }], ownDomains: [], now });
    expect(resolved.tier).toBe('lite');
  }
});
