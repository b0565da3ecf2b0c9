import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  addressKey,
  domainKey,
  type Endpoint,
  FailureBudget,
  PacedRateLimiter,
  SNOOZE_MAX_MS,
} from './failure-budget.js';

const KEY = 'address 192.0.2.1';
const FAILING: Endpoint = { projectId: 'failing', hostname: 'a.example' };
const HEALTHY: Endpoint = { projectId: 'healthy', hostname: 'b.example' };
let budget: FailureBudget;

/** Makes attempts that end at once; returns how many were allowed. */
function make(
  endpoint: Endpoint,
  { count, fail, nowMs = 0 }: { count: number; fail: boolean; nowMs?: number },
) {
  let made = 0;
  for (let i = 0; i < count; i++) {
    if (budget.waitMs(endpoint, KEY, nowMs) > 0) continue;
    made += 1;
    const charged = budget.charge(endpoint, KEY, nowMs);
    if (fail) {
      budget.hasFailed(endpoint, KEY, { charged, nowMs });
      continue;
    }
    if (charged) budget.refund(endpoint, KEY);
    budget.delivered(endpoint, KEY);
  }
  return made;
}

describe('FailureBudget', () => {
  beforeEach(() => {
    budget = new FailureBudget({
      burst: 100,
      perSecond: 10,
      reserve: 5,
      reservePerSecond: 0.1,
      provenFailuresMax: 3,
      newcomerWaitMs: 1_000,
      keysMax: 1_000,
    });
  });

  it('lets failing attempts use up the burst, and then so many a second', () => {
    expect(make(FAILING, { count: 500, fail: true })).toBe(100);
    expect(make(FAILING, { count: 500, fail: true, nowMs: 1_000 })).toBe(10);
  });

  it('counts the failures of all projects and all names together', () => {
    for (let i = 0; i < 10; i++)
      make({ projectId: `p${i % 5}`, hostname: `n${i}.example` }, { count: 9, fail: true });
    expect(make(FAILING, { count: 500, fail: true })).toBe(10);
  });

  it('never bounds attempts that deliver', () => {
    expect(make(HEALTHY, { count: 1_000, fail: false })).toBe(1_000);
    expect(budget.exhausted('address', 0)).toBe(0);
  });

  it('counts an attempt until it has delivered', () => {
    for (let i = 0; i < 100; i++) expect(budget.charge(HEALTHY, KEY, 0)).toBe(true);
    expect(budget.exhausted('address', 0)).toBe(1);
    expect(budget.exhausted('domain', 0)).toBe(0);
    expect(budget.waitMs(HEALTHY, KEY, 0)).toBeGreaterThan(0);
    budget.refund(HEALTHY, KEY);
    expect(budget.waitMs(HEALTHY, KEY, 0)).toBe(0);
  });

  it('lets an endpoint pass that delivered, although others use up the key', () => {
    make(HEALTHY, { count: 1, fail: false });
    make(FAILING, { count: 500, fail: true });
    expect(make(HEALTHY, { count: 300, fail: false })).toBe(300);
  });

  it('lets a project show that it delivers, although others used up the key before', () => {
    make(FAILING, { count: 500, fail: true });
    expect(make(HEALTHY, { count: 300, fail: false })).toBe(300);
  });

  it('does not take another host, or another project, for one that delivered', () => {
    make(HEALTHY, { count: 1, fail: false });
    make(FAILING, { count: 500, fail: true });
    const others = [
      { ...HEALTHY, hostname: 'c.example' },
      { ...HEALTHY, projectId: 'other' },
    ];
    for (const other of others) expect(make(other, { count: 300, fail: true })).toBe(5);
  });

  it('takes an endpoint for one that never delivered after so many failures in a row', () => {
    make(HEALTHY, { count: 1, fail: false });
    make(FAILING, { count: 500, fail: true });
    expect(make(HEALTHY, { count: 2, fail: true })).toBe(2);
    make(HEALTHY, { count: 1, fail: false });
    // Three failures allowed as a proven endpoint, and five reserved for every project.
    expect(make(HEALTHY, { count: 300, fail: true })).toBe(8);
  });

  it('counts the failures of an endpoint that delivered before', () => {
    make(HEALTHY, { count: 1, fail: false });
    make(HEALTHY, { count: 3, fail: true });
    expect(make(FAILING, { count: 500, fail: true })).toBe(97);
  });

  it('gives a project that fails another attempt now and then, and lets it pass once one succeeds', () => {
    const flood = (nowMs: number) => make(FAILING, { count: 500, fail: true, nowMs });
    flood(0);
    make(HEALTHY, { count: 300, fail: true });
    flood(9_999);
    expect(make(HEALTHY, { count: 1, fail: true, nowMs: 9_999 })).toBe(0);
    flood(10_000);
    expect(make(HEALTHY, { count: 300, fail: false, nowMs: 10_000 })).toBe(300);
  });

  it('makes reserved attempts at the cost of those that fail', () => {
    make(FAILING, { count: 500, fail: true });
    make(HEALTHY, { count: 500, fail: true });
    expect(make(FAILING, { count: 500, fail: true, nowMs: 1_000 })).toBe(5);
  });

  it('lets a project that has not failed wait a second at most, and others up to a minute', () => {
    make(FAILING, { count: 5_000, fail: true });
    for (let i = 0; i < 5; i++) budget.charge(HEALTHY, KEY, 0);
    expect(budget.waitMs(HEALTHY, KEY, 0)).toBe(1_000);
    expect(budget.waitMs(FAILING, KEY, 0)).toBe(SNOOZE_MAX_MS);
    budget.hasFailed(HEALTHY, KEY, { charged: true, nowMs: 0 });
    expect(budget.waitMs(HEALTHY, KEY, 0)).toBe(SNOOZE_MAX_MS);
  });
});

