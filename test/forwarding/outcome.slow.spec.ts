import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { createCertificateAuthority } from '../../src/standalone/certificates.js';
import { newId } from '../../src/platform/identity/ids.js';
import { messageAbout, storeConsent } from '../support/people/consent.js';
import { idsAt, POLL_MS, startForwarding } from '../support/people/forwarding.js';
import type { Json } from '../support/people/json.js';
import { deliveriesOf, read, settled } from '../support/programs/pipeline.js';
import type { TestProject } from '../support/people/project.js';
import type { Behaviour } from '../support/fakes/receiver.js';
import { until } from '../support/until.js';

const forwarding = await startForwarding({ worker: true });
const {
  announcedIds,
  choose,
  forwarder,
  forwardOne,
  forwardingProject,
  forwardingTo,
  get,
  receive,
  receiveAs,
  service,
  settle,
  sharedReceiver,
  waiting,
} = forwarding;

afterEach(forwarding.resetReceivers);
afterAll(forwarding.close);

describe('the outcome of a record (spec §3.3, §7)', () => {
  it.each([200, 201, 202, 204, 299])(
    'row 1: an answer of %d is a delivery, and no failure',
    async (status) => {
      const receiver = await receive({ kind: 'answer', status });
      const project = await forwardingTo(receiver.url);
      const { id } = await choose(project.id);
      expect(await settled(project, id)).toMatchObject({
        outcome: 'delivered',
        category: null,
        reason: null,
      });
      expect(await read(project, '')).toMatchObject({ lastFailureReason: null });
      expect(await read(project, '/forwarding')).toMatchObject({ lastFailure: null, pending: 0 });
    },
  );

  it.each<[string, number, string]>([
    ['row 2', 300, 'redirect'],
    ['row 2', 301, 'redirect'],
    ['row 2', 304, 'redirect'],
    ['row 2', 400, 'http_4xx'],
    ['row 2, §7 row 1', 401, 'http_4xx'],
    ['row 2', 404, 'http_4xx'],
    ['row 2', 410, 'http_4xx'],
    ['row 2', 429, 'http_4xx'],
    ['row 2', 500, 'http_5xx'],
    ['row 2', 503, 'http_5xx'],
    ['row 2', 600, 'http_other'],
  ])('%s: an answer of %d is a failure (%s)', async (_, status, category) => {
    const receiver = await receive({
      kind: 'answer',
      status,
      ...(status !== 304 && { body: '{"error":"inner detail"}' }),
      headers: { location: 'https://127.0.0.1:1/elsewhere', 'retry-after': '1' },
    });
    const project = await forwardingTo(receiver.url);
    const receipt = await choose(project.id);
    expect(receipt.status).toBe(201);
    await expectFailure(project, receipt.id, { category, httpStatus: status });
    expect(receiver.requests).toHaveLength(1);
  });

  it.each<[string, string, Behaviour]>([
    ['hangs', 'timeout', { kind: 'hang' }],
    ['drips', 'timeout', { kind: 'drip' }],
    ['resets the connection', 'reset', { kind: 'reset' }],
    ['stops within its status line', 'reset', { kind: 'reset_mid_head' }],
    ['speaks no HTTP', 'http_other', { kind: 'garbage' }],
  ])('row 3: a receiver that %s is a failure (%s)', async (_, category, behaviour) => {
    const receiver = await receive(behaviour);
    const project = await forwardingTo(receiver.url);
    const receipt = await choose(project.id);
    expect(receipt.status).toBe(201);
    await expectFailure(project, receipt.id, { category, httpStatus: null });
  });

  it('row 3: a receiver that is not there is a failure', async () => {
    // A port that the system never assigns.
    const project = await forwardingTo('https://127.0.0.1:1/hook');
    await expectFailure(project, (await choose(project.id)).id, { category: 'connect' });
  });

  it('row 3: a certificate that has expired is a failure, and nothing is sent', async () => {
    const receiver = await receive(undefined, { expired: true });
    const project = await forwardingTo(receiver.url);
    await expectFailure(project, (await choose(project.id)).id, { category: 'tls' });
    expect(receiver.requests).toEqual([]);
  });

  it('row 3: a certificate of an unknown authority is a failure, and nothing is sent', async () => {
    const stranger = await receiveAs(await createCertificateAuthority('Stranger'));
    const project = await forwardingTo(stranger.url);
    await expectFailure(project, (await choose(project.id)).id, { category: 'tls' });
    expect(stranger.requests).toEqual([]);
  });

  it.each([
    ['private.example.com', 'blocked_address'],
    ['half-private.example.com', 'blocked_address'],
    ['nowhere.example.com', 'dns'],
  ])('row 3: the name %s is a failure (%s), and nobody is called', async (host, category) => {
    const receiver = await receive(undefined, { hosts: [host] });
    const project = await forwardingTo(`https://${host}:${receiver.port}/hook`);
    await expectFailure(project, (await choose(project.id)).id, { category });
    expect(receiver.connections()).toBe(0);
  });

  it('row 1: an answer of 10 MB is a delivery, and is not read to its end', async () => {
    const receiver = await receive({ kind: 'flood', bytes: 10 * 1024 * 1024 });
    const project = await forwardingTo(receiver.url);
    const { id } = await choose(project.id);
    expect(await settled(project, id)).toMatchObject({ outcome: 'delivered', httpStatus: 200 });
  });

  it('row 1: a status line counts, also where the body never comes', async () => {
    const receiver = await receive({ kind: 'hang_after_head', status: 200 });
    const project = await forwardingTo(receiver.url);
    const { id } = await choose(project.id);
    expect(await settled(project, id)).toMatchObject({ outcome: 'delivered', httpStatus: 200 });
  });

  it('a failed record is not sent again by itself, by no poll and by no later record', async () => {
    const receiver = await receive({ kind: 'answer', status: 500 });
    const project = await forwardingTo(receiver.url);
    const { id } = await choose(project.id);
    await settled(project, id);
    receiver.behave({ kind: 'answer', status: 204 });
    const settledMs = performance.now();
    await until('three polls', () => performance.now() - settledMs > 3 * POLL_MS);
    const later = await choose(project.id);
    expect(await settled(project, later.id)).toMatchObject({ outcome: 'delivered' });
    expect(idsAt(receiver)).toEqual([id, later.id]);
    expect(await announcedIds(project.id)).toEqual([id, later.id]);
  });

  it('is told of every record, and a later delivery does not wipe the last failure away', async () => {
    const receiver = await receive({ kind: 'answer', status: 500 });
    const project = await forwardingTo(receiver.url);
    const failed = await choose(project.id);
    await settled(project, failed.id);
    receiver.behave({ kind: 'answer', status: 204 });
    const delivered = await choose(project.id);
    await settled(project, delivered.id);
    expect((await deliveriesOf(project)).map(({ outcome }) => outcome)).toEqual(['delivered', 'failed']);
    expect(await read(project, '')).toMatchObject({ lastFailureReason: expect.any(String) });
  });

  async function expectFailure(project: TestProject, consentId: string, expected: Json): Promise<void> {
    const delivery = await settled(project, consentId);
    expect(delivery).toMatchObject({ outcome: 'failed', ...expected });
    expect(await read(project, '')).toMatchObject({ lastFailureReason: delivery.reason });
    const { lastFailure } = await read<{ lastFailure: Json }>(project, '/forwarding');
    expect(lastFailure).toMatchObject({ reason: delivery.reason, ...expected });
    expect(JSON.stringify([delivery, lastFailure])).not.toMatch(/inner detail|elsewhere|10\.1\.2\.3/);
    expect(await read(project, `/consents/${consentId}`)).toMatchObject({ delivery: { outcome: 'failed' } });
  }
});

