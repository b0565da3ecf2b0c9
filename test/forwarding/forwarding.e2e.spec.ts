import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from 'kysely';
import { ConsentEvents } from '../../src/consent/consent.events.js';
import { ConsentForwarder } from '../../src/forwarding/application/consent-forwarder.js';
import { ENDPOINT_TESTS_PER_MINUTE } from '../../src/forwarding/application/endpoint-test.service.js';
import type { DeliveryOutcome } from '../../src/forwarding/domain/outcome.js';
import type { OutboxMessage } from '../../src/outbox/domain/outbox-message.js';
import type { Project } from '../../src/projects/domain/project.js';
import { isUuidV7, newId } from '../../src/shared/ids.js';
import { messageAbout, storeConsent } from '../support/consent.js';
import { createTestProject, type TestProject } from '../support/project.js';
import { makeTestAuthority, type Receiver, startReceiver, type TestAuthority } from '../support/receiver.js';
import { startTestService, type TestService } from '../support/service.js';

const TOKEN = 'a-token-of-the-owner_'.padEnd(43, 'x');
const OTHER_TOKEN = 'another-token_'.padEnd(43, 'y');
const DAY_MS = 24 * 60 * 60 * 1000;

let testAuthority: TestAuthority;
let receiver: Receiver;
let legacyReceiver: Receiver;
let service: TestService;
let forwarder: ConsentForwarder;

beforeAll(async () => {
  testAuthority = await makeTestAuthority();
  receiver = await startReceiver(testAuthority.authority);
  legacyReceiver = await startReceiver(testAuthority.authority);
  service = await startTestService({
    FORWARDING_ALLOWED_PRIVATE_TARGETS: `127.0.0.1:${receiver.port},127.0.0.1:${legacyReceiver.port}`,
    FORWARDING_EXTRA_CA_FILE: testAuthority.caFile,
    FORWARDING_CONNECT_TIMEOUT_MS: '2000',
    FORWARDING_TIMEOUT_MS: '2000',
  });
  forwarder = service.app.get(ConsentForwarder, { strict: false });
});

afterEach(() => {
  receiver.behave({ kind: 'answer', status: 204 });
  receiver.requests.length = 0;
  legacyReceiver.requests.length = 0;
});

afterAll(async () => {
  await service.close();
  await receiver.close();
  await legacyReceiver.close();
  testAuthority.remove();
});

type Json = Record<string, unknown>;

const json = async (answer: Promise<Response>): Promise<{ status: number; body: Json }> => {
  const response = await answer;
  return { status: response.status, body: (await response.json()) as Json };
};
const get = (project: TestProject) => json(project.request('viewer', 'GET', '/forwarding'));
const put = (project: TestProject, body: Json) =>
  json(
    project.request('editor', 'PUT', '/forwarding', {
      enabled: true,
      endpointUrl: receiver.url,
      authMode: 'bearer',
      ...body,
    }),
  );
const fieldsOf = ({ body }: { body: Json }) =>
  (body['errors'] as { field: string }[] | undefined)?.map(({ field }) => field);

const proProject = (fields: Partial<Project> = {}) => createTestProject(service, { tier: 'pro', ...fields });

/** A project on Pro that forwards to the receiver with a token. */
async function forwardingProject(settings: Json = {}): Promise<TestProject> {
  const project = await proProject();
  const saved = await put(project, { bearerToken: TOKEN, ...settings });
  expect(saved.status).toBe(200);
  return project;
}

/** Claims nothing, but does with messages what the outbox does: prepare, attempt, settle in one transaction. */
async function forward(messages: OutboxMessage[]): Promise<DeliveryOutcome[]> {
  const attempts = await forwarder.prepare(messages);
  return settleAll(messages, attempts);
}

