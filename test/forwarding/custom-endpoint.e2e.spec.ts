import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { arrived, bodyOf, PROJECT_SLOTS, startForwarding } from '../support/people/forwarding.js';
import { choose as chooseAt, read, saveForwarding, settled, TOKEN } from '../support/programs/pipeline.js';
import { createTestProject } from '../support/people/project.js';
import { startTestService } from '../support/programs/service.js';

const forwarding = await startForwarding({
  worker: true,
  // Of a receiver that hangs, until its test lets it go.
  environment: { FORWARDING_TIMEOUT_MS: '20000' },
});
const {
  announcedIds,
  choose,
  chooseAndArrive,
  environment,
  forwardOne,
  forwardingProject,
  forwardingTo,
  otherReceiver,
  proProject,
  put,
  receive,
  service,
  sharedReceiver,
} = forwarding;

afterEach(forwarding.resetReceivers);
afterAll(forwarding.close);

describe('the request-level custom_endpoint (spec §2.2, §9)', () => {
  it('is used, without a token, where the project has no endpoint', async () => {
    const receiver = await receive();
    const project = await proProject();
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
    const project = await forwardingTo(own.url);
    await chooseAndArrive(project, own, { custom_endpoint: legacy.url });
    await saveForwarding(project, { endpointUrl: own.url, enabled: false });
    const { id } = await choose(project.id, { custom_endpoint: legacy.url });
    expect(await announcedIds(project.id)).not.toContain(id);
    expect(legacy.requests).toEqual([]);
  });

  it('is not used below the tier Pro', async () => {
    const legacy = await receive();
    const project = await createTestProject(service);
    expect(await choose(project.id, { custom_endpoint: legacy.url })).toMatchObject({ status: 201 });
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
    // Forwarding never fails an ingest (spec §1, §3.3), with any value in the field.
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
      const project = await proProject();
      const { status, id } = await choose(project.id, { custom_endpoint });
      expect(status).toBe(201);
      const delivery = await settled(project, id);
      expect(delivery).toMatchObject({ outcome: 'failed', category });
      expect(await read(project, '')).toMatchObject({ lastFailureReason: delivery.reason });
    },
  );

  it('gives way to an endpoint that the project was given meanwhile', async () => {
    const legacy = await receive({ kind: 'hang' });
    const own = await receive();
    const project = await proProject();
    const fields = { custom_endpoint: legacy.url };
    for (let i = 0; i < PROJECT_SLOTS; i++) await chooseAndArrive(project, legacy, fields);
    const { id } = await choose(project.id, fields);
    await saveForwarding(project, { endpointUrl: own.url, bearerToken: TOKEN });
    legacy.disconnect();
    expect((await arrived(own, id)).headers.authorization).toBe(`Bearer ${TOKEN}`);
  });
});

describe('LEGACY_CUSTOM_ENDPOINT=off', () => {
  it('stores the record, and forwards nothing', async () => {
    const strict = await startTestService({ ...environment, LEGACY_CUSTOM_ENDPOINT: 'off' });
    try {
      const project = await createTestProject(strict, { tier: 'pro' });
      const custom_endpoint = 'https://consents.example.com/hook';
      const { status, id } = await chooseAt(strict, project.id, { custom_endpoint });
      expect(status).toBe(201);
      const one = await project.request('viewer', 'GET', `/consents/${id}`);
      expect(await one.json()).toMatchObject({ delivery: { outcome: 'unsent', reason: 'off' } });
      expect(await strict.database.query('select 1 from outbox_message')).toEqual([]);
    } finally {
      await strict.close();
    }
  });
});

describe('a stored record with a custom_endpoint (spec §2.2, §9)', () => {
  it('is used without a token where the project has no endpoint', async () => {
    const project = await proProject();
    const outcome = await forwardOne(project, { customEndpoint: otherReceiver.url });
    expect(outcome).toMatchObject({ outcome: 'delivered' });
    expect(otherReceiver.requests[0]?.headers).not.toHaveProperty('authorization');
  });

  it('is not used where the project has one', async () => {
    await forwardOne(await forwardingProject(), { customEndpoint: otherReceiver.url });
    expect(otherReceiver.requests).toEqual([]);
    expect(sharedReceiver.requests).toHaveLength(1);
  });

  it("never gets the project's token, even where one is stored without an endpoint", async () => {
    const project = await forwardingProject();
    await put(project, { endpointUrl: null, allowCustomEndpoint: true });
    await forwardOne(project, { customEndpoint: otherReceiver.url });
    expect(otherReceiver.requests[0]?.headers).not.toHaveProperty('authorization');
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
