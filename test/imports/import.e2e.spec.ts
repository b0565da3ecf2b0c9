import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { newId, uuidTimeMs } from '../../src/platform/identity/ids.js';
import type { OutboxMessage } from '../../src/platform/outbox/domain/outbox-message.js';
import { OutboxService } from '../../src/platform/outbox/outbox.service.js';
import {
  importFile,
  type ImportJson,
  importsUrl,
  monthsAgo,
  putPart,
  readImport,
  settled,
  start,
  upload,
  useService,
} from '../support/people/import.js';
import { createTestProject, type TestProject } from '../support/people/project.js';
import { startTestService, type TestService } from '../support/programs/service.js';

let service: TestService;
let project: TestProject;

beforeAll(async () => {
  service = await startTestService({ RUN_WORKER: 'true', OUTBOX_POLL_MS: '100' });
  useService(service.baseUrl);
});

afterAll(async () => {
  await service.close();
});

beforeEach(async () => {
  project = await createTestProject(service);
});

const GIVEN = monthsAgo(3);
const HEADER = 'id,givenAt,analytics,marketing,preferences,action,hostname,language,ip';
const csv = (...rows: string[]): string => `${HEADER}\n${rows.join('\n')}\n`;
const row = (id: string, givenAt = GIVEN, choices = 'true,false,true'): string =>
  `${id},${givenAt},${choices},custom,www.shop.example,en,192.0.2.7`;

interface RecordJson {
  id: string;
  originalId: string | null;
  receivedAt: string;
  givenAt: string | null;
  importId: string | null;
  analytics: boolean;
  marketing: boolean;
  preferences: boolean;
}

const records = async (query = ''): Promise<RecordJson[]> => {
  const response = await project.request('viewer', 'GET', `/consents${query}`);
  expect(response.status).toBe(200);
  return ((await response.json()) as { items: RecordJson[] }).items;
};

async function makeUser(): Promise<string> {
  const id = newId();
  await service.database.query(`insert into app_user (id, name, email) values ($1, 'Ada', $2)`, [
    id,
    `${id}@example.com`,
  ]);
  return id;
}

async function ownedBy(userId: string): Promise<TestProject> {
  const owned = await createTestProject(service);
  await service.database.query(
    `insert into project_member (project_id, user_id, role) values ($1, $2, 'owner')`,
    [owned.id, userId],
  );
  return owned;
}

const problem = async (response: Response): Promise<unknown> => {
  const { status, code } = (await response.json()) as { status: number; code: string };
  return [status, code];
};

