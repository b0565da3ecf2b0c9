import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { NameResolver } from '../../src/forwarding/infrastructure/name-resolver.js';
import { makeCertificateAuthority } from '../../src/one-machine/infrastructure/certificates.js';
import { newId } from '../../src/shared/ids.js';
import { type DnsServer, startDnsServer } from '../support/dns-server.js';
import {
  CHOICE,
  choose,
  createForwardingProject,
  deliveriesOf,
  read,
  type Receipt,
  saveForwarding,
  settled,
  simulateTier,
  TOKEN,
} from '../support/pipeline.js';
import { createTestProject, type TestProject } from '../support/project.js';
import {
  type Behaviour,
  makeTestAuthority,
  type ReceivedRequest,
  type Receiver,
  startReceiver,
  type TestAuthority,
} from '../support/receiver.js';
import { startTestService, type TestService } from '../support/service.js';
import { until } from '../support/until.js';

const POLL_MS = 200;
const TIMEOUT_MS = 2_000;
/** A quarter of them is what one project gets, so its third record waits while two are under way. */
const SLOTS = 8;
const PROJECT_SLOTS = SLOTS / 4;
const OTHER_TOKEN = 'another-token_'.padEnd(43, 'y');
const DAY_MS = 24 * 60 * 60 * 1000;

type Json = Record<string, unknown>;

let testAuthority: TestAuthority;
let dns: DnsServer;
let service: TestService;
const receivers: Receiver[] = [];

const environment = (): NodeJS.ProcessEnv => ({
  RUN_WORKER: 'true',
  OUTBOX_POLL_MS: String(POLL_MS),
  FORWARDING_CONNECT_TIMEOUT_MS: String(TIMEOUT_MS),
  FORWARDING_TIMEOUT_MS: String(TIMEOUT_MS),
  FORWARDING_SLOTS: String(SLOTS),
  FORWARDING_ALLOWED_PRIVATE_TARGETS: '127.0.0.0/8',
  FORWARDING_EXTRA_CA_FILE: testAuthority.caFile,
});

beforeAll(async () => {
  testAuthority = await makeTestAuthority();
  dns = await startDnsServer({
    'private.example.com': ['10.1.2.3'],
    'half-private.example.com': ['127.0.0.1', '192.168.1.1'],
    'consents.example.com': ['127.0.0.1'],
  });
  service = await startTestService(environment());
  service.app.get(NameResolver, { strict: false }).useServers([dns.address]);
  await watchAnnouncements(service);
});

afterEach(async () => {
  await Promise.all(receivers.splice(0).map((receiver) => receiver.close()));
});

afterAll(async () => {
  await service.close();
  await dns.close();
  testAuthority.remove();
});

/** A receiver of this test's own. */
async function receive(
  behaviour: Behaviour = { kind: 'answer', status: 204 },
  options: Parameters<typeof startReceiver>[1] = {},
): Promise<Receiver> {
  const receiver = await startReceiver(testAuthority.authority, { behaviour, ...options });
  receivers.push(receiver);
  return receiver;
}

/** Keeps a note of every message about a record that was ever written, also of those that are dispatched at once. */
async function watchAnnouncements({ database }: TestService): Promise<void> {
  await database.query('create table announced (project_id uuid, subject_id uuid)');
  await database.query(`
    create function note_announcement() returns trigger language plpgsql security definer as $$
    begin insert into announced values (new.project_id, new.subject_id); return null; end $$`);
  await database.query(
    `create trigger note after insert on outbox_message for each row when (new.topic = 'consent.recorded')
     execute function note_announcement()`,
  );
}

const announcedIds = async (projectId: string): Promise<string[]> =>
  (
    await service.database.query<{ subject_id: string }>(
      'select subject_id from announced where project_id = $1',
      [projectId],
    )
  ).map((row) => row.subject_id);

const arrived = (receiver: Receiver, id: string): Promise<ReceivedRequest> =>
  until(`arrival of ${id}`, () =>
    receiver.requests.find(({ headers }) => headers['x-service-consent-id'] === id),
  );
const idsAt = (receiver: Receiver): unknown[] =>
  receiver.requests.map(({ headers }) => headers['x-service-consent-id']);
const bodyOf = (request: ReceivedRequest): Json => JSON.parse(request.body) as Json;

