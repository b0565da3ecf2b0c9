import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { RetryScheduler } from '../../src/modules/forwarding/application/retry-scheduler.js';
import { arrived, idsAt, resendOne, startForwarding } from '../support/people/forwarding.js';
import type { Json } from '../support/people/json.js';
import { deliveriesOf, read, saveForwarding } from '../support/programs/pipeline.js';
import type { TestProject } from '../support/people/project.js';
import type { Behaviour, Receiver } from '../support/fakes/receiver.js';
import { until } from '../support/until.js';

const forwarding = await startForwarding({ worker: true });
const { choose, forwardingTo, receive, service } = forwarding;

afterEach(forwarding.resetReceivers);
afterAll(forwarding.close);

const ON = { authMode: 'none', retryFailures: { enabled: true } };
const unavailable: Behaviour = { kind: 'answer', status: 503 };

async function retrying(
  behaviour: Behaviour = unavailable,
): Promise<{ project: TestProject; receiver: Receiver }> {
  const receiver = await receive(behaviour);
  return { project: await forwardingTo(receiver.url, ON), receiver };
}
type StoredRetry = {
  consent_id: string;
  attempts: number;
  queued_at: Date | null;
  wait_ms: number;
};
const retriesOf = (project: TestProject): Promise<StoredRetry[]> =>
  service.database.query<StoredRetry>(
    `select consent_id, attempts, queued_at, (extract(epoch from due_at - now()) * 1000)::float8 as wait_ms
     from delivery_retry where project_id = $1 order by consent_id`,
    [project.id],
  );
/** The retry of a record, once that many attempts have failed. */
const waits = (project: TestProject, id: string, attempts = 1): Promise<StoredRetry> =>
  until(`a retry of ${id} waits`, async () =>
    (await retriesOf(project)).find(
      (row) => row.consent_id === id && row.attempts === attempts && row.queued_at === null,
    ),
  );
/** As if that time had passed. */
const letPass = (project: TestProject, seconds: number): Promise<unknown> =>
  service.database.query(
    `update delivery_retry
     set due_at = due_at - make_interval(secs => $2), first_attempt_at = first_attempt_at - make_interval(secs => $2)
     where project_id = $1`,
    [project.id, seconds],
  );
const isOver = (project: TestProject): Promise<unknown> =>
  until('no retry is left', async () => (await retriesOf(project)).length === 0);
const detail = async (project: TestProject, id: string): Promise<Json> =>
  (await read(project, `/consents/${id}`))['delivery'] as Json;
const listed = async (project: TestProject, delivery: string): Promise<unknown[]> =>
  (await read<{ items: { id: string }[] }>(project, `/consents?delivery=${delivery}`)).items.map(
    ({ id }) => id,
  );

