import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { Readable } from 'node:stream';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { setTimeout as wait } from 'node:timers/promises';
import { extractText } from 'unpdf';
import { erasedSince, linesOf, reapply } from '../../src/modules/consent/application/erased-records.js';
import type { ErasedConsent } from '../../src/modules/consent/infrastructure/erasure.rows.js';
import { erasureListeners } from '../../src/programs/erasure-listeners.js';
import { ERASE_BATCH_MAX } from '../../src/modules/consent/domain/erasure.js';
import { INDEX_BATCH_MAX } from '../../src/modules/consent/infrastructure/visitor-reference.rows.js';
import { newId } from '../../src/platform/identity/ids.js';
import { arrived, bodyOf, type Forwarding, startForwarding } from '../support/people/forwarding.js';
import type { Json } from '../support/people/json.js';
import { Processes } from '../support/programs/processes.js';
import { createTestProject, type TestProject } from '../support/people/project.js';
import { startTestService, type TestService } from '../support/programs/service.js';
import { until } from '../support/until.js';

const KILLS = 2;

let forwarding: Forwarding;
let service: TestService;

beforeAll(async () => {
  // Longer than a busy machine takes between two lines that count on a receiver that hangs.
  forwarding = await startForwarding({ worker: true, environment: { FORWARDING_TIMEOUT_MS: '5000' } });
  ({ service } = forwarding);
});
afterEach(() => forwarding.resetReceivers());
afterAll(() => forwarding.close());

const asOwner = async (project: TestProject, method: string, path: string, body?: unknown) => {
  const response = await project.request('owner', method, path, body);
  const text = await response.text();
  return { status: response.status, body: (text === '' ? null : JSON.parse(text)) as Json };
};

const nameVisitors = (project: TestProject, hashed = false) =>
  asOwner(project, 'PUT', '/privacy', { visitorReferenceField: 'customer', visitorReferenceHashed: hashed });

const found = async (project: TestProject, query: string): Promise<string[]> => {
  const { status, body } = await asOwner(project, 'GET', `/consents?${query}`);
  expect(status).toBe(200);
  return (body as { items: { id: string }[] }).items.map(({ id }) => id);
};

const count = async (from: string, values: unknown[], of = service): Promise<number> =>
  (await of.database.query<{ n: number }>(`select count(*)::int as n from ${from}`, values))[0]?.n ?? -1;

/** Every table that may contain something about a record, except the list of erased records. */
const tracesOf = async (id: string): Promise<number> =>
  (await count('consent_record where id = $1', [id])) +
  (await count('delivery where consent_id = $1', [id])) +
  (await count('evidence_leaf where consent_id = $1', [id])) +
  (await count(`outbox_message where subject_id = $1 and topic = 'consent.recorded'`, [id])) +
  (await count('outbox_dead_letter where subject_id = $1', [id]));

