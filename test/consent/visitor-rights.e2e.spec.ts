import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { SummarizeVisitorErasures } from '../../src/modules/consent/application/erasure.service.js';
import {
  ERASE_BATCH_MAX,
  VISITOR_ERASURES_LISTED_PER_HOUR,
} from '../../src/modules/consent/domain/erasure.js';
import { newId } from '../../src/platform/identity/ids.js';
import { arrived, bodyOf, type Forwarding, startForwarding } from '../support/people/forwarding.js';
import type { Json } from '../support/people/json.js';
import { createTestProject, type TestProject } from '../support/people/project.js';
import { startTestService, type TestService } from '../support/programs/service.js';
import { until } from '../support/until.js';
import { makeVisitorKey } from '../support/people/visitor-key.js';

let forwarding: Forwarding;
let service: TestService;

beforeAll(async () => {
  forwarding = await startForwarding({ worker: true, environment: { VISITOR_RATE_PER_MINUTE: '0' } });
  ({ service } = forwarding);
});
afterEach(() => forwarding.resetReceivers());
afterAll(() => forwarding.close());

const REQUESTS = ['records', 'receipts', 'withdrawals', 'erasures'];

const ask = async (
  request: string,
  body: unknown,
  at = service,
  headers: Record<string, string> = {},
): Promise<{ status: number; body: Json }> => {
  const response = await fetch(`${at.baseUrl}/v1/visitor/${request}`, {
    method: 'POST',
    headers: { 'content-type': 'text/plain', origin: 'https://elsewhere.example', ...headers },
    body: JSON.stringify(body),
  });
  expect(response.headers.get('access-control-allow-origin')).toBe('*');
  expect(response.headers.get('cache-control')).toBe('no-store');
  return { status: response.status, body: (await response.json()) as Json };
};
const count = async (from: string, values: unknown[]): Promise<number> =>
  (await service.database.query<{ n: number }>(`select count(*)::int as n from ${from}`, values))[0]?.n ?? -1;
const idsOf = (body: Json): unknown[] => (body.items as Json[]).map(({ id }) => id);

/** A project with records of the visitor, of another visitor, and of one without a key. */
async function makeWorld(project?: TestProject) {
  const at = project ?? (await createTestProject(service));
  const [visitor, other] = [makeVisitorKey(), makeVisitorKey()];
  const { id } = await forwarding.choose(at.id, { visitorKeyHash: visitor.visitorKeyHash, language: 'de' });
  const { id: othersId } = await forwarding.choose(at.id, { visitorKeyHash: other.visitorKeyHash });
  const { id: keylessId } = await forwarding.choose(at.id);
  return {
    project: at,
    visitor,
    other,
    id,
    othersId,
    keylessId,
    hers: { projectId: at.id, visitorKey: visitor.visitorKey },
  };
}

describe('the key’s hash in a choice', () => {
  it('is stored, and shown and forwarded to nobody', async () => {
    const { project, visitor, id } = await makeWorld(await forwarding.forwardingProject());
    const sent = await arrived(forwarding.sharedReceiver, id);
    expect(sent.body).not.toContain(visitor.visitorKeyHash);
    expect(bodyOf(sent)).not.toHaveProperty('visitorKeyHash');
    for (const path of [`/consents/${id}`, '/consents', '/audit']) {
      const shown = await (await project.request('owner', 'GET', path)).text();
      expect(shown).not.toContain(visitor.visitorKeyHash);
    }
    const [row] = await service.database.query<{ hash: string; row: string }>(
      `select encode(visitor_key_hash, 'hex') as hash, c::text as row from consent_record c where id = $1`,
      [id],
    );
    expect(row?.hash).toBe(visitor.visitorKeyHash);
    expect(row?.row).not.toContain(visitor.visitorKey);
  });

  it('makes no other decision of one that was sent before, with it or without, also to an older version', async () => {
    const project = await createTestProject(service);
    const choice = { id: newId(), note: 1 };
    const { visitorKeyHash } = makeVisitorKey();
    expect((await forwarding.choose(project.id, choice)).status).toBe(201);
    expect((await forwarding.choose(project.id, { ...choice, visitorKeyHash })).status).toBe(200);
    await service.database.query(
      `update consent_record set extra = extra || jsonb_build_object('visitorKeyHash', $2::text) where id = $1`,
      [choice.id, visitorKeyHash],
    );
    expect((await forwarding.choose(project.id, { ...choice, visitorKeyHash })).status).toBe(200);
    expect((await forwarding.choose(project.id, { ...choice, note: 2, visitorKeyHash })).status).toBe(409);
    // Knowing an id isn't enough: sending it under another key changes nothing.
    expect(await count('consent_record where id = $1 and visitor_key_hash is not null', [choice.id])).toBe(0);
  });
});

