import { expect, it, describe } from '@jest/globals';
import { resolveTier } from './resolve-tier.js';
import { newSubscription, statusAfter, type StatusColumns, type ReportedStatus } from './subscription.js';

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

const T0 = new Date('2026-11-20T12:00:00.000Z');
const HOUR_MS = 3_600_000;
const hours = (count: number): Date => new Date(T0.getTime() + count * HOUR_MS);

const told = (fields: Partial<ReportedStatus> = {}): ReportedStatus => ({
  status: 'active',
  tier: 'pro',
  endedAt: null,
  endReason: null,
  ...fields,
});

/** Applies messages, one each hour, and returns the tier at `at`. */
function tierAfter(messages: ReportedStatus[], at: Date): string {
  let row: StatusColumns | null = null;
  for (const [index, message] of messages.entries()) row = statusAfter(row, message, hours(index));
  const subscriptions = row ? [{ ...row, id: 's1', provider: 'stripe', expiresAt: null }] : [];
  return resolveTier({ subscriptions, ownDomains: [], now: at }).tier;
}

describe(statusAfter, () => {
  it('takes a status that it knows as told', () => {
    expect(statusAfter(null, told(), T0)).toEqual({
      status: 'active',
      knownStatus: 'active',
      statusSince: T0,
      tier: 'pro',
      pastDueSince: null,
      endedAt: null,
      endReason: null,
    });
  });

  it('keeps the instant of a status that is told again', () => {
    const row = statusAfter(null, told(), T0);
    expect(statusAfter(row, told(), hours(5)).statusSince).toEqual(T0);
    expect(statusAfter(row, told({ status: 'unpaid' }), hours(5)).statusSince).toEqual(hours(5));
  });

  it('keeps the tier where an unknown status names a higher one', () => {
    expect(tierAfter([told(), told({ status: 'odd', tier: 'business' })], hours(2))).toBe('pro');
  });

  it('keeps the end where an unknown status names a later one', () => {
    const ended = told({ status: 'canceled', endedAt: T0, endReason: 'requested' });
    const row = statusAfter(
      statusAfter(null, ended, T0),
      told({ status: 'odd', endedAt: hours(99) }),
      hours(1),
    );
    expect(row).toMatchObject({ endedAt: T0, endReason: 'requested', knownStatus: 'canceled' });
  });

  it('does not start the 3 days again with a second unknown status', () => {
    const messages = [told(), told({ status: 'odd' }), told({ status: 'odder' }), told({ status: 'odd' })];
    expect(tierAfter(messages, new Date(hours(1 + 72).getTime() - 1))).toBe('pro');
    expect(tierAfter(messages, hours(1 + 72))).toBe('lite');
  });

  it('grants nothing to a row that begins with an unknown status', () => {
    expect(tierAfter([told({ status: 'odd' })], hours(1))).toBe('lite');
    expect(tierAfter([told({ status: 'odd' }), told()], hours(2))).toBe('pro');
  });

  it('keeps the beginning of an overdue payment until the provider says active', () => {
    const overdue = statusAfter(null, told({ status: 'past_due' }), T0);
    expect(overdue.pastDueSince).toEqual(T0);
    const unpaid = statusAfter(overdue, told({ status: 'unpaid' }), hours(1));
    const again = statusAfter(unpaid, told({ status: 'past_due' }), hours(2));
    expect(again.pastDueSince).toEqual(T0);
    const paid = statusAfter(again, told(), hours(3));
    expect(paid.pastDueSince).toBeNull();
    expect(statusAfter(paid, told({ status: 'past_due' }), hours(4)).pastDueSince).toEqual(hours(4));
  });

  it('takes the beginning of an overdue payment that the provider names', () => {
    const row = statusAfter(null, told({ status: 'past_due', pastDueSince: hours(-9) }), T0);
    expect(row.pastDueSince).toEqual(hours(-9));
  });

  it('keeps the beginning of an overdue payment under a status that it does not know', () => {
    const overdue = statusAfter(null, told({ status: 'past_due' }), T0);
    expect(statusAfter(overdue, told({ status: 'odd' }), hours(1)).pastDueSince).toEqual(T0);
  });

  it('is overdue no more in a trial, and not because it is unpaid alone', () => {
    const overdue = statusAfter(null, told({ status: 'past_due' }), T0);
    expect(statusAfter(overdue, told({ status: 'trialing' }), hours(1)).pastDueSince).toBeNull();
    expect(statusAfter(null, told({ status: 'unpaid' }), T0).pastDueSince).toBeNull();
  });
});