describe('finding records', () => {
  it('by id, and by the field that names a visitor, in one project', async () => {
    const [project, other] = [await createTestProject(service), await createTestProject(service)];
    for (const each of [project, other]) expect((await nameVisitors(each)).status).toBe(200);
    const first = await forwarding.choose(project.id, { customer: 'visitor-1' });
    const second = await forwarding.choose(project.id, { customer: 'visitor-1', plan: 'x' });
    const third = await forwarding.choose(project.id, { customer: 'visitor-2' });
    const numbered = await forwarding.choose(project.id, { customer: 17 });
    await forwarding.choose(project.id);
    await forwarding.choose(other.id, { customer: 'visitor-1' });
    expect(await found(project, `id=${third.id}`)).toEqual([third.id]);
    expect(await found(project, `id=${newId()}`)).toEqual([]);
    expect(await found(project, 'visitorReference=visitor-1')).toEqual([second.id, first.id]);
    expect(await found(project, 'visitorReference=17')).toEqual([numbered.id]);
    expect(await found(project, 'visitorReference=C-1')).toEqual([]);
    const page = await asOwner(project, 'GET', '/consents?visitorReference=visitor-1&limit=1');
    const { nextCursor } = page.body as { nextCursor: string };
    expect(await found(project, `visitorReference=visitor-1&limit=1&cursor=${nextCursor}`)).toEqual([
      first.id,
    ]);
  });

  it('409 where the project names no field, 422 for what is no id', async () => {
    const project = await createTestProject(service);
    expect(await asOwner(project, 'GET', '/consents?visitorReference=visitor-1')).toMatchObject({
      status: 409,
      body: { code: 'visitor_reference_not_configured' },
    });
    expect((await asOwner(project, 'GET', '/consents?id=7')).status).toBe(422);
  });

  it('does so by its index alone, however many records there are', async () => {
    const project = await createTestProject(service);
    await nameVisitors(project);
    const { id } = await forwarding.choose(project.id, { customer: 'visitor-1' });
    const plan = await service.database.query<{ 'QUERY PLAN': string }>(
      `explain select id from consent_record c where project_id = $1 and visitor_hash =
         (select visitor_hash from consent_record where project_id = $1 and id = $2) order by id desc limit 50`,
      [project.id, id],
    );
    expect(plan.map((line) => line['QUERY PLAN']).join('\n')).toMatch(/visitor_hash/);
    const indexes = await service.database.query(
      `select from pg_inherits i join pg_index x on x.indexrelid = i.inhrelid
       where i.inhparent = 'consent_record_visitor'::regclass and x.indisvalid`,
    );
    const partitions = await service.database.query(
      `select from pg_inherits where inhparent = 'consent_record'::regclass`,
    );
    expect(indexes).toHaveLength(partitions.length);
  });

  it('by a hash alone, where the project wants no more to be kept: at rest, at the receiver, and when sent twice', async () => {
    const project = await forwarding.forwardingProject();
    await nameVisitors(project, true);
    const choice = { id: newId(), customer: 'ada@example.com', plan: 'x' };
    const { id, status } = await forwarding.choose(project.id, choice);
    expect(status).toBe(201);
    const hash = expect.stringMatching(/^sha256:[0-9a-f]{64}$/);
    expect(bodyOf(await arrived(forwarding.sharedReceiver, id))).toMatchObject({ customer: hash, plan: 'x' });
    const [row] = await service.database.query<{ row: string }>(
      'select c::text as row from consent_record c where id = $1',
      [id],
    );
    expect(row?.row).not.toContain('ada@example.com');
    expect(await found(project, 'visitorReference=ada%40example.com')).toEqual([id]);
    expect((await forwarding.choose(project.id, choice)).status).toBe(200);
    expect((await forwarding.choose(project.id, { ...choice, customer: 'eve' })).status).toBe(409);
    // One that was sent before the change, too.
    const [salt] = await service.database.query('select salt from visitor_reference where project_id = $1', [
      project.id,
    ]);
    await nameVisitors(project, false);
    expect((await forwarding.choose(project.id, choice)).status).toBe(200);
    const after = await service.database.query('select salt from visitor_reference where project_id = $1', [
      project.id,
    ]);
    expect(after).toEqual([salt]);
  });

  it.each([
    [{ visitorReferenceField: '', visitorReferenceHashed: false }],
    [{ visitorReferenceField: 'a b', visitorReferenceHashed: false }],
    [{ visitorReferenceField: 'customer' }],
    [{ visitorReferenceHashed: true }],
  ])('refuses the settings %j', async (body) => {
    const project = await createTestProject(service);
    expect((await asOwner(project, 'PUT', '/privacy', body)).status).toBe(422);
  });
});