describe('with her key a visitor', () => {
  it('reads her own records, newest first, as staff see them', async () => {
    const { project, visitor, id, hers } = await makeWorld();
    const second = await forwarding.choose(project.id, { visitorKeyHash: visitor.visitorKeyHash, plan: 'x' });
    const { status, body } = await ask('records', hers);
    expect({ status, more: body.more, ids: idsOf(body) }).toEqual({
      status: 200,
      more: false,
      ids: [second.id, id],
    });
    const staff = (await (await project.request('viewer', 'GET', '/consents')).json()) as { items: Json[] };
    expect((body.items as Json[])[0]).toEqual(staff.items.find((item) => item.id === second.id));
  });

  it('is shown the newest 100 of them', async () => {
    const { project, visitor, hers } = await makeWorld();
    // With the existing one: a full page, and nothing after it.
    await storeMany(project, 99, visitor.visitorKeyHash);
    const whole = await ask('records', hers);
    expect([idsOf(whole.body).length, whole.body.more]).toEqual([100, false]);
    await storeMany(project, 1, visitor.visitorKeyHash);
    const { body } = await ask('records', hers);
    expect([idsOf(body).length, body.more]).toEqual([100, true]);
  });

  it('downloads the receipt of any of them', async () => {
    const { project, visitor, id, hers } = await makeWorld();
    const second = await forwarding.choose(project.id, { visitorKeyHash: visitor.visitorKeyHash });
    const newest = await ask('receipts', hers);
    expect(newest).toMatchObject({ status: 200, body: { record_header: { record_id: second.id } } });
    const first = await ask('receipts', { ...hers, consentId: id.toUpperCase() });
    expect(first.body).toMatchObject({
      record_header: { record_id: id },
      pii_processing: { language: 'de', retention_period: 'P12M' },
      party_identification: [{ party_id: project.id, party_name: null, party_contact: null }],
      event: { event_type: 'custom', event_state: 'consent_given' },
    });
    expect(JSON.stringify(first.body)).not.toContain(visitor.visitorKeyHash);
  });

  it('names the controller in the receipt, as the project names it', async () => {
    const { project, hers } = await makeWorld();
    const change = async (fields: object): Promise<Json> => {
      const answer = await project.request('editor', 'PATCH', '', fields);
      return { status: answer.status, ...((await answer.json()) as Json) };
    };
    const party = async (): Promise<unknown> =>
      ((await ask('receipts', hers)).body.party_identification as Json[])[0];
    const given = { controllerName: 'Bäckerei Süß GmbH', controllerContact: 'datenschutz@example.com' };
    expect(await change({ ...given, controllerName: ` ${given.controllerName} ` })).toMatchObject(given);
    expect(await party()).toMatchObject({
      party_id: project.id,
      party_role: 'controller',
      party_name: given.controllerName,
      party_contact: given.controllerContact,
    });
    // An absent member stays, null removes it, and a refused request changes nothing.
    expect(await change({ controllerContact: null })).toMatchObject({
      ...given,
      controllerContact: null,
    });
    for (const controllerName of ['', ' ', 7, 'a\nb', '\ud800', 'x'.repeat(201), {}, []])
      expect(await change({ controllerName })).toMatchObject({
        status: 422,
        errors: [{ field: 'controllerName' }],
      });
    expect(await party()).toMatchObject({ party_name: given.controllerName, party_contact: null });
    const [{ after } = { after: null }] = await service.database.query<{ after: object }>(
      `select after from audit_event where project_id = $1 order by id desc limit 1`,
      [project.id],
    );
    expect(after).toEqual({ controllerContact: null });
  });

  it('withdraws: a new record of hers that goes the way of any other', async () => {
    const { project, visitor, id: older, hers } = await makeWorld(await forwarding.forwardingProject());
    const { id } = await forwarding.choose(project.id, {
      visitorKeyHash: visitor.visitorKeyHash,
      hostname: 'shop.example.com',
    });
    const accepted = { analytics: true, services: { maps: true }, action: 'accept_all' };
    const withdrawal = { ...hers, id: newId(), customer: 'c-1', ...accepted };
    const { status, body } = await ask('withdrawals', withdrawal);
    expect({ status, body }).toMatchObject({ status: 201, body: { id: withdrawal.id, duplicate: false } });
    const sent = await arrived(forwarding.sharedReceiver, withdrawal.id);
    expect(bodyOf(sent)).toEqual({
      schemaVersion: 1,
      id: withdrawal.id,
      projectId: project.id,
      analytics: false,
      marketing: false,
      preferences: false,
      action: 'withdraw',
      hostname: 'shop.example.com',
      surface: 'api',
      customer: 'c-1',
      withdraws: id,
      receivedAt: body.receivedAt,
    });
    expect(sent.body).not.toContain(visitor.visitorKey);
    expect(idsOf((await ask('records', hers)).body)).toEqual([withdrawal.id, id, older]);
    // Whose answer was lost sends it again.
    const again = await ask('withdrawals', withdrawal);
    expect(again).toEqual({ status: 200, body: { ...body, duplicate: true } });
    // Another choice of the visitor is not a withdrawal that can be repeated.
    expect((await ask('withdrawals', { ...withdrawal, id })).body.code).toBe('consent_id_conflict');
  });

  it('erases one record, or all, with deliveries, and the receiver is told', async () => {
    const { project, visitor, othersId, keylessId, id, hers } = await makeWorld(
      await forwarding.forwardingProject({ forwardErasures: true }),
    );
    const second = await forwarding.choose(project.id, { visitorKeyHash: visitor.visitorKeyHash });
    for (const each of [id, second.id, othersId, keylessId])
      await until(
        'it is delivered',
        async () => (await count('delivery where consent_id = $1', [each])) === 1,
      );
    const told = (of: string) =>
      until('the receiver is told', () =>
        forwarding.sharedReceiver.requests.find(
          (request) => bodyOf(request).action === 'erase' && bodyOf(request).id === of,
        ),
      );
    expect(await ask('erasures', { ...hers, consentId: id })).toEqual({
      status: 200,
      body: { erased: 1, finished: true },
    });
    await told(id);
    expect(idsOf((await ask('records', hers)).body)).toEqual([second.id]);
    expect((await ask('erasures', hers)).body).toEqual({ erased: 1, finished: true });
    await told(second.id);
    expect((await ask('records', hers)).status).toBe(404);
    expect(await count('consent_record where project_id = $1', [project.id])).toBe(2);
    expect(
      await count('delivery where consent_id = any($1) and outcome = $2', [
        [othersId, keylessId],
        'delivered',
      ]),
    ).toBe(2);
    const audit = (await (await project.request('owner', 'GET', '/audit?actorKind=visitor')).json()) as Json;
    expect(audit.items).toMatchObject([
      { action: 'visitor.erase', actor: { kind: 'visitor' }, after: { erasedAtOnce: 1, more: false } },
      { action: 'consent.erase', target: id },
    ]);
    const [request] = await service.database.query(
      'select visitor_key_hash from erasure_request where project_id = $1',
      [project.id],
    );
    expect(request).toEqual({ visitor_key_hash: null });
  });

  it('lists a bounded number of erasures in the audit log each hour, and sums up the others', async () => {
    const { project } = await makeWorld();
    const erasures = VISITOR_ERASURES_LISTED_PER_HOUR + 7;
    for (let at = 0; at < erasures; at++) {
      const key = makeVisitorKey();
      const { id } = await forwarding.choose(project.id, { visitorKeyHash: key.visitorKeyHash });
      const asked = { projectId: project.id, visitorKey: key.visitorKey, ...(at % 2 && { consentId: id }) };
      expect((await ask('erasures', asked)).body).toEqual({ erased: 1, finished: true });
    }
    const audit = async (): Promise<Json[]> =>
      ((await (await project.request('owner', 'GET', '/audit?actorKind=visitor')).json()) as Json)
        .items as Json[];
    expect(await audit()).toHaveLength(VISITOR_ERASURES_LISTED_PER_HOUR);
    const summary = service.app.get(SummarizeVisitorErasures, { strict: false });
    await summary.summarize();
    expect(await audit()).toHaveLength(VISITOR_ERASURES_LISTED_PER_HOUR);
    const [hour] = await service.database.query<{ from: Date; to: Date }>(
      `update visitor_erasure_hour set at = at - interval '1 hour' where project_id = $1
       returning at as "from", at + interval '1 hour' as "to"`,
      [project.id],
    );
    await summary.summarize();
    await summary.summarize();
    const [newest, ...others] = await audit();
    expect(others).toHaveLength(VISITOR_ERASURES_LISTED_PER_HOUR);
    expect(newest).toMatchObject({
      action: 'visitor.erase',
      target: null,
      after: { erasures: 7, from: hour?.from.toISOString(), to: hour?.to.toISOString() },
    });
  });

  it('erases more than a transaction takes by a worker', async () => {
    const { project, visitor, hers } = await makeWorld();
    await storeMany(project, 2 * ERASE_BATCH_MAX, visitor.visitorKeyHash);
    expect((await ask('erasures', hers)).body).toEqual({ erased: ERASE_BATCH_MAX, finished: false });
    await until('all are gone', async () => (await ask('records', hers)).status === 404);
    expect(await count('consent_record where project_id = $1', [project.id])).toBe(2);
  });
});

