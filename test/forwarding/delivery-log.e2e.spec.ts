import { parse } from 'csv-parse/sync';
import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { prepareLog } from '../../src/modules/forwarding/application/past-deliveries.js';
import {
  RESEND_CHOSEN_MAX,
  RESENT_RECORDS_PER_DAY,
} from '../../src/modules/forwarding/application/resend.service.js';
import { newId } from '../../src/platform/identity/ids.js';
import { messageAbout, storeConsent } from '../support/people/consent.js';
import { idsAt, resendOne, startForwarding } from '../support/people/forwarding.js';
import { answered, fieldsOf, type Json } from '../support/people/json.js';
import { settled } from '../support/programs/pipeline.js';
import type { TestProject } from '../support/people/project.js';

const DAY_MS = 24 * 60 * 60 * 1000;

const forwarding = await startForwarding({ worker: false });
const working = await startForwarding({ worker: true });
const { forward, forwardOne, forwardingProject, get, proProject, service, sharedReceiver, waiting } =
  forwarding;

afterEach(async () => {
  await forwarding.resetReceivers();
  await working.resetReceivers();
});

afterAll(async () => {
  await forwarding.close();
  await working.close();
});

describe('GET …/forwarding/deliveries (design §5)', () => {
  const list = (project: TestProject, query = '') =>
    answered(project.request('viewer', 'GET', `/forwarding/deliveries${query}`));
  const itemsOf = ({ body }: { body: Json }) => body['items'] as Json[];

  it('lists attempts, newest first, without the URL', async () => {
    const project = await forwardingProject({ endpointUrl: `${sharedReceiver.url}?key=hidden` });
    await forwardOne(project);
    sharedReceiver.behave({ kind: 'answer', status: 500 });
    await forwardOne(project);
    const listed = await list(project);
    expect(listed.status).toBe(200);
    expect(itemsOf(listed)).toMatchObject([
      { outcome: 'failed', category: 'http_5xx', httpStatus: 500, host: `127.0.0.1:${sharedReceiver.port}` },
      { outcome: 'delivered', category: null, httpStatus: 204, reason: null },
    ]);
    expect(JSON.stringify(listed.body)).not.toContain('hidden');
  });

  it('pages through all of them once', async () => {
    const project = await forwardingProject();
    for (let i = 0; i < 5; i++) await forwardOne(project);
    const seen: unknown[] = [];
    let query = '?limit=2';
    for (;;) {
      const page = await list(project, query);
      seen.push(...itemsOf(page).map((item) => item['id']));
      if (page.body['nextCursor'] === null) break;
      query = `?limit=2&cursor=${String(page.body['nextCursor'])}`;
    }
    expect(seen).toHaveLength(5);
    expect(new Set(seen).size).toBe(5);
    expect(seen).toEqual(seen.toSorted().toReversed());
  });

  it('lists the attempts of one record', async () => {
    const project = await forwardingProject();
    const consentId = await storeConsent(service, project.id);
    await forwardOne(project);
    await forward([messageAbout(project.id, consentId)]);
    expect(itemsOf(await list(project, `?consentId=${consentId}`))).toMatchObject([{ consentId }]);
    expect(itemsOf(await list(project, `?consentId=${newId()}`))).toEqual([]);
    const refused = await list(project, '?consentId=x');
    expect([refused.status, fieldsOf(refused)]).toEqual([422, ['consentId']]);
  });

  it('filters by status and by the time of the attempt', async () => {
    const project = await forwardingProject();
    await forwardOne(project);
    sharedReceiver.behave({ kind: 'answer', status: 500 });
    const { attemptedAt } = await forwardOne(project);
    const iso = (ms: number) => new Date(attemptedAt.getTime() + ms).toISOString();
    expect(itemsOf(await list(project, '?status=failed'))).toHaveLength(1);
    expect(itemsOf(await list(project, '?status=skipped'))).toHaveLength(0);
    expect(itemsOf(await list(project, `?status=failed&from=${iso(0)}`))).toHaveLength(1);
    expect(itemsOf(await list(project, `?from=${iso(1)}`))).toHaveLength(0);
    expect(itemsOf(await list(project, `?status=failed&to=${iso(0)}`))).toHaveLength(0);
    expect(itemsOf(await list(project, `?status=failed&to=${iso(1)}`))).toHaveLength(1);
  });

  it('filters by why an attempt failed', async () => {
    const project = await forwardingProject();
    await forwardOne(project);
    sharedReceiver.behave({ kind: 'answer', status: 500 });
    await forwardOne(project);
    expect(itemsOf(await list(project, '?category=http_5xx'))).toMatchObject([{ category: 'http_5xx' }]);
    expect(itemsOf(await list(project, '?category=http_4xx'))).toEqual([]);
    expect(itemsOf(await list(project, '?category=http_5xx&status=delivered'))).toEqual([]);
  });

  it.each([
    'status=pending',
    'category=http_500',
    'from=yesterday',
    'from=2026-02-30',
    'to=999999-01-01',
    'limit=0',
    'limit=201',
    'limit=abc',
    'cursor=%00',
    'cursor=abc',
    'from=2026-01-01&from=2026-01-02',
    'unknown=1',
  ])('refuses %s with 422', async (query) => {
    expect((await list(await proProject(), `?${query}`)).status).toBe(422);
  });

  it("shows nothing of another project's", async () => {
    await forwardOne(await forwardingProject());
    expect(itemsOf(await list(await proProject()))).toEqual([]);
  });
});

