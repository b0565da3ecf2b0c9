import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Role } from '../../src/modules/access/domain/role.js';
import type { Subscription } from '../../src/modules/licensing/domain/subscription.js';
import { newId } from '../../src/platform/identity/ids.js';
import { createTestProject, type TestProject } from '../support/people/project.js';
import { startTestService, type TestService } from '../support/programs/service.js';
import { writeSubscription } from '../support/people/subscription.js';
import { BEHIND_LOOPBACK_PROXY } from '../support/people/user.js';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const PAID = ['pro', 'business', 'enterprise'];

/** Every route that a tier guards, with the tiers of spec §8 and §2.3 that it serves. */
const GUARDED: { method: string; path: string; role: Role; tiers: string[] }[] = [
  { method: 'PUT', path: '/forwarding', role: 'editor', tiers: PAID },
  { method: 'POST', path: '/forwarding/test', role: 'editor', tiers: PAID },
  { method: 'POST', path: '/forwarding/deliveries/resend', role: 'editor', tiers: PAID },
  { method: 'POST', path: '/forwarding/deliveries/resend/count', role: 'editor', tiers: PAID },
  { method: 'POST', path: '/forwarding/deliveries/resend/chosen', role: 'editor', tiers: PAID },
  { method: 'POST', path: `/forwarding/deliveries/${newId()}/resend`, role: 'editor', tiers: PAID },
  { method: 'GET', path: '/consents/export?format=csv', role: 'viewer', tiers: PAID },
  { method: 'GET', path: '/analytics/consents', role: 'viewer', tiers: ['business', 'enterprise'] },
  { method: 'GET', path: '/analytics/site', role: 'viewer', tiers: ['business', 'enterprise'] },
  { method: 'PUT', path: '/scan-schedule', role: 'editor', tiers: ['business', 'enterprise'] },
];

const ago = (ms: number): Date => new Date(Date.now() - ms);

/** A project's purchase, and the tier and reason in effect (spec §3.2). */
const STATES: [string, Partial<Subscription> | null, string, string][] = [
  ['nothing', null, 'lite', 'no_subscription'],
  ['pro', { tier: 'pro' }, 'pro', 'active'],
  ['business', { tier: 'business' }, 'business', 'active'],
  [
    'enterprise',
    {
      tier: 'enterprise',
      provider: 'manual',
      reason: 'contract 7',
      grantedBy: 'an operator',
      expiresAt: new Date(Date.now() + DAY_MS),
    },
    'enterprise',
    'active',
  ],
  [
    'business, 13 days and 23 h past due',
    { tier: 'business', status: 'past_due', pastDueSince: ago(14 * DAY_MS - 60 * MINUTE_MS) },
    'business',
    'grace_past_due',
  ],
  [
    'business, 14 days past due',
    { tier: 'business', status: 'past_due', pastDueSince: ago(14 * DAY_MS) },
    'lite',
    'grace_expired',
  ],
  [
    'business, canceled 2 days and 23 h ago',
    {
      tier: 'business',
      status: 'canceled',
      endedAt: ago(3 * DAY_MS - 60 * MINUTE_MS),
      endReason: 'requested',
    },
    'business',
    'grace_canceled',
  ],
  [
    'business, canceled 3 days ago',
    { tier: 'business', status: 'canceled', endedAt: ago(3 * DAY_MS), endReason: 'requested' },
    'lite',
    'grace_expired',
  ],
  ['business, unpaid', { tier: 'business', status: 'unpaid' }, 'lite', 'payment_failed'],
];

let service: TestService;
beforeAll(async () => {
  service = await startTestService(BEHIND_LOOPBACK_PROXY);
});
afterAll(() => service.close());

