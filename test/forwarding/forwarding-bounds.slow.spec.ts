import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import {
  ENDPOINT_TESTS_PER_DAY,
  ENDPOINT_TESTS_PER_MINUTE,
} from '../../src/modules/forwarding/application/endpoint-test.service.js';
import { RESENT_RECORDS_PER_DAY } from '../../src/modules/forwarding/application/resend.service.js';
import {
  FAILING_TARGET_BURST,
  FAILING_TARGET_PER_SECOND,
  LEGACY_TARGET_BURST,
  LEGACY_TARGET_PER_SECOND,
  RESERVED_ATTEMPTS,
  RESERVED_PER_SECOND,
} from '../../src/platform/delivery/target-rate-limiter.js';
import { type DnsServer, startDnsServer } from '../support/fakes/dns-server.js';
import type { Json } from '../support/people/json.js';
import { choose, createForwardingProject, saveForwarding } from '../support/programs/pipeline.js';
import { createTestProject, type TestProject } from '../support/people/project.js';
import {
  makeTestAuthority,
  type Receiver,
  startReceiver,
  type TestAuthority,
} from '../support/fakes/receiver.js';
import { startTestService, type TestService } from '../support/programs/service.js';
import { until } from '../support/until.js';

const DAY_MS = 24 * 60 * 60 * 1000;
let testAuthority: TestAuthority;
let victim: Receiver;
let other: Receiver;
let named: Receiver;
let neighbor: Receiver;
let service: TestService;
let dns: DnsServer;

/** Domains of which every name leads to one address, which is of no other receiver here. */
const SHARED_ADDRESS = '127.0.0.2';
const WILDCARDS = Array.from({ length: 15 }, (_, i) => `wild-${i}.example`);

beforeAll(async () => {
  testAuthority = await makeTestAuthority();
  victim = await startReceiver(testAuthority.authority);
  other = await startReceiver(testAuthority.authority);
  const shared = { address: SHARED_ADDRESS, hosts: WILDCARDS.map((domain) => `*.${domain}`) };
  named = await startReceiver(testAuthority.authority, shared);
  neighbor = await startReceiver(testAuthority.authority, shared);
  dns = await startDnsServer(
    Object.fromEntries(WILDCARDS.map((domain) => [`*.${domain}`, [SHARED_ADDRESS]])),
  );
  service = await startTestService({
    FORWARDING_ALLOWED_PRIVATE_TARGETS: [victim, other]
      .flatMap(({ port }) => [`127.0.0.1:${port}`, `localhost:${port}`])
      .concat(SHARED_ADDRESS)
      .join(','),
    FORWARDING_NAME_SERVERS: dns.address,
    FORWARDING_EXTRA_CA_FILE: testAuthority.caFile,
    INGEST_RATE_PER_MINUTE: '0',
    // Receivers answer at once; on a busy machine a thousand connections at once take their time.
    FORWARDING_CONNECT_TIMEOUT_MS: '25000',
    FORWARDING_TIMEOUT_MS: '30000',
    RUN_WORKER: 'true',
    OUTBOX_POLL_MS: '200',
  });
});

afterEach(() => {
  victim.behave({ kind: 'answer', status: 204 });
  victim.requests.length = 0;
});

afterAll(async () => {
  await service.close();
  await dns.close();
  await victim.close();
  await other.close();
  await named.close();
  await neighbor.close();
  testAuthority.remove();
});

const proProject = (): Promise<TestProject> => createTestProject(service, { tier: 'pro' });
const read = async (project: TestProject, path: string): Promise<Json> =>
  (await (await project.request('viewer', 'GET', path)).json()) as Json;
const deliveryOf = async (project: TestProject, id: string): Promise<Json> =>
  (await read(project, `/consents/${id}`))['delivery'] as Json;
const ended = (project: TestProject, id: string): Promise<Json> =>
  until(`the delivery of ${id}`, async () => {
    const delivery = await deliveryOf(project, id);
    return delivery['outcome'] === 'pending' ? null : delivery;
  });
