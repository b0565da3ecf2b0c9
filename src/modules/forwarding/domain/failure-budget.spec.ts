import { beforeEach, describe, expect, it } from '@jest/globals';
import { SNOOZE_MAX_MS } from './paced-rate-limiter.js';
import { type Endpoint, FailureBudget } from './failure-budget.js';

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