describe('the deliveries of the last 24 hours', () => {
  const read = async (project: TestProject, query = ''): Promise<Json> => {
    const { status, body } = await answered(
      project.request('viewer', 'GET', `/forwarding/deliveries/activity${query}`),
    );
    expect(status).toBe(200);
    return body;
  };
  const sum = (activity: Json, outcome: string): number =>
    (activity['slots'] as Json[]).reduce((total, slot) => total + Number(slot[outcome]), 0);

  it('are empty for a new project', async () => {
    const activity = await read(await forwardingProject());
    const slots = activity['slots'] as Json[];
    expect(slots).toHaveLength(48);
    const times = slots.map(({ at }) => Date.parse(String(at)));
    expect(times.every((at, slot) => at % 1_800_000 === 0 && at === (times[0] ?? 0) + slot * 1_800_000)).toBe(
      true,
    );
    expect(Date.now() - (times.at(-1) ?? 0)).toBeLessThan(1_800_000);
    expect([sum(activity, 'delivered'), sum(activity, 'failed')]).toEqual([0, 0]);
    expect(activity).toMatchObject({
      today: { delivered: 0, failed: 0, more: false },
      responseTime: { p50Ms: null, p99Ms: null },
    });
  });

  it('count attempts by half hour, and the records of today by their outcome', async () => {
    const project = await forwardingProject();
    sharedReceiver.behave({ kind: 'answer', status: 500 });
    const consentId = await storeConsent(service, project.id);
    await forward([messageAbout(project.id, consentId)]);
    await forwardOne(project);
    sharedReceiver.behave({ kind: 'answer', status: 204 });
    // The record that failed is delivered now, and not counted as failed.
    await forward([messageAbout(project.id, consentId)]);
    await forwardOne(project);
    // One of yesterday, and one that is older than 24 hours.
    await prepareLog(service.database.orm.em, new Date(Date.now() - 2 * DAY_MS), new Date());
    await service.database.query(
      `insert into delivery (project_id, id, consent_id, outcome, duration_ms, attempted_at)
       select $1, uuidv7(-make_interval(hours => age)), uuidv7(), 'delivered', 99000, now() from unnest($2::int[]) age`,
      [project.id, [23, 25]],
    );
    // A repeat that failed after its record was delivered, and one that was not attempted.
    await service.database.query(
      `insert into delivery (project_id, id, consent_id, outcome, duration_ms, attempted_at, superseded)
       values ($1, uuidv7(), uuidv7(), 'failed', 1, now(), true),
              ($1, uuidv7(), uuidv7(), 'skipped', 500000, now(), false)`,
      [project.id],
    );
    const activity = await read(project, `?timeZone=${encodeURIComponent(zoneAtNoon())}`);
    expect([sum(activity, 'delivered'), sum(activity, 'failed')]).toEqual([3, 2]);
    const slots = activity['slots'] as Json[];
    expect(slots.slice(0, 3).reduce((total, { delivered }) => total + Number(delivered), 0)).toBe(1);
    expect(activity['today']).toEqual({ delivered: 2, failed: 1, more: false });
    const { p50Ms, p99Ms } = activity['responseTime'] as { p50Ms: number; p99Ms: number };
    expect(p50Ms).toBeLessThan(50_000);
    expect(p99Ms).toBeGreaterThan(50_000);
    expect(p99Ms).toBeLessThan(100_000);
  });
});

