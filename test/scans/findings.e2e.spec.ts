import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventsOf } from '../support/people/event-endpoint.js';
import type { Json } from '../support/people/json.js';
import { createTestProject, type TestProject } from '../support/people/project.js';
import { announceTestScan, insertTestScan, type TestItem, type TestScan } from '../support/people/scan.js';
import { startTestService, type TestService } from '../support/programs/service.js';
import { until } from '../support/until.js';
import { newId } from '../../src/platform/identity/ids.js';

const DAY_MS = 86_400_000;

let service: TestService;
let project: TestProject;

beforeAll(async () => {
  service = await startTestService({ RUN_WORKER: 'true', OUTBOX_POLL_MS: '50' });
});
afterAll(() => service.close());

beforeEach(async () => {
  project = await createTestProject(service, { domains: ['shop.example'] });
});

const inDays = (days: number): string => new Date(Date.now() + days * DAY_MS).toISOString();

/** A cookie of Meta's script, which the data knows as marketing. */
const FBP: TestItem = {
  name: '_fbp',
  states: ['before', 'reject'],
  pages: [1, 2],
  details: { setBy: 'script', initiator: 'connect.facebook.net/en_US/fbevents.js', expiresAt: inDays(90) },
};
const SID: TestItem = { name: 'sid', details: { setBy: 'response' } };

async function json(response: Response): Promise<Json> {
  return (await response.json()) as Json;
}

async function read(path: string): Promise<Json> {
  const response = await project.request('viewer', 'GET', path);
  expect(response.status).toBe(200);
  return json(response);
}

async function items(path: string): Promise<Json[]> {
  return (await read(path))['items'] as Json[];
}

/** A scan that a worker has evaluated. */
async function scan(given: TestScan): Promise<string> {
  const id = await insertTestScan((sql, params) => service.database.query(sql, params), project.id, given);
  await announceTestScan(service.database.orm.em, project.id, id);
  await evaluated();
  return id;
}

/** Waits until no message of the project is queued. */
async function evaluated(): Promise<void> {
  await until('the scan to be evaluated', async () => {
    const waiting = await service.database.query('select from outbox_message where project_id = $1', [
      project.id,
    ]);
    return waiting.length === 0;
  });
}

/** The findings, each as "kind name certainty status". */
async function findings(path = '/findings'): Promise<string[]> {
  return (await items(path)).map(
    ({ kind, name, certainty, status }) =>
      `${String(kind)} ${String(name)} ${String(certainty)} ${String(status)}`,
  );
}

async function findingId(kind: string, name: string): Promise<string> {
  const found = (await items('/findings')).find((each) => each['kind'] === kind && each['name'] === name);
  return String(found?.['id']);
}

describe('the banner draft from a scan', () => {
  const draft = async (id: string): Promise<[number, Json]> => {
    const response = await project.request('editor', 'POST', `/scans/${id}/draft`);
    return [response.status, await json(response)];
  };

  it('adds what is classified, says what changes, and publishes nothing', async () => {
    const id = await scan({ items: [FBP, SID] });
    const [status, body] = await draft(id);
    expect([status, body]).toMatchObject([
      200,
      { addedServices: 1, addedCookies: 1, unclassified: 1, leftOut: 0 },
    ]);
    expect(body['changes']).toEqual([expect.objectContaining({ kind: 'added', before: null })]);
    const kept = (await read('/configuration/draft')) as { configuration: { services: Json[] } };
    expect(kept.configuration.services).toEqual([
      expect.objectContaining({
        category: 'marketing',
        cookies: [expect.objectContaining({ name: '_fbp' })],
      }),
    ]);
    expect((await read('/configuration'))['services']).toEqual([]);
    // The draft can be published unchanged.
    const { configuration } = kept;
    expect((await project.request('editor', 'PUT', '/configuration', configuration)).status).toBe(200);
    // Repeating it adds nothing.
    expect((await draft(id))[1]).toMatchObject({ addedServices: 0, addedCookies: 0, unclassified: 1 });
  });

  it('needs a scan of the project with a result', async () => {
    const failed = await insertTestScan((sql, params) => service.database.query(sql, params), project.id, {
      items: [FBP],
      status: 'failed',
    });
    expect(await draft(failed)).toMatchObject([409, { code: 'scan_without_result' }]);
    expect(await draft(newId())).toMatchObject([404, { code: 'scan_not_found' }]);
    expect((await project.request('viewer', 'POST', `/scans/${failed}/draft`)).status).toBe(403);
  });
});

