import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { OutboxMessage } from '../../src/platform/outbox/domain/outbox-message.js';
import { ScanFinishedHandler } from '../../src/modules/scans/application/scan-finished-handler.js';
import { SCAN_FINISHED, SCAN_RECLASSIFIED } from '../../src/modules/scans/scans.events.js';
import type { Json } from '../support/people/json.js';
import { createTestProject, type TestProject } from '../support/people/project.js';
import { insertTestScan, type TestItem, type TestScan } from '../support/people/scan.js';
import { startTestService, type TestService } from '../support/programs/service.js';

const facebook = { setBy: 'script', initiator: 'connect.facebook.net/en_US/fbevents.js' } as const;
/** Marketing, as the data knows: a clear problem without consent. */
const FBP: TestItem = {
  name: '_fbp',
  states: ['before', 'reject', 'accept'],
  pages: [1, 2],
  details: facebook,
};
const FBC: TestItem = { name: '_fbc', states: ['reject'], details: facebook };
/** Of which nothing is known. */
const SID: TestItem = { name: 'sid', details: { setBy: 'response' } };

let service: TestService;
let project: TestProject;

beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());
beforeEach(async () => {
  project = await createTestProject(service, { domains: ['shop.example'] });
});

const insert = (given: TestScan): Promise<string> =>
  insertTestScan((sql, params) => service.database.query(sql, params), project.id, given);

/** As a worker does that receives the scan's message. */
async function evaluate(subjectId: string, topic = SCAN_FINISHED): Promise<void> {
  const handler = service.app.get(ScanFinishedHandler, { strict: false });
  await handler.run({ topic, projectId: project.id, subjectId } as OutboxMessage);
}

async function scan(given: TestScan): Promise<string> {
  const id = await insert(given);
  await evaluate(id);
  return id;
}

async function read(path: string): Promise<Json> {
  const response = await project.request('viewer', 'GET', path);
  expect(response.status).toBe(200);
  return (await response.json()) as Json;
}

async function resultOf(id: string): Promise<Json | null> {
  const [one, { items }] = [await read(`/scans/${id}`), await read('/scans')];
  const listed = (items as Json[]).find((each) => each['id'] === id);
  // The list and the scan itself say the same.
  expect(listed?.['result']).toEqual(one['result']);
  return one['result'] as Json | null;
}

describe('the result of a scan', () => {
  it('is missing until a worker has evaluated it, and of scans without one', async () => {
    const id = await insert({ items: [SID] });
    expect(await resultOf(id)).toBeNull();
    expect((await read(`/scans/${id}`))['states']).toMatchObject([{ items: null }, {}, {}, {}, {}]);
    expect(await resultOf(await scan({ items: [SID], status: 'failed' }))).toBeNull();
    expect(await resultOf(await scan({ items: [], paths: [], status: 'partial' }))).toBeNull();
    await evaluate(id);
    expect(await resultOf(id)).toMatchObject({ settled: 0, open: 1, change: null });
  });

  it('counts each item once, by its most certain finding, and names the worst kind', async () => {
    const hit: TestItem = {
      kind: 'request',
      name: '/tr',
      host: 'www.facebook.com',
      thirdParty: true,
      details: { type: 'image' },
    };
    const id = await scan({ items: [FBP, FBC, hit, SID] });
    const { items } = await read(`/scans/${id}/findings`);
    const settled = (items as Json[]).filter((each) => each['certainty'] === 'settled');
    // _fbp has two findings; one of them counts.
    expect(
      settled.map(({ kind, name, host }) => `${String(kind)} ${String(name || host)}`).toSorted(),
    ).toEqual([
      'after_refusal _fbc',
      'after_refusal _fbp',
      'before_consent _fbp',
      'before_consent www.facebook.com',
    ]);
    expect(await resultOf(id)).toEqual({
      settled: 3,
      arguable: 0,
      open: 1,
      worst: { kind: 'before_consent', cookies: 1, services: 1 },
      declared: 0,
      change: null,
    });
  });

  it('says in which states each item was seen, and how many were', async () => {
    const id = await scan({ items: [FBP, SID] });
    const { items } = await read(`/scans/${id}/findings`);
    const fbp = (items as Json[]).filter(({ name }) => name === '_fbp');
    for (const { seenIn } of fbp) expect(seenIn).toEqual(['before', 'reject', 'accept']);
    const { states } = await read(`/scans/${id}`);
    expect((states as Json[]).map(({ state, items: count }) => `${String(state)} ${String(count)}`)).toEqual([
      'before 2',
      'reject 1',
      'accept 1',
      'withdraw 0',
      'signal 0',
    ]);
  });

  it('is compared with the last scan that has one', async () => {
    const first = await scan({ items: [SID, FBP] });
    const second = await scan({ items: [FBP, FBC] });
    await scan({ items: [], status: 'failed' });
    await insert({ items: [SID] });
    const third = await scan({ items: [FBP] });
    expect((await resultOf(first))?.['change']).toBeNull();
    const { endedAt } = await read(`/scans/${first}`);
    expect((await resultOf(second))?.['change']).toEqual({
      since: first,
      at: endedAt,
      settled: 1,
      arguable: 0,
      open: -1,
      added: 1,
      removed: 1,
    });
    expect((await resultOf(third))?.['change']).toMatchObject({
      since: second,
      settled: -1,
      open: 0,
      added: 0,
      removed: 1,
    });
    const fourth = await scan({ items: [FBP] });
    expect((await resultOf(fourth))?.['change']).toMatchObject({ settled: 0, added: 0, removed: 0 });
    // A page of the list that ends between two scans compares with a scan that it does not contain.
    const { items } = await read('/scans?limit=1');
    expect(items).toMatchObject([{ id: fourth, result: { change: { since: third } } }]);
  });

  it('leaves out accepted findings, and follows decisions', async () => {
    const id = await scan({ items: [SID] });
    const { items } = await read(`/scans/${id}/findings`);
    for (const { id: findingId } of items as Json[]) {
      const path = `/findings/${String(findingId)}/accept`;
      expect((await project.request('editor', 'POST', path, { reason: 'Keeps the cart.' })).status).toBe(200);
    }
    expect(await resultOf(id)).toMatchObject({ open: 0, declared: 0 });
    const [cookie] = (await read('/cookies'))['items'] as Json[];
    const decided = await project.request('editor', 'PUT', `/cookies/${String(cookie?.['id'])}`, {
      category: 'necessary',
    });
    expect(decided.status).toBe(200);
    await evaluate(id, SCAN_RECLASSIFIED);
    expect(await resultOf(id)).toMatchObject({ settled: 0, arguable: 0, open: 0, worst: null, declared: 1 });
  });

  it('counts what is missing on pages apart from items', async () => {
    const id = await scan({ items: [], withoutLoader: [2] });
    expect(await resultOf(id)).toMatchObject({
      settled: 1,
      worst: { kind: 'loader_missing', cookies: 0, services: 0 },
    });
  });

  it('shows nothing of another project', async () => {
    const id = await scan({ items: [FBP] });
    const other = await createTestProject(service);
    expect((await other.request('owner', 'GET', `/scans/${id}`)).status).toBe(404);
    const list = (await (await other.request('owner', 'GET', '/scans')).json()) as Json;
    expect(list['items']).toEqual([]);
  });
});