async function settleAll(
  messages: OutboxMessage[],
  attempts: Awaited<ReturnType<ConsentForwarder['prepare']>>,
): Promise<DeliveryOutcome[]> {
  const endings = await Promise.all(attempts.map((attempt) => attempt(new AbortController().signal)));
  const outcomes = endings.map((ending) => {
    if (ending.kind !== 'settled') throw new Error('The attempt did not settle.');
    return ending.outcome;
  });
  await settle(outcomes.map((outcome, index) => ({ message: messages[index] as OutboxMessage, outcome })));
  return outcomes;
}

const settle = (settled: Parameters<ConsentForwarder['settle']>[1]) =>
  service.database.orm.em.fork().transactional((tx) => forwarder.settle(tx, settled));

async function forwardOne(
  project: TestProject,
  fields: Parameters<typeof storeConsent>[2] = {},
): Promise<DeliveryOutcome> {
  const consentId = await storeConsent(service, project.id, fields);
  const [outcome] = await forward([messageAbout(project.id, consentId)]);
  return outcome as DeliveryOutcome;
}

const waiting = async (projectId: string) =>
  (
    await service.database.query<{ subject_id: string }>(
      'select subject_id from outbox_message where project_id = $1 order by id',
      [projectId],
    )
  ).map((row) => row.subject_id);