describe('the findings of a scan', () => {
  it('say what was seen, where, by what, and which rule that touches', async () => {
    const id = await scan({ items: [FBP, SID] });
    const [first] = await items(`/scans/${id}/findings`);
    expect(first).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      kind: 'before_consent',
      itemKind: 'cookie',
      name: '_fbp',
      rule: 'ePrivacy Directive Art. 5(3)',
      certainty: 'settled',
      status: 'new',
      host: 'shop.example',
      state: 'before',
      seenIn: ['before', 'reject'],
      pageUrls: ['https://shop.example/', 'https://shop.example/cart'],
      uses: ['https://shop.example/', 'https://shop.example/cart'].map((url) => ({
        url,
        setBy: 'script',
        sent: false,
        initiator: 'connect.facebook.net/en_US/fbevents.js',
      })),
      initiator: 'connect.facebook.net/en_US/fbevents.js',
      category: 'marketing',
      service: expect.stringContaining('Facebook'),
      lifetimeSeconds: null,
      declared: null,
      firstScanId: id,
      lastScanId: id,
      acceptedReason: null,
      acceptedAt: null,
      firstSeenAt: expect.stringMatching(/Z$/),
      lastSeenAt: expect.stringMatching(/Z$/),
    });
    expect(await findings(`/scans/${id}/findings`)).toEqual(
      expect.arrayContaining([
        'before_consent _fbp settled new',
        'after_refusal _fbp settled new',
        'before_consent sid open new',
        'undeclared _fbp open new',
        'undeclared sid open new',
      ]),
    );
    const { summary } = (await read(`/scans/${id}/findings`)) as { summary: Json[] };
    expect(summary).toEqual([
      { state: 'before', tested: true, cookies: 1, services: 0, open: 1 },
      { state: 'reject', tested: true, cookies: 1, services: 0, open: 0 },
      { state: 'withdraw', tested: true, cookies: 0, services: 0, open: 0 },
      { state: 'signal', tested: true, cookies: 0, services: 0, open: 0 },
    ]);
  });

  it('say of each page whether it set or sent a cookie, or only had it', async () => {
    const initiator = 'connect.facebook.net/en_US/fbevents.js';
    const id = await scan({
      paths: ['/a', '/b', '/c'],
      items: [
        { name: '_fbp', pages: [2], details: { setBy: 'script', initiator } },
        { name: '_fbp', pages: [1], details: { sent: true } },
        { name: '_fbp', pages: [3], details: { sent: false } },
      ],
    });
    const expected = {
      initiator,
      uses: [
        { url: 'https://shop.example/a', setBy: null, sent: true, initiator: null },
        { url: 'https://shop.example/b', setBy: 'script', sent: false, initiator },
        { url: 'https://shop.example/c', setBy: null, sent: false, initiator: null },
      ],
    };
    for (const path of ['/findings', `/scans/${id}/findings`])
      expect((await items(path))[0]).toMatchObject({ kind: 'before_consent', name: '_fbp', ...expected });
  });

  it('say which pages request a host of a blocking rule, or have it in their HTML', async () => {
    const blocking = { enabled: true, rules: [{ host: 'ads.example', path: null, category: 'marketing' }] };
    const saved = await project.request('editor', 'PUT', '/configuration', { blocking });
    expect(saved.status).toBe(200);
    const request = { kind: 'request' as const, thirdParty: true, pages: [2] };
    const id = await scan({
      htmlAddresses: ['ads.example/tag.js', 'ads.example/pixel', 'other.example/x'],
      items: [
        {
          ...request,
          name: '/tag.js?id',
          host: 'cdn.ads.example',
          details: { initiator: 'shop.example/cart' },
        },
        { ...request, name: '/accepted', host: 'ads.example', states: ['accept'], pages: [1] },
      ],
    });
    const [found] = (await items(`/scans/${id}/findings`)).filter(
      ({ kind }) => kind === 'not_blocked_by_site',
    );
    expect(found).toMatchObject({
      host: 'ads.example',
      certainty: 'settled',
      category: 'marketing',
      state: 'before',
      uses: [
        { url: 'https://shop.example/', setBy: null, sent: false, initiator: null },
        { url: 'https://shop.example/cart', setBy: null, sent: true, initiator: 'shop.example/cart' },
      ],
    });
  });

  it('are paged, and listed by status', async () => {
    const id = await scan({ items: [FBP, SID] });
    const whole = (await items(`/scans/${id}/findings`)).map((each) => each['id']);
    const seen: unknown[] = [];
    let cursor = '';
    do {
      const page = await read(`/scans/${id}/findings?limit=2${cursor}`);
      seen.push(...(page['items'] as Json[]).map((each) => each['id']));
      cursor = page['nextCursor'] === null ? '' : `&cursor=${String(page['nextCursor'])}`;
    } while (cursor !== '');
    expect(seen).toEqual(whole);
    expect(await items('/findings?status=fixed')).toEqual([]);
    expect(await items('/findings?status=new')).toHaveLength(whole.length);
    expect((await project.request('viewer', 'GET', '/findings?cursor=x')).status).toBe(422);
  });

  it('are none for the storage of our loader, in no state', async () => {
    const own = (name: string, kind: TestItem['kind']): TestItem => ({
      name,
      kind: kind ?? 'cookie',
      states: ['before', 'reject', 'accept', 'withdraw', 'signal'],
    });
    const prefix = `serviceMeta:${project.id}:`;
    const names = ['configuration', 'choice', 'queue', 'visitorKey'];
    await scan({
      items: [
        own('service-consent', 'cookie'),
        ...names.map((name) => own(`${prefix}${name}`, 'local_storage')),
      ],
    });
    expect(await findings()).toEqual([]);
  });

  it('name pages without the loader', async () => {
    const id = await scan({ items: [], withoutLoader: [2] });
    const [missing] = await items('/findings');
    expect(await eventsOf(project, 'scan.finished')).toMatchObject([{ id }]);
    expect(await eventsOf(project, 'scan.loader_missing')).toMatchObject([{ id }]);
    expect(await eventsOf(project, 'scan.finding_opened')).toMatchObject([
      { id: missing?.['id'], scanId: id },
    ]);
    expect(missing).toMatchObject({
      kind: 'loader_missing',
      certainty: 'settled',
      pageUrls: ['https://shop.example/cart'],
    });
  });

  it('compare what is declared with what was seen', async () => {
    await project.request('editor', 'PUT', '/configuration', {
      banner: { enabled: true },
      services: [
        {
          name: 'Meta',
          provider: 'Meta',
          category: 'marketing',
          cookies: [
            { name: '_fbp', duration: '1 month', purpose: 'Ads.' },
            { name: '_gone', duration: '1 day', purpose: 'Nothing.' },
          ],
        },
      ],
    });
    await scan({
      items: [
        { ...FBP, states: ['accept'] },
        { ...SID, states: ['accept'] },
      ],
    });
    expect(await findings()).toEqual([
      'longer_than_declared _fbp settled new',
      'undeclared sid open new',
      'declared_not_seen _gone open new',
    ]);
    const [longer] = await items('/findings');
    expect(longer).toMatchObject({ declared: '1 month', lifetimeSeconds: expect.closeTo(90 * 86_400, -3) });
  });

  it('are not written for scans that failed or were deleted', async () => {
    await scan({ items: [FBP], status: 'failed' });
    await announceTestScan(service.database.orm.em, project.id, newId());
    await evaluated();
    expect(await findings()).toEqual([]);
    const dead = await service.database.query('select from outbox_dead_letter where project_id = $1', [
      project.id,
    ]);
    expect(dead).toEqual([]);
  });

  it('are the same after a second evaluation', async () => {
    const id = await scan({ items: [FBP, SID] });
    const before = [await read('/findings'), await read('/cookies')];
    await announceTestScan(service.database.orm.em, project.id, id);
    await evaluated();
    expect([await read('/findings'), await read('/cookies')]).toEqual(before);
  });
});