const limiterOf3 = (keysMax = 100) => new PacedRateLimiter({ burst: 3, perSecond: 2, keysMax });
const consumeAll = (of: PacedRateLimiter, count: number, nowMs: number, key = 'a') =>
  Array.from({ length: count }, () => of.consume(key, nowMs));

describe('PacedRateLimiter', () => {
  it('allows the burst, and spaces further attempts out', () => {
    expect(consumeAll(limiterOf3(), 6, 10_000)).toEqual([0, 0, 0, 500, 1000, 1500]);
  });

  it('allows one more attempt per interval, and no sooner', () => {
    const limiter = limiterOf3();
    consumeAll(limiter, 3, 10_000);
    expect(limiter.consume('a', 10_499)).toBeGreaterThan(0);
    expect(limiter.consume('a', 10_500)).toBe(0);
    expect(limiter.consume('a', 10_500)).toBeGreaterThan(0);
  });

  it('allows the whole burst again after a pause, and never more', () => {
    const limiter = limiterOf3();
    consumeAll(limiter, 3, 10_000);
    expect(consumeAll(limiter, 4, 3_600_000).filter((waitMs) => waitMs === 0)).toHaveLength(3);
  });

  it('returns a wait of at most a minute', () => {
    expect(Math.max(...consumeAll(limiterOf3(), 1_000, 0))).toBe(SNOOZE_MAX_MS);
  });

  it('counts each key separately, and refunds an attempt', () => {
    const limiter = limiterOf3();
    consumeAll(limiter, 4, 0);
    expect(limiter.consume('b', 0)).toBe(0);
    expect(limiter.isExhausted('a', 0)).toBe(true);
    expect([limiter.exhausted(0), limiter.exhausted(0, 'a'), limiter.exhausted(0, 'b')]).toEqual([1, 1, 0]);
    limiter.refund('a');
    expect(limiter.exhausted(0)).toBe(0);
    expect(consumeAll(limiter, 2, 0)).toEqual([0, 1000]);
    limiter.refund('never counted');
  });

  it('charges an attempt that exceeds the limit, for at most a minute', () => {
    const limiter = limiterOf3();
    consumeAll(limiter, 3, 0);
    for (let i = 0; i < 4; i++) limiter.charge('a', 0);
    expect(limiter.isExhausted('a', 2_499)).toBe(true);
    expect(limiter.isExhausted('a', 2_500)).toBe(false);
    for (let i = 0; i < 1_000; i++) limiter.charge('a', 10_000);
    expect(limiter.isExhausted('a', 10_000 + SNOOZE_MAX_MS)).toBe(true);
    expect(limiter.isExhausted('a', 10_500 + SNOOZE_MAX_MS)).toBe(false);
  });

  it('is exhausted by the last attempt of the burst, not before', () => {
    const limiter = limiterOf3();
    consumeAll(limiter, 2, 0);
    expect(limiter.isExhausted('a', 0)).toBe(false);
    limiter.consume('a', 0);
    expect(limiter.isExhausted('a', 0)).toBe(true);
  });

  it('is exhausted until the next interval, and never without attempts', () => {
    const limiter = limiterOf3();
    consumeAll(limiter, 3, 10_000);
    expect(limiter.isExhausted('a', 10_499)).toBe(true);
    expect(limiter.isExhausted('a', 10_500)).toBe(false);
    expect(limiter.isExhausted('b', 10_000)).toBe(false);
  });

  it('remembers at most as many keys as allowed', () => {
    const limiter = limiterOf3(10);
    for (let i = 0; i < 1_000; i++) consumeAll(limiter, 3, 0, `host-${i}`);
    expect(limiter.exhausted(0)).toBe(10);
  });
});

describe('domainKey', () => {
  it.each([
    ['hooks.example.com', 'example.com'],
    ['example.com', 'example.com'],
    ['a.b.c.example.co.uk', 'example.co.uk'],
    // Customers of a hosting company on the public suffix list are separate sites.
    ['one.github.io', 'one.github.io'],
    ['a.one.github.io', 'one.github.io'],
    ['xn--bcher-kva.example.com', 'example.com'],
  ])('finds the site of %s', (hostname, value) => {
    expect(domainKey(hostname)).toBe(`domain ${value}`);
  });

  it.each(['localhost', 'github.io', '192.0.2.1', '[2001:db8::1]'])(
    'keeps %s, which has none',
    (hostname) => {
      expect(domainKey(hostname)).toBe(`domain ${hostname}`);
    },
  );
});

describe('addressKey', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::', '2001:db8:1:2::/64'],
    ['2001:db8:1:3::', '2001:db8:1:3::/64'],
    ['::1', '0:0:0:0::/64'],
  ])('counts %s under %s', (address, value) => {
    expect(addressKey(address)).toBe(`address ${value}`);
  });
});
