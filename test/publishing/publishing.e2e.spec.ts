import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OutboxService } from '../../src/platform/outbox/outbox.service.js';
import { SiteStorage } from '../../src/modules/publishing/infrastructure/site-storage.js';
import { republish } from '../../src/modules/publishing/application/republish.js';
import { newId } from '../../src/platform/identity/ids.js';
import { eventsOf } from '../support/people/event-endpoint.js';
import type { Json } from '../support/people/json.js';
import { createTestProject, type TestProject } from '../support/people/project.js';
import { startTestService, type TestService } from '../support/programs/service.js';
import { onlyWakeups } from '../support/programs/only-wakeups.js';
import { until } from '../support/until.js';

const TEXT = {
  language: 'en',
  title: 'Cookies?',
  description: 'May we?\nPlease.',
  acceptAll: 'Yes',
  rejectAll: 'No',
  choose: 'Choose',
  save: 'Save',
};
const COOKIE = { name: '_c_*', duration: '1 day', purpose: 'Counts.' };
const SERVICE = {
  name: 'Counter',
  provider: 'Example Ltd',
  category: 'analytics',
  policyUrl: 'https://example.com/privacy',
  cookies: [COOKIE],
};
const US_RULE = { regions: ['US'], mode: 'opt_out' };

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ RUN_WORKER: 'true', OUTBOX_POLL_MS: '100' });
});
afterAll(() => service.close());

const folderOf = (project: TestProject): string => {
  const { storage } = service.settings.publishing;
  if (storage.kind !== 'folder') throw new Error('not a folder');
  return join(storage.path, project.id);
};
type Document = Record<string, unknown> & { tier: string; configHash: string };
const publishedOf = (project: TestProject): Document | null => {
  const file = join(folderOf(project), 'config.json');
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Document) : null;
};
const published = (project: TestProject, condition: (document: Document) => boolean): Promise<Document> =>
  until('published', () => {
    const document = publishedOf(project);
    return document && condition(document) ? document : null;
  });