describe('the request to the receiver (spec §4.1, §2.1)', () => {
  it('is a POST of the record with the headers of the table', async () => {
    const project = await forwardingProject();
    const consentId = await storeConsent(service, project.id, { extra: { country: 'DE', tags: ['a'] } });
    await forward([messageAbout(project.id, consentId)]);
    expect(receiver.requests).toHaveLength(1);
    const [request] = receiver.requests;
    expect(request).toMatchObject({ method: 'POST', path: '/hook' });
    expect(request?.headers).toEqual({
      authorization: `Bearer ${TOKEN}`,
      'x-service-project-id': project.id,
      'x-service-consent-id': consentId,
      'user-agent': 'Service-Consent-Forwarder/1.0',
      'content-type': 'application/json',
      'accept-encoding': 'identity',
      'webhook-id': consentId,
      'webhook-timestamp': expect.stringMatching(/^\d{10}$/),
      host: `127.0.0.1:${receiver.port}`,
      connection: 'keep-alive',
      'content-length': String(request?.body.length),
    });
    expect(request?.rawHeaders).toEqual(
      expect.arrayContaining(['Authorization', 'X-Service-Project-Id', 'X-Service-Consent-Id']),
    );
    expect(JSON.parse(request?.body ?? '')).toEqual({
      schemaVersion: 1,
      id: consentId,
      projectId: project.id,
      analytics: true,
      marketing: false,
      preferences: true,
      action: 'custom',
      hostname: 'www.example.com',
      receivedAt: expect.stringMatching(/^\d{4}-.*Z$/),
      country: 'DE',
      tags: ['a'],
    });
  });

  it('carries no Authorization in the mode "No auth"', async () => {
    const project = await forwardingProject({ authMode: 'none', bearerToken: undefined });
    await forwardOne(project);
    expect(receiver.requests[0]?.headers).not.toHaveProperty('authorization');
  });

  it('lets no additional field take the place of a known one', async () => {
    const project = await forwardingProject();
    const extra = { projectId: 'x', analytics: 'x', schemaVersion: 9, receivedAt: 'x', hostname: 'x' };
    await forwardOne(project, { extra, hostname: null });
    expect(JSON.parse(receiver.requests[0]?.body ?? '')).toMatchObject({
      schemaVersion: 1,
      projectId: project.id,
      analytics: true,
      hostname: null,
    });
  });

  it('uses the new token after a rotation', async () => {
    const project = await forwardingProject();
    await put(project, { bearerToken: OTHER_TOKEN });
    await forwardOne(project);
    expect(receiver.requests[0]?.headers.authorization).toBe(`Bearer ${OTHER_TOKEN}`);
  });

  it.each([43, 4096])('carries a token of %d characters', async (length) => {
    const bearerToken = 'z'.repeat(length);
    await forwardOne(await forwardingProject({ bearerToken }));
    expect(receiver.requests[0]?.headers.authorization).toBe(`Bearer ${bearerToken}`);
  });
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
    receiver.behave({ kind: 'answer', status, body: '{"error":"internal detail"}' });
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
    receiver.behave({ kind: 'hang' });
    expect(await forwardOne(project)).toMatchObject({ outcome: 'failed', category: 'timeout' });
    const { body } = await get(project);
    expect(body['lastFailure']).toMatchObject({ category: 'timeout', httpStatus: null });
  });

  it('a failed record is not sent again by itself', async () => {
    const project = await forwardingProject();
    receiver.behave({ kind: 'answer', status: 500 });
    await forwardOne(project);
    expect(await waiting(project.id)).toEqual([]);
    expect(receiver.requests).toHaveLength(1);
  });

  it('the last failure is the latest one, whatever the order of settling', async () => {
    const project = await forwardingProject();
    const nowMs = Date.now();
    const failed = (httpStatus: number, msAgo: number) => ({
      message: messageAbout(project.id, newId()),
      outcome: {
        ...forwarder.giveUp().outcome,
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
    receiver.behave({ kind: 'hang' });
    expect(await healthAfter()).toMatchObject({ kind: 'settled', healthy: false });
    receiver.behave({ kind: 'answer', status: 500 });
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
    await settle([{ message: messageAbout(project.id, newId()), outcome: forwarder.giveUp().outcome }]);
    expect((await get(project)).body['lastFailure']).toMatchObject({ category: 'worker_lost' });
  });

  it('many batches about the same projects at once do not deadlock', async () => {
    const projects = await Promise.all([forwardingProject(), forwardingProject(), forwardingProject()]);
    const batch = (order: TestProject[]) =>
      order.flatMap(({ id }) => [
        { message: messageAbout(id, newId()), outcome: forwarder.giveUp().outcome },
        {
          message: messageAbout(id, newId()),
          outcome: { ...forwarder.giveUp().outcome, outcome: 'delivered' as const },
        },
      ]);
    const batches = Array.from({ length: 8 }, (_, i) => batch(i % 2 ? projects : projects.toReversed()));
    await expect(Promise.all(batches.map(settle))).resolves.toHaveLength(8);
  });
});

describe('whether a record is sent (spec §2.2, §6, §8)', () => {
  it('is decided with the settings of the moment, not of the announcement', async () => {
    const project = await forwardingProject();
    const message = messageAbout(project.id, await storeConsent(service, project.id));
    await put(project, { enabled: false });
    expect(await forward([message])).toMatchObject([{ outcome: 'skipped', reason: 'disabled' }]);
    await put(project, { enabled: true });
    expect(await forward([message])).toMatchObject([{ outcome: 'delivered' }]);
    expect(receiver.requests).toHaveLength(1);
  });

  it('is skipped where the tier went below Pro', async () => {
    const project = await forwardingProject();
    await service.database.query(`update project set tier = 'lite' where id = $1`, [project.id]);
    expect(await forwardOne(project)).toMatchObject({ outcome: 'skipped', reason: 'tier' });
    expect(receiver.requests).toEqual([]);
  });

  it('is skipped without an endpoint, and where the record or the project is gone', async () => {
    const project = await proProject();
    expect(await forwardOne(project)).toMatchObject({ outcome: 'skipped', reason: 'no_endpoint' });
    expect(await forward([messageAbout(project.id, newId())])).toMatchObject([{ reason: 'record_gone' }]);
    expect(await forward([messageAbout(newId(), newId())])).toMatchObject([{ reason: 'record_gone' }]);
  });

  it('sends the messages of many projects to each their own endpoint', async () => {
    const own = await forwardingProject();
    const other = await forwardingProject({ endpointUrl: legacyReceiver.url, bearerToken: OTHER_TOKEN });
    const ids = [await storeConsent(service, own.id), await storeConsent(service, other.id)] as const;
    await forward([messageAbout(own.id, ids[0]), messageAbout(other.id, ids[1])]);
    expect(receiver.requests.map(({ headers }) => headers['webhook-id'])).toEqual([ids[0]]);
    expect(legacyReceiver.requests.map(({ headers }) => headers['webhook-id'])).toEqual([ids[1]]);
    expect(legacyReceiver.requests[0]?.headers.authorization).toBe(`Bearer ${OTHER_TOKEN}`);
  });

  it('fails where the key of the stored token is gone', async () => {
    const project = await forwardingProject();
    await service.database.query(
      `update forwarding_settings set token_key_id = 'gone' where project_id = $1`,
      [project.id],
    );
    expect(await forwardOne(project)).toMatchObject({ outcome: 'failed', category: 'configuration' });
    expect(receiver.requests).toEqual([]);
  });

  it("does not open a token in another project's row", async () => {
    const project = await forwardingProject();
    const thief = await forwardingProject({ bearerToken: OTHER_TOKEN });
    await service.database.query(
      `update forwarding_settings t set token_ciphertext = s.token_ciphertext
       from forwarding_settings s where t.project_id = $1 and s.project_id = $2`,
      [thief.id, project.id],
    );
    expect(await forwardOne(thief)).toMatchObject({ outcome: 'failed', category: 'configuration' });
    expect(receiver.requests).toEqual([]);
  });
});

describe('the request-level custom_endpoint (spec §2.2, §9)', () => {
  it('is used without a token where the project has no endpoint', async () => {
    const project = await proProject();
    const outcome = await forwardOne(project, { customEndpoint: legacyReceiver.url });
    expect(outcome).toMatchObject({ outcome: 'delivered' });
    expect(legacyReceiver.requests[0]?.headers).not.toHaveProperty('authorization');
  });

  it('is not used where the project has one', async () => {
    await forwardOne(await forwardingProject(), { customEndpoint: legacyReceiver.url });
    expect(legacyReceiver.requests).toEqual([]);
    expect(receiver.requests).toHaveLength(1);
  });

  it("never gets the project's token, even where one is stored without an endpoint", async () => {
    const project = await forwardingProject();
    await put(project, { endpointUrl: null, allowCustomEndpoint: true });
    await forwardOne(project, { customEndpoint: legacyReceiver.url });
    expect(legacyReceiver.requests[0]?.headers).not.toHaveProperty('authorization');
  });

  it.each([
    ['http://127.0.0.1/', 'configuration'],
    ['https://10.0.0.1/', 'blocked_address'],
    ['not a url', 'configuration'],
  ])('falls under the same policy: %s', async (customEndpoint, category) => {
    const outcome = await forwardOne(await proProject(), { customEndpoint });
    expect(outcome).toMatchObject({ outcome: 'failed', category });
  });
});

describe('which records are announced (spec §6)', () => {
  const reasonNot = async (
    projectId: string,
    customEndpoint: string | null = null,
  ): Promise<string | null> => {
    const audience = service.app.get(ConsentEvents, { strict: false }).audienceExpression;
    const { rows } = await sql<{ unannounced: string | null }>`
      select (${sql.raw(audience)}) as unannounced
      from project p, (select ${customEndpoint}::text as custom_endpoint) as input
      where p.id = ${projectId}
    `.execute(service.database.orm.em.fork().getKysely());
    return rows[0]?.unannounced ?? null;
  };

  it('those of projects that forward, on tiers that may', async () => {
    const project = await forwardingProject();
    expect(await reasonNot(project.id)).toBeNull();
    await put(project, { enabled: false });
    expect(await reasonNot(project.id, legacyReceiver.url)).toBe('off');
    await put(project, { enabled: true });
    await service.database.query(`update project set tier = 'lite' where id = $1`, [project.id]);
    expect(await reasonNot(project.id)).toBe('tier');
  });

  it('those with an endpoint of their own, where the project has none', async () => {
    const project = await proProject();
    expect(await reasonNot(project.id)).toBe('off');
    expect(await reasonNot(project.id, legacyReceiver.url)).toBeNull();
    const lite = await createTestProject(service);
    expect(await reasonNot(lite.id, legacyReceiver.url)).toBe('tier');
  });

  it('none once forwarding was saved as off, and those with an endpoint of their own where that was allowed', async () => {
    const project = await proProject();
    await put(project, { enabled: false, endpointUrl: null, authMode: 'none' });
    expect(await reasonNot(project.id, legacyReceiver.url)).toBe('off');
    await put(project, { endpointUrl: null, authMode: 'none', allowCustomEndpoint: true });
    expect(await reasonNot(project.id, legacyReceiver.url)).toBeNull();
    expect(await reasonNot(project.id)).toBe('off');
  });

  it('a resend locks the settings of a project that never saved any, and saves none', async () => {
    const project = await proProject();
    const consentId = await storeConsent(service, project.id);
    await project.request('editor', 'POST', `/forwarding/deliveries/${consentId}/resend`);
    expect(await reasonNot(project.id, legacyReceiver.url)).toBeNull();
    expect((await get(project)).body).toMatchObject({ enabled: false, allowCustomEndpoint: true });
  });
});

describe('GET and PUT …/forwarding (design §5)', () => {
  it('answers defaults for a project that never saved anything', async () => {
    const { status, body } = await get(await createTestProject(service));
    expect(status).toBe(200);
    expect(body).toEqual({
      enabled: false,
      endpointUrl: null,
      allowCustomEndpoint: true,
      authMode: 'bearer',
      tokenConfigured: false,
      tokenUpdatedAt: null,
      signing: { configured: false, createdAt: null, formerValidUntil: null },
      lastFailure: null,
      lastDeliveredAt: null,
      pending: 0,
      available: false,
    });
  });

  it('answers a save as a read, and the token in neither (spec §5.3)', async () => {
    const project = await proProject();
    const saved = await put(project, { bearerToken: TOKEN });
    const { body } = await get(project);
    expect(saved).toEqual({ status: 200, body });
    expect(body).toMatchObject({
      enabled: true,
      endpointUrl: receiver.url,
      authMode: 'bearer',
      tokenConfigured: true,
      tokenUpdatedAt: expect.any(String),
      available: true,
    });
    expect(JSON.stringify(body)).not.toContain(TOKEN);
  });

  it('stores the token encrypted', async () => {
    const project = await forwardingProject();
    const [row] = await service.database.query<{ token_ciphertext: Buffer; token_key_id: string }>(
      'select token_ciphertext, token_key_id from forwarding_settings where project_id = $1',
      [project.id],
    );
    expect(row?.token_key_id).toBe('k1');
    expect(row?.token_ciphertext.includes(Buffer.from(TOKEN))).toBe(false);
  });

  it('refuses an endpoint that is not https (spec §2.2, §7) and changes nothing', async () => {
    const project = await forwardingProject();
    const refused = await put(project, { endpointUrl: 'http://consents.example.com/hook' });
    expect(refused).toMatchObject({ status: 422, body: { code: 'validation_failed' } });
    expect(fieldsOf(refused)).toContain('endpointUrl');
    expect((await get(project)).body).toMatchObject({ endpointUrl: receiver.url });
  });

  it.each<[string, unknown, string]>([
    ['no enabled', { enabled: undefined }, 'enabled'],
    ['enabled as a string', { enabled: 'true' }, 'enabled'],
    ['no endpointUrl', { endpointUrl: undefined }, 'endpointUrl'],
    ['enabled without endpoint', { endpointUrl: null }, 'endpointUrl'],
    ['an empty endpoint', { endpointUrl: '' }, 'endpointUrl'],
    ['a private endpoint', { endpointUrl: 'https://10.0.0.1/' }, 'endpointUrl'],
    ['a NUL character', { endpointUrl: 'https://a.example.com/\u0000' }, 'endpointUrl'],
    ['a lone surrogate', { endpointUrl: 'https://a.example.com/\ud800' }, 'endpointUrl'],
    ['an endpoint as an object', { endpointUrl: {} }, 'endpointUrl'],
    ['an unknown mode', { authMode: 'basic' }, 'authMode'],
    ['a token of 42 characters', { bearerToken: 'x'.repeat(42) }, 'bearerToken'],
    ['a token of 4,097 characters', { bearerToken: 'x'.repeat(4097) }, 'bearerToken'],
    ['a token with a line break', { bearerToken: `${TOKEN}\r\nX-Evil: 1` }, 'bearerToken'],
    ['a token as null', { bearerToken: null }, 'bearerToken'],
    ['a token without authentication', { authMode: 'none', bearerToken: TOKEN }, 'bearerToken'],
    ['an unknown field', { token: TOKEN }, 'token'],
  ])('refuses %s with 422', async (_, body, field) => {
    const refused = await put(await proProject(), { bearerToken: TOKEN, ...(body as Json) });
    expect(refused).toMatchObject({ status: 422, body: { code: 'validation_failed' } });
    expect(fieldsOf(refused)).toContain(field);
    expect(JSON.stringify(refused.body)).not.toContain('xxxxxxxxxx');
  });

  it.each([null, [], 7, 'text'])('refuses the body %j with 422', async (body) => {
    const project = await proProject();
    const answer = await project.request('editor', 'PUT', '/forwarding', body);
    expect(answer.status).toBe(422);
  });

  it('asks for a token in bearer mode until one is stored', async () => {
    const project = await proProject();
    expect(fieldsOf(await put(project, {}))).toEqual(['bearerToken']);
    expect((await put(project, { bearerToken: TOKEN })).status).toBe(200);
    expect((await put(project, {})).status).toBe(200);
  });

  it('asks for the token again where the endpoint moves to another origin', async () => {
    const project = await forwardingProject();
    expect(fieldsOf(await put(project, { endpointUrl: legacyReceiver.url }))).toEqual(['bearerToken']);
    expect((await put(project, { endpointUrl: `${receiver.url}/other?x=1` })).status).toBe(200);
    expect((await put(project, { endpointUrl: legacyReceiver.url, bearerToken: TOKEN })).status).toBe(200);
  });

  it('does not lend a stored token to another origin by way of "No auth" or no endpoint', async () => {
    const moved = await forwardingProject();
    expect((await put(moved, { endpointUrl: legacyReceiver.url, authMode: 'none' })).body).toMatchObject({
      tokenConfigured: false,
      tokenUpdatedAt: null,
    });
    expect(fieldsOf(await put(moved, { endpointUrl: legacyReceiver.url }))).toEqual(['bearerToken']);
    const emptied = await forwardingProject();
    await put(emptied, { enabled: false, endpointUrl: null });
    expect(fieldsOf(await put(emptied, { endpointUrl: legacyReceiver.url }))).toEqual(['bearerToken']);
    expect((await put(emptied, { endpointUrl: receiver.url })).status).toBe(200);
  });

  it('keeps token and endpoint of the same save together when two save at once', async () => {
    const project = await proProject();
    const saves = Array.from({ length: 8 }, (_, i) =>
      i % 2
        ? put(project, { bearerToken: TOKEN })
        : put(project, { endpointUrl: legacyReceiver.url, bearerToken: OTHER_TOKEN }),
    );
    for (const saved of await Promise.all(saves)) expect(saved.status).toBe(200);
    await forwardOne(project);
    const [request] = [...receiver.requests, ...legacyReceiver.requests];
    const expected = receiver.requests.length === 1 ? TOKEN : OTHER_TOKEN;
    expect(request?.headers.authorization).toBe(`Bearer ${expected}`);
  });

  it('counts what is waiting', async () => {
    const project = await forwardingProject();
    const consentId = await storeConsent(service, project.id);
    await project.request('editor', 'POST', `/forwarding/deliveries/${consentId}/resend`);
    expect((await get(project)).body).toMatchObject({ pending: 1 });
  });
});

describe('roles and credentials', () => {
  it.each([
    ['GET', '/forwarding', 'viewer'],
    ['PUT', '/forwarding', 'editor'],
    ['POST', '/forwarding/token', 'editor'],
    ['POST', '/forwarding/test', 'editor'],
    ['GET', '/forwarding/deliveries', 'viewer'],
    ['POST', '/forwarding/deliveries/resend', 'editor'],
    ['POST', `/forwarding/deliveries/${newId()}/resend`, 'editor'],
  ])('%s %s needs %s', async (method, path, role) => {
    const project = await proProject();
    const url = `${service.baseUrl}/v1/projects/${project.id}${path}`;
    expect((await fetch(url, { method })).status).toBe(401);
    const stranger = await proProject();
    const headers = { authorization: `Bearer ${stranger.keys.owner}` };
    expect((await fetch(url, { method, headers })).status).toBe(404);
    const asViewer = await project.request('viewer', method, path);
    expect(asViewer.status === 403).toBe(role === 'editor');
  });
});

describe('POST …/forwarding/token (spec §5.2)', () => {
  it('makes a token of 32 random bytes and does not save it', async () => {
    const project = await proProject();
    const tokens = await Promise.all(
      [1, 2].map(() => json(project.request('editor', 'POST', '/forwarding/token'))),
    );
    for (const { status, body } of tokens) {
      expect(status).toBe(200);
      expect(body).toEqual({ bearerToken: expect.stringMatching(/^[\w-]{43}$/) });
    }
    expect(tokens[0]?.body).not.toEqual(tokens[1]?.body);
    expect((await get(project)).body).toMatchObject({ tokenConfigured: false });
  });
});

describe('POST …/forwarding/test (spec §4.2, §6)', () => {
  const test = (project: TestProject) => json(project.request('editor', 'POST', '/forwarding/test'));
  const deliveries = async (projectId: string) =>
    service.database.query('select 1 from delivery where project_id = $1', [projectId]);

  it('sends a synthetic record with the same request shape', async () => {
    const project = await forwardingProject({ enabled: false });
    const { status, body } = await test(project);
    expect(status).toBe(200);
    expect(body).toEqual({
      delivered: true,
      httpStatus: 204,
      category: null,
      reason: null,
      durationMs: expect.any(Number),
      consentId: expect.any(String),
    });
    expect(isUuidV7(body['consentId'])).toBe(true);
    const [request] = receiver.requests;
    expect(request?.headers).toMatchObject({
      authorization: `Bearer ${TOKEN}`,
      'x-service-project-id': project.id,
      'x-service-consent-id': body['consentId'],
      'webhook-id': body['consentId'],
    });
    expect(JSON.parse(request?.body ?? '')).toMatchObject({
      schemaVersion: 1,
      id: body['consentId'],
      analytics: false,
      marketing: false,
      preferences: false,
      action: 'test',
      test: true,
    });
  });

  it('answers 200 when the receiver refuses, and leaves no trace', async () => {
    const project = await forwardingProject();
    receiver.behave({ kind: 'answer', status: 401, body: '{"error":"secret detail"}' });
    const { status, body } = await test(project);
    expect(status).toBe(200);
    expect(body).toMatchObject({ delivered: false, httpStatus: 401, category: 'http_4xx' });
    expect(JSON.stringify(body)).not.toMatch(/secret detail|owner_/);
    expect((await get(project)).body).toMatchObject({ lastFailure: null, lastDeliveredAt: null });
    expect(await deliveries(project.id)).toEqual([]);
  });

  it('answers 409 without an endpoint', async () => {
    expect(await test(await proProject())).toMatchObject({
      status: 409,
      body: { code: 'endpoint_not_configured' },
    });
  });

  it('takes ten a minute from one project, and then says when to come back', async () => {
    const project = await forwardingProject();
    for (let i = 0; i < ENDPOINT_TESTS_PER_MINUTE; i++) expect((await test(project)).status).toBe(200);
    const refused = await project.request('editor', 'POST', '/forwarding/test');
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await test(await forwardingProject())).status).toBe(200);
  });
});