describe('the life of a finding', () => {
  it('is new, still there, and fixed after two scans without it', async () => {
    await scan({ items: [SID] });
    expect(await findings()).toContain('before_consent sid open new');
    await scan({ items: [SID] });
    expect(await findings()).toContain('before_consent sid open open');
    await scan({ items: [] });
    expect(await findings()).toContain('before_consent sid open open');
    await scan({ items: [] });
    expect(await findings()).toEqual([]);
    expect(await findings('/findings?status=fixed')).toContain('before_consent sid open fixed');
    await scan({ items: [SID] });
    expect(await findings()).toContain('before_consent sid open new');
  });

  it('does not count scans that tested neither its state nor its page', async () => {
    await scan({ items: [FBP] });
    for (let count = 0; count < 2; count++) await scan({ items: [], tested: ['before'] });
    expect(await findings()).toContain('after_refusal _fbp settled new');
    expect(await findings()).not.toContain('before_consent _fbp settled new');
    for (let count = 0; count < 2; count++) await scan({ items: [], paths: ['/other'] });
    expect(await findings()).toContain('after_refusal _fbp settled new');
    for (let count = 0; count < 2; count++) await scan({ items: [] });
    expect(await findings()).toEqual([]);
  });

  it('can be accepted with a reason by an editor, and reopened', async () => {
    await scan({ items: [SID] });
    const id = await findingId('before_consent', 'sid');
    const post = (role: 'viewer' | 'editor', action: string, body?: unknown): Promise<Response> =>
      project.request(role, 'POST', `/findings/${id}/${action}`, body);
    expect((await post('viewer', 'accept', { reason: 'Cart.' })).status).toBe(403);
    expect((await post('editor', 'accept', { reason: ' ' })).status).toBe(422);
    expect((await post('editor', 'accept', { reason: 'x'.repeat(501) })).status).toBe(422);
    expect(await json(await post('editor', 'reopen'))).toMatchObject({ code: 'finding_not_accepted' });
    expect(await json(await post('editor', 'accept', { reason: 'x'.repeat(500) }))).toMatchObject({
      status: 'accepted',
      acceptedReason: 'x'.repeat(500),
      acceptedAt: expect.stringMatching(/Z$/),
    });
    await scan({ items: [SID] });
    expect(await findings()).toContain('before_consent sid open accepted');
    expect(await json(await post('editor', 'reopen'))).toMatchObject({
      status: 'open',
      acceptedReason: null,
    });
    const unknown = await project.request('editor', 'POST', `/findings/${newId()}/accept`, { reason: 'x' });
    expect([unknown.status, (await json(unknown))['code']]).toEqual([404, 'finding_not_found']);
  });

  it('cannot be accepted once it is fixed', async () => {
    await scan({ items: [SID] });
    const id = await findingId('before_consent', 'sid');
    for (let count = 0; count < 2; count++) await scan({ items: [] });
    const refused = await project.request('editor', 'POST', `/findings/${id}/accept`, { reason: 'x' });
    expect([refused.status, (await json(refused))['code']]).toEqual([409, 'finding_fixed']);
  });
});