async function storeMany(project: TestProject, number: number, visitorKeyHash: string): Promise<void> {
  await service.database.query(
    `insert into consent_record (project_id, id, analytics, marketing, preferences, action, visitor_key_hash)
     select $1, overlay($2::text placing lpad(to_hex(n), 12, '0') from 25)::uuid, true, true, true, 'custom',
            decode($4, 'hex')
     from generate_series(1, $3::int) n`,
    [project.id, newId(), number, visitorKeyHash],
  );
}

describe('whoever has not the key', () => {
  it.each(REQUESTS)('gets one answer for whatever is wrong, and changes nothing: %s', async (request) => {
    const { project, visitor, id, othersId, keylessId, hers } = await makeWorld();
    const elsewhere = await createTestProject(service);
    const wrong = makeVisitorKey().visitorKey;
    // A withdrawal names no record.
    const ofRecords = request === 'receipts' || request === 'erasures';
    const attempts: Json[] = [
      { ...hers, visitorKey: wrong },
      { ...hers, visitorKey: wrong, consentId: id },
      { ...hers, visitorKey: wrong, consentId: newId() },
      // The ids visible to staff, receivers and the banner.
      { ...hers, visitorKey: id, consentId: id },
      { ...hers, visitorKey: visitor.visitorKeyHash, consentId: id },
      { ...hers, visitorKey: '', consentId: id },
      { ...hers, visitorKey: '0'.repeat(76), consentId: keylessId },
      { ...hers, projectId: elsewhere.id },
      { ...hers, projectId: newId() },
      { ...hers, projectId: 'nonsense' },
      ...(ofRecords
        ? [
            { ...hers, consentId: othersId },
            { ...hers, consentId: keylessId },
          ]
        : []),
      ...(ofRecords
        ? [
            { ...hers, consentId: newId() },
            { ...hers, consentId: 'nonsense' },
          ]
        : []),
    ];
    const answers = [];
    for (const attempt of attempts) answers.push(await ask(request, attempt));
    const instance = `/v1/visitor/${request}`;
    expect(new Set(answers.map((answer) => JSON.stringify(answer)))).toEqual(
      new Set([
        JSON.stringify({
          status: 404,
          body: {
            type: 'http://127.0.0.1:0/docs/errors#consent_not_found',
            title: 'Not Found',
            status: 404,
            detail: 'No records found for this key.',
            instance,
            code: 'consent_not_found',
          },
        }),
      ]),
    );
    expect(await count('consent_record where project_id = $1', [project.id])).toBe(3);
    expect(await count('erasure_request where project_id = $1', [project.id])).toBe(0);
    expect(await count('audit_event where project_id = $1', [project.id])).toBe(0);
  });

  it('is found by the index of the key alone, however many records there are', async () => {
    const plan = await service.database.query<{ 'QUERY PLAN': string }>(
      `explain select id from consent_record c where project_id = $1 and visitor_key_hash = $2
       order by id desc limit 101`,
      [newId(), randomBytes(38)],
    );
    expect(plan.map((line) => line['QUERY PLAN']).join('\n')).toMatch(/_visitor_key/);
    const indexes = await service.database.query(
      `select from pg_inherits i join pg_index x on x.indexrelid = i.inhrelid
       where i.inhparent = 'consent_record_visitor_key'::regclass and x.indisvalid`,
    );
    const partitions = await service.database.query(
      `select from pg_inherits where inhparent = 'consent_record'::regclass`,
    );
    expect(indexes).toHaveLength(partitions.length);
  });
});