describe('an import', () => {
  it('stores consents with their time, their id and the import', async () => {
    const file = csv(row('c-1'), row('c-2', monthsAgo(9), 'false,false,false'));
    const done = await importFile(project, file);
    expect(done).toMatchObject({
      state: 'finished',
      rowsRead: 2,
      stored: 2,
      repeated: 0,
      refused: 0,
      share: 1,
    });
    expect(done.sha256).toBe(createHash('sha256').update(file).digest('hex'));
    expect(done.droppedColumns).toEqual({ ip: 2 });
    const [newer, older] = await records();
    expect(newer).toMatchObject({
      originalId: 'c-1',
      givenAt: GIVEN,
      importId: done.id,
      analytics: true,
      marketing: false,
      preferences: true,
      hostname: 'www.shop.example',
      language: 'en',
      additionalFields: {},
    });
    expect(new Date(uuidTimeMs(newer?.id ?? '')).toISOString()).toBe(GIVEN);
    expect(Date.parse(newer?.receivedAt ?? '')).toBeGreaterThan(Date.now() - 60_000);
    expect(older?.originalId).toBe('c-2');
    const one = await project.request('viewer', 'GET', `/consents/${newer?.id}`);
    expect(await one.json()).toMatchObject({
      import: { profile: 'generic', fileSha256: done.sha256 },
      delivery: { outcome: 'unsent', reason: 'imported' },
    });
  });

  it('keeps files of at most 4 GiB for all projects of an account', async () => {
    const owner = await makeUser();
    const [first, second, other] = [await ownedBy(owner), await ownedBy(owner), project];
    const create = (of: TestProject, size: number): Promise<Response> =>
      of.request('owner', 'POST', '/imports', { profile: 'generic', fileName: 'a.csv', size });
    const GIB = 1024 ** 3;
    await service.database.query(
      `insert into consent_import (project_id, id, profile, file_name, size, state, key_ciphertext, key_id, ended_at)
       select $1, gen_random_uuid(), 'generic', 'a.csv', $2, 'finished', 'x', 'k1', now() from generate_series(1, 4)`,
      [first.id, GIB - 1],
    );
    expect(await problem(await create(second, 5))).toEqual([409, 'import_files_limit_reached']);
    expect((await create(second, 4)).status).toBe(201);
    expect((await create(other, GIB)).status).toBe(201);
    await service.database.query(
      'update consent_import set key_id = null, key_ciphertext = null where project_id = $1',
      [first.id],
    );
    expect((await create(first, GIB)).status).toBe(201);
  });

  it('fails, with a sentence, where every attempt to read it failed', async () => {
    const id = await upload(project, Buffer.from(csv(row('c-1'))));
    await service.database.query("update consent_import set state = 'running' where id = $1", [id]);
    const handler = service.app.get(OutboxService, { strict: false }).handlerOf('import.requested');
    const message = { projectId: project.id, subjectId: id } as OutboxMessage;
    const end = (kind: 'retry' | 'dead'): Promise<void> =>
      service.database.orm.em
        .fork()
        .transactional(async (tx) => handler.failed?.(tx, message, { kind, error: 'a bug', outcome: null }));
    await end('retry');
    expect(await readImport(project, id)).toMatchObject({ state: 'running', failure: null });
    await end('dead');
    expect(await readImport(project, id)).toMatchObject({
      state: 'failed',
      failure: { code: 'file_unreadable', detail: expect.stringContaining('Import it again.') },
    });
  });

  it('stores nothing a second time, and lists other content as a conflict', async () => {
    const first = await importFile(project, csv(row('c-1'), row('c-2')));
    const again = await importFile(project, csv(row('c-1'), row('c-2', GIVEN, 'true,true,true'), row('c-1')));
    expect(again).toMatchObject({ state: 'finished', rowsRead: 3, stored: 0, repeated: 2, refused: 1 });
    expect(again.refusals).toEqual([{ entry: '', row: 2, reason: 'conflict', originalId: 'c-2' }]);
    expect((await records()).map(({ importId }) => importId)).toEqual([first.id, first.id]);
  });

  it('does not store what was erased', async () => {
    await importFile(project, csv(row('c-1'), row('c-2')));
    const [record] = await records('?originalId=c-1');
    const erased = await project.request('owner', 'DELETE', `/consents/${record?.id}`, {
      reason: 'asked for it',
    });
    expect(erased.status).toBe(204);
    const again = await importFile(project, csv(row('c-1'), row('c-2')));
    expect(again).toMatchObject({ stored: 0, repeated: 1, refused: 1, reasons: { erased: 1 } });
    expect(await records('?originalId=c-1')).toEqual([]);
  });

  it('refuses rows by name, with a file of all of them', async () => {
    const done = await importFile(
      project,
      csv(
        row(''),
        row('=1+1', 'yesterday'),
        row('old', monthsAgo(15)),
        row('ahead', monthsAgo(-1)),
        row('odd', GIVEN, 'perhaps,true,true'),
        'short,row',
        row('good'),
      ),
    );
    expect(done).toMatchObject({ state: 'finished', rowsRead: 7, stored: 1, refused: 6 });
    expect(done.refusals.map(({ row: number, reason }) => [number, reason])).toEqual([
      [1, 'id_missing'],
      [2, 'date_unreadable'],
      [3, 'older_than_retention'],
      [4, 'in_future'],
      [5, 'choice_unreadable'],
      [6, 'unreadable'],
    ]);
    const file = await project.request('owner', 'GET', `/imports/${done.id}/refused-rows`);
    expect(file.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect((await file.text()).split('\n').slice(0, 3)).toEqual([
      'file,row,reason,originalId',
      ',1,id_missing,',
      ",2,date_unreadable,'=1+1",
    ]);
  });

  it('only reads in a dry run, and can be started afterwards with another mapping', async () => {
    const file = `id;givenAt;categories\nc-1;${GIVEN};Necessary|Maps\nc-2;${GIVEN};Maps\n`;
    const id = await upload(project, Buffer.from(file));
    await start(project, id, { dryRun: true });
    const checked = await settled(project, id);
    expect(checked).toMatchObject({
      state: 'checked',
      rowsRead: 2,
      stored: 1,
      refused: 1,
      reasons: { nothing_mapped: 1 },
      unmapped: { Maps: 2 },
    });
    expect(checked.sample).toMatchObject([{ originalId: 'c-1', givenAt: GIVEN, analytics: false }]);
    expect(await records()).toEqual([]);
    await start(project, id, { mapping: { Maps: 'preferences' } });
    expect(await settled(project, id)).toMatchObject({
      state: 'finished',
      stored: 2,
      refused: 0,
      sample: [],
    });
    expect((await records()).map(({ preferences }) => preferences)).toEqual([true, true]);
  });

  it('is one request for a small file', async () => {
    const response = await fetch(`${importsUrl(project)}?profile=generic`, {
      method: 'POST',
      headers: { authorization: `Bearer ${project.keys.owner}`, 'content-type': 'text/csv' },
      body: csv(row('c-1')),
    });
    expect(response.status).toBe(201);
    const { id } = (await response.json()) as ImportJson;
    expect(response.headers.get('location')).toBe(`/v1/projects/${project.id}/imports/${id}`);
    expect(await settled(project, id)).toMatchObject({ state: 'finished', stored: 1 });
    const ndjson = await fetch(`${importsUrl(project)}?profile=generic&dryRun=true`, {
      method: 'POST',
      headers: { authorization: `Bearer ${project.keys.owner}`, 'content-type': 'application/x-ndjson' },
      body: `{"id":"c-1","givenAt":"${GIVEN}","analytics":true,"marketing":false,"preferences":true,"action":"custom","hostname":"www.shop.example","language":"en"}\nnot json\n`,
    });
    const dry = await settled(project, ((await ndjson.json()) as ImportJson).id);
    expect(dry).toMatchObject({ state: 'checked', repeated: 1, refused: 1, reasons: { unreadable: 1 } });
  });

  it('counts in no opt-in rate, and is found by the time of the consent', async () => {
    const now = new Date(Date.now() - 60_000).toISOString();
    await importFile(project, csv(row('c-1', now), row('c-2')));
    const analytics = await project.request('viewer', 'GET', '/analytics/overview');
    expect(await analytics.json()).toMatchObject({ today: { now: { records: 0 } } });
    const from = new Date(Date.parse(GIVEN) - 1000).toISOString();
    const to = new Date(Date.parse(GIVEN) + 1000).toISOString();
    expect((await records(`?from=${from}&to=${to}`)).map(({ originalId }) => originalId)).toEqual(['c-2']);
  });

  it('stores a visitor only in a field that the project names', async () => {
    const withVisitor = (id: string): string =>
      `id,givenAt,analytics,marketing,preferences,visitor\n${id},${GIVEN},true,true,true,customer-7\n`;
    const nameless = await createTestProject(service);
    await importFile(nameless, withVisitor('c-1'));
    const [row1] = await service.database.query(
      `select extra, visitor_hash from consent_record where project_id = '${nameless.id}'`,
    );
    expect(row1).toEqual({ extra: null, visitor_hash: null });
    const settings = { visitorReferenceField: 'customerId', visitorReferenceHashed: true };
    expect((await project.request('owner', 'PUT', '/privacy', settings)).status).toBe(200);
    await importFile(project, withVisitor('c-2'));
    const [found] = await records('?visitorReference=customer-7');
    expect(found).toMatchObject({
      originalId: 'c-2',
      additionalFields: { customerId: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) },
    });
    const request = { visitorReference: 'customer-7', reason: 'asked for it' };
    const erasure = await project.request('owner', 'POST', '/erasures', request);
    expect(await erasure.json()).toMatchObject({ erased: 1 });
  });

  it('ends with an event, and writes the audit log', async () => {
    const { id } = await importFile(project, csv(row('c-1')));
    const events = await project.request('viewer', 'GET', '/events?type=import.finished');
    expect(await events.json()).toMatchObject({
      items: [
        { type: 'import.finished', data: { id, state: 'finished', stored: 1, repeated: 0, refused: 0 } },
      ],
    });
    const audit = (await (await project.request('owner', 'GET', '/audit')).json()) as {
      items: { action: string; target: string }[];
    };
    expect(audit.items.filter(({ target }) => target === id).map(({ action }) => action)).toEqual([
      'import.start',
      'import.create',
    ]);
  });
});

