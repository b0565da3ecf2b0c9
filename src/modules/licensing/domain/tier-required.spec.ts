import { describe, expect, it } from '@jest/globals';
import { tierRequired } from './tier-required.js';
import { isTier, type ResolvedTier, TIERS, tierRank } from './tier.js';

const LITE: ResolvedTier = {
  tier: 'lite',
  reason: 'no_subscription',
  graceEndsAt: null,
  validUntil: null,
  subscriptionId: null,
};
const membersOf = (...question: Parameters<typeof tierRequired>): unknown =>
  tierRequired(...question).details?.members;

describe('tierRequired', () => {
  it('says what is needed, what there is and why', () => {
    const refusal = tierRequired(['pro', 'business'], LITE, 'editor');
    expect(refusal.code).toBe('tier_required');
    expect(refusal.message).toBe(
      'Requires one of the tiers pro, business. The current tier is lite (no_subscription).',
    );
    expect(refusal.details?.members).toEqual({
      requiredTiers: ['pro', 'business'],
      currentTier: 'lite',
      reason: 'no_subscription',
    });
  });

  it('tells an owner alone what would help', () => {
    expect(membersOf(['lite', 'pro', 'business'], LITE, 'owner')).toMatchObject({
      upgrade: { pricingUrl: '/v1/pricing', tiers: ['pro', 'business'] },
    });
    for (const role of ['viewer', 'editor'] as const)
      expect(membersOf(['pro'], LITE, role)).not.toHaveProperty('upgrade');
  });

  it('tells nobody where nothing would: on a preview host, or where no tier is higher', () => {
    expect(membersOf(['pro'], { ...LITE, reason: 'preview_hostname' }, 'owner')).not.toHaveProperty(
      'upgrade',
    );
    expect(membersOf(['pro'], { ...LITE, tier: 'business' }, 'owner')).not.toHaveProperty('upgrade');
  });

  it('tells the end of a grace period', () => {
    const graceEndsAt = new Date('2026-11-20T12:00:00.000Z');
    expect(membersOf(['pro'], { ...LITE, graceEndsAt }, 'viewer')).toMatchObject({
      graceEndsAt: '2026-11-20T12:00:00.000Z',
    });
  });
});

describe('tiers', () => {
  it('are ranked lowest first, and known by their keys alone', () => {
    expect(TIERS.map(tierRank)).toEqual([0, 1, 2, 3]);
    expect([...TIERS, 'Lite', '', null, 'gold'].map(isTier)).toEqual([
      true,
      true,
      true,
      true,
      false,
      false,
      false,
      false,
    ]);
  });
});
