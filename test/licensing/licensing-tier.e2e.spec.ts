import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestProject, type TestProject } from '../support/people/project.js';
import { startTestService, type TestService } from '../support/programs/service.js';
import { writeSubscription } from '../support/people/subscription.js';

const DAY_MS = 86_400_000;
/** Longer than any request of this file takes. */
const MARGIN_MS = 60_000;
const ago = (ms: number): string => new Date(Date.now() - ms).toISOString();

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const newProject = (fields = {}): Promise<TestProject> => createTestProject(service, fields);

async function tierOf(project: TestProject, query = ''): Promise<Record<string, unknown>> {
  const response = await project.request('viewer', 'GET', `/tier${query}`);
  expect(response.status).toBe(200);
  return (await response.json()) as Record<string, unknown>;
}

async function simulate(project: TestProject, body: unknown): Promise<Record<string, unknown>> {
  const response = await project.request('editor', 'POST', '/tier/simulate', body);
  expect(response.status).toBe(200);
  return (await response.json()) as Record<string, unknown>;
}

const cacheOf = async (project: TestProject): Promise<Record<string, unknown> | undefined> =>
  (
    await service.database.query(
      'select tier, tier_reason, tier_valid_until, tier_version from project where id = $1',
      [project.id],
    )
  )[0];