const waitingOf = async (...projectIds: string[]): Promise<number> =>
  (await service.database.query('select 1 from outbox_message where project_id = any($1)', [projectIds]))
    .length;
const metrics = async (): Promise<string> => (await fetch(`${service.baseUrl}/metrics`)).text();
const putOff = async (reason: string): Promise<number> =>
  Number(
    new RegExp(`forwarding_snoozed_total\\{reason="${reason}"\\} (\\d+)`).exec(await metrics())?.[1] ?? 0,
  );
const bounded = async (kind: 'domain' | 'address'): Promise<number> =>
  Number(new RegExp(`forwarding_bounded_hosts\\{kind="${kind}"\\} (\\d+)`).exec(await metrics())?.[1]);
/** This many visitors, in batches. */
async function chooseMany(project: TestProject, count: number, fields: Json = {}): Promise<void> {
  for (let sent = 0; sent < count; sent += 100) {
    const batch = Array.from({ length: Math.min(100, count - sent) }, () =>
      choose(service, project.id, fields),
    );
    for (const { status } of await Promise.all(batch)) expect(status).toBe(201);
  }
}
/** Deletes the messages of projects. A worker that has locked some of them may be in the way. */
const discard = (...ids: string[]): Promise<boolean> =>
  until('their messages are deleted', () =>
    service.database.query('delete from outbox_message where project_id = any($1)', [ids]).then(
      () => true,
      () => false,
    ),
  );

describe('custom_endpoint as a relay to strangers (design §6.5)', () => {
  it('sends nothing once `enabled: false` was saved, whatever visitors name', async () => {
    const project = await proProject();
    await saveForwarding(project, { enabled: false, endpointUrl: null, authMode: 'none' });
    const { status, id } = await choose(service, project.id, {
      custom_endpoint: `${victim.url}?attack=1`,
      extra: 'a body of my choice',
    });
    expect(status).toBe(201);
    expect(await deliveryOf(project, id)).toEqual({ outcome: 'unsent', reason: 'off' });
    expect(victim.requests).toEqual([]);
  });

  it('sends again where the owner allows it', async () => {
    const project = await proProject();
    const saved = await saveForwarding(project, {
      endpointUrl: null,
      authMode: 'none',
      allowCustomEndpoint: true,
    });
    expect(saved).toMatchObject({ status: 200, body: { enabled: true, allowCustomEndpoint: true } });
    const { id } = await choose(service, project.id, { custom_endpoint: victim.url });
    expect(await ended(project, id)).toMatchObject({ outcome: 'delivered' });
  });

  it('gives a host that visitors name no more than its share, and lets the others wait', async () => {
    const project = await proProject();
    const sent = LEGACY_TARGET_BURST + 200;
    const startedMs = performance.now();
    await chooseMany(project, sent, { custom_endpoint: victim.url });
    await until('the share is used up', async () => (await putOff('legacy_rate')) > 0);
    await until('more of them go as time goes by', () => victim.requests.length > LEGACY_TARGET_BURST);
    const received = victim.requests.length;
    const seconds = (performance.now() - startedMs) / 1000;
    expect(received).toBeLessThanOrEqual(LEGACY_TARGET_BURST + Math.ceil(seconds * LEGACY_TARGET_PER_SECOND));
    // The rest waits and is neither failed nor dropped. Deliveries continue, so requests are counted after the rows.
    const waiting = await waitingOf(project.id);
    expect(waiting + victim.requests.length).toBeGreaterThanOrEqual(sent);
    await discard(project.id);
  });

  it('counts all names of one domain together, whatever they answer', async () => {
    const project = await proProject();
    const startedMs = performance.now();
    const before = await putOff('legacy_rate');
    const names = Array.from({ length: 50 }, (_, i) => `https://n${i}.wild-2.example:${named.port}/`);
    for (let sent = 0; sent < LEGACY_TARGET_BURST + 400; sent += names.length)
      await Promise.all(names.map((name) => choose(service, project.id, { custom_endpoint: name })));
    await until('the share is used up', () => named.requests.length >= LEGACY_TARGET_BURST);
    await until('others wait', async () => (await putOff('legacy_rate')) > before);
    const received = named.requests.length;
    const seconds = (performance.now() - startedMs) / 1000;
    expect(received).toBeLessThanOrEqual(LEGACY_TARGET_BURST + Math.ceil(seconds * LEGACY_TARGET_PER_SECOND));
    await discard(project.id);
  });
});

