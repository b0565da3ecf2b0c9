import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PresetUpdates } from '../../src/modules/publishing/application/preset-updates.js';
import type { Json } from '../support/people/json.js';
import { createTestProject, type TestProject } from '../support/people/project.js';
import { startTestService, type TestService } from '../support/programs/service.js';
import { until } from '../support/until.js';

const MIXED = { analytics: 'opt_out', marketing: 'opt_in', preferences: 'notice' };
const all = (mode: string) => ({ analytics: mode, marketing: mode, preferences: mode });
const GB = { id: 'gb', version: 1 };

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ RUN_WORKER: 'true', OUTBOX_POLL_MS: '100' });
});
afterAll(() => service.close());

const put = (project: TestProject, body: object): Promise<Response> =>
  project.request('editor', 'PUT', '/configuration', body);
const get = async (project: TestProject, path: string): Promise<Json> =>
  (await project.request('viewer', 'GET', path)).json() as Promise<Json>;
const preview = async (project: TestProject, body: object): Promise<Json> =>
  ((await (await project.request('viewer', 'POST', '/configuration/preview', body)).json()) as Json)[
    'document'
  ] as Json;
const publications = (project: TestProject, count: number): Promise<Json[]> =>
  until(`${count} publications`, async () => {
    const { items } = (await get(project, '/publications')) as unknown as { items: Json[] };
    return items.length === count ? items : null;
  });

describe('modes by category', () => {
  it('are published by default on lite, beside the strictest, which older clients read', async () => {
    const project = await createTestProject(service, { tier: 'lite' });
    const saved = await put(project, { defaultModes: MIXED });
    expect([saved.status, await saved.json()]).toMatchObject([
      200,
      { defaultMode: 'opt_in', defaultModes: MIXED, defaultPreset: null, presetUpdates: false },
    ]);
    expect(await preview(project, { defaultModes: MIXED })).toMatchObject({
      defaultMode: 'opt_in',
      defaultModes: MIXED,
    });
  });

  it('are one for all where a client sends one, which is published as before', async () => {
    const project = await createTestProject(service, { tier: 'business' });
    const regionRules = [{ regions: ['US'], mode: 'opt_out' }];
    const saved = await put(project, { defaultMode: 'notice', regionRules });
    expect(await saved.json()).toMatchObject({
      defaultMode: 'notice',
      defaultModes: all('notice'),
      regionRules: [{ regions: ['US'], mode: 'opt_out', modes: all('opt_out') }],
    });
    const document = await preview(project, { defaultMode: 'notice', regionRules });
    expect(document).toMatchObject({ defaultMode: 'notice', regionRules });
    expect(document['defaultModes']).toBeUndefined();
  });

  it('of an older version mean all categories', async () => {
    const project = await createTestProject(service, { tier: 'business' });
    await put(project, {});
    await service.database.query(`update site_configuration set configuration = $2 where project_id = $1`, [
      project.id,
      JSON.stringify({ defaultMode: 'none', regionRules: [{ regions: ['CH'], mode: 'opt_out' }] }),
    ]);
    expect(await get(project, '/configuration')).toMatchObject({
      defaultMode: 'none',
      defaultModes: all('none'),
      defaultPreset: null,
      regionRules: [{ regions: ['CH'], mode: 'opt_out', modes: all('opt_out') }],
    });
  });

  it.each([
    ['a rule without any', { regionRules: [{ regions: ['US'] }] }, 'regionRules.0.mode', 'modes_missing'],
    [
      'a mode that is not the strictest',
      { regionRules: [{ regions: ['US'], mode: 'notice', modes: MIXED }] },
      'regionRules.0.mode',
      'modes_conflict',
    ],
    ['another default mode', { defaultMode: 'none', defaultModes: MIXED }, 'defaultMode', 'modes_conflict'],
    ['an unknown preset', { defaultPreset: { id: 'atlantis' } }, 'defaultPreset', 'preset_unknown'],
    [
      'a version that does not exist',
      { regionRules: [{ regions: ['GB'], preset: { id: 'gb', version: 999 } }] },
      'regionRules.0.preset',
      'preset_unknown',
    ],
  ])('refuses %s', async (_, body, field, code) => {
    const project = await createTestProject(service, { tier: 'business' });
    const refused = await put(project, body);
    expect([refused.status, await refused.json()]).toMatchObject([422, { errors: [{ field, code }] }]);
    expect(await get(project, '/configuration')).toMatchObject({ version: 0 });
  });

  it.each([
    ['a category that is missing', { defaultModes: { analytics: 'none', marketing: 'none' } }],
    ['a category that does not exist', { defaultModes: { ...all('none'), necessary: 'none' } }],
    ['an unknown mode', { defaultModes: { ...MIXED, analytics: 'maybe' } }],
    ['modes in a list', { defaultModes: ['none'] }],
    ['modes of null', { regionRules: [{ regions: ['US'], modes: null }] }],
    ['a preset of text', { defaultPreset: 'gb' }],
    ['a preset of version 0', { defaultPreset: { id: 'gb', version: 0 } }],
    ['updates of text', { presetUpdates: 'yes' }],
  ])('refuses %s', async (_, body) => {
    const project = await createTestProject(service, { tier: 'business' });
    expect((await put(project, body)).status).toBe(422);
  });
});

