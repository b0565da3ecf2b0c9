import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { KNOWN_STATUSES } from './subscription.js';
import { type ResolvedTier, tierRank } from './tier.js';
import { resolveTier, type SubscriptionFacts } from './resolve-tier.js';

const NOW = new Date('2026-11-20T12:00:00.000Z');
const DAY_MS = 86_400_000;
const ago = (ms: number): Date => new Date(NOW.getTime() - ms);
const days = (count: number): number => count * DAY_MS;
const ahead = (ms: number): Date => ago(-ms);

function subscription(fields: Partial<SubscriptionFacts> = {}): SubscriptionFacts {
  const status = fields.status ?? 'active';
  return {
    id: 's1',
    provider: 'stripe',
    tier: 'pro',
    status,
    knownStatus: status,
    statusSince: ago(days(30)),
    endedAt: null,
    endReason: null,
    pastDueSince: null,
    expiresAt: null,
    ...fields,
  };
}

const resolve = (
  subscriptions: SubscriptionFacts[],
  at: { hostname?: string; ownDomains?: string[]; now?: Date } = {},
): ResolvedTier => resolveTier({ subscriptions, ownDomains: [], now: NOW, ...at });

describe('the order of spec §3.2', () => {
  it('row 1: a preview host has lite, whatever is paid', () => {
    expect(resolve([subscription({ tier: 'business' })], { hostname: 'a.webflow.io' })).toEqual({
      tier: 'lite',
      reason: 'preview_hostname',
      graceEndsAt: null,
      validUntil: null,
      subscriptionId: null,
    });
  });

  it('row 1: a free subdomain that the project owns has what is paid', () => {
    const at = { hostname: 'a.carrd.co', ownDomains: ['a.carrd.co'] };
    expect(resolve([subscription()], at).tier).toBe('pro');
    expect(resolve([subscription()], { ...at, ownDomains: [] }).tier).toBe('lite');
  });

  it('row 2: without a subscription it is lite', () => {
    expect(resolve([])).toMatchObject({ tier: 'lite', reason: 'no_subscription', validUntil: null });
  });

  it.each(['pro', 'business'])('row 3: an active subscription gives its tier, %s', (tier) => {
    expect(resolve([subscription({ tier })], { hostname: 'www.example.com' })).toEqual({
      tier,
      reason: 'active',
      graceEndsAt: null,
      validUntil: null,
      subscriptionId: 's1',
    });
  });

  it('row 3: the highest of several counts', () => {
    const rows = [
      subscription({ id: 'a' }),
      subscription({ id: 'b', tier: 'business' }),
      subscription({ id: 'c', tier: 'enterprise', status: 'unpaid', provider: 'simulated' }),
    ];
    expect(resolve(rows)).toMatchObject({ tier: 'business', subscriptionId: 'b' });
  });

  it('row 4: past due or canceled is lite once the grace is over', () => {
    const rows = [
      subscription({ id: 'a', status: 'past_due', pastDueSince: ago(days(14)) }),
      subscription({ id: 'b', status: 'canceled', endedAt: ago(days(3)), endReason: 'requested' }),
    ];
    expect(resolve(rows)).toMatchObject({ tier: 'lite', reason: 'grace_expired', validUntil: null });
  });
});