const put = (project: TestProject, body: unknown, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${service.baseUrl}/v1/projects/${project.id}/configuration`, {
    method: 'PUT',
    headers: {
      authorization: `Bearer ${project.keys.editor}`,
      'content-type': 'application/json',
      ...headers,
    },
    body: JSON.stringify(body),
  });
const simulate = async (project: TestProject, tier: string): Promise<void> => {
  expect((await project.request('editor', 'POST', '/tier/simulate', { tier })).status).toBe(200);
};

describe('publishing', () => {
  it('spec §2.6: publishes a changed tier by itself, the immutable object beside the newest', async () => {
    const project = await createTestProject(service);
    await simulate(project, 'pro');
    const document = await published(project, ({ tier }) => tier === 'pro');
    expect(document).toMatchObject({
      schemaVersion: 1,
      projectId: project.id,
      features: { consentForwarding: true },
      preview: { tier: 'lite', features: { consentForwarding: false } },
      region: 'XX',
      isEu: true,
      consentUrl: `/v1/projects/${project.id}/consents`,
    });
    const newest = readFileSync(join(folderOf(project), 'config.json'), 'utf8');
    expect(readFileSync(join(folderOf(project), `${document.configHash}.json`), 'utf8')).toBe(newest);
    expect(existsSync(join(folderOf(project), 'loader.js'))).toBe(true);
    // Nothing half-written stays behind.
    expect(readdirSync(folderOf(project)).filter((name) => name.startsWith('.'))).toEqual([]);

    await simulate(project, 'lite');
    await published(project, ({ tier }) => tier === 'lite');
  });

  it('publishes at once, without waiting for a poll or for the worker to look unasked', async () => {
    const slow = await startTestService({ RUN_WORKER: 'true' });
    try {
      const project = await createTestProject(slow);
      const { storage } = slow.settings.publishing;
      await onlyWakeups(slow.app);
      const startedMs = Date.now();
      await project.request('editor', 'POST', '/tier/simulate', { tier: 'business' });
      await until('published', () =>
        existsSync(join((storage as { path: string }).path, project.id, 'config.json')),
      );
      const delay = async (name: string): Promise<number> => {
        const text = await (await fetch(`${slow.baseUrl}/metrics`)).text();
        return Number(new RegExp(`^publishing_delay_seconds_${name} (.*)$`, 'm').exec(text)?.[1]);
      };
      await until('measured', async () => (await delay('count')) === 1);
      expect(await delay('sum')).toBeLessThan((Date.now() - startedMs) / 1000);
    } finally {
      await slow.close();
    }
  });

  it('publishes a saved configuration, and keeps its history', async () => {
    const project = await createTestProject(service);
    const before = await (await project.request('viewer', 'GET', '/configuration')).json();
    expect(before).toMatchObject({
      version: 0,
      updatedAt: null,
      defaultLanguage: 'en',
      lastPublication: null,
    });
    const saved = await put(project, { policyVersion: '2026-11', texts: [TEXT] }, { 'if-match': '"0"' });
    expect(saved.status).toBe(200);
    expect(saved.headers.get('etag')).toBe('"1"');
    const first = (await saved.json()) as { updatedAt: string };
    expect(first).toMatchObject({
      version: 1,
      policyVersion: '2026-11',
      bannerVersion: '1',
      texts: [{ ...TEXT, categories: [] }],
      regionRulesAvailable: false,
    });
    const document = await published(project, ({ policyVersion }) => policyVersion === '2026-11');
    const second = (await (
      await put(project, { policyVersion: '2026-12', comment: 'New policy' })
    ).json()) as { updatedAt: string };
    expect(second.updatedAt > first.updatedAt).toBe(true);
    await published(project, ({ policyVersion }) => policyVersion === '2026-12');
    const list = await until('two publications', async () => {
      const page = (await (await project.request('viewer', 'GET', '/publications')).json()) as {
        items: Record<string, unknown>[];
      };
      return page.items.length === 2 ? page : null;
    });
    expect(list).toMatchObject({
      items: [
        { version: 2, configurationVersion: 2, tier: 'lite' },
        { version: 1, configurationVersion: 1, configHash: document.configHash, regionRulesLeftOut: false },
      ],
      nextCursor: null,
    });

    const rolledBack = await project.request('editor', 'POST', '/publications/1/rollback');
    expect(rolledBack.status).toBe(200);
    expect(await rolledBack.json()).toMatchObject({ version: 3, policyVersion: '2026-11' });
    const again = await published(project, ({ policyVersion }) => policyVersion === '2026-11');
    expect(again.configHash).toBe(document.configHash);
    const audited = await service.database.query(
      `select action, (before ->> 'version')::int as before, (after ->> 'version')::int as after, after ->> 'comment' as comment
       from audit_event where project_id = $1 and action like 'configuration.%' order by id`,
      [project.id],
    );
    expect(audited).toEqual([
      { action: 'configuration.save', before: 0, after: 1, comment: null },
      { action: 'configuration.save', before: 1, after: 2, comment: 'New policy' },
      { action: 'configuration.roll_back', before: 2, after: 3, comment: null },
    ]);
    for (const version of ['99', '0', '-1', 'x', '1e1', '9'.repeat(40)]) {
      const response = await project.request('editor', 'POST', `/publications/${version}/rollback`);
      expect(response.status).toBe(404);
      expect(await response.json()).toMatchObject({ code: 'publication_not_found' });
    }
  });

  it('shows that publishing failed for good, until it works again', async () => {
    const project = await createTestProject(service);
    const view = async (): Promise<Record<string, unknown>> =>
      (await (await project.request('viewer', 'GET', '/configuration')).json()) as Record<string, unknown>;
    await put(project, { policyVersion: 'good' });
    await published(project, ({ policyVersion }) => policyVersion === 'good');
    expect(await view()).toMatchObject({ publishFailedAt: null });
    // A configuration that an earlier version let in.
    await service.database.query(
      `update site_configuration set configuration = configuration || '{"services":[{"name":"a","provider":"b","category":"analytics"}]}', version = version + 1
       where project_id = $1`,
      [project.id],
    );
    expect((await project.request('editor', 'POST', '/publish')).status).toBe(202);
    const failed = await until('buried', async () => {
      await service.database.query(
        `update outbox_message set failures = 7, available_at = now() where project_id = $1 and failures > 0`,
        [project.id],
      );
      const { publishFailedAt } = await view();
      return publishFailedAt;
    });
    expect(failed).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(publishedOf(project)).toMatchObject({ policyVersion: 'good' });
    await put(project, { policyVersion: 'better' });
    await published(project, ({ policyVersion }) => policyVersion === 'better');
    await until('shown no more', async () => (await view())['publishFailedAt'] === null);
  });

  it('pages through the publications', async () => {
    const project = await createTestProject(service);
    for (const policyVersion of ['a', 'b', 'c']) {
      await put(project, { policyVersion });
      await published(project, (document) => document.policyVersion === policyVersion);
    }
    await until(
      'three',
      async () =>
        (await service.database.query('select from publication where project_id = $1', [project.id]))
          .length === 3,
    );
    const first = (await (await project.request('viewer', 'GET', '/publications?limit=2')).json()) as {
      items: { version: number }[];
      nextCursor: string;
    };
    expect(first.items.map(({ version }) => version)).toEqual([3, 2]);
    const rest = await project.request('viewer', 'GET', `/publications?limit=2&cursor=${first.nextCursor}`);
    expect(await rest.json()).toMatchObject({ items: [{ version: 1 }], nextCursor: null });
    expect((await project.request('viewer', 'GET', '/publications?cursor=bm9uc2Vuc2U')).status).toBe(422);
  });

  it('keeps the last 500 publications of a project', async () => {
    const project = await createTestProject(service);
    const other = await createTestProject(service);
    for (const [{ id }, count] of [
      [project, 500],
      [other, 2],
    ] as const)
      await service.database.query(
        `insert into publication (project_id, version, configuration_version, configuration, tier, content_hash, region_rules_left_out)
         select $1, n, 0, '{}', 'lite', 'hash' || n, false from generate_series(1, $2::int) n`,
        [id, count],
      );
    await simulate(project, 'pro');
    const kept = await until('the next one', async () => {
      const [row] = await service.database.query<{ oldest: string; newest: string; count: string }>(
        'select min(version) as oldest, max(version) as newest, count(*) from publication where project_id = $1',
        [project.id],
      );
      return row && Number(row.newest) > 500 ? row : null;
    });
    expect(kept).toMatchObject({ oldest: '2', newest: '501', count: '500' });
    // Another project has a count of its own.
    await simulate(other, 'pro');
    const versions = await until('its next one', async () => {
      const rows = await service.database.query<{ version: string }>(
        'select version from publication where project_id = $1 order by version',
        [other.id],
      );
      return rows.at(-1)?.version === '3' ? rows.map(({ version }) => version) : null;
    });
    expect(versions).toEqual(['1', '2', '3']);
  });

  it('refuses saves and rollbacks of a project that has published 10,000 versions, and keeps no document beyond 20,000', async () => {
    const project = await createTestProject(service);
    const publishedUpTo = (version: number): Promise<unknown> =>
      service.database.query(
        `insert into publication (project_id, version, configuration_version, configuration, tier, content_hash, region_rules_left_out)
         values ($1, $2, 0, '{}', 'lite', 'hash', false)`,
        [project.id, version],
      );
    await publishedUpTo(9_999);
    expect((await put(project, { policyVersion: '1' })).status).toBe(200);
    await published(project, ({ policyVersion }) => policyVersion === '1');
    const newest = async (): Promise<{ version: string; content_hash: string } | undefined> =>
      (
        await service.database.query<{ version: string; content_hash: string }>(
          'select version, content_hash from publication where project_id = $1 order by version desc limit 1',
          [project.id],
        )
      )[0];
    await until('it is recorded', async () => (await newest())?.version === '10000');
    const refused = await put(project, { policyVersion: '2' });
    expect([refused.status, await refused.json()]).toEqual([
      409,
      expect.objectContaining({ code: 'publication_limit_reached' }),
    ]);
    const rolledBack = await project.request('editor', 'POST', '/publications/10000/rollback', {});
    expect([rolledBack.status, await rolledBack.json()]).toEqual([
      409,
      expect.objectContaining({ code: 'publication_limit_reached' }),
    ]);
    await publishedUpTo(20_000);
    await simulate(project, 'pro');
    const last = await until('the tier is published', async () => {
      const row = await newest();
      return row?.version === '20001' ? row : null;
    });
    await published(project, ({ tier }) => tier === 'pro');
    const document = (hash: string): Promise<Response> =>
      project.request('viewer', 'GET', `/configuration/published/${hash}`);
    expect((await document(last.content_hash)).status).toBe(404);
  });

  it('refuses a save that is based on another version', async () => {
    const project = await createTestProject(service);
    expect((await put(project, {}, { 'if-match': '"0"' })).status).toBe(200);
    const late = await put(project, {}, { 'if-match': '"0"' });
    expect(late.status).toBe(412);
    expect(await late.json()).toMatchObject({ code: 'version_conflict', currentVersion: 1 });
    expect((await put(project, {}, { 'if-match': 'W/"abc"' })).status).toBe(412);
    expect((await put(project, {}, { 'if-match': '*' })).status).toBe(200);
    const both = await Promise.all([1, 2].map(() => put(project, {}, { 'if-match': '"2"' })));
    expect(both.map(({ status }) => status).sort()).toEqual([200, 412]);
  });

  it('spec §8: takes region rules on business, and leaves them out, not lost, after a downgrade', async () => {
    const project = await createTestProject(service);
    await simulate(project, 'pro');
    const refused = await put(project, { regionRules: [US_RULE] });
    expect(refused.status).toBe(403);
    expect(await refused.json()).toMatchObject({
      code: 'tier_required',
      requiredTiers: ['business', 'enterprise'],
      currentTier: 'pro',
    });
    await simulate(project, 'business');
    expect((await put(project, { regionRules: [US_RULE] })).status).toBe(200);
    await published(project, ({ regionRules }) => (regionRules as unknown[]).length === 1);
    await simulate(project, 'pro');
    const after = await published(project, ({ tier }) => tier === 'pro');
    expect(after.regionRules).toEqual([]);
    // They may stay while something else is changed, and go, but not be changed.
    expect((await put(project, { regionRules: [US_RULE], policyVersion: '2' })).status).toBe(200);
    expect((await put(project, { regionRules: [{ ...US_RULE, mode: 'none' }] })).status).toBe(403);
    expect(await (await project.request('viewer', 'GET', '/configuration')).json()).toMatchObject({
      regionRules: [US_RULE],
      regionRulesAvailable: false,
    });
    await simulate(project, 'enterprise');
    const back = await published(project, ({ tier }) => tier === 'enterprise');
    expect(back.regionRules).toEqual([US_RULE]);
  });

  it('publishes once more by hand where the storage was emptied', async () => {
    const project = await createTestProject(service);
    const response = await project.request('editor', 'POST', '/publish');
    expect(response.status).toBe(202);
    expect(await response.json()).toEqual({ queued: true });
    await published(project, ({ tier }) => tier === 'lite');
  });

  it('publishes all projects once more for an operator', async () => {
    const projects = [await createTestProject(service), await createTestProject(service)];
    const { em } = service.database.orm;
    const outbox = service.app.get(OutboxService, { strict: false });
    expect(await republish(em, outbox, projects[0]?.id ?? '', { dryRun: true })).toBe(1);
    expect(await republish(em, outbox, newId(), { dryRun: false })).toBe(0);
    const audited = (): Promise<unknown[]> =>
      service.database.query('select action, after from audit_event where project_id = $1', [
        projects[0]?.id,
      ]);
    expect(await audited()).toEqual([]);
    expect(await republish(em, outbox, projects[0]?.id ?? '', { dryRun: false })).toBe(1);
    expect(await audited()).toEqual([{ action: 'configuration.publish', after: { projects: 1 } }]);
    expect(await republish(em, outbox, null, { dryRun: false })).toBeGreaterThanOrEqual(2);
    for (const project of projects) await published(project, ({ tier }) => tier === 'lite');
  });

  it('publishes the domains that would be preview hosts, and removes all of a deleted project', async () => {
    const project = await createTestProject(service);
    const domains = ['www.example.com', 'shop.carrd.co', 'shop.webflow.io'];
    expect((await project.request('editor', 'PATCH', '', { domains })).status).toBe(200);
    const document = await published(project, () => true);
    expect(document).toMatchObject({
      ownPreviewHosts: ['shop.carrd.co'],
      controller: { name: null, contact: null },
    });
    const controllerContact = 'https://example.com/contact';
    expect((await project.request('editor', 'PATCH', '', { controllerContact })).status).toBe(200);
    const named = { name: null, contact: controllerContact };
    await published(project, ({ controller }) => JSON.stringify(controller) === JSON.stringify(named));
    expect((await project.request('owner', 'DELETE', '')).status).toBe(204);
    await until('removed', () => !existsSync(folderOf(project)));
  });

  it('is for members of the project, by role', async () => {
    const project = await createTestProject(service);
    expect((await project.request('viewer', 'PUT', '/configuration', {})).status).toBe(403);
    expect((await project.request('viewer', 'POST', '/publish')).status).toBe(403);
    expect((await project.request('viewer', 'POST', '/publications/1/rollback')).status).toBe(403);
    const path = `${service.baseUrl}/v1/projects/${project.id}/configuration`;
    expect((await fetch(path)).status).toBe(401);
    const other = await createTestProject(service);
    const headers = { authorization: `Bearer ${other.keys.owner}` };
    expect((await fetch(path, { headers })).status).toBe(404);
  });

  it('writes files that a web server may read', async () => {
    const project = await createTestProject(service);
    await project.request('editor', 'POST', '/publish');
    await published(project, () => true);
    expect(statSync(join(folderOf(project), 'config.json')).mode & 0o444).toBe(0o444);
  });

  it.each([
    ['null', null, ''],
    ['no body', undefined, ''],
    ['a number', 5, ''],
    ['a list', [], ''],
    ['an unknown member', { colour: 'red' }, 'colour'],
    ['a policy version of null', { policyVersion: null }, 'policyVersion'],
    ['a policy version with a blank', { policyVersion: 'a b' }, 'policyVersion'],
    ['a policy version of 65 characters', { policyVersion: 'a'.repeat(65) }, 'policyVersion'],
    ['a policy URL that is a script', { policyUrl: 'javascript:alert(1)' }, 'policyUrl'],
    ['no texts', { texts: [] }, 'texts'],
    ['texts of numbers', { texts: [1] }, 'texts.0'],
    ['texts without the default language', { defaultLanguage: 'de' }, 'defaultLanguage'],
    ['a language twice', { texts: [TEXT, TEXT] }, 'texts'],
    ['a title with NUL', { texts: [{ ...TEXT, title: 'a\u0000' }] }, 'texts.0.title'],
    ['a title with half a surrogate pair', { texts: [{ ...TEXT, title: 'a\ud800' }] }, 'texts.0.title'],
    ['a title of 201 characters', { texts: [{ ...TEXT, title: 'a'.repeat(201) }] }, 'texts.0.title'],
    ['an empty title', { texts: [{ ...TEXT, title: ' ' }] }, 'texts.0.title'],
    ['an unknown category', { categories: ['necessary'] }, 'categories'],
    ['a category twice', { categories: ['analytics', 'analytics'] }, 'categories'],
    ['an unknown mode', { defaultMode: 'maybe' }, 'defaultMode'],
    ['a rule for no region', { regionRules: [{ regions: [], mode: 'none' }] }, 'regionRules.0.regions'],
    [
      'a rule for a small region',
      { regionRules: [{ regions: ['de'], mode: 'none' }] },
      'regionRules.0.regions',
    ],
    ['a rule of null', { regionRules: [null] }, 'regionRules.0'],
    ['a switch of text', { honorGlobalPrivacyControl: 'yes' }, 'honorGlobalPrivacyControl'],
    [
      'a rule for a state by its name',
      { regionRules: [{ regions: ['US-Utah'], mode: 'none' }] },
      'regionRules.0.regions',
    ],
    ['a label that no banner has', { texts: [{ ...TEXT, labels: { hurry: 'Now!' } }] }, 'texts.0.labels'],
    ['an empty label', { texts: [{ ...TEXT, labels: { close: '' } }] }, 'texts.0.labels'],
    ['labels in a list', { texts: [{ ...TEXT, labels: ['close'] }] }, 'texts.0.labels'],
    ['a service without a provider', { services: [{ ...SERVICE, provider: '' }] }, 'services.0.provider'],
    ['a service of no category', { services: [{ ...SERVICE, category: 'other' }] }, 'services.0.category'],
    [
      'a service whose policy is a script',
      { services: [{ ...SERVICE, policyUrl: 'javascript:a' }] },
      'services.0.policyUrl',
    ],
    [
      'a cookie that is every cookie',
      { services: [{ ...SERVICE, cookies: [{ ...COOKIE, name: '*' }] }] },
      'services.0.cookies.0.name',
    ],
    [
      'a cookie with a semicolon',
      { services: [{ ...SERVICE, cookies: [{ ...COOKIE, name: 'a;b' }] }] },
      'services.0.cookies.0.name',
    ],
    [
      '31 cookies of a service',
      { services: [{ ...SERVICE, cookies: Array(31).fill(COOKIE) }] },
      'services.0.cookies',
    ],
    ['101 services', { services: Array(101).fill(SERVICE) }, 'services'],
    ['no month', { reconsentMonths: 0 }, 'reconsentMonths'],
    ['14 months', { reconsentMonths: 14 }, 'reconsentMonths'],
    ['half a month', { reconsentMonths: 1.5 }, 'reconsentMonths'],
    ['a banner of null', { banner: null }, 'banner'],
    ['a banner in a list', { banner: [] }, 'banner'],
    ['an unknown layout', { banner: { layout: 'popup' } }, 'banner.layout'],
    ['an accent that cannot be read', { banner: { accent: '#7fa8dd' } }, 'banner.accent'],
    ['a dark accent that cannot be read', { banner: { accentDark: '#30507a' } }, 'banner.accentDark'],
    ['an accent that is no colour', { banner: { accent: 'red' } }, 'banner.accent'],
    ['an unknown position', { banner: { position: 'bottom' } }, 'banner.position'],
    ['an unknown font', { banner: { font: 'Comic Sans' } }, 'banner.font'],
    ['a logo at an address', { banner: { logo: 'https://example.com/logo.png' } }, 'banner.logo'],
    ['a logo with a script', { banner: { logo: 'data:image/svg+xml;base64,PHN2Zy8+' } }, 'banner.logo'],
    ['a logo of a number', { banner: { logo: 5 } }, 'banner.logo'],
    [
      'a translation twice',
      { services: [{ ...SERVICE, translations: [{ language: 'de' }, { language: 'de' }] }] },
      'services.0.translations',
    ],
    [
      'a translation into no language',
      { services: [{ ...SERVICE, translations: [{ language: 'German' }] }] },
      'services.0.translations.0.language',
    ],
    [
      'an empty translation',
      {
        services: [
          { ...SERVICE, cookies: [{ ...COOKIE, translations: [{ language: 'de', purpose: ' ' }] }] },
        ],
      },
      'services.0.cookies.0.translations.0.purpose',
    ],
  ])('refuses %s', async (_, body, field) => {
    const project = await createTestProject(service);
    const response = await put(project, body);
    expect(response.status).toBe(422);
    const { code, errors } = (await response.json()) as { code: string; errors: { field: string }[] };
    expect(code).toBe('validation_failed');
    if (field) expect(errors.map((error) => error.field)).toContain(field);
  });

  it('publishes what our banner needs, and what an older configuration lacks is the default', async () => {
    const project = await createTestProject(service, { tier: 'business' });
    const texts = [
      { ...TEXT, labels: { close: 'Shut' } },
      { ...TEXT, language: 'de', description: 'Dürfen wir?\nBitte.' },
    ];
    const banner = { enabled: true, layout: 'bar', accent: '#000000' };
    const body = {
      policyVersion: '7',
      texts,
      banner,
      services: [SERVICE],
      reconsentMonths: 6,
      regionRules: [{ regions: ['US-CA'], mode: 'notice' }],
    };
    const saved = await put(project, body);
    expect(saved.status).toBe(200);
    const whole = { ...banner, position: 'left', theme: 'auto', accentDark: '#eceff4', link: true };
    expect(await saved.json()).toMatchObject({ ...body, banner: whole });
    const { configHash } = await published(project, ({ policyVersion }) => policyVersion === '7');
    const document = JSON.parse(
      readFileSync(join(folderOf(project), `${configHash}.json`), 'utf8'),
    ) as Document;
    expect(document).toMatchObject({ services: [SERVICE], reconsentMonths: 6, banner: whole });
    const script = readFileSync(join(folderOf(project), String(document.bannerScript)), 'utf8');
    expect(script).toBe(readFileSync('dist/loader/banner.js', 'utf8'));
    expect(document.texts).toMatchObject([
      { labels: { close: 'Shut', copy: 'Copy' } },
      { labels: { close: 'Schließen', copy: 'Kopieren' } },
    ]);

    // As a version before this one saved it.
    const { labels: _, ...text } = { ...TEXT, labels: null };
    await service.database.query(`update site_configuration set configuration = $2 where project_id = $1`, [
      project.id,
      JSON.stringify({ policyVersion: '8', texts: [{ ...text, categories: [] }] }),
    ]);
    const read = await (await project.request('viewer', 'GET', '/configuration')).json();
    expect(read).toMatchObject({ policyVersion: '8', services: [], reconsentMonths: 12 });
    expect(read).toMatchObject({ banner: { enabled: false }, texts: [{ title: TEXT.title, labels: {} }] });
  });

  it('publishes the logo as a file, and serves it to any site', async () => {
    const project = await createTestProject(service);
    const png = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(60)]);
    const logo = `data:image/png;base64,${png.toString('base64')}`;
    const saved = await put(project, {
      banner: { enabled: true, logo, font: 'site', position: 'top-center' },
    });
    expect(await saved.json()).toMatchObject({ banner: { logo, font: 'site', position: 'top-center' } });
    // The document before the first publication has a logo too.
    const cdn = `${service.baseUrl}/cdn/${project.id}`;
    const first = (await (await fetch(`${cdn}/config.json`)).json()) as { banner: { logo: string } };
    expect((await fetch(`${cdn}/${first.banner.logo}`)).status).toBe(200);
    const { banner } = (await published(
      project,
      (document) => document.bannerScript !== null,
    )) as unknown as {
      banner: { logo: string };
    };
    expect(banner).toMatchObject({ font: 'site', position: 'top-center' });
    expect(readFileSync(join(folderOf(project), banner.logo))).toEqual(png);
    const address = `${service.baseUrl}/cdn/${project.id}/${banner.logo}`;
    const served = await fetch(address);
    expect(Buffer.from(await served.arrayBuffer())).toEqual(png);
    expect(Object.fromEntries(served.headers)).toMatchObject({
      'content-type': 'image/png',
      'cross-origin-resource-policy': 'cross-origin',
      'cache-control': expect.stringMatching(/immutable/),
      'x-content-type-options': 'nosniff',
    });
    const etag = served.headers.get('etag') ?? '';
    expect((await fetch(address, { headers: { 'if-none-match': etag } })).status).toBe(304);
    for (const other of ['logo-0123456789abcdef.png', 'logo-..%2Fconfig.png'])
      expect((await fetch(`${service.baseUrl}/cdn/${project.id}/${other}`)).status).toBe(404);
  });

  it('writes a banner before what points at it, and none where the site brings its own', async () => {
    const project = await createTestProject(service);
    await put(project, { banner: { enabled: false } });
    await published(project, () => true);
    expect(readdirSync(folderOf(project)).filter((name) => name.startsWith('banner'))).toEqual([]);
    const storage = service.app.get(SiteStorage, { strict: false });
    const written: string[] = [];
    const put_ = storage.put.bind(storage);
    storage.put = (key, ...rest) => {
      if (key.startsWith(project.id)) written.push(key.slice(project.id.length + 1));
      return put_(key, ...rest);
    };
    await put(project, { banner: { enabled: true } });
    const document = await published(project, ({ bannerScript }) => bannerScript !== null);
    storage.put = put_;
    expect(written).toEqual([
      document.bannerScript,
      `${document.configHash}.json`,
      'loader.js',
      'blocker.js',
      'declaration.js',
      'declaration.html',
      'config.json',
    ]);
  });

  it('writes one event when storage refuses, and publishes once it is back', async () => {
    const project = await createTestProject(service);
    await put(project, { banner: { enabled: true } });
    await published(project, () => true);
    const folder = folderOf(project);
    rmSync(folder, { recursive: true });
    writeFileSync(folder, '');
    await put(project, { banner: { enabled: false } });
    const failed = (): Promise<Json[]> => eventsOf(project, 'configuration.publish_failed');
    await until('the event', async () => (await failed()).length > 0);
    rmSync(folder);
    await published(project, ({ bannerScript }) => bannerScript === null);
    expect(await failed()).toMatchObject([{ id: project.id }]);
  });

  it('writes texts of languages that do not fit into files, which the document’s hash covers', async () => {
    const project = await createTestProject(service);
    const presets = await project.request(
      'viewer',
      'GET',
      '/configuration/presets?languages=en,de,fr,es,it,nl,pl,pt,sv,da',
    );
    const { texts } = (await presets.json()) as { texts: { language: string; title: string }[] };
    const get = (name: string): Promise<Response> => fetch(`${service.baseUrl}/cdn/${project.id}/${name}`);
    await put(project, { banner: { enabled: true }, texts, services: [SERVICE] });
    const document = await published(project, ({ languages }) => languages !== undefined);
    const { configHash, languages } = document;
    expect(languages).toEqual(texts.map(({ language }) => language));
    expect(document).toMatchObject({ texts: [{ language: 'en' }], services: [{ category: 'analytics' }] });
    const whole = readFileSync(join(folderOf(project), `${configHash}.json`), 'utf8');
    const { configHash: _, ...content } = JSON.parse(whole) as { configHash: string; texts: object[] };
    expect(createHash('sha256').update(JSON.stringify(content)).digest('hex')).toBe(configHash);
    expect(content.texts).toHaveLength(10);

    const text = await get(`text-${configHash}-de.json`);
    expect(await text.json()).toMatchObject({ language: 'de', title: texts[1]?.title });
    expect(Object.fromEntries(text.headers)).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      'access-control-allow-origin': '*',
    });
    const details = (await (await get(`details-${configHash}-de.json`)).json()) as { services: object[] };
    expect(details.services).toMatchObject([{ name: 'Counter', cookies: [COOKIE] }]);
    expect((await get(`text-${configHash}-en.json`)).status).toBe(404);
    expect((await get(`text-${'0'.repeat(64)}-de.json`)).status).toBe(404);
    expect((await get('text-..%2Fconfig.json')).status).toBe(404);

    // Visitors who have the configuration still get its files after the next publication.
    await put(project, { banner: { enabled: true }, texts: [TEXT] });
    await published(project, (next) => next.configHash !== configHash);
    expect((await get(`text-${configHash}-de.json`)).status).toBe(200);
    const rolledBack = await project.request('editor', 'POST', '/publications/1/rollback');
    expect(rolledBack.status).toBe(200);
    await published(project, (next) => next.configHash === configHash);
  });

  it('asks for a confirmation where visitors would see texts in another language', async () => {
    const project = await createTestProject(service);
    const texts = [TEXT, { ...TEXT, language: 'fa', title: 'حریم خصوصی' }];
    const body = { banner: { enabled: true }, categories: [], texts };
    const refused = await put(project, body);
    expect(refused.status).toBe(409);
    const problem = (await refused.json()) as { missingTexts: { language: string; fields: string[] }[] };
    expect(problem).toMatchObject({ code: 'texts_incomplete', detail: expect.stringContaining('(fa)') });
    expect(problem.missingTexts).toEqual([
      { language: 'fa', fields: expect.arrayContaining(['description', 'labels.settingsLink']) },
    ]);
    const configuration = await project.request('viewer', 'GET', '/configuration');
    expect(await configuration.json()).toMatchObject({ version: 0 });
    const preview = await project.request('viewer', 'POST', '/configuration/preview', body);
    expect(await preview.json()).toMatchObject({ missingTexts: problem.missingTexts });
    expect((await put(project, { ...body, confirmMissingTexts: true })).status).toBe(200);
    // An editor who goes back to it has seen it.
    await published(project, ({ texts: languages }) => (languages as unknown[]).length === 2);
    // The publication is listed after its files are written.
    await until('the publication is listed', async () => {
      const response = await project.request('viewer', 'GET', '/publications');
      return ((await response.json()) as { items: unknown[] }).items.length > 0;
    });
    expect((await project.request('editor', 'POST', '/publications/1/rollback')).status).toBe(200);
  });

  it('serves the texts of a project that has published nothing yet', async () => {
    const project = await createTestProject(service);
    const presets = await project.request(
      'viewer',
      'GET',
      '/configuration/presets?languages=en,de,fr,es,it,nl,pl,pt,sv,da',
    );
    const { texts } = (await presets.json()) as { texts: object[] };
    await service.database.query(
      `insert into site_configuration (project_id, version, configuration) values ($1, 1, $2)`,
      [project.id, JSON.stringify({ texts, banner: { enabled: true } })],
    );
    const cdn = `${service.baseUrl}/cdn/${project.id}`;
    const { configHash } = (await (await fetch(`${cdn}/config.json`)).json()) as Document;
    const text = await fetch(`${cdn}/text-${configHash}-fr.json`);
    expect(await text.json()).toMatchObject({ language: 'fr' });
    expect((await fetch(`${cdn}/text-${configHash}-xx.json`)).status).toBe(404);
  });

  it('has words and presets to begin with, which can be saved as they are', async () => {
    const project = await createTestProject(service, { tier: 'business' });
    const presets = (await (
      await project.request('viewer', 'GET', '/configuration/presets?languages=en,de,fr,es,it,nl,pl,pt,sv,da')
    ).json()) as {
      texts: { language: string }[];
      regionPresets: { id: string; regions: string[]; versions: { version: number }[] }[];
    };
    expect(presets.texts.map(({ language }) => language)).toEqual([
      'en',
      'de',
      'fr',
      'es',
      'it',
      'nl',
      'pl',
      'pt',
      'sv',
      'da',
    ]);
    const regionRules = presets.regionPresets.map(({ id, regions }) => ({ regions, preset: { id } }));
    expect((await put(project, { texts: presets.texts, regionRules })).status).toBe(200);
  });

  it('turns the saved blocking rules into a Content-Security-Policy', async () => {
    const project = await createTestProject(service);
    const rules = [
      { host: 'example.net', path: null, category: 'marketing' },
      { host: 'example.org', path: '/tr', category: 'analytics' },
    ];
    expect((await put(project, { blocking: { enabled: false, rules } })).status).toBe(200);
    const response = await project.request('viewer', 'GET', '/configuration/content-security-policy');
    expect(await response.json()).toEqual({
      // The service that the test started has no PUBLIC_BASE_URL.
      beforeConsent: expect.stringMatching(
        /^default-src 'self' 'unsafe-inline' data: blob: (http:\/\/127\.0\.0\.1:\d+); form-action 'self' \1$/,
      ),
      byCategory: { preferences: [], analytics: [], marketing: ['example.net', '*.example.net'] },
      leftOut: [rules[1]],
    });
  });

  it('takes 64 KiB, and not much more', async () => {
    const project = await createTestProject(service);
    const texts = (count: number): unknown[] =>
      Array.from({ length: count }, (_, index) => ({
        ...TEXT,
        language: index === 0 ? 'en' : `en-${String(index).padStart(2, '0')}`,
        description: 'a'.repeat(2000),
      }));
    expect((await put(project, { texts: texts(29) })).status).toBe(200);
    expect((await put(project, { texts: texts(31) })).status).toBe(422);
  });
});