describe('presets', () => {
  it('set modes, whatever modes are sent with them, and are published by name', async () => {
    const project = await createTestProject(service, { tier: 'business' });
    const modes = { analytics: 'opt_out', marketing: 'opt_in', preferences: 'opt_out' };
    const body = {
      defaultPreset: { id: 'gb' },
      regionRules: [{ regions: ['US-CA'], preset: { id: 'us-gpc' } }],
    };
    expect(await (await put(project, body)).json()).toMatchObject({
      defaultPreset: GB,
      defaultMode: 'opt_in',
      defaultModes: modes,
      regionRules: [{ preset: { id: 'us-gpc', version: 1 }, mode: 'opt_out', modes: all('opt_out') }],
    });
    // As an editor sends back what it has read.
    const read = { ...body, defaultModes: all('opt_in'), honorGlobalPrivacyControl: false };
    expect(await preview(project, read)).toMatchObject({
      defaultModes: modes,
      defaultPreset: 'gb/1',
      honorGlobalPrivacyControl: false,
      regionRules: [
        { regions: ['US-CA'], mode: 'opt_out', preset: 'us-gpc/1', honorGlobalPrivacyControl: true },
        // Of visitors whose state is unknown, the strictest; and the signal counts where the country is unknown.
        { regions: ['US-'], mode: 'opt_in', modes, honorGlobalPrivacyControl: true },
        { regions: ['XX'], mode: 'opt_in', modes, preset: 'gb/1', honorGlobalPrivacyControl: true },
      ],
    });
  });

  it('publish a site again on the day of a change, without an author, and only then', async () => {
    const project = await createTestProject(service, { tier: 'lite' });
    const untouched = await createTestProject(service, { tier: 'lite' });
    await put(untouched, { defaultMode: 'opt_out' });
    await put(project, { defaultPreset: GB });
    await publications(project, 1);
    await publications(untouched, 1);
    const updates = service.app.get(PresetUpdates, { strict: false });
    expect(await updates.run(new Date())).toBe(0);

    // As published on the day before the UK's exemption.
    await service.database.query(
      `update publication set content_hash = repeat('0', 64),
         configuration = configuration || jsonb_build_object('defaultModes', $2::jsonb)
       where project_id = $1`,
      [project.id, JSON.stringify(all('opt_in'))],
    );
    expect(await updates.run(new Date())).toBe(1);
    const [newest] = await publications(project, 2);
    expect(newest).toMatchObject({ configurationVersion: 1, author: null, comment: null });
    expect(await get(project, `/publications/${String(newest?.['version'])}/changes`)).toMatchObject({
      items: [
        { path: ['defaultModes', 'analytics'], before: 'opt_in', after: 'opt_out' },
        { path: ['defaultModes', 'preferences'], before: 'opt_in', after: 'opt_out' },
      ],
    });
    expect(await updates.run(new Date())).toBe(0);
  });

  it('wait for a save that is not published yet, and do not touch rules that the tier leaves out', async () => {
    const project = await createTestProject(service, { tier: 'business' });
    await put(project, { regionRules: [{ regions: ['US-OK'], preset: { id: 'us-2027' } }] });
    await publications(project, 1);
    const updates = service.app.get(PresetUpdates, { strict: false });
    const [eve, day] = [new Date('2026-12-31T23:59:59.999Z'), new Date('2027-01-01T00:00:00.000Z')];
    expect(await updates.run(eve)).toBe(0);
    expect(await updates.run(day)).toBe(1);
    await service.database.query(
      `update site_configuration set version = version + 1 where project_id = $1`,
      [project.id],
    );
    expect(await updates.run(day)).toBe(0);
    await service.database.query(
      `update site_configuration set version = version - 1 where project_id = $1`,
      [project.id],
    );
    expect((await project.request('editor', 'POST', '/tier/simulate', { tier: 'pro' })).status).toBe(200);
    await publications(project, 2);
    expect(await updates.run(day)).toBe(0);
  });
});