/** A time zone in which it is noon now, so that midnight is far. */
function zoneAtNoon(): string {
  const ahead = 12 - new Date().getUTCHours();
  return ahead === 0 ? 'UTC' : `Etc/GMT${ahead > 0 ? '-' : '+'}${Math.abs(ahead)}`;
}

describe("the record's delivery (design §5)", () => {
  it('is null, then pending, then the last attempt', async () => {
    const project = await forwardingProject();
    const consentId = await storeConsent(service, project.id);
    const read = async () =>
      (await answered(project.request('viewer', 'GET', `/consents/${consentId}`))).body['delivery'];
    expect(await read()).toBeNull();
    await project.request('editor', 'POST', `/forwarding/deliveries/${consentId}/resend`);
    expect(await read()).toEqual({ outcome: 'pending' });
    await service.database.query('delete from outbox_message where project_id = $1', [project.id]);
    await forward([messageAbout(project.id, consentId)]);
    expect(await read()).toMatchObject({ outcome: 'delivered', consentId, httpStatus: 204 });
  });

  const exported = async (project: TestProject, query: string): Promise<string[]> => {
    const response = await project.request('viewer', 'GET', `/consents/export?format=csv&${query}`);
    expect(response.status).toBe(200);
    const [, ...rows] = parse(await response.text()) as string[][];
    return rows.map(([id]) => String(id));
  };

  it('narrows the list and the export of records, by the latest of all attempts', async () => {
    const project = await forwardingProject();
    const store = () => storeConsent(service, project.id);
    const [mended, failed, unsent, waitsAgain] = [await store(), await store(), await store(), await store()];
    await service.database.query(`update consent_record set skipped_reason = 'off' where id = $1`, [unsent]);
    sharedReceiver.behave({ kind: 'answer', status: 500 });
    for (const id of [mended, failed, waitsAgain]) await forward([messageAbout(project.id, id)]);
    sharedReceiver.behave({ kind: 'answer', status: 204 });
    await forward([messageAbout(project.id, mended)]);
    await resendOne(project, waitsAgain);
    const found = async (query: string): Promise<unknown[]> => {
      const { body } = await answered(project.request('viewer', 'GET', `/consents?${query}`));
      expect(body['searchedTo']).toBeNull();
      return (body['items'] as Json[]).map(({ id }) => id);
    };
    const states = ['delivered', 'failed', 'skipped', 'pending', 'unsent'];
    const lists = await Promise.all(states.map((state) => found(`delivery=${state}`)));
    expect(Object.fromEntries(states.map((state, index) => [state, lists[index]]))).toEqual({
      delivered: [mended],
      failed: [failed],
      skipped: [],
      pending: [waitsAgain],
      unsent: [unsent],
    });
    for (const [index, state] of states.entries())
      expect(await exported(project, `delivery=${state}`)).toEqual(lists[index]);
    const { body } = await answered(project.request('viewer', 'GET', '/consents?withDelivery=true'));
    expect(new Map((body['items'] as Json[]).map(({ id, deliveryState }) => [id, deliveryState]))).toEqual(
      new Map<unknown, unknown>([
        [mended, 'delivered'],
        [failed, 'failed'],
        [waitsAgain, 'pending'],
        [unsent, 'unsent'],
      ]),
    );
    expect(await found('delivery=failed&analytics=false')).toEqual([]);
    const refused = await answered(project.request('viewer', 'GET', '/consents?delivery=sent'));
    expect([refused.status, fieldsOf(refused)]).toEqual([422, ['delivery']]);
  });

  it('is that of its project, where another one has a record under the same id', async () => {
    const [project, other] = [await forwardingProject(), await forwardingProject()];
    const id = await storeConsent(service, project.id);
    await storeConsent(service, other.id, { id });
    sharedReceiver.behave({ kind: 'answer', status: 500 });
    await forward([messageAbout(project.id, id)]);
    sharedReceiver.behave({ kind: 'answer', status: 204 });
    await forward([messageAbout(other.id, id)]);
    const ask = async (of: TestProject, method: string, path: string, body?: Json): Promise<Json> =>
      (await answered(of.request('owner', method, path, body))).body;
    for (const [of, outcome] of [
      [project, 'failed'],
      [other, 'delivered'],
    ] as const) {
      expect(await ask(of, 'GET', `/consents/${id}`)).toMatchObject({ delivery: { outcome } });
      expect(await ask(of, 'GET', `/consents?delivery=${outcome}`)).toMatchObject({ items: [{ id }] });
    }
    const period = { from: new Date(Date.now() - DAY_MS), to: new Date(Date.now() + DAY_MS) };
    const failed = { status: 'failed', ...period };
    expect(await ask(project, 'POST', '/forwarding/deliveries/resend/count', failed)).toMatchObject({
      records: 1,
    });

    // Erasing one leaves the other, and everything about it.
    expect(await resendOne(other, id)).toMatchObject({ body: { queued: 1 } });
    await service.database.query(
      `insert into delivery_retry
         (project_id, consent_id, attempts, delivery_id, queued_since, first_attempt_at, due_at)
       values ($1, $2, 1, uuidv7(), now(), now(), now() + interval '1 hour')`,
      [other.id, id],
    );
    expect((await project.request('owner', 'DELETE', `/consents/${id}`, { reason: 'r' })).status).toBe(204);
    expect((await project.request('viewer', 'GET', `/consents/${id}`)).status).toBe(404);
    expect(await ask(other, 'GET', `/consents/${id}`)).toMatchObject({ id, projectId: other.id });
    expect(await ask(other, 'GET', '/forwarding/deliveries')).toMatchObject({ items: [{ consentId: id }] });
    expect(await waiting(other.id)).toEqual([id]);
    expect(
      await service.database.query('select project_id from delivery_retry where consent_id = $1', [id]),
    ).toEqual([{ project_id: other.id }]);
  });

  it('looks at a bounded number of records where it is filtered by, and says how far back', async () => {
    const project = await forwardingProject();
    const oldest = await storeConsent(service, project.id);
    sharedReceiver.behave({ kind: 'answer', status: 500 });
    await forward([messageAbout(project.id, oldest)]);
    // As many as one page looks at, all of them newer.
    await service.database.query(
      `insert into consent_record (project_id, id, analytics, marketing, preferences, action, received_at)
       select $1, uuidv7(), true, true, true, 'accept_all', now() from generate_series(1, 1000)`,
      [project.id],
    );
    const ask = (query: string) =>
      answered(project.request('viewer', 'GET', `/consents?delivery=failed${query}`));
    const first = await ask('');
    expect(first.body).toMatchObject({ items: [], searchedTo: expect.any(String) });
    const second = await ask(`&cursor=${String(first.body['nextCursor'])}`);
    expect(second.body).toMatchObject({ items: [{ id: oldest }], nextCursor: null });
    const newest = await storeConsent(service, project.id);
    await forward([messageAbout(project.id, newest)]);
    expect(await exported(project, 'delivery=failed')).toEqual([oldest, newest]);
  });

  it('counts what is waiting', async () => {
    const project = await forwardingProject();
    const consentId = await storeConsent(service, project.id);
    await project.request('editor', 'POST', `/forwarding/deliveries/${consentId}/resend`);
    expect((await get(project)).body).toMatchObject({ pending: 1 });
  });
});