describe('an endpoint that nobody proved (spec §2.2 allows any)', () => {
  it('bounds the attempts on one address, whatever names lead there, and slows no other project at it', async () => {
    named.behave({ kind: 'answer', status: 422 });
    named.requests.length = 0;
    const arrived = (): number => named.requests.length;
    const proven = await createForwardingProject(service, `https://proven.wild-0.example:${neighbor.port}/`);
    expect(await ended(proven, (await choose(service, proven.id)).id)).toMatchObject({
      outcome: 'delivered',
    });
    const failing = await Promise.all(
      WILDCARDS.map((domain) => createForwardingProject(service, `https://hook.${domain}:${named.port}/`)),
    );
    const startedMs = performance.now();
    /** The attempts that the failing projects may have had since then. */
    const allowed = (): number => {
      const seconds = (performance.now() - startedMs) / 1000;
      const reserved = failing.length * (RESERVED_ATTEMPTS + Math.ceil(seconds * RESERVED_PER_SECOND));
      return FAILING_TARGET_BURST + Math.ceil(seconds * FAILING_TARGET_PER_SECOND) + reserved;
    };
    for (const project of failing) await chooseMany(project, 140);
    await until('the burst is used up', async () => (await bounded('address')) === 1);
    await until('they have arrived', () => arrived() >= FAILING_TARGET_BURST);
    // Two other projects at the same address finish while the failing ones still wait. One of them is new there.
    const ids = failing.map(({ id }) => id);
    const newcomer = await createForwardingProject(service, `https://new.wild-1.example:${neighbor.port}/`);
    for (const project of [proven, newcomer]) {
      await chooseMany(project, 100);
      await until('all of its records were delivered', async () => (await waitingOf(project.id)) === 0);
      const waiting = await waitingOf(...ids);
      expect(waiting).toBeGreaterThanOrEqual(failing.length * 140 - allowed());
    }
    expect(neighbor.requests).toHaveLength(201);
    expect(await putOff('failing_address')).toBeGreaterThan(0);
    expect(arrived()).toBeLessThanOrEqual(allowed());
    await discard(...ids);
  });

  it('bounds the attempts on a host that answers nothing but failures, over all projects', async () => {
    // An answer about the record: what answers otherwise is held after a handful (domain/hold.ts).
    victim.behave({ kind: 'answer', status: 422 });
    const endpointUrl = `https://localhost:${victim.port}/unproved`;
    // Requests left over from an earlier test use another path.
    const arrived = (): number => victim.requests.filter(({ path }) => path === '/unproved').length;
    const projects = await Promise.all([1, 2, 3].map(() => createForwardingProject(service, endpointUrl)));
    const startedMs = performance.now();
    for (const project of projects) await chooseMany(project, 500);
    await until('the burst is used up', async () => (await bounded('domain')) === 1);
    await until('they have arrived', () => arrived() >= FAILING_TARGET_BURST);
    const usedUpMs = performance.now();
    await until('four seconds have gone by', () => performance.now() - usedUpMs > 4_000);
    // The number allowed since the first of them, and no more; requests in progress have arrived
    // since.
    const seconds = (performance.now() - startedMs) / 1000;
    expect(arrived()).toBeLessThanOrEqual(
      FAILING_TARGET_BURST + Math.ceil(seconds * FAILING_TARGET_PER_SECOND),
    );
    // A receiver that comes back gets all that waited, and is bounded no more.
    victim.behave({ kind: 'answer', status: 204 });
    const ids = projects.map(({ id }) => id);
    await until('all were attempted', async () => (await waitingOf(...ids)) === 0);
    expect(arrived()).toBe(1_500);
    await until('nothing is bounded any more', async () => (await bounded('domain')) === 0);
  });

  it('does not slow a receiver of the same port that answers', async () => {
    const project = await createForwardingProject(service, other.url);
    const { id } = await choose(service, project.id);
    expect(await ended(project, id)).toMatchObject({ outcome: 'delivered' });
  });

  it('lets a project test so often a day and no more, and says when to go on', async () => {
    const project = await createForwardingProject(service, other.url);
    const test = () => project.request('editor', 'POST', '/forwarding/test');
    expect((await test()).status).toBe(200);
    await service.database.query('update forwarding_settings set tested_on_day = $2 where project_id = $1', [
      project.id,
      ENDPOINT_TESTS_PER_DAY - 1,
    ]);
    expect((await test()).status).toBe(200);
    const refused = await test();
    expect(refused.status).toBe(429);
    const seconds = Number(refused.headers.get('retry-after'));
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(DAY_MS / 1000);
    // Yesterday's count is not today's, nor is it added to today's by the first test of today.
    await service.database.query(
      `update forwarding_settings set usage_day = usage_day - 1, resent_on_day = $2 where project_id = $1`,
      [project.id, RESENT_RECORDS_PER_DAY],
    );
    expect((await test()).status).toBe(200);
    expect((await test()).status).toBe(200);
    expect(
      await service.database.query('select resent_on_day from forwarding_settings where project_id = $1', [
        project.id,
      ]),
    ).toEqual([{ resent_on_day: 0 }]);
    expect(ENDPOINT_TESTS_PER_MINUTE).toBeLessThan(ENDPOINT_TESTS_PER_DAY);
  });

  it('lets a project send so many records again a day and no more', async () => {
    const project = await createForwardingProject(service, other.url);
    const ids = [];
    for (let i = 0; i < 3; i++) ids.push((await choose(service, project.id)).id);
    for (const id of ids) await ended(project, id);
    await service.database.query(
      `update forwarding_settings set usage_day = (now() at time zone 'UTC')::date, resent_on_day = $2
       where project_id = $1`,
      [project.id, RESENT_RECORDS_PER_DAY - 2],
    );
    const resend = (id: string) => project.request('editor', 'POST', `/forwarding/deliveries/${id}/resend`);
    expect((await resend(ids[0] as string)).status).toBe(202);
    expect((await resend(ids[1] as string)).status).toBe(202);
    const refused = await resend(ids[2] as string);
    expect([refused.status, ((await refused.json()) as Json)['code']]).toEqual([429, 'too_many_requests']);
    const range = { status: 'failed', from: new Date(Date.now() - DAY_MS), to: new Date() };
    expect((await project.request('editor', 'POST', '/forwarding/deliveries/resend', range)).status).toBe(
      429,
    );
    await service.database.query(
      `update forwarding_settings set usage_day = usage_day - 1, tested_on_day = $2 where project_id = $1`,
      [project.id, ENDPOINT_TESTS_PER_DAY],
    );
    for (const id of ids.slice(1)) expect((await resend(id)).status).toBe(202);
    expect((await project.request('editor', 'POST', '/forwarding/test')).status).toBe(200);
  });
});

