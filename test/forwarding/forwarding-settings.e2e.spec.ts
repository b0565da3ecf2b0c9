import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { newId } from '../../src/platform/identity/ids.js';
import { bodyOf, idsAt, OTHER_TOKEN, startForwarding } from '../support/people/forwarding.js';
import { answered, fieldsOf, type Json } from '../support/people/json.js';
import { read, saveForwarding, settled, simulateTier, TOKEN } from '../support/programs/pipeline.js';
import { createTestProject } from '../support/people/project.js';

const forwarding = await startForwarding({ worker: true });
const {
  choose,
  chooseAndArrive,
  forwardOne,
  forwardingProject,
  forwardingTo,
  get,
  otherReceiver,
  proProject,
  put,
  receive,
  service,
  sharedReceiver,
} = forwarding;

afterEach(forwarding.resetReceivers);
afterAll(forwarding.close);

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
      retrying: 0,
      state: 'active',
      heldSince: null,
      heldReason: null,
      waiting: 0,
      oldestWaitingAt: null,
      nextProbeAt: null,
      forwardErasures: false,
      retryFailures: { enabled: false, hours: 24 },
      keepResponseBodies: false,
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
      endpointUrl: sharedReceiver.url,
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
    expect((await get(project)).body).toMatchObject({ endpointUrl: sharedReceiver.url });
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
    expect(fieldsOf(await put(project, { endpointUrl: otherReceiver.url }))).toEqual(['bearerToken']);
    expect((await put(project, { endpointUrl: `${sharedReceiver.url}/other?x=1` })).status).toBe(200);
    expect((await put(project, { endpointUrl: otherReceiver.url, bearerToken: TOKEN })).status).toBe(200);
  });

  it('does not lend a stored token to another origin by way of "No auth" or no endpoint', async () => {
    const moved = await forwardingProject();
    expect((await put(moved, { endpointUrl: otherReceiver.url, authMode: 'none' })).body).toMatchObject({
      tokenConfigured: false,
      tokenUpdatedAt: null,
    });
    expect(fieldsOf(await put(moved, { endpointUrl: otherReceiver.url }))).toEqual(['bearerToken']);
    const emptied = await forwardingProject();
    await put(emptied, { enabled: false, endpointUrl: null });
    expect(fieldsOf(await put(emptied, { endpointUrl: otherReceiver.url }))).toEqual(['bearerToken']);
    expect((await put(emptied, { endpointUrl: sharedReceiver.url })).status).toBe(200);
  });

  it('answers each save that changes something with another ETag, and audits it', async () => {
    const project = await forwardingProject();
    const etags: (string | null)[] = [];
    const changes: Json[] = [
      {},
      { allowCustomEndpoint: true },
      { forwardErasures: true },
      { keepResponseBodies: true },
      { bearerToken: OTHER_TOKEN },
      { authMode: 'none' },
      { bearerToken: null },
    ];
    let settings: Json = {};
    for (const change of changes) {
      const { bearerToken: _, ...kept } = change;
      settings = { ...settings, ...kept };
      expect((await put(project, { ...settings, ...change })).status).toBe(200);
      etags.push((await project.request('viewer', 'GET', '/forwarding')).headers.get('etag'));
    }
    expect(new Set(etags).size).toBe(changes.length);
    const audit = await answered(project.request('owner', 'GET', '/audit?action=forwarding.save'));
    const audited = (audit.body['items'] as Json[]).map(({ after }) => after);
    expect(audited.toReversed().slice(1)).toEqual([
      { allowCustomEndpoint: true },
      { forwardErasures: true },
      { keepResponseBodies: true },
      { bearerToken: 'replaced' },
      { authMode: 'none' },
      { bearerToken: 'removed' },
    ]);
  });

  it('keeps token and endpoint of the same save together when two save at once', async () => {
    const project = await proProject();
    const saves = Array.from({ length: 8 }, (_, i) =>
      i % 2
        ? put(project, { bearerToken: TOKEN })
        : put(project, { endpointUrl: otherReceiver.url, bearerToken: OTHER_TOKEN }),
    );
    for (const saved of await Promise.all(saves)) expect(saved.status).toBe(200);
    await forwardOne(project);
    const [request] = [...sharedReceiver.requests, ...otherReceiver.requests];
    const expected = sharedReceiver.requests.length === 1 ? TOKEN : OTHER_TOKEN;
    expect(request?.headers.authorization).toBe(`Bearer ${expected}`);
  });
});