describe('what is no request', () => {
  it.each<[string, unknown, string[]]>([
    ['no object', [], ['']],
    ['nothing in it', {}, ['projectId', 'visitorKey']],
    ['a key that is no text', { projectId: 'x', visitorKey: ['k'] }, ['visitorKey']],
    ['a record that is no text', { projectId: 'x', visitorKey: 'k', consentId: 7 }, ['consentId']],
  ])('is refused with the fields that are wrong: %s', async (_, sent, fields) => {
    for (const request of REQUESTS) {
      const { status, body } = await ask(request, sent);
      expect({ status, code: body.code }).toEqual({ status: 422, code: 'validation_failed' });
      expect((body.errors as Json[]).map(({ field }) => field)).toEqual(fields);
    }
  });

  it('names what is wrong with a withdrawal as with any choice', async () => {
    const { hers } = await makeWorld();
    const { status, body } = await ask('withdrawals', { ...hers, id: 'x', projectIds: [], receivedAt: 1 });
    expect(status).toBe(422);
    expect((body.errors as Json[]).map(({ field }) => field)).toEqual(['id', 'receivedAt']);
  });

  it.each<[string, string, string, number]>([
    ['no JSON', '{', 'application/json', 400],
    ['nothing', '', 'application/json', 400],
    ['another type', '{}', 'application/xml', 415],
    ['17 KiB', JSON.stringify({ x: 'y'.repeat(17 * 1024) }), 'application/json', 413],
  ])('is refused before it is looked at: %s', async (_, body, type, status) => {
    for (const request of REQUESTS) {
      const headers = { 'content-type': type };
      const answer = await fetch(`${service.baseUrl}/v1/visitor/${request}`, {
        method: 'POST',
        headers,
        body,
      });
      expect(answer.status).toBe(status);
      expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    }
  });

  it('answers a browser that asks first, and other methods with what is allowed', async () => {
    const preflight = await fetch(`${service.baseUrl}/v1/visitor/erasures`, { method: 'OPTIONS' });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-headers')).toBe('Content-Type');
    const read = await fetch(`${service.baseUrl}/v1/visitor/records`);
    expect([read.status, read.headers.get('allow')]).toEqual([405, 'POST']);
  });
});