describe('GET …/forwarding/deliveries (design §5)', () => {
  const list = (project: TestProject, query = '') =>
    json(project.request('viewer', 'GET', `/forwarding/deliveries${query}`));
  const itemsOf = ({ body }: { body: Json }) => body['items'] as Json[];

  it('lists attempts, newest first, without the URL', async () => {
    const project = await forwardingProject({ endpointUrl: `${receiver.url}?key=hidden` });
    await forwardOne(project);
    receiver.behave({ kind: 'answer', status: 500 });
    await forwardOne(project);
    const listed = await list(project);
    expect(listed.status).toBe(200);
    expect(itemsOf(listed)).toMatchObject([
      { outcome: 'failed', category: 'http_5xx', httpStatus: 500, host: `127.0.0.1:${receiver.port}` },
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

  it('filters by status and by the time of the attempt', async () => {
    const project = await forwardingProject();
    await forwardOne(project);
    receiver.behave({ kind: 'answer', status: 500 });
    const { attemptedAt } = await forwardOne(project);
    const iso = (ms: number) => new Date(attemptedAt.getTime() + ms).toISOString();
    expect(itemsOf(await list(project, '?status=failed'))).toHaveLength(1);
    expect(itemsOf(await list(project, '?status=skipped'))).toHaveLength(0);
    expect(itemsOf(await list(project, `?status=failed&from=${iso(0)}`))).toHaveLength(1);
    expect(itemsOf(await list(project, `?from=${iso(1)}`))).toHaveLength(0);
    expect(itemsOf(await list(project, `?status=failed&to=${iso(0)}`))).toHaveLength(0);
    expect(itemsOf(await list(project, `?status=failed&to=${iso(1)}`))).toHaveLength(1);
  });

  it.each([
    'status=pending',
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

describe('sending again by hand (spec §3.3, design §5)', () => {
  const resendOne = (project: TestProject, consentId: string) =>
    json(project.request('editor', 'POST', `/forwarding/deliveries/${consentId}/resend`));
  const resendMany = (project: TestProject, body: Json = {}) =>
    json(
      project.request('editor', 'POST', '/forwarding/deliveries/resend', {
        status: 'failed',
        from: new Date(Date.now() - DAY_MS).toISOString(),
        to: new Date(Date.now() + DAY_MS).toISOString(),
        ...body,
      }),
    );

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
    expect(receiver.requests.map(({ headers }) => headers['webhook-id'])).toEqual([consentId, consentId]);
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
    receiver.behave({ kind: 'answer', status: 500 });
    await forward([messageAbout(project.id, failed), messageAbout(project.id, mended)]);
    receiver.behave({ kind: 'answer', status: 204 });
    await new Promise(setImmediate);
    await forward([messageAbout(project.id, mended), messageAbout(project.id, delivered)]);
    const [first, second] = await Promise.all([resendMany(project), resendMany(project)]);
    expect([first?.body['queued'], second?.body['queued']].toSorted()).toEqual([0, 1]);
    expect(await waiting(project.id)).toEqual([failed]);
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

describe("the record's delivery (design §5)", () => {
  it('is null, then pending, then the last attempt', async () => {
    const project = await forwardingProject();
    const consentId = await storeConsent(service, project.id);
    const read = async () =>
      (await json(project.request('viewer', 'GET', `/consents/${consentId}`))).body['delivery'];
    expect(await read()).toBeNull();
    await project.request('editor', 'POST', `/forwarding/deliveries/${consentId}/resend`);
    expect(await read()).toEqual({ outcome: 'pending' });
    await service.database.query('delete from outbox_message where project_id = $1', [project.id]);
    await forward([messageAbout(project.id, consentId)]);
    expect(await read()).toMatchObject({ outcome: 'delivered', consentId, httpStatus: 204 });
  });
});