async function chooseAndArrive(
  project: TestProject,
  receiver: Receiver,
  fields: Json = {},
): Promise<ReceivedRequest> {
  const { id } = await choose(service, project.id, fields);
  return arrived(receiver, id);
}

/** Fills the project's share of slots with records that hang, so that the next ones wait. */
async function occupy(project: TestProject, receiver: Receiver): Promise<Receipt[]> {
  const receipts = [];
  for (let i = 0; i < PROJECT_SLOTS; i++) receipts.push(await choose(service, project.id));
  for (const { id } of receipts) await arrived(receiver, id);
  return receipts;
}

const resendOne = async (project: TestProject, id: string): Promise<{ status: number; body: Json }> => {
  const response = await project.request('editor', 'POST', `/forwarding/deliveries/${id}/resend`);
  return { status: response.status, body: (await response.json()) as Json };
};

describe('a saved record arrives at the receiver (spec §4.1, §2.1, §6)', () => {
  it('with the body and the headers of the tables, and nothing else', async () => {
    const receiver = await receive();
    const project = await createForwardingProject(service, `${receiver.url}?a=1`);
    const receipt = await choose(service, project.id, {
      policyVersion: '2026-11',
      regions: ['eu', { a: 1 }],
    });
    expect(receipt).toMatchObject({ status: 201, duplicate: false });
    const request = await arrived(receiver, receipt.id);
    expect(request).toMatchObject({ method: 'POST', path: '/hook?a=1' });
    expect(request.headers).toEqual({
      authorization: `Bearer ${TOKEN}`,
      'x-service-project-id': project.id,
      'x-service-consent-id': receipt.id,
      'user-agent': 'Service-Consent-Forwarder/1.0',
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(request.body)),
      'accept-encoding': 'identity',
      'webhook-id': receipt.id,
      'webhook-timestamp': expect.stringMatching(/^\d{10}$/),
      host: `127.0.0.1:${receiver.port}`,
      connection: 'keep-alive',
    });
    expect(bodyOf(request)).toEqual({
      schemaVersion: 1,
      id: receipt.id,
      projectId: project.id,
      ...CHOICE,
      receivedAt: receipt.receivedAt,
      policyVersion: '2026-11',
      regions: ['eu', { a: 1 }],
    });
    expect(await settled(project, receipt.id)).toMatchObject({ outcome: 'delivered', httpStatus: 204 });
    expect(await read(project, `/consents/${receipt.id}`)).toMatchObject({
      id: receipt.id,
      delivery: { outcome: 'delivered', consentId: receipt.id },
    });
  });

  it.each([
    ['analytics', { analytics: true, marketing: false, preferences: false }],
    ['marketing', { analytics: false, marketing: true, preferences: false }],
    ['preferences', { analytics: false, marketing: false, preferences: true }],
    ['action', { action: 'a_word.of:our-own' }],
    ['additional fields', { text: 'ü 😀 "\\', number: -1.5e-7, yes: true, none: null, deep: [{ a: [1] }] }],
  ])('spec §2.1, row "%s": as it was given', async (_, fields) => {
    const receiver = await receive();
    const project = await createForwardingProject(service, receiver.url);
    expect(bodyOf(await chooseAndArrive(project, receiver, fields))).toMatchObject(fields);
  });

  it('spec §4.1, row "Authorization": present only in the mode "Bearer token"', async () => {
    const receiver = await receive();
    const project = await createForwardingProject(service, receiver.url);
    expect((await chooseAndArrive(project, receiver)).headers.authorization).toBe(`Bearer ${TOKEN}`);
    await saveForwarding(project, { endpointUrl: receiver.url, authMode: 'none' });
    expect((await chooseAndArrive(project, receiver)).headers).not.toHaveProperty('authorization');
    await saveForwarding(project, { endpointUrl: receiver.url });
    expect((await chooseAndArrive(project, receiver)).headers.authorization).toBe(`Bearer ${TOKEN}`);
  });

  it('spec §4.1: a record of every project carries its own ids', async () => {
    const receiver = await receive();
    const projects = await Promise.all([1, 2, 3].map(() => createForwardingProject(service, receiver.url)));
    for (const project of projects) {
      const request = await chooseAndArrive(project, receiver);
      expect(request.headers['x-service-project-id']).toBe(project.id);
      expect(bodyOf(request)).toMatchObject({
        projectId: project.id,
        id: request.headers['x-service-consent-id'],
      });
    }
  });

  it('spec §4.1: keeps the id that the banner made', async () => {
    const receiver = await receive();
    const project = await createForwardingProject(service, receiver.url);
    const id = newId();
    await choose(service, project.id, { id: id.toUpperCase() });
    expect(bodyOf(await arrived(receiver, id))).toMatchObject({ id });
  });

  it('by name, at the address that was judged', async () => {
    const receiver = await receive(undefined, { hosts: ['consents.example.com'] });
    const project = await createForwardingProject(
      service,
      `https://consents.example.com:${receiver.port}/hook`,
    );
    const request = await chooseAndArrive(project, receiver);
    expect(request.headers.host).toBe(`consents.example.com:${receiver.port}`);
  });

  it('once, however often the same decision is sent', async () => {
    const receiver = await receive();
    const project = await createForwardingProject(service, receiver.url);
    const id = newId();
    const first = await choose(service, project.id, { id });
    const others = await Promise.all(Array.from({ length: 8 }, () => choose(service, project.id, { id })));
    expect([first, ...others].map(({ status }) => status).toSorted()).toEqual([...Array(8).fill(200), 201]);
    await settled(project, id);
    const after = await choose(service, project.id, { id });
    expect(after).toMatchObject({ status: 200, duplicate: true });
    await chooseAndArrive(project, receiver);
    expect(idsAt(receiver).filter((seen) => seen === id)).toHaveLength(1);
    expect((await announcedIds(project.id)).filter((seen) => seen === id)).toHaveLength(1);
  });
});