describe('the settings (spec §2.2)', () => {
  it('row "Consent forwarding enabled": records are sent while it is on', async () => {
    const receiver = await receive();
    const project = await forwardingTo(receiver.url);
    const before = await chooseAndArrive(project, receiver);
    await saveForwarding(project, { endpointUrl: receiver.url, enabled: false });
    const whileOff = await choose(project.id);
    await saveForwarding(project, { endpointUrl: receiver.url, enabled: true });
    const after = await chooseAndArrive(project, receiver);
    expect(whileOff.status).toBe(201);
    expect(idsAt(receiver)).toEqual([bodyOf(before).id, bodyOf(after).id]);
  });

  it('turns forwarding off with nothing but that, and keeps endpoint, mode and token', async () => {
    const project = await forwardingTo(sharedReceiver.url, { bearerToken: TOKEN, keepResponseBodies: true });
    await simulateTier(project, 'lite');
    const before = (await get(project)).body;
    const off = await answered(project.request('editor', 'PUT', '/forwarding', { enabled: false }));
    expect(off).toEqual({ status: 200, body: { ...before, enabled: false } });
    await simulateTier(project, 'pro');
    expect((await put(project, { enabled: true })).body).toMatchObject({
      enabled: true,
      tokenConfigured: true,
    });
    await forwardOne(project);
    expect(sharedReceiver.requests[0]?.headers.authorization).toBe(`Bearer ${TOKEN}`);
  });

  it('keeps a stored endpoint URL and mode only where the save turns forwarding off', async () => {
    const project = await forwardingTo(sharedReceiver.url);
    const on = await answered(project.request('editor', 'PUT', '/forwarding', { enabled: true }));
    expect(on.status).toBe(422);
    expect(fieldsOf(on)).toEqual(['endpointUrl', 'authMode']);
    const nulled = await answered(
      project.request('editor', 'PUT', '/forwarding', { enabled: false, authMode: null }),
    );
    expect(fieldsOf(nulled)).toEqual(['authMode']);
  });

  it('row "Endpoint URL": one that is not https is refused, and the one before stays', async () => {
    const receiver = await receive();
    const project = await forwardingTo(receiver.url);
    const refused = await saveForwarding(project, { endpointUrl: receiver.url.replace('https', 'http') });
    expect(refused).toMatchObject({ status: 422, body: { errors: [{ field: 'endpointUrl' }] } });
    await chooseAndArrive(project, receiver);
  });

  it('row "Authentication mode": one of two', async () => {
    const receiver = await receive();
    const project = await forwardingTo(receiver.url);
    expect(await saveForwarding(project, { endpointUrl: receiver.url, authMode: 'Basic' })).toMatchObject({
      status: 422,
      body: { errors: [{ field: 'authMode' }] },
    });
  });

  it('row "Bearer token": a new one is pasted and saved, and is in force', async () => {
    const receiver = await receive();
    const project = await forwardingTo(receiver.url);
    const saved = await saveForwarding(project, { endpointUrl: receiver.url, bearerToken: OTHER_TOKEN });
    expect(saved.body).toMatchObject({ tokenConfigured: true });
    expect(JSON.stringify(saved.body)).not.toContain(OTHER_TOKEN);
    expect((await chooseAndArrive(project, receiver)).headers.authorization).toBe(`Bearer ${OTHER_TOKEN}`);
  });

  it('row "Last failure reason": stands on the project and in the settings', async () => {
    const receiver = await receive({ kind: 'answer', status: 503, body: '{"error":"inner detail"}' });
    const project = await forwardingTo(receiver.url);
    expect(await read(project, '')).toMatchObject({ lastFailureReason: null });
    const { id } = await choose(project.id);
    const { reason } = await settled(project, id);
    expect(reason).toMatch(/503/);
    expect(await read(project, '')).toMatchObject({ lastFailureReason: reason });
    expect(await read(project, '/forwarding')).toMatchObject({
      lastFailure: { reason, category: 'http_5xx', httpStatus: 503, at: expect.any(String) },
    });
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
      [1, 2].map(() => answered(project.request('editor', 'POST', '/forwarding/token'))),
    );
    for (const { status, body } of tokens) {
      expect(status).toBe(200);
      expect(body).toEqual({ bearerToken: expect.stringMatching(/^[\w-]{43}$/) });
    }
    expect(tokens[0]?.body).not.toEqual(tokens[1]?.body);
    expect((await get(project)).body).toMatchObject({ tokenConfigured: false });
  });
});

describe('authentication (spec §5)', () => {
  it('items 1 and 2: a token that the service made holds 32 random bytes, and opens the receiver', async () => {
    const receiver = await receive();
    const project = await forwardingTo(receiver.url);
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
    const project = await forwardingTo(receiver.url);
    const { id } = await choose(project.id);
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
    const project = await forwardingTo(receiver.url);
    const { id } = await choose(project.id);
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