describe('staff', () => {
  const erase = async (project: TestProject, body: Json) => {
    const response = await project.request('owner', 'POST', '/erasures', body);
    return { status: response.status, body: (await response.json()) as Json };
  };

  it('erase all of a visitor from one record of hers', async () => {
    const { project, visitor, id, keylessId, hers } = await makeWorld();
    await forwarding.choose(project.id, { visitorKeyHash: visitor.visitorKeyHash });
    const asked = { consentId: id, reason: 'ticket 4714' };
    expect((await project.request('editor', 'POST', '/erasures', asked)).status).toBe(403);
    const elsewhere = await createTestProject(service);
    expect((await erase(elsewhere, asked)).status).toBe(404);
    const { status, body } = await erase(project, asked);
    expect({ status, body }).toMatchObject({ status: 202, body: { erased: 2, reason: 'ticket 4714' } });
    expect(body.finishedAt).not.toBeNull();
    expect((await ask('records', hers)).status).toBe(404);
    expect(await count('consent_record where project_id = $1', [project.id])).toBe(2);
    const audit = (await (
      await project.request('owner', 'GET', '/audit?action=visitor.erase')
    ).json()) as Json;
    expect(audit.items).toMatchObject([
      { target: body.id, after: { reason: 'ticket 4714', erasedAtOnce: 2 } },
    ]);
    expect(await erase(project, { ...asked, consentId: keylessId })).toMatchObject({
      status: 409,
      body: { code: 'visitor_key_missing' },
    });
    expect((await erase(project, asked)).status).toBe(404);
  });

  it('name one of the two', async () => {
    const { project, id } = await makeWorld();
    for (const wrong of [
      {},
      { consentId: 'x' },
      { consentId: null },
      { consentId: id, visitorReference: 'c-1' },
    ])
      expect((await erase(project, { ...wrong, reason: 'r' })).status).toBe(422);
    expect(await count('consent_record where project_id = $1', [project.id])).toBe(3);
  });
});

describe('rate limit of visitors', () => {
  it('counts a network over all requests, right and wrong', async () => {
    const limited = await startTestService({ VISITOR_RATE_PER_MINUTE: '3', TRUSTED_PROXIES: '127.0.0.1' });
    const wrong = { projectId: newId(), visitorKey: makeVisitorKey().visitorKey };
    const askFrom = (address: string, request: string) =>
      ask(request, wrong, limited, { 'x-forwarded-for': address });
    for (const [host, request] of ['records', 'receipts', 'erasures'].entries())
      expect((await askFrom(`2001:db8:1:2:${host}::1`, request)).status).toBe(404);
    const refused = await askFrom('2001:db8:1:2:ffff::1', 'withdrawals');
    expect((await askFrom('2001:db8:1:3::1', 'receipts')).status).toBe(404);
    expect(refused).toMatchObject({ status: 429, body: { code: 'too_many_requests' } });
    const metrics = await (await fetch(`${limited.baseUrl}/metrics`)).text();
    expect(metrics).toContain(
      'consent_visitor_requests_total{request="records",result="consent_not_found"} 1',
    );
    expect(metrics).toContain(
      'consent_visitor_requests_total{request="withdrawals",result="too_many_requests"} 1',
    );
    await limited.close();
  });
});