describe('a project whose tier went below Pro (design §6.5)', () => {
  const OFF = { enabled: false, endpointUrl: null, authMode: 'none', bearerToken: null };
  const lower = (project: TestProject) =>
    service.database.query(`update project set tier = 'lite' where id = $1`, [project.id]);
  const raise = (project: TestProject) =>
    service.database.query(`update project set tier = 'pro' where id = $1`, [project.id]);

  it('can be switched off, and loses endpoint and token', async () => {
    const project = await createForwardingProject(service, other.url);
    await lower(project);
    const kept = await saveForwarding(project, { enabled: false, endpointUrl: other.url });
    expect(kept).toMatchObject({ status: 200, body: { enabled: false, endpointUrl: other.url } });
    expect(await saveForwarding(project, OFF)).toMatchObject({
      status: 200,
      body: { enabled: false, endpointUrl: null, tokenConfigured: false, available: false },
    });
    const [row] = await service.database.query(
      'select token_ciphertext from forwarding_settings where project_id = $1',
      [project.id],
    );
    expect(row).toEqual({ token_ciphertext: null });
  });

  it.each<[string, Json]>([
    ['switched on', { endpointUrl: 'https://127.0.0.1/' }],
    ['aimed elsewhere', { enabled: false, endpointUrl: 'https://consents.example.com/' }],
    ['given a token', { enabled: false, bearerToken: 'x'.repeat(43) }],
    [
      'opened for the endpoints of requests',
      { enabled: false, endpointUrl: null, allowCustomEndpoint: true },
    ],
  ])('cannot be %s', async (_, wanted) => {
    const project = await createForwardingProject(service, other.url);
    const before = await read(project, '/forwarding');
    await lower(project);
    const refused = await saveForwarding(project, { endpointUrl: other.url, ...wanted });
    expect(refused).toMatchObject({ status: 403, body: { code: 'tier_required', currentTier: 'lite' } });
    expect(await read(project, '/forwarding')).toEqual({ ...before, available: false });
  });

  it('sends nothing after the upgrade until it is switched on again', async () => {
    const project = await createForwardingProject(service, other.url);
    await lower(project);
    await saveForwarding(project, { enabled: false, endpointUrl: other.url });
    await raise(project);
    const { id } = await choose(service, project.id);
    expect(await deliveryOf(project, id)).toEqual({ outcome: 'unsent', reason: 'off' });
    await saveForwarding(project, { endpointUrl: other.url });
    const after = await choose(service, project.id);
    expect(await ended(project, after.id)).toMatchObject({ outcome: 'delivered' });
    expect(await deliveryOf(project, id)).toEqual({ outcome: 'unsent', reason: 'off' });
  });
});