describe('the cookies of a site', () => {
  it('are listed with what they are classified as, unknown ones first', async () => {
    const pixel: TestItem = {
      kind: 'request',
      name: '/tr?id',
      host: 'www.facebook.com',
      thirdParty: true,
      details: { method: 'GET', type: 'image' },
    };
    const id = await scan({
      items: [FBP, SID, pixel, { kind: 'request', name: '/logo.svg', host: 'shop.example' }],
    });
    const cookies = await items('/cookies');
    expect(cookies.map(({ kind, name, host }) => [kind, name, host])).toEqual([
      ['cookie', 'sid', 'shop.example'],
      ['cookie', '_fbp', 'shop.example'],
      ['request', '', 'www.facebook.com'],
    ]);
    expect(cookies[1]).toMatchObject({
      states: ['before', 'reject'],
      lastScanId: id,
      lifetimeSeconds: expect.closeTo(90 * 86_400, -3),
      pageUrls: ['https://shop.example/', 'https://shop.example/cart'],
      classification: { category: 'marketing', certainty: 'known', proposed: [] },
    });
    expect(await items('/cookies?category=unclassified')).toEqual([cookies[0]]);
    expect(await items('/cookies?category=marketing')).toHaveLength(2);
    const page = await read('/cookies?limit=1');
    expect(await items(`/cookies?cursor=${String(page['nextCursor'])}`)).toEqual(cookies.slice(1));
  });

  it('are decided by an editor, which settles their findings', async () => {
    await scan({ items: [FBP, SID] });
    const [sid] = await items('/cookies');
    const put = (body: unknown, role: 'viewer' | 'editor' = 'editor'): Promise<Response> =>
      project.request(role, 'PUT', `/cookies/${String(sid?.['id'])}`, body);
    expect((await put({ category: 'necessary' }, 'viewer')).status).toBe(403);
    expect((await put({ category: 'functional' })).status).toBe(422);
    expect((await put({})).status).toBe(422);
    expect(await json(await put({ category: 'necessary', purpose: 'Keeps the cart.' }))).toMatchObject({
      classification: {
        category: 'necessary',
        source: 'decision',
        purpose: 'Keeps the cart.',
        provider: null,
      },
    });
    await evaluated();
    expect((await findings()).filter((each) => each.includes(' sid '))).toEqual([]);
    expect(await findings('/findings?status=fixed')).toContain('before_consent sid open fixed');

    expect(await json(await put({ category: 'marketing' }))).toMatchObject({
      classification: { category: 'marketing', source: 'decision', purpose: null },
    });
    await evaluated();
    expect(await findings()).toContain('before_consent sid settled new');

    expect(await json(await put({ category: null }))).toMatchObject({
      classification: { category: null, source: 'none' },
    });
    await evaluated();
    expect(await findings()).toContain('before_consent sid open new');
    const unknown = await project.request('editor', 'PUT', `/cookies/${newId()}`, { category: null });
    expect([unknown.status, (await json(unknown))['code']]).toEqual([404, 'cookie_not_found']);
  });
});