describe('the settings (spec §2.2)', () => {
  it('row "Consent forwarding enabled": records are sent while it is on', async () => {
    const receiver = await receive();
    const project = await createForwardingProject(service, receiver.url);
    const before = await chooseAndArrive(project, receiver);
    await saveForwarding(project, { endpointUrl: receiver.url, enabled: false });
    const whileOff = await choose(service, project.id);
    await saveForwarding(project, { endpointUrl: receiver.url, enabled: true });
    const after = await chooseAndArrive(project, receiver);
    expect(whileOff.status).toBe(201);
    expect(idsAt(receiver)).toEqual([bodyOf(before).id, bodyOf(after).id]);
  });

  it('row "Endpoint URL": one that is not https is refused, and the one before stays', async () => {
    const receiver = await receive();
    const project = await createForwardingProject(service, receiver.url);
    const refused = await saveForwarding(project, { endpointUrl: receiver.url.replace('https', 'http') });
    expect(refused).toMatchObject({ status: 422, body: { errors: [{ field: 'endpointUrl' }] } });
    await chooseAndArrive(project, receiver);
  });

  it('row "Authentication mode": one of two', async () => {
    const receiver = await receive();
    const project = await createForwardingProject(service, receiver.url);
    expect(await saveForwarding(project, { endpointUrl: receiver.url, authMode: 'Basic' })).toMatchObject({
      status: 422,
      body: { errors: [{ field: 'authMode' }] },
    });
  });

  it('row "Bearer token": a new one is pasted and saved, and is in force', async () => {
    const receiver = await receive();
    const project = await createForwardingProject(service, receiver.url);
    const saved = await saveForwarding(project, { endpointUrl: receiver.url, bearerToken: OTHER_TOKEN });
    expect(saved.body).toMatchObject({ tokenConfigured: true });
    expect(JSON.stringify(saved.body)).not.toContain(OTHER_TOKEN);
    expect((await chooseAndArrive(project, receiver)).headers.authorization).toBe(`Bearer ${OTHER_TOKEN}`);
  });

  it('row "Last failure reason": stands on the project and in the settings', async () => {
    const receiver = await receive({ kind: 'answer', status: 503, body: '{"error":"inner detail"}' });
    const project = await createForwardingProject(service, receiver.url);
    expect(await read(project, '')).toMatchObject({ lastFailureReason: null });
    const { id } = await choose(service, project.id);
    const { reason } = await settled(project, id);
    expect(reason).toMatch(/503/);
    expect(await read(project, '')).toMatchObject({ lastFailureReason: reason });
    expect(await read(project, '/forwarding')).toMatchObject({
      lastFailure: { reason, category: 'http_5xx', httpStatus: 503, at: expect.any(String) },
    });
  });
});

