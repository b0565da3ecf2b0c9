import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { ENDPOINT_TESTS_PER_MINUTE } from '../../src/modules/forwarding/application/endpoint-test.service.js';
import { isUuidV7 } from '../../src/platform/identity/ids.js';
import { startForwarding } from '../support/people/forwarding.js';
import { answered, type Json } from '../support/people/json.js';
import { deliveriesOf, read, settled, TOKEN } from '../support/programs/pipeline.js';
import type { TestProject } from '../support/people/project.js';

const forwarding = await startForwarding({ worker: true });
const { choose, forwardingProject, forwardingTo, get, proProject, receive, service, sharedReceiver } =
  forwarding;

afterEach(forwarding.resetReceivers);
afterAll(forwarding.close);

describe('POST …/forwarding/test (spec §4.2, §6)', () => {
  const test = (project: TestProject) => answered(project.request('editor', 'POST', '/forwarding/test'));
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
    const [request] = sharedReceiver.requests;
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
    sharedReceiver.behave({ kind: 'answer', status: 401, body: '{"error":"secret detail"}' });
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

describe('Test endpoint (spec §4.2, §6)', () => {
  it('sends a synthetic record at once, and leaves no trace', async () => {
    const receiver = await receive({ kind: 'answer', status: 500 });
    const project = await forwardingTo(receiver.url);
    const { id } = await choose(project.id);
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
