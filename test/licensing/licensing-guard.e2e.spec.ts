import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Controller, Get, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { ProjectRole } from '../../src/modules/access/access.decorators.js';
import { documentProblemsAt } from '../../src/platform/http/problem-type.js';
import { Public } from '../../src/platform/http/public.decorator.js';
import { ApiModule } from '../../src/programs/api.module.js';
import { LicensingService } from '../../src/modules/licensing/licensing.service.js';
import { RequireTier } from '../../src/modules/licensing/tier.guard.js';
import type { Tier } from '../../src/modules/licensing/domain/tier.js';
import { ProjectService } from '../../src/modules/projects/project.service.js';
import { createTestDatabase } from '../support/database/database.js';
import { createTestProject, type TestProject } from '../support/people/project.js';
import { closeApp, type TestService, testSettings } from '../support/programs/service.js';
import { writeSubscription } from '../support/people/subscription.js';

const DAY_MS = 86_400_000;

@Controller('v1/projects/:projectId/probe')
class ProbeController {
  @Get('pro')
  @ProjectRole('viewer')
  @RequireTier('pro', 'business', 'enterprise')
  pro(): object {
    return { served: true };
  }

  @Get('business')
  @ProjectRole('viewer')
  @RequireTier('business', 'enterprise')
  business(): object {
    return { served: true };
  }

  @Get('lite-only')
  @ProjectRole('viewer')
  @RequireTier('lite')
  liteOnly(): object {
    return { served: true };
  }

  @Get('editor')
  @ProjectRole('editor')
  @RequireTier('pro')
  editor(): object {
    return { served: true };
  }

  @Get('no-project')
  @Public()
  @RequireTier('pro')
  noProject(): object {
    return { served: true };
  }
}

@Module({ controllers: [ProbeController] })
class ProbeModule {}

let service: TestService;
beforeAll(async () => {
  const database = await createTestDatabase();
  const settings = testSettings(database.url);
  // The same guards in the same order as in the service, with some routes.
  const root = {
    module: ProbeModule,
    imports: [ApiModule.forRoot(settings)],
  };
  const app = await NestFactory.create<NestExpressApplication>(root, { logger: false });
  documentProblemsAt('https://consent.example.com');
  app.set('query parser', 'simple');
  await app.listen(0, '127.0.0.1');
  const baseUrl = await app.getUrl();
  const close = async (): Promise<void> => {
    await closeApp(app);
    await database.close();
  };
  service = { app, database, settings, baseUrl, close };
});
afterAll(() => service.close());

const newProject = (fields = {}): Promise<TestProject> => createTestProject(service, fields);

async function paidProject(tier: 'pro' | 'business', fields = {}): Promise<TestProject> {
  const project = await newProject();
  await writeSubscription(service, project.id, { tier, ...fields });
  return project;
}

async function refusal(
  project: TestProject,
  path: string,
  role: 'viewer' | 'owner' = 'viewer',
): Promise<object> {
  const response = await project.request(role, 'GET', path);
  expect(response.status).toBe(403);
  expect(response.headers.get('content-type')).toContain('application/problem+json');
  return (await response.json()) as object;
}