describe('the outcome of a record (spec §3.3, §7)', () => {
  it.each([200, 201, 202, 204, 299])(
    'row 1: an answer of %d is a delivery, and no failure',
    async (status) => {
      const receiver = await receive({ kind: 'answer', status });
      const project = await createForwardingProject(service, receiver.url);
      const { id } = await choose(service, project.id);
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
    const project = await createForwardingProject(service, receiver.url);
    const receipt = await choose(service, project.id);
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
    const project = await createForwardingProject(service, receiver.url);
    const startedMs = performance.now();
    const receipt = await choose(service, project.id);
    // The visitor does not wait for the receiver: half of its time-out is far more than an ingest takes.
    expect(performance.now() - startedMs).toBeLessThan(TIMEOUT_MS / 2);
    expect(receipt.status).toBe(201);
    await expectFailure(project, receipt.id, { category, httpStatus: null });
  });

  it('row 3: a receiver that is not there is a failure', async () => {
    const receiver = await receive();
    const project = await createForwardingProject(service, receiver.url);
    await receiver.close();
    await expectFailure(project, (await choose(service, project.id)).id, { category: 'connect' });
  });

  it('row 3: a certificate that has expired is a failure, and nothing is sent', async () => {
    const receiver = await receive(undefined, { expired: true });
    const project = await createForwardingProject(service, receiver.url);
    await expectFailure(project, (await choose(service, project.id)).id, { category: 'tls' });
    expect(receiver.requests).toEqual([]);
  });

  it('row 3: a certificate of an unknown authority is a failure, and nothing is sent', async () => {
    const stranger = await startReceiver(await makeCertificateAuthority('Stranger'));
    receivers.push(stranger);
    const project = await createForwardingProject(service, stranger.url);
    await expectFailure(project, (await choose(service, project.id)).id, { category: 'tls' });
    expect(stranger.requests).toEqual([]);
  });

  it.each([
    ['private.example.com', 'blocked_address'],
    ['half-private.example.com', 'blocked_address'],
    ['nowhere.example.com', 'dns'],
  ])('row 3: the name %s is a failure (%s), and nobody is called', async (host, category) => {
    const receiver = await receive(undefined, { hosts: [host] });
    const project = await createForwardingProject(service, `https://${host}:${receiver.port}/hook`);
    await expectFailure(project, (await choose(service, project.id)).id, { category });
    expect(receiver.connections()).toBe(0);
  });

  it('row 1: an answer of 10 MB is a delivery, and is not read to its end', async () => {
    const receiver = await receive({ kind: 'flood', bytes: 10 * 1024 * 1024 });
    const project = await createForwardingProject(service, receiver.url);
    const { id } = await choose(service, project.id);
    expect(await settled(project, id)).toMatchObject({ outcome: 'delivered', httpStatus: 200 });
  });

  it('row 1: a status line counts, also where the body never comes', async () => {
    const receiver = await receive({ kind: 'hang_after_head', status: 200 });
    const project = await createForwardingProject(service, receiver.url);
    const { id } = await choose(service, project.id);
    expect(await settled(project, id)).toMatchObject({ outcome: 'delivered', httpStatus: 200 });
  });

  it('a failed record is not sent again by itself, by no poll and by no later record', async () => {
    const receiver = await receive({ kind: 'answer', status: 500 });
    const project = await createForwardingProject(service, receiver.url);
    const { id } = await choose(service, project.id);
    await settled(project, id);
    receiver.behave({ kind: 'answer', status: 204 });
    const settledMs = performance.now();
    await until('three polls', () => performance.now() - settledMs > 3 * POLL_MS);
    const later = await choose(service, project.id);
    expect(await settled(project, later.id)).toMatchObject({ outcome: 'delivered' });
    expect(idsAt(receiver)).toEqual([id, later.id]);
    expect(await announcedIds(project.id)).toEqual([id, later.id]);
  });

  it('is told of every record, and a later delivery does not wipe the last failure away', async () => {
    const receiver = await receive({ kind: 'answer', status: 500 });
    const project = await createForwardingProject(service, receiver.url);
    const failed = await choose(service, project.id);
    await settled(project, failed.id);
    receiver.behave({ kind: 'answer', status: 204 });
    const delivered = await choose(service, project.id);
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

describe('authentication (spec §5)', () => {
  it('items 1 and 2: a token that the service made holds 32 random bytes, and opens the receiver', async () => {
    const receiver = await receive();
    const project = await createForwardingProject(service, receiver.url);
    const made = await Promise.all(
      [1, 2].map(async () => {
        const response = await project.request('editor', 'POST', '/forwarding/token');
        return ((await response.json()) as { bearerToken: string }).bearerToken;
      }),
    );
    expect(new Set(made).size).toBe(2);
    const [bearerToken = ''] = made;
    expect(Buffer.from(bearerToken, 'base64url')).toHaveLength(32);
    await saveForwarding(project, { endpointUrl: receiver.url, bearerToken });
    expect((await chooseAndArrive(project, receiver)).headers.authorization).toBe(`Bearer ${bearerToken}`);
  });

  it('item 3: the token is in no answer after it was saved', async () => {
    const receiver = await receive({ kind: 'answer', status: 401, body: `{"error":"not ${TOKEN}"}` });
    const project = await createForwardingProject(service, receiver.url);
    const { id } = await choose(service, project.id);
    await settled(project, id);
    const answers = await Promise.all(
      ['', '/forwarding', '/forwarding/deliveries', '/consents', `/consents/${id}`, '/tier'].map(
        async (path) => JSON.stringify(await read(project, path)),
      ),
    );
    const tested = await project.request('owner', 'POST', '/forwarding/test');
    const refused = await saveForwarding(project, { endpointUrl: 'http://x', bearerToken: OTHER_TOKEN });
    expect([...answers, await tested.text(), JSON.stringify(refused)].join()).not.toMatch(
      new RegExp(`${TOKEN}|${OTHER_TOKEN}`),
    );
  });

  it('item 4: a receiver that answers 401 is told of in the reason', async () => {
    const receiver = await receive({ kind: 'answer', status: 401, body: '{"error":"unauthorized"}' });
    const project = await createForwardingProject(service, receiver.url);
    const { id } = await choose(service, project.id);
    expect((await settled(project, id)).reason).toMatch(/401.*authentication/);
  });

  it('item 5: GET /v1/pricing needs no credentials', async () => {
    expect((await fetch(`${service.baseUrl}/v1/pricing`)).status).toBe(200);
  });

  it('item 6: tier/simulate needs an editor', async () => {
    const project = await createTestProject(service);
    const ask = (role: 'viewer' | 'editor') =>
      project.request(role, 'POST', '/tier/simulate', { tier: 'pro' });
    expect((await ask('viewer')).status).toBe(403);
    expect((await ask('editor')).status).toBe(200);
  });
});

describe('where forwarding is off no message is written (spec §6, §8)', () => {
  it.each<[string, string, (url: string) => Promise<TestProject>]>([
    [
      'switched off',
      'off',
      (url) => createForwardingProject(service, url, { enabled: false, bearerToken: TOKEN }),
    ],
    [
      'on the tier lite',
      'tier',
      async (url) => {
        const project = await createForwardingProject(service, url);
        await simulateTier(project, 'lite');
        return project;
      },
    ],
    [
      'without an endpoint',
      'off',
      async () => {
        const project = await createTestProject(service);
        await simulateTier(project, 'business');
        return project;
      },
    ],
    ['never set up', 'tier', () => createTestProject(service)],
  ])('%s, and the record says so: %s', async (_, reason, make) => {
    const receiver = await receive();
    const project = await make(receiver.url);
    const { status, id } = await choose(service, project.id);
    expect(status).toBe(201);
    expect(await announcedIds(project.id)).toEqual([]);
    expect(await read(project, `/consents/${id}`)).toMatchObject({
      id,
      delivery: { outcome: 'unsent', reason },
    });
    expect(await deliveriesOf(project)).toEqual([]);
    expect(receiver.requests).toEqual([]);
  });

  it('and records of that time are not sent when it is switched on later (spec §3.3)', async () => {
    const receiver = await receive();
    const project = await createForwardingProject(service, receiver.url, {
      enabled: false,
      bearerToken: TOKEN,
    });
    await choose(service, project.id);
    await saveForwarding(project, { endpointUrl: receiver.url });
    const switchedOnMs = performance.now();
    await until('three polls', () => performance.now() - switchedOnMs > 3 * POLL_MS);
    const { id } = await choose(service, project.id);
    await settled(project, id);
    expect(idsAt(receiver)).toEqual([id]);
  });

  it.each(['pro', 'business', 'enterprise'])('and the tier %s has it on (spec §8)', async (tier) => {
    const receiver = await receive();
    const project = await createForwardingProject(service, receiver.url);
    await simulateTier(project, tier);
    await chooseAndArrive(project, receiver);
  });
});

describe('settings that change while records wait (spec §6)', () => {
  it('another endpoint: the newest one counts', async () => {
    const hanging = await receive({ kind: 'hang' });
    const next = await receive();
    const project = await createForwardingProject(service, hanging.url);
    const held = await occupy(project, hanging);
    const waiting = await choose(service, project.id);
    await saveForwarding(project, { endpointUrl: next.url, bearerToken: OTHER_TOKEN });
    const request = await arrived(next, waiting.id);
    expect(request.headers.authorization).toBe(`Bearer ${OTHER_TOKEN}`);
    expect(idsAt(hanging).toSorted()).toEqual(held.map(({ id }) => id).toSorted());
  });

  it('another token: the newest one is sent', async () => {
    const receiver = await receive({ kind: 'hang' });
    const project = await createForwardingProject(service, receiver.url);
    await occupy(project, receiver);
    const waiting = await choose(service, project.id);
    await saveForwarding(project, { endpointUrl: receiver.url, bearerToken: OTHER_TOKEN });
    receiver.behave({ kind: 'answer', status: 204 });
    const request = await arrived(receiver, waiting.id);
    expect(request.headers.authorization).toBe(`Bearer ${OTHER_TOKEN}`);
  });

  it('switched off: they are skipped, and can be sent by hand once it is on again', async () => {
    const receiver = await receive({ kind: 'hang' });
    const project = await createForwardingProject(service, receiver.url);
    await occupy(project, receiver);
    const { id } = await choose(service, project.id);
    await saveForwarding(project, { endpointUrl: receiver.url, enabled: false });
    expect(await settled(project, id)).toMatchObject({ outcome: 'skipped', reason: 'disabled' });
    receiver.behave({ kind: 'answer', status: 204 });
    await saveForwarding(project, { endpointUrl: receiver.url });
    expect(await resendOne(project, id)).toEqual({ status: 202, body: { queued: 1 } });
    expect(await settled(project, id, 2)).toMatchObject({ outcome: 'delivered' });
  });

  it('the endpoint taken away: they are skipped', async () => {
    const receiver = await receive({ kind: 'hang' });
    const project = await createForwardingProject(service, receiver.url);
    await occupy(project, receiver);
    const { id } = await choose(service, project.id);
    await saveForwarding(project, { endpointUrl: null, enabled: false });
    expect(await settled(project, id)).toMatchObject({ outcome: 'skipped', reason: 'no_endpoint' });
  });

  it('a lower tier: they are skipped, and can be sent by hand after the upgrade', async () => {
    const receiver = await receive({ kind: 'hang' });
    const project = await createForwardingProject(service, receiver.url);
    await occupy(project, receiver);
    const { id } = await choose(service, project.id);
    await simulateTier(project, 'lite');
    expect(await settled(project, id)).toMatchObject({ outcome: 'skipped', reason: 'tier' });
    expect(await read(project, '')).toMatchObject({ tier: 'lite' });
    expect(await resendOne(project, id)).toMatchObject({ status: 403, body: { code: 'tier_required' } });
    receiver.behave({ kind: 'answer', status: 204 });
    await simulateTier(project, 'pro');
    expect(await resendOne(project, id)).toEqual({ status: 202, body: { queued: 1 } });
    expect(await settled(project, id, 2)).toMatchObject({ outcome: 'delivered' });
  });

  it('a deleted project: nothing more is sent, and others go on', async () => {
    const receiver = await receive({ kind: 'hang' });
    const project = await createForwardingProject(service, receiver.url);
    await occupy(project, receiver);
    const { id } = await choose(service, project.id);
    expect((await project.request('owner', 'DELETE', '')).status).toBe(204);
    receiver.behave({ kind: 'answer', status: 204 });
    const other = await createForwardingProject(service, receiver.url);
    await chooseAndArrive(other, receiver);
    await until('the outbox to be empty', async () => {
      const rows = await service.database.query('select 1 from outbox_message where project_id = $1', [
        project.id,
      ]);
      return rows.length === 0;
    });
    expect(idsAt(receiver)).not.toContain(id);
  });
});

describe('sending again by hand (spec §3.3, design §5)', () => {
  it('one record, with the same ids', async () => {
    const receiver = await receive({ kind: 'answer', status: 500 });
    const project = await createForwardingProject(service, receiver.url);
    const { id } = await choose(service, project.id);
    await settled(project, id);
    receiver.behave({ kind: 'answer', status: 204 });
    expect(await resendOne(project, id)).toEqual({ status: 202, body: { queued: 1 } });
    expect(await settled(project, id, 2)).toMatchObject({ outcome: 'delivered' });
    const [first, second] = receiver.requests;
    expect(second?.body).toBe(first?.body);
    expect(second?.headers).toEqual(first?.headers);
  });

  it('the failed ones of a range, and those alone', async () => {
    const receiver = await receive({ kind: 'answer', status: 500 });
    const project = await createForwardingProject(service, receiver.url);
    const failed = [];
    for (let i = 0; i < 5; i++) failed.push((await choose(service, project.id)).id);
    for (const id of failed) await settled(project, id);
    receiver.behave({ kind: 'answer', status: 204 });
    const delivered = await choose(service, project.id);
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

describe('the request-level custom_endpoint (spec §2.2, §9)', () => {
  async function projectWithoutEndpoint(tier = 'pro'): Promise<TestProject> {
    const project = await createTestProject(service);
    await simulateTier(project, tier);
    return project;
  }

  it('is used, without a token, where the project has no endpoint', async () => {
    const receiver = await receive();
    const project = await projectWithoutEndpoint();
    const request = await chooseAndArrive(project, receiver, { custom_endpoint: receiver.url });
    expect(request.headers).not.toHaveProperty('authorization');
    expect(request.headers).toMatchObject({
      'x-service-project-id': project.id,
      'user-agent': 'Service-Consent-Forwarder/1.0',
    });
    expect(bodyOf(request)).not.toHaveProperty('custom_endpoint');
    expect(bodyOf(request)).not.toHaveProperty('customEndpoint');
  });

  it('is not used where the project has an endpoint, whether that is on or off', async () => {
    const own = await receive();
    const legacy = await receive();
    const project = await createForwardingProject(service, own.url);
    await chooseAndArrive(project, own, { custom_endpoint: legacy.url });
    await saveForwarding(project, { endpointUrl: own.url, enabled: false });
    const { id } = await choose(service, project.id, { custom_endpoint: legacy.url });
    expect(await announcedIds(project.id)).not.toContain(id);
    expect(legacy.requests).toEqual([]);
  });

  it('is not used below the tier Pro', async () => {
    const legacy = await receive();
    const project = await createTestProject(service);
    expect(await choose(service, project.id, { custom_endpoint: legacy.url })).toMatchObject({ status: 201 });
    expect(await announcedIds(project.id)).toEqual([]);
  });

  it.each([
    ['http://127.0.0.1/hook', 'configuration'],
    ['https://user:pass@consents.example.com/', 'configuration'],
    ['https://10.0.0.1/hook', 'blocked_address'],
    ['https://[::ffff:10.0.0.1]/hook', 'blocked_address'],
    ['https://169.254.169.254/latest/meta-data', 'blocked_address'],
    ['https://private.example.com/hook', 'blocked_address'],
    ['https://localhost/hook', 'blocked_address'],
    // Forwarding never fails an ingest (spec §1, §3.3), whatever stands in the field.
    ['/relative', 'configuration'],
    ['', 'configuration'],
    ['http://consents.example.com/hook', 'configuration'],
    [`https://consents.example.com/${'a'.repeat(3_000)}`, 'configuration'],
    ['https://a.example/\0', 'configuration'],
    ['https://a.example/\ud800', 'configuration'],
    [1, 'configuration'],
    [{ url: 'https://a.example/' }, 'configuration'],
    [false, 'configuration'],
  ] as [unknown, string][])(
    '%s fails as %s, and the visitor gets 201 all the same',
    async (custom_endpoint, category) => {
      const project = await projectWithoutEndpoint();
      const { status, id } = await choose(service, project.id, { custom_endpoint });
      expect(status).toBe(201);
      const delivery = await settled(project, id);
      expect(delivery).toMatchObject({ outcome: 'failed', category });
      expect(await read(project, '')).toMatchObject({ lastFailureReason: delivery.reason });
    },
  );

  it('gives way to an endpoint that the project was given meanwhile', async () => {
    const legacy = await receive({ kind: 'hang' });
    const own = await receive();
    const project = await projectWithoutEndpoint();
    const fields = { custom_endpoint: legacy.url };
    for (let i = 0; i < PROJECT_SLOTS; i++) await chooseAndArrive(project, legacy, fields);
    const { id } = await choose(service, project.id, fields);
    await saveForwarding(project, { endpointUrl: own.url, bearerToken: TOKEN });
    expect((await arrived(own, id)).headers.authorization).toBe(`Bearer ${TOKEN}`);
  });
});

describe('LEGACY_CUSTOM_ENDPOINT=off', () => {
  it('stores the record, and forwards nothing', async () => {
    const strict = await startTestService({ ...environment(), LEGACY_CUSTOM_ENDPOINT: 'off' });
    try {
      const project = await createTestProject(strict, { tier: 'pro' });
      const custom_endpoint = 'https://consents.example.com/hook';
      const { status, id } = await choose(strict, project.id, { custom_endpoint });
      expect(status).toBe(201);
      const one = await project.request('viewer', 'GET', `/consents/${id}`);
      expect(await one.json()).toMatchObject({ delivery: { outcome: 'unsent', reason: 'off' } });
      expect(await strict.database.query('select 1 from outbox_message')).toEqual([]);
    } finally {
      await strict.close();
    }
  });
});

describe('a receiver that hangs (spec §1)', () => {
  it("does not delay other projects' records, nor its own visitors", async () => {
    const hanging = await receive({ kind: 'hang' });
    const healthy = await receive();
    const slow = await createForwardingProject(service, hanging.url);
    const other = await createForwardingProject(service, healthy.url);
    await occupy(slow, hanging);
    const waiting = await Promise.all(Array.from({ length: 20 }, () => choose(service, slow.id)));
    expect(waiting.every(({ status }) => status === 201)).toBe(true);
    for (let i = 0; i < 5; i++) {
      const startedMs = performance.now();
      await chooseAndArrive(other, healthy);
      expect(performance.now() - startedMs).toBeLessThan(TIMEOUT_MS / 2);
    }
    hanging.behave({ kind: 'answer', status: 204 });
    for (const { id } of waiting) await arrived(hanging, id);
  });
});

describe('Test endpoint (spec §4.2, §6)', () => {
  it('sends a synthetic record at once, and leaves no trace', async () => {
    const receiver = await receive({ kind: 'answer', status: 500 });
    const project = await createForwardingProject(service, receiver.url);
    const { id } = await choose(service, project.id);
    const failed = await settled(project, id);
    const before = await read(project, '/forwarding');
    receiver.behave({ kind: 'answer', status: 401 });
    const refused = await project.request('editor', 'POST', '/forwarding/test');
    expect(await refused.json()).toMatchObject({ delivered: false, httpStatus: 401 });
    receiver.behave({ kind: 'answer', status: 204 });
    const taken = await project.request('editor', 'POST', '/forwarding/test');
    const { consentId, ...result } = (await taken.json()) as Json;
    expect(result).toMatchObject({ delivered: true, httpStatus: 204, category: null });
    expect(receiver.requests.at(-1)?.headers).toMatchObject({
      authorization: `Bearer ${TOKEN}`,
      'x-service-project-id': project.id,
      'x-service-consent-id': consentId,
      'user-agent': 'Service-Consent-Forwarder/1.0',
      'content-type': 'application/json',
    });
    expect(await read(project, '/forwarding')).toEqual(before);
    expect(await deliveriesOf(project)).toEqual([failed]);
    expect((await read<{ items: Json[] }>(project, '/consents')).items).toHaveLength(1);
  });
});