describe('records from before their field was named', () => {
  afterEach(() => service.database.query('drop function if exists break_off cascade'));

  const stateOf = async (project: TestProject): Promise<Json> =>
    (await asOwner(project, 'GET', '/privacy')).body;
  /** Lets the worker start now, and waits until it has finished. */
  const indexed = async (project: TestProject): Promise<void> => {
    expect(await stateOf(project)).toMatchObject({ indexing: true });
    await service.database.query(
      `update visitor_indexing set requested_at = requested_at - interval '10 seconds' where project_id = $1`,
      [project.id],
    );
    await until('it is done', async () => (await stateOf(project)).indexing === false);
  };
  const rowOf = async (id: string): Promise<{ hash: Buffer | null; extra: Json | null }> => {
    const [row] = await service.database.query<{ hash: Buffer | null; extra: Json | null }>(
      'select visitor_hash as hash, extra from consent_record where id = $1',
      [id],
    );
    return row ?? { hash: null, extra: null };
  };
  const name = (project: TestProject, field: string | null, hashed = false) =>
    asOwner(project, 'PUT', '/privacy', { visitorReferenceField: field, visitorReferenceHashed: hashed });

  it('are found when a worker has gone through them, also one that broke off; until then erasures wait', async () => {
    const project = await createTestProject(service);
    const text = await forwarding.choose(project.id, { customer: 'visitor-1' });
    const numbered = await forwarding.choose(project.id, { customer: 17 });
    const nobody = await forwarding.choose(project.id, { customer: '' });
    const number = 2 * INDEX_BATCH_MAX;
    await service.database.query(
      `insert into consent_record (project_id, id, analytics, marketing, preferences, action, extra)
       select $1, overlay($2::text placing lpad(to_hex(n), 12, '0') from 25)::uuid, true, true, true, 'custom',
              '{"customer":"visitor-2"}'
       from generate_series(1, $3::int) n`,
      [project.id, newId(), number],
    );
    // The second batch breaks off once.
    await service.database.query('create sequence batches');
    await service.database
      .query(`create function break_off() returns trigger language plpgsql security definer as
      $$ begin if nextval('public.batches') = 2 then raise 'broken off'; end if; return new; end $$`);
    await service.database.query(
      'create trigger break_off before update of after_id on visitor_indexing for each row execute function break_off()',
    );
    expect((await name(project, 'customer')).body).toEqual({
      visitorReferenceField: 'customer',
      visitorReferenceHashed: false,
      indexing: true,
    });
    const later = await forwarding.choose(project.id, { customer: 'visitor-1' });
    const page = await asOwner(project, 'GET', '/consents?visitorReference=visitor-1');
    expect(page.body).toMatchObject({ indexing: true, items: [{ id: later.id }] });
    const file = await asOwner(project, 'GET', '/visitor-records?visitorReference=visitor-1&format=json');
    expect(file).toMatchObject({ status: 409, body: { code: 'visitor_index_under_way' } });
    const asked = { visitorReference: 'visitor-1', reason: 'ticket 4713' };
    const { body: erasure } = await asOwner(project, 'POST', '/erasures', asked);
    expect(erasure).toMatchObject({ erased: 0, finishedAt: null });
    expect((await rowOf(text.id)).hash).toBeNull();
    await indexed(project);
    const [batches] = await service.database.query(`select last_value::int as tried from batches`);
    expect(batches).toEqual({ tried: 3 });
    await until('the erasure is done', async () => {
      const { body } = await asOwner(project, 'GET', `/erasures/${String(erasure.id)}`);
      return body.finishedAt !== null && body.erased === 2;
    });
    expect(await tracesOf(text.id)).toBe(0);
    expect(await found(project, 'visitorReference=17')).toEqual([numbered.id]);
    expect((await rowOf(nobody.id)).hash).toBeNull();
    const { id } = await forwarding.choose(project.id, { customer: 'visitor-2' });
    const { hash } = await rowOf(id);
    expect(
      await count('consent_record where project_id = $1 and visitor_hash = $2', [project.id, hash]),
    ).toBe(number + 1);
    expect((await asOwner(project, 'GET', '/consents?visitorReference=visitor-1')).body).toEqual({
      items: [],
      nextCursor: null,
      searchedTo: null,
      indexing: false,
    });
  });

  it('lose the value where the hash is asked for, and are found by another field, and by the first one again', async () => {
    const project = await createTestProject(service);
    const choice = { id: newId(), customer: 'ada@example.com', plan: 'x' };
    const { id } = await forwarding.choose(project.id, choice);
    await name(project, 'customer');
    await indexed(project);
    expect((await rowOf(id)).extra).toEqual({ customer: 'ada@example.com', plan: 'x' });
    await name(project, 'customer', true);
    await indexed(project);
    const kept = { customer: expect.stringMatching(/^sha256:[0-9a-f]{64}$/), plan: 'x' };
    expect((await rowOf(id)).extra).toEqual(kept);
    expect(await found(project, 'visitorReference=ada%40example.com')).toEqual([id]);
    expect((await forwarding.choose(project.id, choice)).status).toBe(200);
    await name(project, 'plan');
    await indexed(project);
    expect(await found(project, 'visitorReference=x')).toEqual([id]);
    expect(await found(project, 'visitorReference=ada%40example.com')).toEqual([]);
    await name(project, 'customer', true);
    await indexed(project);
    expect(await found(project, 'visitorReference=ada%40example.com')).toEqual([id]);
    expect((await rowOf(id)).extra).toEqual(kept);
  });

  it('are left alone where nobody is named any more, and where there are none', async () => {
    const project = await createTestProject(service);
    const other = await createTestProject(service);
    await forwarding.choose(other.id, { plan: 'x' });
    await name(other, 'plan');
    expect((await name(project, 'customer')).body).toMatchObject({ indexing: false });
    await forwarding.choose(project.id, { plan: 'x' });
    expect((await name(project, 'plan')).body).toMatchObject({ indexing: true });
    expect((await name(project, null)).body).toMatchObject({ indexing: false });
    expect(await stateOf(other)).toMatchObject({ indexing: true });
  });
});