describe('sending again by hand (spec §3.3, design §5)', () => {
  const resendMany = (project: TestProject, body: Json = {}) =>
    answered(
      project.request('editor', 'POST', '/forwarding/deliveries/resend', {
        status: 'failed',
        from: new Date(Date.now() - DAY_MS).toISOString(),
        to: new Date(Date.now() + DAY_MS).toISOString(),
        ...body,
      }),
    );

  it('counts what it would queue, and changes nothing', async () => {
    const project = await forwardingProject();
    const ids = [await storeConsent(service, project.id), await storeConsent(service, project.id)];
    await service.database.query('delete from outbox_message where project_id = $1', [project.id]);
    await service.database.query(`update consent_record set skipped_reason = 'off' where project_id = $1`, [
      project.id,
    ]);
    const range = {
      status: 'unsent',
      from: new Date(Date.now() - DAY_MS).toISOString(),
      to: new Date(Date.now() + DAY_MS).toISOString(),
    };
    const count = () =>
      answered(project.request('editor', 'POST', '/forwarding/deliveries/resend/count', range));
    expect(await count()).toEqual({ status: 200, body: { records: 2, more: false } });
    expect(await waiting(project.id)).toEqual([]);
    expect(await resendMany(project, { status: 'unsent' })).toMatchObject({ body: { queued: ids.length } });
    expect(await count()).toEqual({ status: 200, body: { records: 0, more: false } });
    const tooLong = { ...range, from: new Date(Date.now() - 20 * DAY_MS).toISOString() };
    const refused = await project.request('editor', 'POST', '/forwarding/deliveries/resend/count', tooLong);
    expect(refused.status).toBe(422);
  });

  it('queues one record, once while it waits', async () => {
    const project = await forwardingProject();
    const consentId = await storeConsent(service, project.id);
    expect(await resendOne(project, consentId)).toEqual({ status: 202, body: { queued: 1 } });
    expect(await resendOne(project, consentId.toUpperCase())).toEqual({ status: 202, body: { queued: 0 } });
    expect(await waiting(project.id)).toEqual([consentId]);
  });

  it('sends the same webhook-id again', async () => {
    const project = await forwardingProject();
    const consentId = await storeConsent(service, project.id);
    await forward([messageAbout(project.id, consentId)]);
    await forward([messageAbout(project.id, consentId)]);
    expect(sharedReceiver.requests.map(({ headers }) => headers['webhook-id'])).toEqual([
      consentId,
      consentId,
    ]);
  });

  it.each(['nonsense', newId()])('answers 404 for the record %s', async (consentId) => {
    expect(await resendOne(await forwardingProject(), consentId)).toMatchObject({
      status: 404,
      body: { code: 'consent_not_found' },
    });
  });

  it("answers 404 for another project's record", async () => {
    const other = await forwardingProject();
    const consentId = await storeConsent(service, other.id);
    expect((await resendOne(await forwardingProject(), consentId)).status).toBe(404);
  });

  it('queues the records of a range whose latest attempt failed, and no others', async () => {
    const project = await forwardingProject();
    const ids = [];
    for (let i = 0; i < 3; i++) ids.push(await storeConsent(service, project.id));
    const [failed, mended, delivered] = ids as [string, string, string];
    sharedReceiver.behave({ kind: 'answer', status: 500 });
    await forward([messageAbout(project.id, failed), messageAbout(project.id, mended)]);
    sharedReceiver.behave({ kind: 'answer', status: 204 });
    await new Promise(setImmediate);
    await forward([messageAbout(project.id, mended), messageAbout(project.id, delivered)]);
    const [first, second] = await Promise.all([resendMany(project), resendMany(project)]);
    expect([first?.body['queued'], second?.body['queued']].toSorted()).toEqual([0, 1]);
    expect(await waiting(project.id)).toEqual([failed]);
  });

  it('queues those of a range that failed for one reason', async () => {
    const project = await forwardingProject();
    sharedReceiver.behave({ kind: 'answer', status: 500 });
    await forwardOne(project);
    sharedReceiver.behave({ kind: 'answer', status: 404 });
    const consentId = await storeConsent(service, project.id);
    await forward([messageAbout(project.id, consentId)]);
    const category = 'http_4xx';
    expect(fieldsOf(await resendMany(project, { status: 'skipped', category }))).toEqual(['category']);
    expect(fieldsOf(await resendMany(project, { category: 'http_404' }))).toEqual(['category']);
    expect((await resendMany(project, { category })).body).toEqual({ queued: 1, more: false });
    expect(await waiting(project.id)).toEqual([consentId]);
  });

  it('queues the named records, once each, and leaves out what waits, is gone or is not its own', async () => {
    const project = await forwardingProject();
    const ids = [];
    for (let i = 0; i < 3; i++) ids.push(await storeConsent(service, project.id));
    const [first, second, third] = ids as [string, string, string];
    const foreign = await storeConsent(service, (await forwardingProject()).id);
    const send = (consentIds: unknown) =>
      answered(project.request('editor', 'POST', '/forwarding/deliveries/resend/chosen', { consentIds }));
    await resendOne(project, second);
    const chosen = [third, second, first, first.toUpperCase(), foreign, newId()];
    expect(await send(chosen)).toEqual({ status: 202, body: { queued: 2, more: false } });
    expect(await waiting(project.id)).toEqual([second, first, third]);
    expect(await send(chosen)).toEqual({ status: 202, body: { queued: 0, more: false } });
    const many = Array.from({ length: RESEND_CHOSEN_MAX }, newId);
    expect(await send(many)).toEqual({ status: 202, body: { queued: 0, more: false } });
    for (const wrong of [[], ['x'], 'x', null, [...many, newId()]])
      expect([...new Set(fieldsOf(await send(wrong)))]).toEqual(['consentIds']);
  });

  it('queues no more of the named records than the day has left', async () => {
    const project = await forwardingProject();
    const ids = [await storeConsent(service, project.id), await storeConsent(service, project.id)];
    await service.database.query(
      `update forwarding_settings set resent_on_day = $2, usage_day = (now() at time zone 'UTC')::date
       where project_id = $1`,
      [project.id, RESENT_RECORDS_PER_DAY - 1],
    );
    const send = () =>
      answered(
        project.request('editor', 'POST', '/forwarding/deliveries/resend/chosen', { consentIds: ids }),
      );
    expect(await send()).toEqual({ status: 202, body: { queued: 1, more: true } });
    expect(await send()).toMatchObject({ status: 429, body: { code: 'too_many_requests' } });
    expect(await waiting(project.id)).toEqual([ids[0]]);
  });

  it('queues no more of a range than the day has left', async () => {
    const project = await forwardingProject();
    const ids = [await storeConsent(service, project.id), await storeConsent(service, project.id)];
    await service.database.query(`update consent_record set skipped_reason = 'off' where project_id = $1`, [
      project.id,
    ]);
    await service.database.query(
      `update forwarding_settings set resent_on_day = $2, usage_day = (now() at time zone 'UTC')::date
       where project_id = $1`,
      [project.id, RESENT_RECORDS_PER_DAY - 1],
    );
    const send = () => resendMany(project, { status: 'unsent' });
    expect(await send()).toEqual({ status: 202, body: { queued: 1, more: true } });
    expect(await send()).toMatchObject({ status: 429, body: { code: 'too_many_requests' } });
    expect(await waiting(project.id)).toEqual([ids[0]]);
  });

  it('queues skipped ones, where asked', async () => {
    const project = await forwardingProject({ enabled: false });
    await forwardOne(project);
    expect((await resendMany(project)).body).toMatchObject({ queued: 0 });
    expect(await resendMany(project, { status: 'skipped' })).toEqual({
      status: 202,
      body: { queued: 1, more: false },
    });
  });

  it('takes 14 days at once, and no more', async () => {
    const project = await forwardingProject();
    const to = new Date();
    const fromBefore = (ms: number) => new Date(to.getTime() - ms).toISOString();
    const ask = (ms: number) => resendMany(project, { from: fromBefore(ms), to: to.toISOString() });
    expect((await ask(14 * DAY_MS)).status).toBe(202);
    expect(fieldsOf(await ask(14 * DAY_MS + 1))).toEqual(['to']);
    expect(fieldsOf(await ask(0))).toEqual(['to']);
  });

  it.each<Json>([{ status: 'delivered' }, { from: undefined }, { to: 'tomorrow' }, { from: 7 }, { x: 1 }])(
    'refuses %j with 422',
    async (body) => {
      expect((await resendMany(await forwardingProject(), body)).status).toBe(422);
    },
  );
});