describe('the grace table (design §6.2)', () => {
  it.each(['trialing', 'active'])('%s gives the tier, without an end', (status) => {
    expect(resolve([subscription({ status })])).toMatchObject({
      tier: 'pro',
      reason: status,
      validUntil: null,
    });
  });

  it('past_due keeps the tier for 14 days and not a millisecond more', () => {
    const overdue = (ms: number): ResolvedTier =>
      resolve([subscription({ status: 'past_due', pastDueSince: ago(ms) })]);
    expect(overdue(0)).toMatchObject({
      tier: 'pro',
      reason: 'grace_past_due',
      graceEndsAt: ahead(days(14)),
      validUntil: ahead(days(14)),
    });
    // 13 days 23:59:59.999
    expect(overdue(days(14) - 1)).toMatchObject({ tier: 'pro', graceEndsAt: ahead(1) });
    expect(overdue(days(14))).toMatchObject({ tier: 'lite', reason: 'grace_expired', graceEndsAt: null });
  });

  it('past_due counts from the status where nobody says since when', () => {
    const overdue = (ms: number): string =>
      resolve([subscription({ status: 'past_due', statusSince: ago(ms) })]).tier;
    expect(overdue(days(14) - 1)).toBe('pro');
    expect(overdue(days(14))).toBe('lite');
  });

  it('canceled on request keeps the tier for 3 days and not a millisecond more', () => {
    const ended = (ms: number): ResolvedTier =>
      resolve([subscription({ status: 'canceled', endedAt: ago(ms), endReason: 'requested' })]);
    expect(ended(days(3) - 1)).toMatchObject({
      tier: 'pro',
      reason: 'grace_canceled',
      graceEndsAt: ahead(1),
    });
    expect(ended(days(3))).toMatchObject({ tier: 'lite', reason: 'grace_expired' });
  });

  it.each([
    ['a failed payment', { endedAt: NOW, endReason: 'payment_failed' }, 'payment_failed'],
    ['a dispute', { endedAt: NOW, endReason: 'dispute' }, 'payment_disputed'],
    ['a reason that nobody knows', { endedAt: NOW, endReason: null }, 'canceled'],
    ['a reason that we do not know', { endedAt: NOW, endReason: 'whim' }, 'canceled'],
    ['an end that nobody knows', { endedAt: null, endReason: 'requested' }, 'canceled'],
  ])('canceled for %s is lite at once', (_, fields, reason) => {
    const row = subscription({ status: 'canceled', ...fields });
    expect(resolve([row])).toMatchObject({ tier: 'lite', reason });
  });

  it.each([
    ['unpaid', 'payment_failed'],
    ['paused', 'paused'],
    ['incomplete', 'incomplete'],
    ['incomplete_expired', 'incomplete'],
  ])('%s is lite', (status, reason) => {
    expect(resolve([subscription({ status })])).toMatchObject({ tier: 'lite', reason, validUntil: null });
  });

  it('an unknown status keeps what the row held for 3 days and not a millisecond more', () => {
    const unknown = (ms: number): ResolvedTier =>
      resolve([subscription({ status: 'odd', knownStatus: 'active', statusSince: ago(ms) })]);
    expect(unknown(days(3) - 1)).toMatchObject({
      tier: 'pro',
      reason: 'unknown_status',
      graceEndsAt: ahead(1),
      validUntil: ahead(1),
    });
    expect(unknown(days(3))).toMatchObject({ tier: 'lite', reason: 'unknown_status', graceEndsAt: null });
  });

  it('an unknown status lengthens no grace that was running', () => {
    const fields = { status: 'odd', knownStatus: 'past_due', statusSince: NOW };
    expect(resolve([subscription({ ...fields, pastDueSince: ago(days(14) - 1) })])).toMatchObject({
      tier: 'pro',
      validUntil: ahead(1),
    });
    expect(resolve([subscription({ ...fields, pastDueSince: ago(days(14)) })]).tier).toBe('lite');
  });

  it.each([null, 'unpaid', 'paused', 'incomplete', 'odd too'])(
    'an unknown status after %j is no new grant',
    (knownStatus) => {
      const row = subscription({ status: 'odd', knownStatus, statusSince: NOW });
      expect(resolve([row])).toMatchObject({ tier: 'lite', reason: 'unknown_status' });
    },
  );
});

describe('who may grant what', () => {
  const grant = (fields: Partial<SubscriptionFacts>): SubscriptionFacts =>
    subscription({ provider: 'manual', tier: 'enterprise', expiresAt: ahead(1), ...fields });

  it('an operator grants enterprise until the expiry', () => {
    expect(resolve([grant({})])).toMatchObject({
      tier: 'enterprise',
      reason: 'active',
      graceEndsAt: null,
      validUntil: ahead(1),
    });
    expect(resolve([grant({ expiresAt: NOW })])).toMatchObject({ tier: 'lite', reason: 'expired' });
    expect(resolve([grant({ expiresAt: null })])).toMatchObject({ tier: 'lite', reason: 'expired' });
  });

  it('a simulated subscription may be enterprise; one of the billing provider may not', () => {
    expect(resolve([subscription({ provider: 'simulated', tier: 'enterprise' })]).tier).toBe('enterprise');
    expect(resolve([subscription({ tier: 'enterprise' })])).toMatchObject({
      tier: 'lite',
      reason: 'invalid_subscription',
    });
  });

  it('falls back to what else is paid when a grant expires', () => {
    const rows = [grant({ id: 'a' }), subscription({ id: 'b' })];
    expect(resolve(rows)).toMatchObject({ tier: 'enterprise', validUntil: ahead(1) });
    expect(resolve(rows, { now: ahead(1) })).toMatchObject({ tier: 'pro', validUntil: null });
  });

  it.each([
    ['no tier', { tier: null }],
    ['lite', { tier: 'lite' }],
    ['a tier that does not exist', { tier: 'platinum' }],
    ['a tier in capitals', { tier: 'PRO' }],
    ['an inherited name', { tier: 'constructor' }],
    ['a provider that does not exist', { provider: 'friend' }],
    ['an empty status', { status: '' }],
    ['a status in capitals', { status: 'ACTIVE' }],
    ['an expiry that is no date', { expiresAt: new Date(NaN) }],
    ['an overdue payment at no date', { status: 'past_due', pastDueSince: new Date(NaN) }],
    ['an unknown status at no date', { status: 'odd', knownStatus: 'active', statusSince: new Date(NaN) }],
    [
      'an end at no date',
      { status: 'canceled', endReason: 'requested', endedAt: new Date(NaN), expiresAt: ahead(9) },
    ],
  ])('a row with %s grants nothing', (_, fields) => {
    expect(resolve([subscription(fields)]).tier).toBe('lite');
  });
});