describe('GET …/tier', () => {
  it('spec §3.2 row 1: is lite on a preview host', async () => {
    const project = await newProject({ domains: ['shop.carrd.co'] });
    await simulate(project, { tier: 'business' });
    expect(await tierOf(project)).toMatchObject({ tier: 'business', reason: 'active' });
    expect(await tierOf(project, '?hostname=Shop.Webflow.io:8080')).toEqual({
      tier: 'lite',
      reason: 'preview_hostname',
      graceEndsAt: null,
      limits: { pagesPerScan: 30, scansPerDay: 1 },
      features: expect.objectContaining({ consentForwarding: false }),
    });
    expect(await tierOf(project, '?hostname=other.carrd.co')).toMatchObject({ tier: 'lite' });
    for (const hostname of [
      'shop.carrd.co',
      'webflow.io',
      'evilwebflow.io',
      'webflow.io.evil.com',
      '[::1]',
    ]) {
      expect(await tierOf(project, `?hostname=${hostname}`)).toMatchObject({ tier: 'business' });
    }
    const { status } = await project.request('viewer', 'GET', '/tier?hostname=%00');
    expect(status).toBe(422);
  });

  it('spec §3.2 row 2: is lite without a subscription', async () => {
    expect(await tierOf(await newProject())).toEqual({
      tier: 'lite',
      reason: 'no_subscription',
      graceEndsAt: null,
      limits: { pagesPerScan: 30, scansPerDay: 1 },
      features: {
        scheduledScans: false,
        geoTargeting: 'global',
        export: false,
        analytics: false,
        customDomains: true,
        consentForwarding: false,
      },
    });
  });

  it.each([
    ['pro', 100],
    ['business', 350],
    ['enterprise', null],
  ])('spec §3.2 row 3, §8: is %s with its limit of %j pages', async (tier, pagesPerScan) => {
    const project = await newProject();
    await simulate(project, { tier });
    expect(await tierOf(project)).toMatchObject({ tier, reason: 'active', limits: { pagesPerScan } });
  });

  it('spec §3.2 row 4: keeps the tier 14 days past due, then is lite', async () => {
    const project = await newProject();
    const pastDueSince = ago(14 * DAY_MS - MARGIN_MS);
    expect(await simulate(project, { tier: 'pro', status: 'past_due', pastDueSince })).toMatchObject({
      tier: 'pro',
      reason: 'grace_past_due',
      graceEndsAt: new Date(Date.parse(pastDueSince) + 14 * DAY_MS).toISOString(),
    });
    const over = await simulate(project, { tier: 'pro', status: 'past_due', pastDueSince: ago(14 * DAY_MS) });
    expect(over).toMatchObject({ tier: 'lite', reason: 'grace_expired', graceEndsAt: null });
  });

  it('spec §3.2 row 4: keeps the tier 3 days after a cancellation, then is lite', async () => {
    const project = await newProject();
    const endedAt = ago(3 * DAY_MS - MARGIN_MS);
    expect(await simulate(project, { tier: 'business', status: 'canceled', endedAt })).toMatchObject({
      tier: 'business',
      reason: 'grace_canceled',
      graceEndsAt: new Date(Date.parse(endedAt) + 3 * DAY_MS).toISOString(),
    });
    const over = await simulate(project, { tier: 'business', status: 'canceled', endedAt: ago(3 * DAY_MS) });
    expect(over).toMatchObject({ tier: 'lite', reason: 'grace_expired' });
  });

  it.each([
    ['unpaid', 'payment_failed'],
    ['paused', 'paused'],
    ['incomplete', 'incomplete'],
    ['incomplete_expired', 'incomplete'],
  ])('spec §3.2 row 4: is lite while %s', async (status, reason) => {
    const project = await newProject();
    expect(await simulate(project, { tier: 'pro', status })).toMatchObject({ tier: 'lite', reason });
  });

  it('takes the highest of several subscriptions', async () => {
    const project = await newProject();
    await writeSubscription(service, project.id, { tier: 'business' });
    expect(await simulate(project, { tier: 'pro' })).toMatchObject({ tier: 'business' });
    expect(await simulate(project, { tier: 'enterprise' })).toMatchObject({ tier: 'enterprise' });
    expect(await simulate(project, { tier: 'lite' })).toMatchObject({ tier: 'business' });
  });

  it('spec §2.4: reads the subscriptions, not the cache', async () => {
    const project = await newProject({ tier: 'business', tierReason: 'active' });
    expect(await tierOf(project)).toMatchObject({ tier: 'lite', reason: 'no_subscription' });
  });

  it.each([
    ['is empty', ''],
    ['has 254 characters', 'a'.repeat(254)],
    ['comes twice', 'a&hostname=b'],
  ])('refuses a hostname that %s', async (_, hostname) => {
    const project = await newProject();
    const response = await project.request('viewer', 'GET', `/tier?hostname=${hostname}`);
    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({
      code: 'validation_failed',
      errors: expect.arrayContaining([expect.objectContaining({ field: 'hostname' })]),
    });
  });

  it('takes a hostname of 253 characters, and no other parameter', async () => {
    const project = await newProject();
    expect(await tierOf(project, `?hostname=${'a.'.repeat(126)}a`)).toMatchObject({ tier: 'lite' });
    expect((await project.request('viewer', 'GET', '/tier?host=a')).status).toBe(422);
  });

  it('is for members of the project alone', async () => {
    const [project, other] = [await newProject(), await newProject()];
    const url = `${service.baseUrl}/v1/projects/${project.id}/tier`;
    expect((await fetch(url)).status).toBe(401);
    const headers = { authorization: `Bearer ${other.keys.owner}` };
    expect((await fetch(url, { headers })).status).toBe(404);
    expect((await fetch(`${service.baseUrl}/v1/projects/nonsense/tier`, { headers })).status).toBe(404);
  });
});