describe('sending again by hand, where a worker forwards (spec §3.3)', () => {
  const { receive, choose, forwardingTo } = working;

  it('one record, with the same ids', async () => {
    const receiver = await receive({ kind: 'answer', status: 500 });
    const project = await forwardingTo(receiver.url);
    const { id } = await choose(project.id);
    await settled(project, id);
    receiver.behave({ kind: 'answer', status: 204 });
    expect(await resendOne(project, id)).toEqual({ status: 202, body: { queued: 1 } });
    expect(await settled(project, id, 2)).toMatchObject({ outcome: 'delivered' });
    const [first, second] = receiver.requests;
    expect(second?.body).toBe(first?.body);
    // Each attempt says when it was made.
    const timestamp = expect.stringMatching(/^\d+$/);
    expect(second?.headers).toEqual({ ...first?.headers, 'webhook-timestamp': timestamp });
  });

  it('the failed ones of a range, and those alone', async () => {
    const receiver = await receive({ kind: 'answer', status: 500 });
    const project = await forwardingTo(receiver.url);
    const failed = [];
    for (let i = 0; i < 5; i++) failed.push((await choose(project.id)).id);
    for (const id of failed) await settled(project, id);
    receiver.behave({ kind: 'answer', status: 204 });
    const delivered = await choose(project.id);
    await settled(project, delivered.id);
    const range = {
      status: 'failed',
      from: new Date(Date.now() - DAY_MS).toISOString(),
      to: new Date(Date.now() + DAY_MS).toISOString(),
    };
    const response = await project.request('editor', 'POST', '/forwarding/deliveries/resend', range);
    expect(response.status).toBe(202);
    expect(await response.json()).toEqual({ queued: 5, more: false });
    for (const id of failed) expect(await settled(project, id, 2)).toMatchObject({ outcome: 'delivered' });
    expect(idsAt(receiver).filter((id) => id === delivered.id)).toHaveLength(1);
    expect(receiver.requests).toHaveLength(5 + 1 + 5);
  });
});