describe('the parts of a file', () => {
  it('must have their size, can be sent again, and must all be there', async () => {
    const created = await project.request('owner', 'POST', '/imports', {
      profile: 'generic',
      fileName: 'a.csv',
      size: 8 * 1024 * 1024 + 5,
    });
    const { id, partCount, missingParts } = (await created.json()) as ImportJson;
    expect([partCount, missingParts]).toEqual([2, [1, 2]]);
    expect(await problem(await putPart(project, id, 2, Buffer.from('1234')))).toEqual([
      422,
      'validation_failed',
    ]);
    expect(await problem(await putPart(project, id, 3, Buffer.from('12345')))).toEqual([
      422,
      'validation_failed',
    ]);
    expect(await problem(await putPart(project, id, 0, Buffer.from('12345')))).toEqual([
      422,
      'validation_failed',
    ]);
    const tooLarge = Buffer.alloc(8 * 1024 * 1024 + 1);
    expect(await problem(await putPart(project, id, 1, tooLarge))).toEqual([413, 'payload_too_large']);
    expect((await putPart(project, id, 2, Buffer.from('wrong'))).status).toBe(204);
    expect((await putPart(project, id, 2, Buffer.from('\nlast'))).status).toBe(204);
    expect((await readImport(project, id)).missingParts).toEqual([1]);
    const early = await project.request('owner', 'POST', `/imports/${id}/start`, {});
    expect(await early.json()).toMatchObject({ code: 'import_parts_missing', missingParts: [1] });
    expect((await putPart(project, id, 1, Buffer.alloc(8 * 1024 * 1024, ' '))).status).toBe(204);
    await start(project, id);
    expect(await settled(project, id)).toMatchObject({ state: 'failed', failure: { code: 'empty' } });
    expect(await problem(await putPart(project, id, 2, Buffer.from('\nlast')))).toEqual([
      409,
      'import_state_conflict',
    ]);
  });

  it('of two projects of an account that arrive slowly leave room for another account', async () => {
    const owner = await makeUser();
    const slow = [await ownedBy(owner), await ownedBy(owner)];
    const file = Buffer.from(csv(row('c-1')));
    const ids = await Promise.all(slow.flatMap((of) => [upload(of, file)]));
    const open = slow.flatMap((of, at) =>
      [1, 2].map(() => {
        const request = httpRequest(`${importsUrl(of)}/${ids[at]}/parts/1`, {
          method: 'PUT',
          headers: {
            authorization: `Bearer ${of.keys.owner}`,
            'content-type': 'application/octet-stream',
            'content-length': file.length,
          },
        });
        request.on('error', () => {});
        request.write(file.subarray(0, 1));
        return request;
      }),
    );
    const id = await upload(project, file);
    expect((await putPart(project, id, 1, file)).status).toBe(204);
    for (const request of open) request.destroy();
  });

  it('belong to one import that has not ended', async () => {
    const id = await upload(project, Buffer.from(csv(row('c-1'))));
    const second = await project.request('owner', 'POST', '/imports', {
      profile: 'generic',
      fileName: 'b',
      size: 1,
    });
    expect(await problem(second)).toEqual([409, 'import_in_progress']);
    const canceled = await project.request('owner', 'POST', `/imports/${id}/cancel`);
    expect(await canceled.json()).toMatchObject({ state: 'canceled' });
    const again = await project.request('owner', 'POST', `/imports/${id}/cancel`);
    expect(await problem(again)).toEqual([409, 'import_state_conflict']);
    expect(await problem(await project.request('owner', 'POST', `/imports/${id}/start`, {}))).toEqual([
      409,
      'import_state_conflict',
    ]);
    expect(await importFile(project, csv(row('c-1')))).toMatchObject({ state: 'finished', stored: 1 });
  });

  it('are not of another project', async () => {
    const id = await upload(project, Buffer.from(csv(row('c-1'))));
    const other = await createTestProject(service);
    for (const [method, path] of [
      ['GET', ''],
      ['POST', '/start'],
      ['POST', '/cancel'],
      ['GET', '/refused-rows'],
    ] as const)
      expect(await problem(await other.request('owner', method, `/imports/${id}${path}`))).toEqual([
        404,
        'import_not_found',
      ]);
    expect(await problem(await putPart(other, id, 1, Buffer.from('x')))).toEqual([404, 'import_not_found']);
    expect(await problem(await project.request('editor', 'GET', `/imports/${id}`))).toEqual([
      403,
      'role_required',
    ]);
  });
});