describe('a visitor’s file', () => {
  it('has all of her records and nobody else’s, as JSON and as PDF', async () => {
    const project = await createTestProject(service);
    await nameVisitors(project);
    await storeMany(service, project, 501, 'visitor-1');
    const chosen = async (category: string): Promise<string> => {
      const nothing = { analytics: false, marketing: false, preferences: false };
      const choice = { customer: 'visitor-1', plan: 'x', ...nothing, [category]: true };
      return (await forwarding.choose(project.id, choice)).id;
    };
    const analytics = await chosen('analytics');
    const marketing = await chosen('marketing');
    const preferences = await chosen('preferences');
    await forwarding.choose(project.id, { customer: 'visitor-2' });
    const path = '/visitor-records?visitorReference=visitor-1&format=';
    const file = await project.request('viewer', 'GET', `${path}json`);
    expect(file.headers.get('content-disposition')).toMatch(/^attachment; filename="visitor-.*\.json"$/);
    const { records, ...head } = (await file.json()) as { records: Json[] } & Json;
    expect(head).toEqual({ projectId: project.id, projectName: 'A project', madeAt: expect.any(String) });
    expect(records).toHaveLength(504);
    const additionalFields = { customer: 'visitor-1', plan: 'x' };
    expect(records[0]).toMatchObject({ id: preferences, preferences: true, additionalFields });
    const pdf = await project.request('viewer', 'GET', `${path}pdf`);
    const { text } = await extractText(new Uint8Array(await pdf.arrayBuffer()), { mergePages: true });
    const shown = text.replaceAll(/\s+/g, ' ');
    expect(shown).toContain('Filters One visitor Records 504');
    // Under the heads of the columns, in their order.
    expect(shown).toContain('Stored Choice Analytics Marketing Preferences Website');
    for (const [id, row] of [
      [analytics, 'Allowed Refused Refused'],
      [marketing, 'Refused Allowed Refused'],
      [preferences, 'Refused Refused Allowed'],
    ])
      expect(shown).toMatch(new RegExp(`${row} [^:]*?${id}`));
    const none = await project.request('viewer', 'GET', '/visitor-records?visitorReference=c-9&format=json');
    expect(await none.json()).toMatchObject({ records: [] });
    expect((await project.request('viewer', 'GET', `${path}csv`)).status).toBe(422);
  });
});