describe('@RequireTier (spec §4.6)', () => {
  it.each([
    ['lite', 'pro', 403],
    ['lite', 'business', 403],
    ['lite', 'lite-only', 200],
    ['pro', 'pro', 200],
    ['pro', 'business', 403],
    ['pro', 'lite-only', 403],
    ['business', 'pro', 200],
    ['business', 'business', 200],
  ] as const)('spec §7: with %s the route for %s answers %d', async (tier, route, status) => {
    const project = tier === 'lite' ? await newProject() : await paidProject(tier);
    expect((await project.request('viewer', 'GET', `/probe/${route}`)).status).toBe(status);
  });

  it('says to a viewer what is needed and why', async () => {
    const project = await newProject();
    const body = await refusal(project, '/probe/pro');
    expect(body).toEqual({
      type: 'https://consent.example.com/docs/errors#tier_required',
      title: 'Forbidden',
      status: 403,
      detail: expect.stringContaining('pro, business, enterprise'),
      instance: `/v1/projects/${project.id}/probe/pro`,
      code: 'tier_required',
      requiredTiers: ['pro', 'business', 'enterprise'],
      currentTier: 'lite',
      reason: 'no_subscription',
    });
  });

  it('says to an owner, who can buy, what would help', async () => {
    expect(await refusal(await paidProject('pro'), '/probe/business', 'owner')).toMatchObject({
      currentTier: 'pro',
      reason: 'active',
      upgrade: { pricingUrl: '/v1/pricing', tiers: ['business', 'enterprise'] },
    });
    const downgrade = await refusal(await paidProject('pro'), '/probe/lite-only', 'owner');
    expect(downgrade).not.toHaveProperty('upgrade');
  });

  it('tells the end of the grace that the tier rests on', async () => {
    const pastDueSince = new Date(Date.now() - DAY_MS);
    const project = await paidProject('pro', { status: 'past_due', pastDueSince });
    expect(await refusal(project, '/probe/business')).toMatchObject({
      currentTier: 'pro',
      reason: 'grace_past_due',
      graceEndsAt: new Date(pastDueSince.getTime() + 14 * DAY_MS).toISOString(),
    });
  });

  it.each([
    [{ status: 'past_due', pastDueSince: new Date(Date.now() - 14 * DAY_MS) }, 'grace_expired'],
    [{ status: 'unpaid' }, 'payment_failed'],
    [{ status: 'canceled', endedAt: new Date(), endReason: 'payment_failed' }, 'payment_failed'],
    [{ status: 'canceled', endedAt: new Date(), endReason: 'dispute' }, 'payment_disputed'],
  ])('spec §3.2 row 4: refuses %j as %s', async (fields, reason) => {
    const project = await paidProject('pro', fields);
    expect(await refusal(project, '/probe/pro')).toMatchObject({ currentTier: 'lite', reason });
  });

  it('spec §3.2 row 1: refuses for a preview host, where nothing can be bought', async () => {
    const project = await paidProject('business');
    const body = await refusal(project, '/probe/pro?hostname=a.webflow.io', 'owner');
    expect(body).toMatchObject({ currentTier: 'lite', reason: 'preview_hostname' });
    expect(body).not.toHaveProperty('upgrade');
    for (const query of ['', '?hostname=', '?hostname=www.example.com', `?hostname=${'a'.repeat(999)}`]) {
      expect((await project.request('viewer', 'GET', `/probe/pro${query}`)).status).toBe(200);
    }
  });

  it('asks who calls before it asks what is paid', async () => {
    const project = await newProject();
    const url = `${service.baseUrl}/v1/projects/${project.id}/probe/pro`;
    expect((await fetch(url)).status).toBe(401);
    const other = await newProject();
    expect((await fetch(url, { headers: { authorization: `Bearer ${other.keys.owner}` } })).status).toBe(404);
    const low = await project.request('viewer', 'GET', '/probe/editor');
    expect(await low.json()).toMatchObject({ status: 403, code: 'role_required' });
  });

  it('believes the cached tier without looking further', async () => {
    const project = await paidProject('business');
    await service.database.query('delete from subscription where project_id = $1', [project.id]);
    expect((await project.request('viewer', 'GET', '/probe/business')).status).toBe(200);
  });

  it('does not believe a cache that has run out, although nobody has swept', async () => {
    const project = await paidProject('business', { status: 'past_due', pastDueSince: new Date() });
    await service.database.query(
      `update subscription set past_due_since = now() - interval '14 days' where project_id = $1`,
      [project.id],
    );
    await service.database.query(`update project set tier_valid_until = now() where id = $1`, [project.id]);
    expect(await refusal(project, '/probe/pro')).toMatchObject({
      currentTier: 'lite',
      reason: 'grace_expired',
    });
    const [row] = await service.database.query('select tier from project where id = $1', [project.id]);
    expect(row).toEqual({ tier: 'business' });
  });

  it('answers 500 on a route that names no project: that is a bug', async () => {
    const response = await fetch(`${service.baseUrl}/v1/projects/any/probe/no-project`);
    expect(response.status).toBe(500);
  });

  it('takes at least one tier, and no other word', () => {
    expect(() => RequireTier()).toThrow('at least one tier');
    expect(() => RequireTier('gold' as Tier)).toThrow('at least one tier');
  });
});

describe(LicensingService.name, () => {
  it('gives the tiers of many projects at once, with a cache that holds or has run out', async () => {
    const licensing = service.app.get(LicensingService, { strict: false });
    const pro = await paidProject('pro');
    const lapsed = await paidProject('business');
    const still = await paidProject('business');
    await service.database.query(
      `update project set tier_valid_until = now() - interval '1 minute' where id = any($1)`,
      [[lapsed.id, still.id]],
    );
    await service.database.query(`update subscription set status = 'unpaid' where project_id = $1`, [
      lapsed.id,
    ]);
    const unknown = '00000000-0000-7000-8000-000000000000';
    const projectIds = [pro.id, lapsed.id, still.id, unknown];
    const tierOf = await licensing.tiersOf(projectIds, new Date());
    expect(projectIds.map((id) => tierOf(id, null)?.tier)).toEqual(['pro', 'lite', 'business', undefined]);
    expect(tierOf(pro.id, 'www.example.com')).toMatchObject({ tier: 'pro', reason: 'active' });
    expect(tierOf(pro.id, 'shop.webflow.io')).toMatchObject({ tier: 'lite', reason: 'preview_hostname' });
    expect((await licensing.tiersOf([], new Date()))(pro.id, null)).toBeNull();
    const row = await service.app.get(ProjectService, { strict: false }).find(lapsed.id);
    expect(row && (await licensing.tierOf(row, new Date()))).toBe('lite');
  });

  it('does not recompute outside a transaction, nor for a project that is gone', async () => {
    const licensing = service.app.get(LicensingService, { strict: false });
    const cause = { reason: 'test', at: new Date() };
    const em = service.database.orm.em.fork();
    const id = '00000000-0000-7000-8000-000000000000';
    await expect(licensing.recompute(em, id, cause)).rejects.toThrow('inside a transaction');
    expect(await em.transactional((tx) => licensing.recompute(tx, id, cause))).toBeNull();
  });

  it('refuses rows that must not be', async () => {
    const { id } = await newProject();
    const write = (fields: object): Promise<string> => writeSubscription(service, id, fields);
    await expect(write({ tier: 'enterprise' })).rejects.toThrow('check constraint');
    await expect(write({ provider: 'manual' })).rejects.toThrow('check constraint');
    await expect(write({ status: '' })).rejects.toThrow('check constraint');
    await write({ externalId: 'sub_same' });
    await expect(write({ externalId: 'sub_same' })).rejects.toThrow('unique');
    const grant = { provider: 'manual', tier: 'enterprise', reason: 'contract 7', grantedBy: 'an operator' };
    await write({ ...grant, expiresAt: new Date(Date.now() + DAY_MS) });
    const [row] = await service.database.query('select tier from project where id = $1', [id]);
    expect(row).toEqual({ tier: 'enterprise' });
  });
});
