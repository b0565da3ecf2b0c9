import { describe, expect, it } from '@jest/globals';
import { stillCounts } from '../../loader/prompt-rule.js';

const MONTH_MS = 2_630_000_000;
const SITE = {
  policyVersion: '1',
  categories: ['analytics', 'marketing'],
  serviceIds: ['0a1b2c3d'],
  reconsentMonths: 12,
};
const ACCEPTED = {
  analytics: true,
  marketing: true,
  at: Date.now(),
  prompt: 'analytics,marketing,0a1b2c3d,1',
};
const REFUSED = { ...ACCEPTED, analytics: false, marketing: false };

describe(stillCounts.name, () => {
  it.each<[string, Partial<typeof SITE>, boolean, boolean]>([
    ['nothing', {}, true, true],
    ['a new service, with the same policy version', { serviceIds: ['0a1b2c3d', '11111111'] }, true, true],
    ['a new category', { categories: ['analytics', 'marketing', 'preferences'] }, false, false],
    ['the policy version alone', { policyVersion: '2' }, false, true],
    ['a new service', { policyVersion: '2', serviceIds: ['0a1b2c3d', '11111111'] }, false, false],
    ['a service that is replaced', { policyVersion: '2', serviceIds: ['11111111'] }, false, false],
    ['a service that is removed', { policyVersion: '2', serviceIds: [] }, true, true],
    ['a category that is removed', { policyVersion: '2', categories: ['analytics'] }, true, true],
  ])('after a change of %s', (_, change, acceptance, refusal) => {
    expect(stillCounts(ACCEPTED, { ...SITE, ...change })).toBe(acceptance);
    expect(stillCounts(REFUSED, { ...SITE, ...change })).toBe(refusal);
  });

  it.each([
    [12, 12, 12],
    [3, 3, 6],
    [6, 6, 6],
  ])(
    'with re-consent after %d months: an acceptance for %d, a refusal for %d',
    (reconsentMonths, accepted, refused) => {
      const after = (choice: typeof ACCEPTED, months: number, ms: number): boolean =>
        stillCounts({ ...choice, at: Date.now() - months * MONTH_MS + ms }, { ...SITE, reconsentMonths });
      for (const [choice, months] of [
        [ACCEPTED, accepted],
        [REFUSED, refused],
      ] as const) {
        expect(after(choice, months, 60_000)).toBe(true);
        expect(after(choice, months, -60_000)).toBe(false);
      }
    },
  );

  it('reads what older loaders have stored: sorted, without services, or nothing', () => {
    expect(stillCounts({ ...ACCEPTED, prompt: '1,analytics,marketing' }, SITE)).toBe(true);
    expect(
      stillCounts({ ...ACCEPTED, prompt: '1,analytics,marketing' }, { ...SITE, policyVersion: '2' }),
    ).toBe(false);
    const oldest: Partial<typeof ACCEPTED> = { analytics: true, marketing: true };
    expect(stillCounts(oldest, SITE)).toBe(true);
  });

  it('reads documents that name no services and no months', () => {
    const { serviceIds: _, reconsentMonths: _months, ...older } = SITE;
    expect(stillCounts({ ...ACCEPTED, at: 0, prompt: 'analytics,marketing,1' }, older)).toBe(true);
    expect(stillCounts({ ...ACCEPTED, prompt: 'analytics,1' }, older)).toBe(false);
  });
});