describe('erasing one record', () => {
  it('leaves nothing of it but its id, and tells the receiver where the project wants it', async () => {
    const project = await forwarding.forwardingProject({ forwardErasures: true });
    const { id } = await forwarding.choose(project.id, { customer: 'visitor-1' });
    const sent = await arrived(forwarding.sharedReceiver, id);
    await until(
      'the delivery is written',
      async () => (await count('delivery where consent_id = $1', [id])) === 1,
    );
    const other = await forwarding.choose(project.id);
    const before = Date.now();
    const erased = await asOwner(project, 'DELETE', `/consents/${id}`, { reason: 'ticket 4711' });
    expect(erased).toEqual({ status: 204, body: null });
    const told = await until('the receiver is told', () =>
      forwarding.sharedReceiver.requests.find(({ body }) => body.includes('"erase"')),
    );
    const { action, id: toldId, erasedAt, ...rest } = bodyOf(told);
    expect({ action, toldId, rest }).toEqual({ action: 'erase', toldId: id, rest: {} });
    expect(Math.abs(Date.parse(erasedAt as string) - before)).toBeLessThan(60_000);
    expect(told.headers).toMatchObject({
      'x-service-consent-id': id,
      'x-service-project-id': project.id,
      authorization: sent.headers.authorization,
    });
    // Receivers drop a repeated id; this is not a repeat.
    expect(told.headers['webhook-id']).not.toBe(sent.headers['webhook-id']);
    await until(
      'its outcome is written',
      async () => (await count('delivery where consent_id = $1', [id])) === 1,
    );
    expect(await count('consent_record where id = $1', [id])).toBe(0);
    expect(await count('erased_record where consent_id = $1', [id])).toBe(1);
    expect(await found(project, '')).toEqual([other.id]);
    expect((await asOwner(project, 'GET', `/consents/${id}`)).status).toBe(404);
    expect((await asOwner(project, 'DELETE', `/consents/${id}`, { reason: 'again' })).status).toBe(404);
    const resent = await project.request('editor', 'POST', `/forwarding/deliveries/${id}/resend`);
    expect(resent.status).toBe(404);
    const audit = await asOwner(project, 'GET', '/audit?action=consent.erase');
    expect(audit.body).toMatchObject({ items: [{ target: id, after: { reason: 'ticket 4711' } }] });
  });

  it('takes back what waits to be sent, and what was given up', async () => {
    const project = await forwarding.forwardingProject();
    const hanging = await forwarding.receive({ kind: 'hang' });
    await forwarding.put(project, { endpointUrl: hanging.url, bearerToken: 'a'.repeat(43) });
    await forwarding.occupy(project, hanging);
    const { id } = await forwarding.choose(project.id);
    await service.database.query(
      `insert into outbox_dead_letter (ordering_key, id, project_id, topic, subject_id, failures, created_at)
       values ($1, 999999, $1, 'consent.recorded', $2, 8, now())`,
      [project.id, id],
    );
    expect((await asOwner(project, 'DELETE', `/consents/${id}`, { reason: 'r' })).status).toBe(204);
    expect(await tracesOf(id)).toBe(0);
    hanging.behave({ kind: 'answer', status: 204 });
    const { id: last } = await forwarding.choose(project.id);
    await arrived(hanging, last);
    expect(hanging.requests.filter(({ body }) => body.includes(id))).toEqual([]);
    expect(hanging.requests.filter(({ body }) => body.includes('"erase"'))).toEqual([]);
  });

  it('takes a record away that waits for a receiver that is away, which is told when it is back', async () => {
    const receiver = await forwarding.receive({ kind: 'answer', status: 503 });
    const project = await forwarding.forwardingTo(receiver.url, {
      bearerToken: 'a'.repeat(43),
      forwardErasures: true,
    });
    const ids: string[] = [];
    for (let sent = 0; sent < 12; sent++)
      ids.push((await forwarding.choose(project.id, { customer: 'visitor-1' })).id);
    const state = async (): Promise<Json> => (await forwarding.get(project)).body;
    await until(
      'it is doubted',
      async () => (await count('claim_throttle where ordering_key = $1', [project.id])) > 0,
    );
    await service.database.query(
      `with shifted as (
         update forwarding_hold set failing_since = failing_since - interval '5 seconds' where project_id = $1
       )
       update claim_throttle set next_claim_at = now() where ordering_key = $1`,
      [project.id],
    );
    await until('it is held', async () => (await state()).state === 'held');
    const waiting = async (condition = 'true'): Promise<string[]> =>
      (
        await service.database.query<{ id: string }>(
          `select subject_id as id from outbox_message
           where project_id = $1 and topic = 'consent.recorded' and ${condition} order by id`,
          [project.id],
        )
      ).map(({ id }) => id);
    await until('nothing is under way', async () => (await waiting('available_at > now()')).length === 0);
    // No probe interferes: from here on, records are sent because the receiver is available again.
    await service.database.query(
      `update claim_throttle set next_claim_at = now() + interval '1 hour' where ordering_key = $1`,
      [project.id],
    );
    const [first = '', ...rest] = await waiting();
    const held = await state();
    expect(held).toMatchObject({ state: 'held', waiting: rest.length + 1 });
    expect((await asOwner(project, 'DELETE', `/consents/${first}`, { reason: 'r' })).status).toBe(204);
    expect(await tracesOf(first)).toBe(0);
    expect(await state()).toMatchObject({ state: 'held', heldSince: held.heldSince, waiting: rest.length });

    // Removes the other waiting messages, so that only the notice of the erasure remains.
    for (const id of rest)
      expect((await asOwner(project, 'DELETE', `/consents/${id}`, { reason: 'r' })).status).toBe(204);
    expect(await state()).toMatchObject({ state: 'held', waiting: 0, oldestWaitingAt: null });
    const tried = receiver.requests.length;
    receiver.behave({ kind: 'answer', status: 204 });
    expect((await project.request('editor', 'POST', '/forwarding/resume')).status).toBe(200);
    await until('the receiver is told of all', () => receiver.requests.length >= tried + rest.length + 1);
    const told = receiver.requests.slice(tried).map(bodyOf);
    expect(told.map(({ action }) => action)).toEqual(told.map(() => 'erase'));
    expect(told.map(({ id }) => id).toSorted()).toEqual([first, ...rest].toSorted());
    await until('it is active', async () => (await state()).state === 'active');
  });

  it('finds the message of somebody who has it sent again in the same moment', async () => {
    const project = await forwarding.forwardingProject();
    const { id } = await forwarding.choose(project.id);
    await arrived(forwarding.sharedReceiver, id);
    await Promise.all([
      asOwner(project, 'DELETE', `/consents/${id}`, { reason: 'r' }),
      ...Array.from({ length: 5 }, () =>
        project.request('editor', 'POST', `/forwarding/deliveries/${id}/resend`),
      ),
    ]);
    expect(await count(`outbox_message where subject_id = $1`, [id])).toBe(0);
    expect(await count('consent_record where id = $1', [id])).toBe(0);
  });

  it.each([[{}], [{ reason: '' }], [{ reason: 'x'.repeat(501) }], [{ reason: 7 }]])(
    'needs a reason; %j is none',
    async (body) => {
      const project = await createTestProject(service);
      const { id } = await forwarding.choose(project.id);
      expect((await asOwner(project, 'DELETE', `/consents/${id}`, body)).status).toBe(422);
      expect(await count('consent_record where id = $1', [id])).toBe(1);
    },
  );

  it('leaves another project’s record alone', async () => {
    const [project, other] = [await createTestProject(service), await createTestProject(service)];
    const { id } = await forwarding.choose(other.id);
    expect((await asOwner(project, 'DELETE', `/consents/${id}`, { reason: 'r' })).status).toBe(404);
    expect(await count('consent_record where id = $1', [id])).toBe(1);
  });
});