describe('which of several rows answers', () => {
  const resolveBothWays = (...rows: SubscriptionFacts[]): ResolvedTier => {
    const answer = resolve(rows);
    expect(resolve(rows.toReversed())).toEqual(answer);
    return answer;
  };
  const manual = (id: string, expiresAt: Date): SubscriptionFacts =>
    subscription({ id, provider: 'manual', expiresAt });
  const overdue = (fields: Partial<SubscriptionFacts>): SubscriptionFacts =>
    subscription({ status: 'past_due', pastDueSince: ago(days(1)), ...fields });

  it('of equal tiers the one that is not on grace, though that may last longer', () => {
    const answer = resolveBothWays(overdue({ id: 'a' }), manual('b', ahead(1)));
    expect(answer).toMatchObject({ subscriptionId: 'b', reason: 'active', validUntil: ahead(1) });
  });

  it('then the one that lasts longer, longest without an end', () => {
    expect(resolveBothWays(manual('a', ahead(1)), manual('b', ahead(2))).subscriptionId).toBe('b');
    expect(resolveBothWays(manual('a', ahead(1)), subscription({ id: 'b' })).subscriptionId).toBe('b');
  });

  it('then the first by its id', () => {
    expect(resolveBothWays(subscription({ id: 'a' }), subscription({ id: 'b' })).subscriptionId).toBe('a');
  });

  it('of those that grant nothing the one that ended last, then the first by its id', () => {
    const ended = (id: string, status: string, count: number): SubscriptionFacts =>
      subscription({ id, status, statusSince: ago(days(count)) });
    expect(resolveBothWays(ended('a', 'unpaid', 9), ended('b', 'paused', 8)).reason).toBe('paused');
    expect(resolveBothWays(ended('a', 'unpaid', 9), ended('b', 'paused', 9)).reason).toBe('payment_failed');
  });

  it('ends with the grant where that ends before the grace, and says which of them it was', () => {
    expect(resolve([overdue({ expiresAt: ahead(1) })])).toMatchObject({ tier: 'pro', validUntil: ahead(1) });
    expect(resolve([overdue({ expiresAt: NOW })])).toMatchObject({ tier: 'lite', reason: 'expired' });
    for (const expiresAt of [NOW, ahead(1)]) {
      const row = overdue({ pastDueSince: ago(days(14)), expiresAt });
      expect(resolve([row])).toMatchObject({ tier: 'lite', reason: 'grace_expired' });
    }
  });

  it.each(['stripe', 'manual', 'simulated'])('takes lite, granted by %s, for no grant', (provider) => {
    const row = subscription({ provider, tier: 'lite', expiresAt: ahead(1) });
    expect(resolve([row])).toMatchObject({ tier: 'lite', reason: 'invalid_subscription' });
  });
});

describe('for any rows', () => {
  const someDate = fc.integer({ min: -days(20), max: days(20) }).map(ahead);
  const rows = fc.array(
    fc.record({
      id: fc.uuid(),
      provider: fc.constantFrom('stripe', 'manual', 'simulated', 'friend'),
      tier: fc.constantFrom('pro', 'business', 'enterprise', 'lite', 'gold', null),
      status: fc.constantFrom(...KNOWN_STATUSES, 'odd'),
      knownStatus: fc.constantFrom(...KNOWN_STATUSES, 'odder', null),
      statusSince: someDate,
      endedAt: fc.option(someDate),
      endReason: fc.constantFrom('requested', 'payment_failed', 'dispute', null),
      pastDueSince: fc.option(someDate),
      expiresAt: fc.option(someDate),
    }),
    { maxLength: 5 },
  );

  it('the tier never rises by itself', () => {
    fc.assert(
      fc.property(rows, fc.array(someDate, { minLength: 2, maxLength: 20 }), (subscriptions, instants) => {
        const inOrder = instants.toSorted((a, b) => a.getTime() - b.getTime());
        const ranks = inOrder.map((now) => tierRank(resolve(subscriptions, { now }).tier));
        expect(ranks).toEqual(ranks.toSorted((a, b) => b - a));
      }),
      { numRuns: 500 },
    );
  });

  it('the answer holds until validUntil, and no longer', () => {
    fc.assert(
      fc.property(
        rows,
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (subscriptions, share) => {
          const answer = resolve(subscriptions);
          const end = answer.validUntil?.getTime() ?? NOW.getTime() + days(400);
          expect(end).toBeGreaterThan(NOW.getTime());
          const between = ahead(Math.floor((end - NOW.getTime()) * share));
          expect(resolve(subscriptions, { now: between })).toEqual(answer);
          if (answer.validUntil)
            expect(resolve(subscriptions, { now: answer.validUntil })).not.toEqual(answer);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('the order of the rows does not matter, and a row more never lowers the tier', () => {
    const shuffled = rows.chain((all) =>
      fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })),
    );
    fc.assert(
      fc.property(shuffled, ([all, mixed]) => {
        expect(resolve(mixed)).toEqual(resolve(all));
        for (const one of all) {
          expect(tierRank(resolve(all).tier)).toBeGreaterThanOrEqual(tierRank(resolve([one]).tier));
        }
      }),
      { numRuns: 500 },
    );
  });
});