describe('the changes of a scan', () => {
  it('are what appeared and disappeared since the one before, or another one', async () => {
    const first = await scan({ items: [SID] });
    const second = await scan({ items: [SID, FBP] });
    const third = await scan({ items: [FBP] });
    const changes = await read(`/scans/${third}/changes`);
    expect(changes).toMatchObject({
      since: second,
      itemsAdded: { count: 0 },
      findingsAdded: { count: 0 },
      itemsRemoved: { count: 1, items: [{ kind: 'cookie', name: 'sid', states: ['before'] }] },
      findingsRemoved: { count: 2 },
    });
    expect(await read(`/scans/${third}/changes?since=${first}`)).toMatchObject({
      since: first,
      itemsAdded: { count: 1, items: [{ name: '_fbp' }] },
      itemsRemoved: { count: 1 },
      findingsAdded: { count: 3 },
    });
    expect(await read(`/scans/${first}/changes`)).toMatchObject({
      since: null,
      itemsAdded: { count: 0, items: [] },
    });
    expect((await project.request('viewer', 'GET', `/scans/${newId()}/changes`)).status).toBe(404);
    expect((await project.request('viewer', 'GET', `/scans/${third}/changes?since=${newId()}`)).status).toBe(
      404,
    );
    expect((await project.request('viewer', 'GET', `/scans/${third}/changes?since=x`)).status).toBe(422);
  });
});

it('shows nothing of other projects', async () => {
  const id = await scan({ items: [FBP, SID] });
  const finding = await findingId('before_consent', 'sid');
  const [cookie] = await items('/cookies');
  const other = await createTestProject(service);
  const statuses = await Promise.all([
    other.request('owner', 'GET', `/scans/${id}/findings`),
    other.request('owner', 'GET', `/scans/${id}/changes`),
    other.request('owner', 'POST', `/findings/${finding}/accept`, { reason: 'x' }),
    other.request('owner', 'PUT', `/cookies/${String(cookie?.['id'])}`, { category: null }),
  ]);
  expect(statuses.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
  expect((await json(await other.request('owner', 'GET', '/findings')))['items']).toEqual([]);
});

it('is deleted with the project', async () => {
  await scan({ items: [FBP, SID] });
  const [cookie] = await items('/cookies');
  await project.request('editor', 'PUT', `/cookies/${String(cookie?.['id'])}`, { category: 'necessary' });
  expect((await project.request('owner', 'DELETE', '')).status).toBe(204);
  for (const table of ['site_item', 'cookie_decision', 'scan_finding', 'scan_finding_seen'])
    expect(await service.database.query(`select from ${table} where project_id = $1`, [project.id])).toEqual(
      [],
    );
});