describe('automatic retries', () => {
  it('are off until an owner turns them on, and a failed attempt stays failed', async () => {
    const receiver = await receive(unavailable);
    const project = await forwardingTo(receiver.url, { authMode: 'none' });
    expect((await read(project, '/forwarding'))['retryFailures']).toEqual({ enabled: false, hours: 24 });
    const { id } = await choose(project.id);
    await until('it has failed', async () => (await detail(project, id))?.['outcome'] === 'failed');
    expect(await retriesOf(project)).toEqual([]);
  });

  it('send a record until the endpoint accepts it, and the log has each attempt', async () => {
    const { project, receiver } = await retrying();
    const { id } = await choose(project.id);
    const first = await waits(project, id);
    expect([first.wait_ms > 3_000, first.wait_ms <= 6_000]).toEqual([true, true]);
    expect(await detail(project, id)).toEqual({
      outcome: 'pending',
      attempt: 2,
      nextAttemptAt: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    expect(await listed(project, 'pending')).toEqual([id]);
    expect(await listed(project, 'failed')).toEqual([]);
    expect(await read(project, '/forwarding')).toMatchObject({ pending: 1, waiting: 1, retrying: 1 });
    expect(await deliveriesOf(project)).toMatchObject([
      {
        consentId: id,
        outcome: 'failed',
        attempt: 1,
        nextAttemptAt: (await detail(project, id))['nextAttemptAt'],
      },
    ]);

    await letPass(project, 10);
    const second = await waits(project, id, 2);
    expect([second.wait_ms > 8_000, second.wait_ms <= 12_000]).toEqual([true, true]);
    receiver.behave({ kind: 'answer', status: 204 });
    await letPass(project, 20);
    await isOver(project);
    expect(await detail(project, id)).toMatchObject({
      outcome: 'delivered',
      attempt: 3,
      nextAttemptAt: null,
    });
    expect((await deliveriesOf(project)).map(({ outcome }) => outcome)).toEqual([
      'delivered',
      'failed',
      'failed',
    ]);
    expect(await deliveriesOf(project)).toMatchObject(
      [3, 2, 1].map((attempt) => ({ attempt, nextAttemptAt: null })),
    );
    expect(idsAt(receiver)).toEqual([id, id, id]);
    expect(new Set(receiver.requests.map(({ headers }) => headers['webhook-id']))).toEqual(new Set([id]));
    expect(await listed(project, 'delivered')).toEqual([id]);
    expect(await read(project, '/forwarding')).toMatchObject({ pending: 0, retrying: 0 });
  });

  it('obey Retry-After', async () => {
    const { project } = await retrying({ kind: 'answer', status: 429, headers: { 'retry-after': '900' } });
    const { id } = await choose(project.id);
    const { wait_ms: waitMs } = await waits(project, id);
    expect([waitMs > 890_000, waitMs <= 900_000]).toEqual([true, true]);
  });

  it.each([400, 422, 301])('do not follow %i: the record fails at once', async (status) => {
    const { project } = await retrying({
      kind: 'answer',
      status,
      headers: { location: 'https://example.com/' },
    });
    const { id } = await choose(project.id);
    await until('it has failed', async () => (await detail(project, id))?.['outcome'] === 'failed');
    expect(await retriesOf(project)).toEqual([]);
  });

  it('end with a permanent failure', async () => {
    const { project, receiver } = await retrying();
    const { id } = await choose(project.id);
    await waits(project, id);
    receiver.behave({ kind: 'answer', status: 422 });
    await letPass(project, 10);
    await isOver(project);
    expect(await detail(project, id)).toMatchObject({ outcome: 'failed', httpStatus: 422, attempt: 2 });
  });

  it('end with the hours, and the record keeps its last reason', async () => {
    const { project, receiver } = await retrying();
    await saveForwarding(project, {
      ...ON,
      endpointUrl: receiver.url,
      retryFailures: { enabled: true, hours: 2 },
    });
    const { id } = await choose(project.id);
    await waits(project, id);
    await letPass(project, 7_210);
    await isOver(project);
    expect(receiver.requests).toHaveLength(1);
    expect(await detail(project, id)).toMatchObject({
      outcome: 'failed',
      httpStatus: 503,
      nextAttemptAt: null,
    });
  });

  it.each(['turned off', 'forwarding off', 'tier lost'])('end when %s', async (how) => {
    const { project, receiver } = await retrying({
      kind: 'answer',
      status: 429,
      headers: { 'retry-after': '900' },
    });
    const { id } = await choose(project.id);
    await waits(project, id);
    if (how === 'tier lost') {
      await service.database.query(
        `update project set tier = 'lite', tier_valid_until = null where id = $1`,
        [project.id],
      );
    } else {
      await saveForwarding(project, {
        endpointUrl: receiver.url,
        authMode: 'none',
        enabled: how === 'turned off',
        ...(how === 'turned off' && { retryFailures: { enabled: false } }),
      });
    }
    await isOver(project);
    expect(await detail(project, id)).toMatchObject({
      outcome: 'failed',
      httpStatus: 429,
      nextAttemptAt: null,
    });
    expect(await listed(project, 'failed')).toEqual([id]);
    expect(receiver.requests).toHaveLength(1);
  });

  it('are not doubled by a resend', async () => {
    const { project } = await retrying();
    const { id } = await choose(project.id);
    await waits(project, id);
    expect(await resendOne(project, id)).toMatchObject({ status: 202, body: { queued: 0 } });
    const chosen = await project.request('editor', 'POST', '/forwarding/deliveries/resend/chosen', {
      consentIds: [id],
    });
    expect(await chosen.json()).toMatchObject({ queued: 0 });
    const period = { from: new Date(Date.now() - 60_000), to: new Date(Date.now() + 60_000) };
    const many = await project.request('editor', 'POST', '/forwarding/deliveries/resend/count', {
      status: 'failed',
      ...period,
    });
    expect(await many.json()).toEqual({ records: 0, more: false });
  });

  it('end with the erasure of the record', async () => {
    const { project, receiver } = await retrying();
    const { id } = await choose(project.id);
    const { id: other } = await choose(project.id);
    await waits(project, id);
    await waits(project, other);
    expect(
      (await project.request('owner', 'DELETE', `/consents/${id}`, { reason: 'request' })).status,
    ).toBeLessThan(300);
    expect((await retriesOf(project)).map((row) => row.consent_id)).toEqual([other]);
    expect((await deliveriesOf(project)).map(({ consentId }) => consentId)).toEqual([other]);
    receiver.behave({ kind: 'answer', status: 204 });
    await letPass(project, 10);
    await isOver(project);
    expect(idsAt(receiver).filter((at) => at === id)).toHaveLength(1);
  });

  it('are due soon where the settings are saved, those of the project alone', async () => {
    const later: Behaviour = { kind: 'answer', status: 429, headers: { 'retry-after': '900' } };
    const [{ project, receiver }, other] = [await retrying(later), await retrying(later)];
    const { id } = await choose(project.id);
    const { id: othersId } = await choose(other.project.id);
    await waits(project, id);
    await waits(other.project, othersId);
    await saveForwarding(project, { ...ON, endpointUrl: receiver.url });
    await waits(project, id, 2);
    const [others] = await retriesOf(other.project);
    expect(others).toMatchObject({ consent_id: othersId, attempts: 1, queued_at: null });
    expect(others?.wait_ms).toBeGreaterThan(600_000);
  });

  it('serve as probes of a held project, and are due when the hold ends', async () => {
    const { project, receiver } = await retrying();
    const ids = [];
    for (let count = 0; count < 4; count++) ids.push((await choose(project.id)).id);
    for (const id of ids) await waits(project, id);
    await service.database.query(
      `update forwarding_hold set failing_since = failing_since - interval '10 seconds' where project_id = $1`,
      [project.id],
    );
    ids.push((await choose(project.id)).id);
    await until('it is held', async () => (await read(project, '/forwarding'))['state'] === 'held');
    expect(await read(project, '/forwarding')).toMatchObject({ pending: 5, retrying: 5 });
    const probe = (): Promise<unknown> =>
      service.database.query('update claim_throttle set next_claim_at = now() where ordering_key = $1', [
        project.id,
      ]);
    await letPass(project, 60);
    await until('one of them is the next probe', async () =>
      (await retriesOf(project)).some((row) => row.queued_at !== null),
    );
    expect(receiver.requests).toHaveLength(5);
    await probe();
    await until('the probe has failed', () => receiver.requests.length === 6);
    receiver.behave({ kind: 'answer', status: 204 });
    await until('the next one is queued', async () =>
      (await retriesOf(project)).some((row) => row.queued_at !== null),
    );
    await service.database.query(
      `update delivery_retry set due_at = now() + interval '4 minutes' where project_id = $1 and queued_at is null`,
      [project.id],
    );
    await probe();
    await isOver(project);
    expect(new Set(idsAt(receiver).slice(6))).toEqual(new Set(ids));
    expect(receiver.requests).toHaveLength(6 + ids.length);
    expect(await read(project, '/forwarding')).toMatchObject({ state: 'active', pending: 0 });
  });

  it('are no probe while a new record waits, and count once in pending while they are queued', async () => {
    const { project } = await retrying();
    const ids = [];
    for (let count = 0; count < 5; count++) ids.push((await choose(project.id)).id);
    for (const id of ids) await waits(project, id);
    await service.database.query(
      `update forwarding_hold set failing_since = failing_since - interval '10 seconds' where project_id = $1`,
      [project.id],
    );
    ids.push((await choose(project.id)).id);
    await until('it is held', async () => (await read(project, '/forwarding'))['state'] === 'held');
    await until('all of them wait', async () => (await retriesOf(project)).length === ids.length);
    await service.database.query(
      `update claim_throttle set next_claim_at = now() + interval '1 hour' where ordering_key = $1`,
      [project.id],
    );
    const { id: waiting } = await choose(project.id);
    await service.database.query('delete from outbox_message where project_id = $1 and subject_id <> $2', [
      project.id,
      waiting,
    ]);
    await service.database.query('update delivery_retry set queued_at = null where project_id = $1', [
      project.id,
    ]);
    await letPass(project, 60);
    const queued = async (): Promise<number> =>
      (await retriesOf(project)).filter((row) => row.queued_at !== null).length;
    const scheduler = service.app.get(RetryScheduler, { strict: false });
    for (let step = 0; step < 3; step++) await scheduler.step();
    expect(await queued()).toBe(0);
    const [oldest] = await service.database.query<{ at: Date }>(
      'select min(queued_since) as at from delivery_retry where project_id = $1',
      [project.id],
    );
    expect(await read(project, '/forwarding')).toMatchObject({ oldestWaitingAt: oldest?.at.toISOString() });
    await service.database.query('delete from outbox_message where project_id = $1 and subject_id = $2', [
      project.id,
      waiting,
    ]);
    await until('one of them is the next probe', queued);
    expect(await read(project, '/forwarding')).toMatchObject({ pending: ids.length, retrying: ids.length });
  });

  it('do not delay first attempts, although the endpoint lets them hang', async () => {
    const { project, receiver } = await retrying();
    const ids = [];
    for (let count = 0; count < 4; count++) ids.push((await choose(project.id)).id);
    for (const id of ids) await waits(project, id);
    receiver.behave({ kind: 'hang' });
    await letPass(project, 60);
    await until('retries hang', () => receiver.requests.length > ids.length);
    receiver.behave({ kind: 'answer', status: 204 });
    const { id } = await choose(project.id);
    await arrived(receiver, id);
  });
});

describe('the setting', () => {
  it('is validated, kept where omitted, audited, and part of the ETag', async () => {
    const { project, receiver } = await retrying();
    const save = (retryFailures?: unknown): ReturnType<typeof saveForwarding> =>
      saveForwarding(project, {
        endpointUrl: receiver.url,
        authMode: 'none',
        ...(retryFailures !== undefined && { retryFailures }),
      });
    for (const hours of [0, 73, 1.5, '24']) expect((await save({ enabled: true, hours })).status).toBe(422);
    expect((await save({ hours: 3 })).status).toBe(422);
    expect((await save({ enabled: true, hours: 72 })).body['retryFailures']).toEqual({
      enabled: true,
      hours: 72,
    });
    const etag = (await project.request('viewer', 'GET', '/forwarding')).headers.get('etag');
    expect((await save({ enabled: true, hours: 1 })).body['retryFailures']).toEqual({
      enabled: true,
      hours: 1,
    });
    expect((await project.request('viewer', 'GET', '/forwarding')).headers.get('etag')).not.toBe(etag);
    expect((await save()).body['retryFailures']).toEqual({ enabled: true, hours: 1 });
    expect((await save({ enabled: false })).body['retryFailures']).toEqual({ enabled: false, hours: 1 });
    const audit = await project.request('owner', 'GET', '/audit');
    const { items } = (await audit.json()) as { items: unknown[] };
    expect(items[0]).toMatchObject({
      action: 'forwarding.save',
      before: { retryFailures: true },
      after: { retryFailures: false },
    });
    expect(items[1]).toMatchObject({ before: { retryHours: 72 }, after: { retryHours: 1 } });
  });
});