describe('routes that a tier guards (spec §4.6, §8)', () => {
  it('are all listed here', () => {
    const document = JSON.parse(readFileSync('openapi.json', 'utf8')) as {
      paths: Record<string, Record<string, { responses: Record<string, { description?: string }> }>>;
    };
    const guarded = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([, { responses }]) => responses['403']?.description?.startsWith('tier_required'))
        .map(([method]) => `${method.toUpperCase()} ${path.replace('/v1/projects/{projectId}', '')}`),
    );
    const listed = GUARDED.map(
      ({ method, path }) =>
        `${method} ${path.split('?')[0]?.replace(/\/[0-9a-f-]{36}\//, '/{consentId}/') ?? ''}`,
    );
    // Guards only its region rules, depending on the body: publishing.e2e.spec.ts.
    listed.push('PUT /configuration');
    // Only its CSV: scans/report.e2e.spec.ts.
    listed.push('GET /scans/{scanId}/report');
    expect(listed.sort()).toEqual(guarded.sort());
  });

  it('refuse by one helper, which the guard and the use cases share', () => {
    const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((file) =>
      /(?<!spec)\.ts$/.test(file),
    );
    const using = (pattern: RegExp): string[] =>
      files.filter((file) => pattern.test(readFileSync(join('src', file), 'utf8'))).toSorted();
    expect(using(/'tier_required'/)).toEqual(['modules/licensing/domain/tier-required.ts']);
    expect(using(/\btierRequired\(/)).toEqual(['modules/licensing/domain/tier-required.ts']);
    expect(using(/\btierCheck\(/)).toEqual([
      'modules/licensing/domain/tier-required.ts',
      'modules/licensing/tier.guard.ts',
    ]);
    expect(using(/@LeaveTierToUseCase\(/)).toEqual([
      'modules/forwarding/http/forwarding.controller.ts',
      'modules/publishing/http/configuration.controller.ts',
      'modules/scans/http/scan-report.controller.ts',
      'modules/scans/http/scan-schedule.controller.ts',
    ]);
  });

  it('that leave it to their use case refuse what is new, also on a preview hostname, and let the rest pass', async () => {
    const project = await createTestProject(service);
    await writeSubscription(service, project.id, { tier: 'business' });
    const regionRules = [{ regions: ['US-CA'], mode: 'notice' }];
    const off = { enabled: false, endpointUrl: null, authMode: 'none' };
    const moved = { ...off, endpointUrl: 'https://consents.example.com/' };
    const preview = '?hostname=a.webflow.io';
    for (const [path, body, status] of [
      [`/configuration${preview}`, { regionRules }, 403],
      [`/configuration${preview}`, {}, 200],
      ['/configuration', { regionRules }, 200],
      [`/configuration${preview}`, { regionRules, policyVersion: '2' }, 200],
      [`/forwarding${preview}`, moved, 403],
      [`/forwarding${preview}`, off, 200],
      ['/forwarding', moved, 200],
    ] as const) {
      const response = await project.request('editor', 'PUT', path, body);
      expect([path, body, response.status]).toEqual([path, body, status]);
    }
  });

  describe.each(STATES)('of a project with %s', (_name, subscription, tier, reason) => {
    let project: TestProject;
    beforeAll(async () => {
      project = await createTestProject(service);
      if (subscription) await writeSubscription(service, project.id, subscription);
    });

    const ask = (role: Role, method: string, path: string): Promise<Response> =>
      project.request(role, method, path, method === 'GET' ? undefined : {});

    it.each(GUARDED)(`as ${tier} (${reason}): $method $path`, async ({ method, path, role, tiers }) => {
      const response = await ask(role, method, path);
      if (tiers.includes(tier)) {
        // Later checks depend on the route: here some have no endpoint, body or record to work on.
        expect([200, 202, 404, 409, 422]).toContain(response.status);
        await response.body?.cancel();
        return;
      }
      expect(response.status).toBe(403);
      const body = (await response.json()) as object;
      expect(body).toMatchObject({
        code: 'tier_required',
        requiredTiers: tiers,
        currentTier: tier,
        reason,
      });
      expect(body).not.toHaveProperty('upgrade');
      expect(await (await ask('owner', method, path)).json()).toMatchObject({
        code: 'tier_required',
        upgrade: { pricingUrl: '/v1/pricing', tiers },
      });
    });

    it.each(GUARDED)('on a preview hostname: $method $path', async ({ method, path, tiers }) => {
      const response = await ask(
        'owner',
        method,
        `${path}${path.includes('?') ? '&' : '?'}hostname=a.webflow.io`,
      );
      expect(response.status).toBe(403);
      const body = (await response.json()) as object;
      expect(body).toMatchObject({ code: 'tier_required', requiredTiers: tiers, currentTier: 'lite' });
      expect(body).toMatchObject({ reason: 'preview_hostname' });
      expect(body).not.toHaveProperty('upgrade');
    });
  });
});

describe('what is not capped by a tier (spec §8)', () => {
  /** Below every tier's limit. */
  const MANY = 40;

  it('domains, consent records, members, API keys and a customer’s own endpoint calls, on lite', async () => {
    const project = await createTestProject(service);
    const domains = Array.from({ length: MANY }, (_, index) => `site-${index}.example.com`);
    expect((await project.request('owner', 'PATCH', '', { domains })).status).toBe(200);

    const choice = { analytics: true, marketing: true, preferences: true, action: 'accept_all' };
    const stored = await Promise.all(
      Array.from({ length: 20 * MANY }, () => project.request('viewer', 'POST', '/consents', choice)),
    );
    expect(new Set(stored.map(({ status }) => status))).toEqual(new Set([201]));

    await service.database.query(
      `insert into app_user (id, name, email, email_verified) select gen_random_uuid(), 'Somebody', n || '@example.com', true
       from generate_series(1, $1::int) n`,
      [MANY],
    );
    const invited = await Promise.all(
      domains.map((_, index) =>
        project.request('owner', 'POST', '/members', { email: `${index + 1}@example.com`, role: 'viewer' }),
      ),
    );
    expect(new Set(invited.map(({ status }) => status))).toEqual(new Set([201]));

    const keys = await Promise.all(
      domains.map((name) => project.request('owner', 'POST', '/api-keys', { name, role: 'viewer' })),
    );
    expect(new Set(keys.map(({ status }) => status))).toEqual(new Set([201]));
  });
});
