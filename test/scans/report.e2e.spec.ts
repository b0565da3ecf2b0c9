import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { extractText, getDocumentProxy } from 'unpdf';
import type { OutboxMessage } from '../../src/platform/outbox/domain/outbox-message.js';
import { ScanFinishedHandler } from '../../src/modules/scans/application/scan-finished-handler.js';
import { ScanRetention } from '../../src/modules/scans/application/scan-retention.js';
import { SCAN_FINISHED } from '../../src/modules/scans/scans.events.js';
import { newId } from '../../src/platform/identity/ids.js';
import type { Json } from '../support/people/json.js';
import { createTestProject, type TestProject } from '../support/people/project.js';
import { insertTestScan, type TestScan } from '../support/people/scan.js';
import { startTestService, type TestService } from '../support/programs/service.js';

const DAY_MS = 86_400_000;

let service: TestService;
let project: TestProject;

beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());
beforeEach(async () => {
  project = await createTestProject(service, { domains: ['shop.example'], tier: 'pro' });
});

const IN_A_YEAR = new Date(Date.now() + 365 * DAY_MS).toISOString();
const ITEMS: TestScan['items'] = [
  {
    name: '_fbp',
    states: ['before', 'reject'],
    pages: [1, 2],
    details: {
      setBy: 'script',
      initiator: 'connect.facebook.net/en_US/fbevents.js',
      expiresAt: IN_A_YEAR,
      path: '/',
      httpOnly: false,
      secure: true,
      sameSite: 'Lax',
      valueLength: 27,
      valueHash: '3a5b0c11',
    },
  },
  { name: '=HYPERLINK("https://evil.example")', details: { setBy: 'response' } },
  { kind: 'local_storage', name: 'cart', details: { valueLength: 2, valueHash: '4f53cda1' } },
  {
    kind: 'request',
    name: '/en_US/fbevents.js',
    host: 'connect.facebook.net',
    thirdParty: true,
    details: { method: 'GET', type: 'script', httpStatus: 200, count: 1 },
  },
];

const insert = (given: Partial<TestScan> = {}): Promise<string> =>
  insertTestScan((sql, params) => service.database.query(sql, params), project.id, {
    items: ITEMS,
    ...given,
  });

const report = (id: string, query: string, role: 'viewer' | 'editor' = 'viewer'): Promise<Response> =>
  project.request(role, 'GET', `/scans/${id}/report?${query}`);

async function refused(response: Promise<Response>): Promise<[number, string]> {
  const answer = await response;
  return [answer.status, String(((await answer.json()) as Json)['code'])];
}

const har = (url: string): object => ({
  log: {
    version: '1.2',
    creator: { name: 'x', version: '1' },
    pages: [{ id: 'page_1', startedDateTime: '2026-11-25T10:00:00.000Z', title: url, pageTimings: {} }],
    entries: [{ pageref: 'page_1', request: { url } }],
  },
});

async function storeHar(id: string, page: number, url: string): Promise<void> {
  const content = gzipSync(JSON.stringify(har(url)));
  await service.database.query(
    `insert into scan_artifact (project_id, scan_id, state, page, kind, sha256, bytes, content)
     values ($1, $2, 'reject', $3, 'har', $4, $5, $6)`,
    [project.id, id, page, createHash('sha256').update(content).digest(), content.length, content],
  );
}

/** One white pixel. */
const JPEG =
  '/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP//////////////////////////////////////////////////////////////////////////////////////wgALCAABAAEBAREA/8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAAgBAQABPxA=';

async function storeScreenshot(id: string): Promise<void> {
  const content = Buffer.from(JPEG, 'base64');
  await service.database.query(
    `insert into scan_artifact (project_id, scan_id, state, page, kind, sha256, bytes, content)
     values ($1, $2, 'before', 1, 'screenshot', $3, $4, $5)`,
    [project.id, id, createHash('sha256').update(content).digest(), content.length, content],
  );
}

/** Evaluates a scan as a worker does. */
async function evaluate(scanId: string): Promise<void> {
  const handler = service.app.get(ScanFinishedHandler, { strict: false });
  const message = { topic: SCAN_FINISHED, projectId: project.id, subjectId: scanId } as OutboxMessage;
  await handler.run(message);
}

