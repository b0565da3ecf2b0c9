import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ImportCleanup } from '../../src/modules/imports/application/import.service.js';
import {
  gzip,
  importFile,
  type ImportJson,
  monthsAgo,
  readImport,
  settled,
  start,
  upload,
  useService,
  zip,
  type ZipEntry,
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
const DAY = GIVEN.slice(0, 19).replace('T', ' ');

const stored = async (): Promise<string[]> => {
  const rows = await service.database.query<{ original_id: string; choice: string }>(
    `select original_id, concat_ws(' ', action, nullif(concat_ws('+', case when analytics then 'a' end,
            case when marketing then 'm' end, case when preferences then 'p' end), '')) as choice
     from consent_record where project_id = $1 order by original_id, id`,
    [project.id],
  );
  return rows.map(({ original_id, choice }) => `${original_id} ${choice}`);
};

describe('the profile', () => {
  it('usercentrics groups the rows of one controller and time', async () => {
    const rows = [
      'Controller ID,Timestamp,CMP Configuration ID,CMP Configuration Version,Consent Action,Data Processing Service ID,Consent Given,Consent String',
      `u-1,${GIVEN},cfg,1,onUpdateServices,s-analytics,true,CPx`,
      `u-1,${GIVEN},cfg,1,onUpdateServices,s-ads,false,CPx`,
      `u-2,${GIVEN},cfg,1,onAcceptAllServices,s-analytics,true,CPx`,
      `u-2,${GIVEN},cfg,1,onAcceptAllServices,s-ads,true,CPx`,
      `u-3,${GIVEN},cfg,1,onInitialPageLoad,s-analytics,false,CPx`,
    ];
    const mapping = { 's-analytics': 'analytics', 's-ads': 'marketing' };
    const done = await importFile(project, rows.join('\r\n'), { profile: 'usercentrics', mapping });
    expect(done).toMatchObject({ rowsRead: 5, stored: 2, refused: 1, reasons: { not_a_choice: 1 } });
    expect(done.droppedColumns).toMatchObject({ 'Consent String': 5 });
    expect(await stored()).toEqual(['u-1 custom a', 'u-2 accept_all a+m']);
  });

  it('commanders_act reads the accepted categories', async () => {
    const file = [
      'id_hit;id_tagcommander;id_privacy;version;cookie;date_hit;privacy_action;type_action;device',
      `1;7;3;1.0;"1,2";${DAY};1;banner;3`,
      `2;7;3;1.0;;${DAY};0;banner;1`,
      `3;7;3;1.0;;${DAY};V;banner;1`,
    ].join('\n');
    const mapping = { 1: 'analytics', 2: 'marketing', 3: 'preferences' };
    const done = await importFile(project, file, { profile: 'commanders_act', mapping });
    expect(done).toMatchObject({ stored: 2, refused: 1 });
    expect(await stored()).toEqual(['1 custom a+m', '2 reject_all']);
  });

  it('cookiescript reads zipped CSV in a ZIP', async () => {
    const day = (key: string, action: string, categories: string): Buffer =>
      zip([
        {
          name: 'day.csv',
          bytes: `Key,Action,IP,Date,Page,Browser,Categories,Text\n${key},${action},192.0.2.0,${DAY},https://shop.example/a,UA,"${categories}",Hello\n`,
        },
      ]);
    const file = zip([
      { name: '2026-05-01.zip', bytes: day('k-1', 'Accept', 'Performance,Targeting') },
      { name: '2026-05-02.zip', bytes: day('k-2', 'Reject', '') },
      { name: 'readme.md', bytes: 'Hello' },
    ]);
    const done = await importFile(project, file, { profile: 'cookiescript' });
    expect(done).toMatchObject({ state: 'finished', stored: 2 });
    expect(done.droppedColumns).toMatchObject({ IP: 2, Browser: 2 });
    expect(await stored()).toEqual(['k-1 custom a+m', 'k-2 reject_all']);
  });

  it('cookie_compliance reads CSV of months', async () => {
    const month = `Consent ID,Consent Level,Categories,Duration,Time\nc-1,3,"Basic Operations, Site Optimization",90,${DAY}\n`;
    const done = await importFile(project, zip([{ name: '2026-05.csv', bytes: month }]), {
      profile: 'cookie_compliance',
    });
    expect(done).toMatchObject({ state: 'finished', stored: 1, unmapped: {} });
    expect(await stored()).toEqual(['c-1 custom a']);
  });

  it('didomi reads gzipped lines of JSON', async () => {
    const user = (id: string, enabled: boolean): string =>
      JSON.stringify({
        id,
        organization_user_id: 'person@example.com',
        created_at: GIVEN,
        consents: {
          purposes: [
            { id: 'analytics', enabled },
            { id: 'advertising', enabled: null },
          ],
        },
      });
    const file = zip([
      { name: 'users/1.json.gz', bytes: gzip(`${user('d-1', true)}\n`) },
      { name: 'users/2.json.gz', bytes: gzip(`${user('d-2', false)}\n{"broken":\n`) },
    ]);
    const done = await importFile(project, file, { profile: 'didomi' });
    expect(done).toMatchObject({ stored: 2, refused: 1, droppedColumns: { organization_user_id: 2 } });
    expect(done.refusals).toMatchObject([{ entry: 'users/2.json.gz', row: 2, reason: 'unreadable' }]);
    expect(await stored()).toEqual(['d-1 accept_all a', 'd-2 reject_all']);
  });

  it('onetrust reads receipts in an array', async () => {
    const receipt = (receiptId: string, status: string): object => ({
      receiptId,
      interactionDate: GIVEN,
      identifier: 'person@example.com',
      purposes: [{ name: 'Performance', status }],
    });
    const file = JSON.stringify([receipt('r-1', 'CONFIRMED'), receipt('r-2', 'OPT_OUT')], null, 2);
    const done = await importFile(project, file, { profile: 'onetrust' });
    expect(done).toMatchObject({ stored: 2, droppedColumns: { identifier: 2 } });
    expect(await stored()).toEqual(['r-1 accept_all a', 'r-2 reject_all']);
  });
});

const ROW = `c-1,${GIVEN},true,true,true`;
const CSV = `id,givenAt,analytics,marketing,preferences\n${ROW}\n`;

describe('a file', () => {
  it('may begin with a byte order mark and end in GZIP', async () => {
    const done = await importFile(project, gzip(`\ufeff${CSV}`));
    expect(done).toMatchObject({ state: 'finished', stored: 1 });
  });

  const entry: ZipEntry = { name: 'a.csv', bytes: CSV };
  it.each<[string, string, () => Buffer]>([
    ['Latin-1', 'not_utf8', () => Buffer.from(`${CSV}caf\xe9,${GIVEN},true,true,true\n`, 'latin1')],
    ['UTF-16', 'not_utf8', () => Buffer.from(`\ufeff${CSV}`, 'utf16le')],
    ['another profile', 'columns_missing', () => Buffer.from('a,b\n1,2\n')],
    ['only a header', 'empty', () => Buffer.from(`${CSV.split('\n')[0]}\n`)],
    ['a quote without an end', 'row_too_long', () => Buffer.from(`${CSV}"${'x'.repeat(300_000)}`)],
    [
      'a declared bomb',
      'archive_too_large',
      () => zip(Array.from({ length: 3 }, () => ({ ...entry, declaredBytes: 0xfffffff0 }))),
    ],
    ['a larger entry than declared', 'archive_broken', () => zip([{ ...entry, declaredBytes: 3 }])],
    [
      'too many entries',
      'archive_too_large',
      () => zip(Array.from({ length: 1001 }, (_, index) => ({ name: `${index}.csv`, bytes: CSV }))),
    ],
    ['a name with ..', 'archive_name_unsafe', () => zip([{ name: '../a.csv', bytes: CSV }])],
    ['an absolute name', 'archive_name_unsafe', () => zip([{ name: '/etc/a.csv', bytes: CSV }])],
    ['an encrypted entry', 'archive_encrypted', () => zip([{ name: 'a.csv', bytes: CSV, encrypted: true }])],
    [
      'three nested archives',
      'archive_too_deep',
      () => zip([{ name: 'a.zip', bytes: zip([{ name: 'b.zip', bytes: 'x' }]) }]),
    ],
    ['half an archive', 'archive_broken', () => zip([{ name: 'a.csv', bytes: CSV }]).subarray(0, 60)],
    ['half a GZIP', 'archive_broken', () => gzip(CSV.repeat(100)).subarray(0, 60)],
  ])('is refused by name: %s', async (_, code, make) => {
    const done = await importFile(project, make());
    expect([done.state, done.failure?.code]).toEqual(['failed', code]);
  });

  it('is refused where the stored part was changed', async () => {
    const id = await upload(project, Buffer.from(CSV));
    await service.database.query(
      `update consent_import_part set sha256 = repeat('0', 64) where import_id = $1`,
      [id],
    );
    await start(project, id);
    expect(await settled(project, id)).toMatchObject({
      state: 'failed',
      failure: { code: 'file_unreadable' },
    });
  });

  it('is not read any more once the import is canceled', async () => {
    const rows = Array.from(
      { length: 30_000 },
      (_, index) => `c-${index},${monthsAgo(3, index)},true,true,true`,
    );
    const id = await upload(project, Buffer.from(`${CSV}${rows.join('\n')}`));
    await start(project, id);
    const canceled = await project.request('owner', 'POST', `/imports/${id}/cancel`);
    const { state, stored: atOnce } = (await canceled.json()) as ImportJson;
    expect(state).toBe('canceled');
    const [{ count } = { count: -1 }] = await service.database.query<{ count: number }>(
      'select count(*)::int as count from consent_record where import_id = $1',
      [id],
    );
    expect(count).toBe(atOnce);
    expect((await readImport(project, id)).stored).toBe(atOnce);
  });

  it('is deleted seven days after the end, and the import stays', async () => {
    const done = await importFile(project, CSV);
    const waiting = await upload(project, Buffer.from(CSV));
    const clean = service.app.get(ImportCleanup, { strict: false });
    await clean.deleteFiles();
    expect(await readImport(project, done.id)).toMatchObject({ filesDeleted: false });
    await service.database.query(
      `update consent_import set ended_at = ended_at - interval '8 days', created_at = created_at - interval '8 days'
       where project_id = $1`,
      [project.id],
    );
    await clean.deleteFiles();
    expect(await readImport(project, done.id)).toMatchObject({ state: 'finished', filesDeleted: true });
    expect(await readImport(project, waiting)).toMatchObject({ state: 'canceled', filesDeleted: true });
    const rows = await project.request('owner', 'GET', `/imports/${done.id}/refused-rows`);
    expect(await rows.json()).toMatchObject({ status: 410, code: 'import_files_deleted' });
  });
});