/**
 * Stores this many records of a visitor directly in the database, each with a delivery and a
 * message.
 */
async function storeMany(
  of: TestService,
  project: TestProject,
  number: number,
  customer: string,
): Promise<void> {
  await of.database.query(
    `with made as (
       insert into consent_record (project_id, id, analytics, marketing, preferences, action, visitor_hash)
       select v.project_id, overlay($2::text placing lpad(to_hex(n), 12, '0') from 25)::uuid, true, true, true, 'custom',
              sha256(v.salt || convert_to($4, 'UTF8'))
       from visitor_reference v, generate_series(1, $3::int) n where v.project_id = $1 returning id
     ), delivered as (
       insert into delivery (project_id, id, consent_id, outcome, duration_ms, attempted_at)
       select $1, id, id, 'delivered', 1, now() from made
     )
     insert into outbox_message (ordering_key, project_id, topic, subject_id, available_at)
     select $1, $1, 'consent.recorded', id, now() + interval '1 day' from made`,
    [project.id, newId(), number, customer],
  );
}

describe('erasing a visitor', () => {
  it('erases what came until then, the first part at once and the rest by a worker', async () => {
    const project = await createTestProject(service);
    await nameVisitors(project);
    const number = 2 * ERASE_BATCH_MAX + 1;
    await storeMany(service, project, number, 'visitor-1');
    const other = await forwarding.choose(project.id, { customer: 'visitor-2' });
    const asked = { visitorReference: 'visitor-1', reason: 'ticket 4712' };
    const { status, body } = await asOwner(project, 'POST', '/erasures', asked);
    expect({ status, body }).toMatchObject({
      status: 202,
      body: { reason: 'ticket 4712', erased: ERASE_BATCH_MAX, finishedAt: null },
    });
    const later = await forwarding.choose(project.id, { customer: 'visitor-1' });
    await until('the rest is erased', async () => {
      const now = await asOwner(project, 'GET', `/erasures/${String(body.id)}`);
      return now.body.finishedAt !== null && now.body.erased === number;
    });
    expect(await found(project, '')).toEqual([later.id, other.id]);
    expect(await count('delivery where project_id = $1', [project.id])).toBe(0);
    expect(await count(`outbox_message where project_id = $1`, [project.id])).toBe(0);
    // The visitor reference is stored nowhere any more.
    expect(await count('erasure_request where id = $1 and visitor_hash is null', [body.id])).toBe(1);
    const audit = await service.database.query<{ row: string }>(
      'select e::text as row from audit_event e where project_id = $1',
      [project.id],
    );
    expect(audit.map(({ row }) => row).join()).not.toContain('visitor-1');
  });

  it('is finished at once for a visitor of few records, and of none', async () => {
    const project = await createTestProject(service);
    await nameVisitors(project);
    const { id } = await forwarding.choose(project.id, { customer: 'visitor-1' });
    for (const erased of [1, 0]) {
      const answer = await asOwner(project, 'POST', '/erasures', {
        visitorReference: 'visitor-1',
        reason: 'r',
      });
      expect(answer).toMatchObject({ status: 202, body: { erased, finishedAt: expect.any(String) } });
    }
    expect(await tracesOf(id)).toBe(0);
  });

  it('409 where the project names no field, 404 for an erasure of another project', async () => {
    const [project, other] = [await createTestProject(service), await createTestProject(service)];
    const asked = { visitorReference: 'visitor-1', reason: 'r' };
    expect((await asOwner(project, 'POST', '/erasures', asked)).status).toBe(409);
    await nameVisitors(other);
    const { body } = await asOwner(other, 'POST', '/erasures', asked);
    expect((await asOwner(project, 'GET', `/erasures/${String(body.id)}`)).status).toBe(404);
    expect((await asOwner(project, 'GET', '/erasures/7')).status).toBe(404);
  });
});