describe('POST …/tier/simulate (spec §4.5)', () => {
  it('answers as GET …/tier, and has the project cache the tier', async () => {
    const project = await newProject();
    const answer = await simulate(project, { tier: 'pro' });
    expect(answer).toEqual(await tierOf(project));
    expect(await cacheOf(project)).toEqual({
      tier: 'pro',
      tier_reason: 'active',
      tier_valid_until: null,
      tier_version: '1',
    });
  });

  it('keeps one synthetic subscription, and says what became of it', async () => {
    const project = await newProject();
    const currentPeriodEnd = '2030-01-31T00:00:00.000Z';
    for (const tier of ['pro', 'pro', 'business', 'lite', 'lite']) await simulate(project, { tier });
    await simulate(project, { tier: 'enterprise', currentPeriodEnd });
    const rows = await service.database.query(
      'select tier, status, provider, current_period_end from subscription where project_id = $1',
      [project.id],
    );
    expect(rows).toEqual([
      {
        tier: 'enterprise',
        status: 'active',
        provider: 'simulated',
        current_period_end: new Date(currentPeriodEnd),
      },
    ]);
    const changes = await service.database.query(
      'select from_tier, to_tier, reason, actor from tier_change where project_id = $1 order by id',
      [project.id],
    );
    const actor = expect.stringMatching(/^api_key:[0-9a-f-]{36}$/);
    expect(changes).toEqual([
      { from_tier: 'lite', to_tier: 'pro', reason: 'simulate', actor },
      { from_tier: 'pro', to_tier: 'business', reason: 'simulate', actor },
      { from_tier: 'business', to_tier: 'lite', reason: 'simulate', actor },
      { from_tier: 'lite', to_tier: 'enterprise', reason: 'simulate', actor },
    ]);
    expect(await cacheOf(project)).toMatchObject({ tier_version: '4' });
  });

  it('begins the grace now where nobody says when it began', async () => {
    const project = await newProject();
    const before = Date.now();
    const pastDue = await simulate(project, { tier: 'pro', status: 'past_due' });
    const canceled = await simulate(project, { tier: 'pro', status: 'canceled' });
    const after = Date.now();
    for (const [answer, graceMs] of [
      [pastDue, 14 * DAY_MS],
      [canceled, 3 * DAY_MS],
    ] as const) {
      const begin = Date.parse(String(answer.graceEndsAt)) - graceMs;
      expect(begin).toBeGreaterThanOrEqual(before);
      expect(begin).toBeLessThanOrEqual(after);
      expect(answer.tier).toBe('pro');
    }
    expect((await cacheOf(project))?.tier_valid_until).toEqual(new Date(String(canceled.graceEndsAt)));
  });

  it('keeps for 3 days what was there before an unknown status, and grants nothing new', async () => {
    const project = await newProject();
    expect(await simulate(project, { tier: 'business', status: 'odd' })).toMatchObject({
      tier: 'lite',
      reason: 'unknown_status',
    });
    await simulate(project, { tier: 'pro' });
    const answer = await simulate(project, { tier: 'business', status: 'odd' });
    expect(answer).toMatchObject({ tier: 'pro', reason: 'unknown_status' });
    const again = await simulate(project, { tier: 'business', status: 'odder' });
    expect(again).toEqual(answer);
    expect(Date.parse(String(answer.graceEndsAt))).toBeLessThanOrEqual(Date.now() + 3 * DAY_MS);
  });

  it('spec §5: needs an editor', async () => {
    const project = await newProject();
    const path = `${service.baseUrl}/v1/projects/${project.id}/tier/simulate`;
    expect((await fetch(path, { method: 'POST' })).status).toBe(401);
    const refused = await project.request('viewer', 'POST', '/tier/simulate', { tier: 'pro' });
    expect(refused.status).toBe(403);
    expect(await refused.json()).toMatchObject({ code: 'role_required' });
    expect((await project.request('owner', 'POST', '/tier/simulate', { tier: 'pro' })).status).toBe(200);
  });

  // The first round also opens the connections, which happens one after the other.
  it.each([1, 2, 3])('ends in one row and one tier with many calls at once, round %d', async () => {
    const project = await newProject();
    const tiers = ['pro', 'business', 'enterprise', 'pro', 'business', 'lite', 'pro', 'business'];
    const answers = await Promise.all(
      tiers.map((tier) => project.request('editor', 'POST', '/tier/simulate', { tier })),
    );
    expect(answers.map((answer) => answer.status)).toEqual(tiers.map(() => 200));
    const rows = await service.database.query('select tier from subscription where project_id = $1', [
      project.id,
    ]);
    expect(rows.length).toBeLessThanOrEqual(1);
    const cache = await cacheOf(project);
    expect(cache).toMatchObject({ tier: rows[0]?.tier ?? 'lite' });
    const changes = await service.database.query('select 1 from tier_change where project_id = $1', [
      project.id,
    ]);
    expect(String(changes.length)).toBe(cache?.tier_version);
  });

  it.each([
    ['no body', undefined, 'tier'],
    ['null', null, ''],
    ['a number', 5, 'tier'],
    ['a list', [], 'tier'],
    ['no tier', {}, 'tier'],
    ['a tier of null', { tier: null }, 'tier'],
    ['a tier that does not exist', { tier: 'gold' }, 'tier'],
    ['a tier in capitals', { tier: 'PRO' }, 'tier'],
    ['a list of tiers', { tier: ['pro'] }, 'tier'],
    ['an unknown member', { tier: 'pro', price: 1 }, 'price'],
    ['an empty status', { tier: 'pro', status: '' }, 'status'],
    ['a status of null', { tier: 'pro', status: null }, 'status'],
    ['a status of a number', { tier: 'pro', status: 1 }, 'status'],
    ['a status of 65 characters', { tier: 'pro', status: 's'.repeat(65) }, 'status'],
    ['a status with NUL', { tier: 'pro', status: 'a\u0000' }, 'status'],
    ['a status with a lone surrogate', { tier: 'pro', status: 'a\ud800' }, 'status'],
    [
      'an instant without offset',
      { tier: 'pro', currentPeriodEnd: '2026-11-20T12:00:00' },
      'currentPeriodEnd',
    ],
    [
      'a day that does not exist',
      { tier: 'pro', currentPeriodEnd: '2026-02-30T12:00:00Z' },
      'currentPeriodEnd',
    ],
    [
      'a month that does not exist',
      { tier: 'pro', currentPeriodEnd: '2026-13-01T12:00:00Z' },
      'currentPeriodEnd',
    ],
    ['seconds since 1970', { tier: 'pro', pastDueSince: 1_700_000_000 }, 'pastDueSince'],
    ['a year out of reach', { tier: 'pro', currentPeriodEnd: '9999-01-01T00:00:00Z' }, 'currentPeriodEnd'],
    ['a year long gone', { tier: 'pro', endedAt: '1999-12-31T23:59:59Z' }, 'endedAt'],
    [
      'an overdue payment yet to come',
      { tier: 'pro', status: 'past_due', pastDueSince: ago(-DAY_MS) },
      'pastDueSince',
    ],
    ['an end yet to come', { tier: 'pro', status: 'canceled', endedAt: ago(-DAY_MS) }, 'endedAt'],
    ['an instant of null', { tier: 'pro', endedAt: null }, 'endedAt'],
  ])('refuses %s', async (_, body, field) => {
    const project = await newProject();
    const response = await project.request('editor', 'POST', '/tier/simulate', body);
    const problem = (await response.json()) as { errors: unknown[] };
    expect(response.status).toBe(422);
    expect(problem).toMatchObject({ code: 'validation_failed' });
    expect(problem.errors).toContainEqual(
      expect.objectContaining({ field, message: expect.stringMatching(/\.$/) }),
    );
    expect(await tierOf(project)).toMatchObject({ tier: 'lite' });
  });

  it.each([
    ['64 characters of status', { tier: 'pro', status: 'é'.repeat(64) }],
    ['an offset', { tier: 'pro', status: 'past_due', pastDueSince: '2026-01-01T00:00:00.5+05:30' }],
    ['a leap day', { tier: 'pro', currentPeriodEnd: '2028-02-29T23:59:59.999Z' }],
  ])('takes %s', async (_, body) => {
    await simulate(await newProject(), body);
  });
});
