import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DraftExpiry } from '../../src/modules/publishing/application/draft.service.js';
import { createTestProject, type TestProject } from '../support/people/project.js';
import { startTestService, type TestService } from '../support/programs/service.js';
import type { Json } from '../support/people/json.js';
import { until } from '../support/until.js';

const TEXT = {
  language: 'en',
  title: 'Cookies?',
  description: 'May we?',
  acceptAll: 'Yes',
  rejectAll: 'No',
  choose: 'Choose',
  save: 'Save',
};
const HASH = /^[0-9a-f]{64}$/;
const DAY_MS = 86_400_000;

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ RUN_WORKER: 'true', OUTBOX_POLL_MS: '100' });
});
afterAll(() => service.close());

interface Publication {
  version: number;
  configHash: string;
  comment: string | null;
  author: { kind: string; name: string | null } | null;
  inForceFrom: string;
  at: string;
}

const get = async (project: TestProject, path: string): Promise<Json> =>
  (await project.request('viewer', 'GET', path)).json() as Promise<Json>;
const send = (
  project: TestProject,
  [method, path]: [string, string],
  body?: unknown,
  ifMatch?: string,
): Promise<Response> =>
  fetch(`${service.baseUrl}/v1/projects/${project.id}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${project.keys.editor}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(ifMatch !== undefined && { 'if-match': ifMatch }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
const publications = (project: TestProject, count: number): Promise<Publication[]> =>
  until(`${count} publications`, async () => {
    const { items } = (await get(project, '/publications')) as unknown as { items: Publication[] };
    return items.length === count ? items : null;
  });
const publish = async (project: TestProject, body: object, count: number): Promise<Publication> => {
  expect((await send(project, ['PUT', '/configuration'], body)).status).toBe(200);
  return (await publications(project, count))[0] as Publication;
};
const codeOf = async (response: Response): Promise<unknown> => ({
  status: response.status,
  ...((await response.json()) as object),
});

describe('a draft', () => {
  it('expires 90 days after its last save, and not sooner; one that was published stays as it is', async () => {
    const project = await createTestProject(service);
    const drafts = service.app.get(DraftExpiry, { strict: false });
    expect((await send(project, ['PUT', '/configuration/draft'], { basedOn: 0, texts: [TEXT] })).status).toBe(
      200,
    );
    const { updatedAt } = await get(project, '/configuration/draft');
    const expiresMs = Date.parse(String(updatedAt)) + 90 * DAY_MS;
    expect(await drafts.expire(new Date(expiresMs))).toBe(0);
    expect(await get(project, '/configuration/draft')).toMatchObject({ version: 1, basedOn: 0 });
    // The row has microseconds.
    expect(await drafts.expire(new Date(expiresMs + 1))).toBe(1);
    expect(await get(project, '/configuration/draft')).toMatchObject({ version: 2, configuration: null });
    expect(await drafts.expire(new Date(expiresMs + 1))).toBe(0);
    const stale = await send(project, ['PUT', '/configuration/draft'], { basedOn: 0, texts: [TEXT] }, '"1"');
    expect(await codeOf(stale)).toMatchObject({ status: 412, code: 'version_conflict' });
    const [event] = await service.database.query(
      `select actor_kind, action, after from audit_event where project_id = $1 order by id desc limit 1`,
      [project.id],
    );
    expect(event).toEqual({
      actor_kind: 'system',
      action: 'configuration.discard_draft',
      after: { version: 2 },
    });
  });

  it('expires by its last save, and with all others that are due', async () => {
    // Without a worker, because it expires drafts.
    const idle = await startTestService();
    try {
      const project = await createTestProject(idle);
      const { query } = idle.database;
      const save = (): Promise<Response> =>
        project.request('editor', 'PUT', '/configuration/draft', { basedOn: 0, texts: [TEXT] });
      await save();
      await query(`update configuration_draft set updated_at = now() - interval '91 days'`);
      expect((await save()).status).toBe(200);
      const others = 201;
      const ids = await query<{ id: string }>(
        `insert into project (id, name) select gen_random_uuid(), 'Another' from generate_series(1, $1::int) returning id`,
        [others],
      );
      await query(
        `insert into configuration_draft (project_id, version, configuration, based_on, updated_at)
         select id, 1, '{}', 0, now() - interval '91 days' from unnest($1::uuid[]) id`,
        [ids.map(({ id }) => id)],
      );
      expect(await idle.app.get(DraftExpiry, { strict: false }).expire(new Date())).toBe(others);
      expect(await get(project, '/configuration/draft')).toMatchObject({ version: 2, basedOn: 0 });
    } finally {
      await idle.close();
    }
  });

  it('is kept beside what is published, counts its saves, and ends as it is published', async () => {
    const project = await createTestProject(service);
    expect(await get(project, '/configuration/draft')).toEqual({
      version: 0,
      configuration: null,
      basedOn: null,
      updatedAt: null,
    });
    const saved = await send(project, ['PUT', '/configuration/draft'], { basedOn: 0, texts: [TEXT] }, '"0"');
    expect(saved.status).toBe(200);
    expect(saved.headers.get('etag')).toBe('"1"');
    expect(await saved.json()).toMatchObject({ version: 1, basedOn: 0, configuration: { texts: [TEXT] } });
    // Nothing of it is published.
    expect(await get(project, '/configuration')).toMatchObject({ version: 0, lastPublication: null });
    expect(
      await codeOf(await send(project, ['PUT', '/configuration/draft'], { basedOn: 0 }, '"0"')),
    ).toMatchObject({ status: 412, code: 'version_conflict', currentVersion: 1 });
    // Nor is it where another person has saved it since.
    const late = await send(project, ['PUT', '/configuration'], { texts: [TEXT], draftVersion: 0 });
    expect(await codeOf(late)).toMatchObject({ status: 412, code: 'version_conflict', currentVersion: 1 });
    expect(await get(project, '/configuration')).toMatchObject({ version: 0 });

    const body = { texts: [TEXT], draftVersion: 1, comment: ' First words. ' };
    expect((await send(project, ['PUT', '/configuration'], body)).status).toBe(200);
    expect(await get(project, '/configuration/draft')).toMatchObject({ version: 2, configuration: null });
    const [publication] = await publications(project, 1);
    expect(publication).toMatchObject({ comment: 'First words.', author: { kind: 'api_key' } });
    expect(publication?.author?.name).toEqual(expect.stringMatching(/./));
    expect(await get(project, '/configuration')).toMatchObject({ lastPublication: publication });
  });

  it('stays where a configuration is saved without it, and is thrown away once', async () => {
    const project = await createTestProject(service);
    await send(project, ['PUT', '/configuration/draft'], { basedOn: 0, policyVersion: 'draft' });
    expect((await send(project, ['PUT', '/configuration'], { policyVersion: 'other' })).status).toBe(200);
    expect(await get(project, '/configuration/draft')).toMatchObject({
      version: 1,
      basedOn: 0,
      configuration: { policyVersion: 'draft' },
    });
    expect((await send(project, ['DELETE', '/configuration/draft'], undefined, '"7"')).status).toBe(412);
    expect((await send(project, ['DELETE', '/configuration/draft'], undefined, '"1"')).status).toBe(204);
    // Its version keeps counting, so that an old tag never matches again.
    expect(await get(project, '/configuration/draft')).toMatchObject({ version: 2, configuration: null });
    expect((await send(project, ['DELETE', '/configuration/draft'])).status).toBe(204);
    expect(await get(project, '/configuration/draft')).toMatchObject({ version: 2 });
  });

  it('is one for two who save it at once', async () => {
    const project = await createTestProject(service);
    const both = await Promise.all(
      ['a', 'b'].map((policyVersion) =>
        send(project, ['PUT', '/configuration/draft'], { basedOn: 0, policyVersion }, '"0"'),
      ),
    );
    expect(both.map(({ status }) => status).sort()).toEqual([200, 412]);
  });

  it.each([
    ['without what it is based on', { policyVersion: '1' }, 'basedOn'],
    ['with a title that is empty', { basedOn: 0, texts: [{ ...TEXT, title: '' }] }, 'texts.0.title'],
    ['with a comment', { basedOn: 0, comment: 'x' }, 'comment'],
  ])('is refused %s', async (_, body, field) => {
    const project = await createTestProject(service);
    const response = await send(project, ['PUT', '/configuration/draft'], body);
    expect(response.status).toBe(422);
    const { errors } = (await response.json()) as { errors: { field: string }[] };
    expect(errors.map((error) => error.field)).toContain(field);
  });

  it('is for editors to write, and for viewers to read', async () => {
    const project = await createTestProject(service);
    expect((await project.request('viewer', 'PUT', '/configuration/draft', { basedOn: 0 })).status).toBe(403);
    expect((await project.request('viewer', 'DELETE', '/configuration/draft')).status).toBe(403);
    expect((await project.request('viewer', 'GET', '/configuration/draft')).status).toBe(200);
    expect((await project.request('viewer', 'POST', '/configuration/preview', {})).status).toBe(200);
  });
});

describe('a preview', () => {
  it('is the very document that is published then, and stores nothing', async () => {
    const project = await createTestProject(service);
    const body = { texts: [TEXT], banner: { enabled: true }, policyVersion: '9' };
    const preview = (await (await send(project, ['POST', '/configuration/preview'], body)).json()) as {
      document: { configHash: string };
      changes: { path: string[] }[];
    };
    expect(preview.changes.map(({ path }) => path.join('.'))).toEqual(
      expect.arrayContaining(['policyVersion', 'texts.en.title', 'banner.enabled']),
    );
    expect(await get(project, '/configuration')).toMatchObject({ version: 0, lastPublication: null });
    const publication = await publish(project, body, 1);
    expect(preview.document.configHash).toBe(publication.configHash);
    expect(await get(project, `/configuration/published/${publication.configHash}`)).toEqual({
      document: preview.document,
    });
    const again = await send(project, ['POST', '/configuration/preview'], body);
    expect(await again.json()).toMatchObject({ changes: [] });
  });

  it('says what visitors of each language download before they see the banner', async () => {
    const project = await createTestProject(service);
    const { texts } = (await get(
      project,
      '/configuration/presets?languages=en,de,fr,es,it,nl,pl,pt,sv,da',
    )) as unknown as { texts: object[] };
    const preview = async (body: object): Promise<Record<string, { language: string; bytes: number }[]>> =>
      (await (await send(project, ['POST', '/configuration/preview'], body)).json()) as never;
    const ten = await preview({ texts, banner: { enabled: true } });
    expect(ten['visitorBytesMax']).toBe(2500);
    expect(ten['visitorBytes']?.map(({ language }) => language).slice(0, 3)).toEqual(['en', 'de', 'fr']);
    for (const { bytes } of ten['visitorBytes'] ?? []) expect(bytes).toBeLessThan(2500);
    // A site with its own banner gets all languages at once.
    const own = await preview({ texts, banner: { enabled: false } });
    for (const { bytes } of own['visitorBytes'] ?? []) expect(bytes).toBeGreaterThan(2500);
  });

  it('leaves out region rules that the tier does not publish, and says so', async () => {
    const project = await createTestProject(service, { tier: 'pro' });
    const rules = [{ regions: ['US-CA'], mode: 'opt_out' }];
    const asPro = await send(project, ['POST', '/configuration/preview'], { regionRules: rules });
    expect(await asPro.json()).toMatchObject({ regionRulesLeftOut: true, document: { regionRules: [] } });
    await project.request('editor', 'POST', '/tier/simulate', { tier: 'business' });
    const asBusiness = await send(project, ['POST', '/configuration/preview'], { regionRules: rules });
    expect(await asBusiness.json()).toMatchObject({
      regionRulesLeftOut: false,
      document: { regionRules: rules },
    });
  });

  it('refuses what could not be saved, and no body at all', async () => {
    const project = await createTestProject(service);
    const bodies = [{ texts: [] }, undefined, { banner: { accent: '#7fa8dd' } }];
    for (const body of bodies)
      expect((await send(project, ['POST', '/configuration/preview'], body)).status).toBe(422);
  });

  it.each([
    ['regionRules', [[]]],
    ['services', [[]]],
    ['services', [{ name: 'a', provider: 'b', category: 'analytics', cookies: [[]] }]],
    ['texts', [[]]],
    ['texts', [{ ...TEXT, categories: [[]] }]],
    ['texts', [{ ...TEXT, labels: null }]],
    ['draftVersion', 2 ** 53],
    ['basedOn', 2 ** 53],
  ])('no route takes a configuration with %s: %j', async (name, value) => {
    const project = await createTestProject(service);
    for (const route of [
      ['PUT', '/configuration'],
      ['PUT', '/configuration/draft'],
      ['POST', '/configuration/preview'],
    ] as [string, string][]) {
      const based = route[1].endsWith('draft') ? { basedOn: 0 } : {};
      const response = await send(project, route, { policyVersion: 'x', ...based, [name]: value });
      expect([route, response.status]).toEqual([route, 422]);
      const { errors } = (await response.json()) as { errors: { field: string }[] };
      expect(errors[0]?.field).toMatch(new RegExp(`^${name}(\\.|$)`));
    }
    expect(await get(project, '/configuration')).toMatchObject({ version: 0 });
    expect(await get(project, '/configuration/draft')).toMatchObject({ version: 0 });
  });

  it('checks the length of a list before its items', async () => {
    const project = await createTestProject(service);
    const texts = Array.from({ length: 33_000 }, () => ({}));
    const response = await send(project, ['POST', '/configuration/preview'], { texts });
    const answer = await response.text();
    expect(JSON.parse(answer)).toMatchObject({
      status: 422,
      errors: [{ field: 'texts', code: 'count', min: 1, max: 50 }],
    });
    expect(answer.length).toBeLessThan(1_000);
  });
});

describe('the history', () => {
  it('tells what each publication changed, beside the one before or any other', async () => {
    const project = await createTestProject(service);
    await publish(project, { texts: [TEXT] }, 1);
    await publish(project, { texts: [TEXT], policyVersion: '2', comment: 'New policy' }, 2);
    const german = { ...TEXT, language: 'de' };
    const [third] = [await publish(project, { texts: [{ ...TEXT, title: 'Tea?' }, german] }, 3)];
    expect(third.comment).toBeNull();
    const changes = async (path: string): Promise<unknown[]> =>
      ((await get(project, path)) as unknown as { items: { path: string[] }[] }).items.map(({ path: at }) =>
        at.join('.'),
      );
    expect(await changes('/publications/2/changes')).toEqual(['policyVersion']);
    expect(await changes('/publications/3/changes?since=1')).toEqual(['texts.en.title', 'texts.de']);
    expect(await changes('/publications/3/changes')).toEqual(
      expect.arrayContaining(['policyVersion', 'texts.en.title', 'texts.de']),
    );
    expect(await changes('/publications/1/changes')).toContain('texts.en.title');
    for (const path of [
      '/publications/9/changes',
      '/publications/1/changes?since=9',
      '/publications/x/changes',
    ])
      expect((await project.request('viewer', 'GET', path)).status).toBe(404);
    expect((await project.request('viewer', 'GET', '/publications/1/changes?since=x')).status).toBe(422);
  });

  it('has a save that changes nothing, and compares no publication of another project', async () => {
    const other = await createTestProject(service);
    for (const n of [1, 2]) await publish(other, { policyVersion: `other-${n}` }, n);
    const project = await createTestProject(service);
    const first = await publish(project, { policyVersion: 'same' }, 1);
    const again = { policyVersion: 'same', comment: 'Signed off.' };
    expect((await send(project, ['PUT', '/configuration'], again)).status).toBe(200);
    const last = await until('published again', async () => {
      const { items } = (await get(project, '/publications')) as unknown as { items: Publication[] };
      return items.find(({ at }) => at > first.at) ?? null;
    });
    expect(last).toMatchObject({ version: 2, configurationVersion: 2, comment: 'Signed off.' });
    await service.database.query('update publication set version = 9 where project_id = $1 and version = 2', [
      project.id,
    ]);
    expect(await get(project, '/publications/9/changes')).toEqual({ items: [] });
  });

  it('knows what was shown at an instant, however often it was published once more', async () => {
    const project = await createTestProject(service);
    const first = await publish(project, { policyVersion: '1.1' }, 1);
    await send(project, ['POST', '/publish']);
    const moved = await until('published once more', async () => {
      const [last] = await publications(project, 1);
      return last && last.at > first.at ? last : null;
    });
    expect(moved.inForceFrom).toBe(first.inForceFrom);
    const second = await publish(project, { policyVersion: '1.2' }, 2);
    const shownAt = (at: string): Promise<Json> => get(project, `/publications/in-force?at=${at}`);
    expect(await shownAt(first.inForceFrom)).toMatchObject({ version: 1 });
    expect(await shownAt(second.inForceFrom)).toMatchObject({ version: 2 });
    const before = new Date(Date.parse(second.inForceFrom) - 1).toISOString();
    expect(await shownAt(before)).toMatchObject({ version: 1 });
    expect(await shownAt('2020-05-03')).toMatchObject({ status: 404, code: 'publication_not_found' });
    expect(await shownAt('soon')).toMatchObject({ status: 422 });
  });

  it('says since when a configuration is live, although a change of tier published it again', async () => {
    const project = await createTestProject(service);
    const { inForceFrom } = await publish(project, { policyVersion: '1.1' }, 1);
    await project.request('editor', 'POST', '/tier/simulate', { tier: 'pro' });
    const [again] = await publications(project, 2);
    expect(again).toMatchObject({ version: 2, configurationVersion: 1, tier: 'pro' });
    expect(Date.parse(String(again?.inForceFrom))).toBeGreaterThan(Date.parse(inForceFrom));
    expect(await get(project, '/configuration')).toMatchObject({
      lastPublication: { version: 2, liveSince: inForceFrom },
    });
  });

  it('names nobody where the tier alone has changed, and takes a comment for going back', async () => {
    const project = await createTestProject(service);
    await publish(project, { policyVersion: 'a', comment: 'One' }, 1);
    await project.request('editor', 'POST', '/tier/simulate', { tier: 'pro' });
    const [byTier] = await publications(project, 2);
    expect(byTier).toMatchObject({ comment: null, author: null, tier: 'pro' });
    await publish(project, { policyVersion: 'b' }, 3);
    const back = await send(project, ['POST', '/publications/1/rollback'], { comment: 'It was better.' });
    expect(back.status).toBe(200);
    const [last] = await publications(project, 4);
    expect(last).toMatchObject({ comment: 'It was better.', author: { kind: 'api_key' } });
    const [user] = await service.database.query<{ id: string }>(
      `insert into app_user (id, name, email) values (gen_random_uuid(), 'Ada', 'ada@history.example') returning id`,
    );
    await service.database.query(
      `update publication set author_kind = 'user', author_id = $2 where project_id = $1 and version = 4`,
      [project.id, user?.id],
    );
    const [byUser] = await publications(project, 4);
    expect(byUser?.author).toEqual({ kind: 'user', id: user?.id, name: 'ada@history.example' });
    for (const comment of ['', 'x'.repeat(501), 'a\u0000b', 5, null])
      expect((await send(project, ['PUT', '/configuration'], { comment })).status).toBe(422);
  });

  it('does not give a save of an older version of the service the note of the save before it', async () => {
    const project = await createTestProject(service);
    await publish(project, { policyVersion: 'a', comment: 'Of the first' }, 1);
    await service.database.query(
      `update site_configuration set version = version + 1, configuration = configuration || '{"policyVersion":"b"}'
       where project_id = $1`,
      [project.id],
    );
    await send(project, ['POST', '/publish']);
    const [last] = await publications(project, 2);
    expect(last).toMatchObject({ comment: null, author: null });
  });

  it('has the document of each hash for as long as the project, and none of another project', async () => {
    const project = await createTestProject(service);
    const { configHash } = await publish(project, { policyVersion: 'kept' }, 1);
    expect(configHash).toMatch(HASH);
    await service.database.query('delete from publication where project_id = $1', [project.id]);
    expect(await get(project, `/configuration/published/${configHash}`)).toMatchObject({
      document: { configHash, policyVersion: 'kept' },
    });
    const { storage } = service.settings.publishing;
    expect(existsSync(join((storage as { path: string }).path, project.id, `${configHash}.json`))).toBe(true);
    const other = await createTestProject(service);
    for (const hash of [configHash, 'a'.repeat(64), '..%2Fconfig', 'config'])
      expect(await get(other, `/configuration/published/${hash}`)).toMatchObject({
        status: 404,
        code: 'publication_not_found',
      });
  });
});