describe('delivery outcomes (spec §3.3, §7)', () => {
  it('a 2xx answer is a delivery and no failure', async () => {
    const project = await forwardingProject();
    expect(await forwardOne(project)).toMatchObject({ outcome: 'delivered', httpStatus: 204 });
    const { body } = await get(project);
    expect(body).toMatchObject({ lastFailure: null, lastDeliveredAt: expect.any(String) });
  });

  it.each([
    [301, 'redirect'],
    [401, 'http_4xx'],
    [500, 'http_5xx'],
  ])('a %d answer is a failure, recorded on the project', async (status, category) => {
    const project = await forwardingProject();
    sharedReceiver.behave({ kind: 'answer', status, body: '{"error":"internal detail"}' });
    expect(await forwardOne(project)).toMatchObject({ outcome: 'failed', category, httpStatus: status });
    const { body } = await get(project);
    expect(body['lastFailure']).toEqual({
      reason: expect.stringContaining(String(status)),
      category,
      httpStatus: status,
      at: expect.any(String),
    });
    expect(body['lastDeliveredAt']).toBeNull();
    expect(JSON.stringify(body)).not.toContain('internal detail');
  });

  it('a network error is a failure, recorded on the project', async () => {
    const project = await forwardingProject();
    sharedReceiver.behave({ kind: 'hang' });
    expect(await forwardOne(project)).toMatchObject({ outcome: 'failed', category: 'timeout' });
    const { body } = await get(project);
    expect(body['lastFailure']).toMatchObject({ category: 'timeout', httpStatus: null });
  });

  it('a failed record is not sent again by itself', async () => {
    const project = await forwardingProject();
    sharedReceiver.behave({ kind: 'answer', status: 500 });
    await forwardOne(project);
    expect(await waiting(project.id)).toEqual([]);
    expect(sharedReceiver.requests).toHaveLength(1);
  });

  it('the last failure is the latest one, whatever the order of settling', async () => {
    const project = await forwardingProject();
    const nowMs = Date.now();
    const failed = (httpStatus: number, msAgo: number) => ({
      message: messageAbout(project.id, newId()),
      outcome: {
        ...forwarder.discard().outcome,
        httpStatus,
        attemptedAt: new Date(nowMs - msAgo),
      },
    });
    await settle([failed(501, 20), failed(502, 10), failed(503, 30)]);
    await settle([failed(504, 15)]);
    expect((await get(project)).body['lastFailure']).toMatchObject({ httpStatus: 502 });
  });

  it('tells the outbox to be careful with a receiver that hangs, not with one that refuses', async () => {
    const project = await forwardingProject();
    const message = messageAbout(project.id, await storeConsent(service, project.id));
    const healthAfter = async () => {
      const [attempt] = await forwarder.prepare([message]);
      return attempt?.(new AbortController().signal);
    };
    sharedReceiver.behave({ kind: 'hang' });
    expect(await healthAfter()).toMatchObject({ kind: 'settled', healthy: false });
    sharedReceiver.behave({ kind: 'answer', status: 500 });
    expect(await healthAfter()).toMatchObject({ kind: 'settled', healthy: true });
  });

  it('an attempt that the worker ends is neither delivered nor failed', async () => {
    const project = await forwardingProject();
    const consentId = await storeConsent(service, project.id);
    const [attempt] = await forwarder.prepare([messageAbout(project.id, consentId)]);
    expect(await attempt?.(AbortSignal.abort())).toMatchObject({ kind: 'retry', afterMs: 0 });
  });

  it('a message that killed its workers is failed as worker_lost', async () => {
    const project = await forwardingProject();
    await settle([{ message: messageAbout(project.id, newId()), outcome: forwarder.discard().outcome }]);
    expect((await get(project)).body['lastFailure']).toMatchObject({ category: 'worker_lost' });
  });

  it('many batches about the same projects at once do not deadlock', async () => {
    const projects = await Promise.all([forwardingProject(), forwardingProject(), forwardingProject()]);
    const batch = (order: TestProject[]) =>
      order.flatMap(({ id }) => [
        { message: messageAbout(id, newId()), outcome: forwarder.discard().outcome },
        {
          message: messageAbout(id, newId()),
          outcome: { ...forwarder.discard().outcome, outcome: 'delivered' as const },
        },
      ]);
    const batches = Array.from({ length: 8 }, (_, i) => batch(i % 2 ? projects : projects.toReversed()));
    await expect(Promise.all(batches.map(settle))).resolves.toHaveLength(8);
  });
});