describe('a backup that brings erased records back', () => {
  it('is put right by the list of what was erased, line by line', async () => {
    const project = await forwarding.forwardingProject({ forwardErasures: true });
    const [first = '', second = '', third = ''] = await Promise.all(
      [1, 2, 3].map(async () => (await forwarding.choose(project.id)).id),
    );
    const backup = await service.database.query<{ row: string }>(
      'select to_json(c)::text as row from consent_record c where project_id = $1',
      [project.id],
    );
    for (const id of [first, second])
      expect((await asOwner(project, 'DELETE', `/consents/${id}`, { reason: 'r' })).status).toBe(204);
    const { em } = service.database.orm;
    const since = new Date('2026-01-01');
    const listed: ErasedConsent[] = [];
    for await (const line of erasedSince(em, since)) if (line.projectId === project.id) listed.push(line);
    expect(listed.map(({ consentId }) => consentId).toSorted()).toEqual([first, second].toSorted());
    expect((await erasedSince(em, new Date('2090-01-01')).next()).done).toBe(true);
    const noticesFor = (id: string): number =>
      forwarding.sharedReceiver.requests.filter(
        ({ body }) => body.includes('"erase"') && bodyOf({ body } as never).id === id,
      ).length;
    await until('the receiver has both notices', () => noticesFor(first) + noticesFor(second) === 2);
    // The backup is older than the erasures: it restores the records, one with a delivery and a
    // leaf, without the list.
    await service.database.query('delete from erased_record where project_id = $1', [project.id]);
    await service.database.query('delete from consent_record where project_id = $1', [project.id]);
    for (const { row } of backup)
      await service.database.query(
        'insert into consent_record select * from json_populate_record(null::consent_record, $1::json)',
        [row],
      );
    await service.database.query(
      `insert into delivery (project_id, id, consent_id, outcome, duration_ms, attempted_at)
       values ($1, $2, $2, 'delivered', 1, now())`,
      [project.id, first],
    );
    await service.database.query(
      'insert into evidence_leaf (project_id, consent_id, leaf_index) values ($1, $2, 0)',
      [project.id, first],
    );
    const folder = mkdtempSync(join(tmpdir(), 'consent-erasures-'));
    try {
      const file = join(folder, 'list.txt');
      const line = ({ projectId, consentId, erasedAt }: ErasedConsent): string =>
        `${projectId} ${consentId} ${erasedAt.toISOString()}\n`;
      writeFileSync(file, listed.map(line).join(''));
      const listeners = erasureListeners;
      const again = (dryRun: boolean) => reapply(em, linesOf(file), { listeners, dryRun });
      expect(await again(true)).toEqual({ listed: 2, erased: 2 });
      expect(await found(project, '')).toHaveLength(3);
      expect(await again(false)).toEqual({ listed: 2, erased: 2 });
      expect(await found(project, '')).toEqual([third]);
      expect(await tracesOf(first)).toBe(0);
      const queued = `outbox_message where project_id = $1 and topic = 'record.erased'`;
      expect(await count(queued, [project.id])).toBe(0);
      expect(await again(false)).toEqual({ listed: 2, erased: 0 });
      writeFileSync(file, 'nonsense\n');
      await expect(again(false)).rejects.toThrow('Line 1 of the file');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('erases again the listed records of every project', async () => {
    const projects = [await forwarding.forwardingProject(), await forwarding.forwardingProject()];
    const listed: ErasedConsent[] = [];
    for (const project of [...projects, ...projects]) {
      const { id = '' } = await forwarding.choose(project.id);
      listed.push({ projectId: project.id, consentId: id, erasedAt: new Date() });
    }
    const options = { listeners: erasureListeners, dryRun: false };
    expect(await reapply(service.database.orm.em, Readable.from(listed), options)).toEqual({
      listed: 4,
      erased: 4,
    });
    for (const project of projects) expect(await found(project, '')).toEqual([]);
  });
});

describe('a worker that is killed while it erases', () => {
  let quiet: TestService;
  const processes = new Processes();
  beforeAll(async () => {
    quiet = await startTestService();
  });
  afterAll(async () => {
    await processes.close();
    await quiet.close();
  });

  it('leaves no record half erased, and the next one goes on', async () => {
    const project = await createTestProject(quiet);
    await nameVisitors(project);
    const number = 10 * ERASE_BATCH_MAX;
    await storeMany(quiet, project, number, 'visitor-1');
    // Slows each batch down, so that a kill hits one in progress.
    await quiet.database.query(`create function slowly() returns trigger language plpgsql as
        $$ begin perform pg_sleep(0.5); return null; end $$`);
    await quiet.database.query(
      'create trigger slowly after insert on erased_record for each statement execute function slowly()',
    );
    const { body } = await asOwner(project, 'POST', '/erasures', {
      visitorReference: 'visitor-1',
      reason: 'r',
    });
    const environment = {
      NODE_ENV: 'test',
      DATABASE_URL: quiet.database.url,
      SECRET_KEYS: `k1:${Buffer.alloc(32, 1).toString('base64')}`,
      AUTH_SECRET: 'a'.repeat(32),
      OUTBOX_POLL_MS: '100',
    };
    const progress: number[] = [];
    for (let kill = 0; kill <= KILLS; kill += 1) {
      const worker = await processes.startWorker({ environment });
      await worker.ready();
      // The lease of the one before ends now and not in a minute.
      await quiet.database.query(
        `update outbox_message set available_at = now() where topic = 'erasure.requested'`,
      );
      const request = async (): Promise<Json> =>
        (await asOwner(project, 'GET', `/erasures/${String(body.id)}`)).body;
      if (kill < KILLS) {
        const before = (await request()).erased as number;
        await until('it erases', async () => ((await request()).erased as number) > before);
        await wait(Math.random() * 500);
        await worker.kill();
      } else {
        await until('all is erased', async () => (await request()).finishedAt !== null);
        await worker.stop();
      }
      // A transaction of the killed one may still be waking from its sleep.
      await until('nobody works on it', async () => {
        const active = await count(
          `pg_stat_activity where datname = current_database() and query like '%erased_record%' and state = 'active'
               and pid <> pg_backend_pid()`,
          [],
          quiet,
        );
        return active === 0;
      });
      const erased = await count('erased_record where project_id = $1', [project.id], quiet);
      progress.push(erased);
      expect((await request()).erased).toBe(erased);
      expect(await count('consent_record where project_id = $1', [project.id], quiet)).toBe(number - erased);
      const half = `in (select consent_id from erased_record where project_id = $1)`;
      expect(await count(`consent_record where id ${half}`, [project.id], quiet)).toBe(0);
      expect(await count(`delivery where consent_id ${half}`, [project.id], quiet)).toBe(0);
      expect(await count(`outbox_message where subject_id ${half}`, [project.id], quiet)).toBe(0);
    }
    expect(progress.at(-1)).toBe(number);
    expect(new Set(progress).size).toBeGreaterThan(2);
  });
});