describe('records that are not sent, and why', () => {
  it('one from a preview hostname is skipped (spec §3.2 row 1)', async () => {
    const project = await createForwardingProject(service, other.url);
    const { id } = await choose(service, project.id, { hostname: 'my-shop.webflow.io' });
    expect(await ended(project, id)).toMatchObject({ outcome: 'skipped', reason: 'preview_hostname' });
    const near = await choose(service, project.id, { hostname: 'evilwebflow.io' });
    expect(await ended(project, near.id)).toMatchObject({ outcome: 'delivered' });
    expect(other.requests.map(({ headers }) => headers['webhook-id'])).not.toContain(id);
  });

  it('those from before forwarding was on can be sent by hand over a range, once', async () => {
    const project = await proProject();
    const ids = [];
    for (let i = 0; i < 3; i++) ids.push((await choose(service, project.id)).id);
    for (const id of ids) expect(await deliveryOf(project, id)).toEqual({ outcome: 'unsent', reason: 'off' });
    await saveForwarding(project, { endpointUrl: other.url, authMode: 'none' });
    const resend = async (range: Json = {}) => {
      const answer = await project.request('editor', 'POST', '/forwarding/deliveries/resend', {
        status: 'unsent',
        from: new Date(Date.now() - DAY_MS),
        to: new Date(Date.now() + 1_000),
        ...range,
      });
      return { status: answer.status, body: (await answer.json()) as Json };
    };
    expect((await resend({ from: new Date(Date.now() - 15 * DAY_MS) })).status).toBe(422);
    const past = { from: new Date(Date.now() - 2 * DAY_MS), to: new Date(Date.now() - DAY_MS) };
    expect((await resend(past)).body).toEqual({ queued: 0, more: false });
    expect(await resend()).toEqual({ status: 202, body: { queued: 3, more: false } });
    for (const id of ids) expect(await ended(project, id)).toMatchObject({ outcome: 'delivered' });
    expect((await resend()).body).toEqual({ queued: 0, more: false });
  });
});