async function readPdf(answer: Promise<Response>) {
  const response = await answer;
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/pdf']);
  const document = await getDocumentProxy(new Uint8Array(await response.arrayBuffer()));
  const { text } = await extractText(document, { mergePages: true });
  return { document, text: text.replaceAll(/\s+/g, ' ') };
}

describe('the report of a scan', () => {
  it('as CSV has a row for each item, and no cell that is a formula', async () => {
    const id = await insert();
    const response = await report(id, 'format=csv');
    expect([response.status, response.headers.get('content-disposition')]).toEqual([
      200,
      `attachment; filename="scan-${id}.csv"`,
    ]);
    const [head = '', ...rows] = (await response.text()).trimEnd().split('\r\n');
    expect(head.startsWith('"state","page","kind","name","host","thirdParty","category"')).toBe(true);
    expect(rows).toHaveLength(7);
    expect(rows[0]).toContain(
      '"before","https://shop.example/","cookie","_fbp","shop.example","false","marketing"',
    );
    expect(rows.some((row) => row.includes(`"'=HYPERLINK(""https://evil.example"")"`))).toBe(true);
  });

  it('as PDF says what was scanned and from where, what was tested and found, and how it is proved', async () => {
    const id = await insert({ tested: ['before', 'reject'], withoutLoader: [2] });
    await storeScreenshot(id);
    await service.database.query(
      `update scan set region = 'Germany', browser = 'Chromium 156.0.8078.79' where id = $1`,
      [id],
    );
    await evaluate(id);
    const english = await readPdf(report(id, 'format=pdf'));
    expect(await english.document.getMarkInfo()).toMatchObject({ Marked: true });
    expect(await english.document.getMetadata()).toMatchObject({
      info: { Title: 'Scan report: shop.example', Language: 'en' },
    });
    for (const fact of [
      'Scan report: shop.example',
      'Scanned from Germany',
      'Chrome/156.0.0.0 Safari/537.36 Service-Scanner/1.0',
      '1280 × 800, en-US',
      '2 visited, 0 failed, 0 skipped',
      'After refusal Tested in our banner 2',
      'After withdrawal Not tested The banner has no control for this choice that the scanner recognizes.',
      'Clear problem “_fbp” was set on / and 1 more page by connect.facebook.net before any choice. ePrivacy Directive Art. 5(3) New',
      'The loader was not found on /cart of shop.example.',
      'Marketing (2)',
      '_fbp Cookie shop.example',
      '365 days',
      'Unknown (2)',
      '2 https://shop.example/cart Visited no',
      'Before a choice Proof',
      `node verify.cjs proof scan-${id}.tlog-proof keys.txt`,
      'Page 1 of',
    ])
      expect(english.text).toContain(fact);
    const german = await readPdf(report(id, 'format=pdf&language=de'));
    for (const fact of [
      'Scan-Bericht: shop.example',
      'Gescannt aus Germany',
      'Nach Widerruf Nicht geprüft Das Banner hat für diese Wahl keine Schaltfläche, die der Scanner erkennt.',
      'Klares Problem „_fbp“ wurde vor jeder Auswahl auf / und 1 weiteren Seite durch connect.facebook.net gesetzt.',
      '365 Tage',
      'Seite 1 von',
    ])
      expect(german.text).toContain(fact);
    expect(german.text).not.toContain('A ? replaces');
  });

  it('as PDF also without findings, screenshots and proof, and with names that no font has', async () => {
    await service.database.query(`update project set name = 'Чай 茶 "&<"' where id = $1`, [project.id]);
    const id = await insert({ items: [] });
    const { text } = await readPdf(report(id, 'format=pdf'));
    for (const fact of [
      'Project Чай ? "&<"',
      'Scanned from unknown location',
      'Findings Clear problem: the rule plainly covers it.',
      'No problems found.',
      'No screenshots are stored.',
      'This scan has no proof',
      'A ? replaces characters',
    ])
      expect(text).toContain(fact);
    expect(await refused(report(id, 'format=pdf&language=fr'))).toEqual([422, 'validation_failed']);
  });

  it('as CSV and PDF is a feature of pro, the other formats of every tier', async () => {
    project = await createTestProject(service, { domains: ['shop.example'] });
    const id = await insert();
    for (const format of ['csv', 'pdf'])
      expect(await refused(report(id, `format=${format}`))).toEqual([403, 'tier_required']);
    for (const format of ['json', 'inspection', 'edpb'])
      expect([format, (await report(id, `format=${format}`)).status]).toEqual([format, 200]);
  });

  it('as JSON has the scan, its states, pages, findings and all items', async () => {
    const id = await insert();
    const body = (await (await report(id, 'format=json')).json()) as Json;
    expect(body).toMatchObject({
      schemaVersion: 1,
      id,
      projectId: project.id,
      status: 'completed',
      findings: [],
    });
    expect((body['states'] as Json[]).map(({ state }) => state)).toEqual([
      'before',
      'reject',
      'accept',
      'withdraw',
      'signal',
    ]);
    expect((body['pageList'] as Json[]).map(({ url }) => url)).toEqual([
      'https://shop.example/',
      'https://shop.example/cart',
    ]);
    expect(body['items']).toHaveLength(7);
  });

  it('as inspection.json has the members of the Website Evidence Collector, values masked', async () => {
    const id = await insert();
    const body = (await (await report(id, 'format=inspection&state=before')).json()) as Json;
    expect(Object.keys(body)).toEqual([
      'title',
      'task_description',
      'uri_ins',
      'uri_refs',
      'uri_dest',
      'uri_redirects',
      'secure_connection',
      'testSSLError',
      'testSSLErrorOutput',
      'testSSLErrorCode',
      'testSSL',
      'host',
      'script',
      'localStorage',
      'cookies',
      'beacons',
      'links',
      'unsafeForms',
      'browser',
      'browsing_history',
      'hosts',
      'websockets',
      'start_time',
      'end_time',
      'websocketLog',
    ]);
    const [cookie] = body['cookies'] as Json[];
    expect(cookie).toEqual({
      name: '_fbp',
      value: 'masked:27:3a5b0c11',
      domain: 'shop.example',
      path: '/',
      size: 31,
      expires: Date.parse(IN_A_YEAR) / 1000,
      expiresUTC: IN_A_YEAR,
      expiresDays: expect.closeTo(365, 1),
      httpOnly: false,
      secure: true,
      session: false,
      sameSite: 'Lax',
      firstPartyStorage: true,
      log: {
        stack: [
          {
            fileName: 'https://connect.facebook.net/en_US/fbevents.js',
            source: 'set by script (https://connect.facebook.net/en_US/fbevents.js)',
          },
        ],
        type: 'Cookie.JS',
        timestamp: expect.stringMatching(/Z$/),
        location: expect.stringMatching(/^https:\/\/shop\.example\//),
      },
    });
    expect(body['localStorage']).toEqual({
      'https://shop.example': {
        cart: {
          value: 'masked:2:4f53cda1',
          firstPartyStorage: true,
          log: { stack: [], type: 'Storage.LocalStorage', location: 'https://shop.example/' },
        },
      },
    });
    // The collector's report template fails without it.
    expect((body['script'] as Json)['config']).toMatchObject({
      _: ['https://shop.example/'],
      url: 'https://shop.example/',
      firstPartyUri: [],
      screenshots: false,
    });
    expect(body['hosts']).toMatchObject({
      requests: { firstParty: [], thirdParty: ['connect.facebook.net'] },
    });
  });

  it('as knowledge bases has one of cookies and one of localStorage, as the EDPB tool imports them', async () => {
    const bases = (await (await report(await insert(), 'format=edpb')).json()) as {
      category: string;
      trustLevel: string;
      used: boolean;
      knowledges: Json[];
    }[];
    expect(bases.map(({ category, trustLevel, used }) => [category, trustLevel, used])).toEqual([
      ['cookie', 'informative', true],
      ['localstorage', 'informative', true],
    ]);
    expect(bases[0]?.knowledges.find(({ name }) => name === '_fbp')).toMatchObject({
      kind: 'cookie',
      domain: 'shop.example',
      name: '_fbp',
      category: 'marketing',
      wildcard_match: 0,
    });
    expect(bases[1]?.knowledges).toMatchObject([{ kind: 'localstorage', key: 'cart', script: '' }]);
  });

  it('as knowledge bases has the domains and names that the tool compares', async () => {
    const stored = (name: string, host: string): TestScan['items'][number] => ({ name, host, details: {} });
    const id = await insert({
      items: [
        stored('_ga', '.shop.example'),
        stored('sid', 'www.shop.example'),
        stored('sid', 'shop.example'),
        stored('_ga_ABC123456789', '.shop.example'),
        stored('id', '.ads.example'),
        { ...stored('_ga', '.shop.example'), states: ['reject'], pages: [2] },
        { ...stored('sid', 'api.shop.example'), details: { setBy: 'response', blocked: 'SecureOnly' } },
      ],
    });
    const [cookies] = (await (await report(id, 'format=edpb')).json()) as { knowledges: Json[] }[];
    expect(cookies?.knowledges.map(({ domain, name }) => `${String(domain)} ${String(name)}`)).toEqual([
      'shop.example _ga',
      'www.shop.example sid',
      'shop.example sid',
      'shop.example _ga_ABC123456789',
      'ads.example id',
    ]);
  });

  it('as HAR joins the pages of a state, for editors, while it is stored', async () => {
    const id = await insert();
    expect(await refused(report(id, 'format=har&state=reject', 'editor'))).toEqual([404, 'har_not_found']);
    await storeHar(id, 2, 'https://shop.example/cart');
    await storeHar(id, 1, 'https://shop.example/');
    expect(await refused(report(id, 'format=har&state=reject'))).toEqual([403, 'role_required']);
    const response = await report(id, 'format=har&state=reject', 'editor');
    expect(response.headers.get('content-disposition')).toBe(`attachment; filename="scan-${id}-reject.har"`);
    const { log } = (await response.json()) as { log: { pages: Json[]; entries: Json[] } };
    expect(log.pages.map(({ id: page }) => page)).toEqual(['1-page_1', '2-page_1']);
    expect(log.entries.map(({ pageref }) => pageref)).toEqual(['1-page_1', '2-page_1']);
  });

  it('needs a scan with a result, and a known format', async () => {
    const failed = await insert({ status: 'failed' });
    expect(await refused(report(failed, 'format=json'))).toEqual([409, 'scan_without_result']);
    expect(await refused(report(newId(), 'format=json'))).toEqual([404, 'scan_not_found']);
    expect(await refused(report(failed, 'format=xml'))).toEqual([422, 'validation_failed']);
  });
});

describe('the retention of scans', () => {
  const forget = (): Promise<{ artifacts: number; scans: number }> =>
    service.app.get(ScanRetention, { strict: false }).forget(new Date());
  const count = async (sql: string): Promise<number> => {
    const [row] = await service.database.query<{ n: number }>(`select count(*)::int as n from ${sql}`);
    return row?.n ?? 0;
  };

  it('deletes the content of HARs after 90 days and keeps their hash', async () => {
    const [old, young] = [await insert(), await insert()];
    for (const [id, days] of [
      [old, 90.01],
      [young, 89.99],
    ] as const) {
      await storeHar(id, 1, 'https://shop.example/');
      await service.database.query(`update scan_artifact set created_at = $2 where scan_id = $1`, [
        id,
        new Date(Date.now() - days * DAY_MS),
      ]);
    }
    expect(await forget()).toEqual({ artifacts: 1, scans: 0 });
    expect(
      await count(`scan_artifact where scan_id = '${old}' and content is null and sha256 is not null`),
    ).toBe(1);
    expect(await count(`scan_artifact where scan_id = '${young}' and content is not null`)).toBe(1);
    expect(await refused(report(old, 'format=har&state=reject', 'editor'))).toEqual([404, 'har_not_found']);
  });

  it('deletes results after 12 months, with everything of the scan', async () => {
    const [old, young] = [await insert(), await insert()];
    await service.database.query(
      `update scan set ended_at = now() - interval '12 months 1 day' where id = $1`,
      [old],
    );
    await service.database.query(
      `update scan set ended_at = now() - interval '12 months -1 day' where id = $1`,
      [young],
    );
    await service.database.query(
      `insert into evidence_entry (project_id, id, commitment) values ($1, $2, sha256('x')), ($1, $3, sha256('y'))`,
      [project.id, old, young],
    );
    expect((await forget()).scans).toBe(1);
    for (const table of ['scan', 'evidence_entry'])
      expect([
        table,
        await count(`${table} where id = '${old}'`),
        await count(`${table} where id = '${young}'`),
      ]).toEqual([table, 0, 1]);
    for (const table of ['scan_page', 'scan_item', 'scan_state'])
      expect([table, await count(`${table} where scan_id = '${old}'`)]).toEqual([table, 0]);
  });
});
