import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { RESPONSE_BODY_STORED_BYTES } from '../../src/platform/delivery/domain/response-body.js';
import { newId } from '../../src/platform/identity/ids.js';
import { startForwarding } from '../support/people/forwarding.js';
import { answered, type JsonAnswer } from '../support/people/json.js';
import { type Delivery, settled, TOKEN } from '../support/programs/pipeline.js';
import type { TestProject } from '../support/people/project.js';
import type { Behaviour } from '../support/fakes/receiver.js';

const FLOOD_BYTES = 5 * 1024 * 1024;
/** Far more than an attempt waits for the rest of a response. */
const TIMEOUT_MS = 60_000;
const REST_MS_MAX = TIMEOUT_MS / 2;

const forwarding = await startForwarding({
  worker: true,
  environment: { FORWARDING_TIMEOUT_MS: String(TIMEOUT_MS), OUTBOX_LEASE_MS: String(2 * TIMEOUT_MS) },
});
const { choose, forwardingTo, put, receive, service } = forwarding;

afterEach(forwarding.resetReceivers);
afterAll(forwarding.close);

type Role = Parameters<TestProject['request']>[0];

/** A project that keeps response bodies by default, and one attempt at a receiver with this behavior. */
async function attempt(
  behaviour: Behaviour,
  settings: Record<string, unknown> = { keepResponseBodies: true },
): Promise<{ project: TestProject; delivery: Delivery; bodyFor: (role?: Role) => Promise<JsonAnswer> }> {
  const receiver = await receive(behaviour);
  const project = await forwardingTo(receiver.url, { bearerToken: TOKEN, ...settings });
  const { id } = await choose(project.id);
  const delivery = await settled(project, id);
  return { project, delivery, bodyFor: (role = 'editor') => bodyOf(project, delivery.id, role) };
}

function bodyOf(project: TestProject, deliveryId: string, role: Role): Promise<JsonAnswer> {
  return answered(project.request(role, 'GET', `/forwarding/deliveries/${deliveryId}/response-body`));
}

const answer = (status: number, body?: string | Buffer): Behaviour => ({
  kind: 'answer',
  status,
  ...(body !== undefined && { body }),
});

describe('the response body of a failed attempt', () => {
  it('is stored for editors and owners, and hidden from viewers', async () => {
    const { project, delivery, bodyFor } = await attempt(answer(422, '{"error":"unknown field: surface"}'));
    const stored = { status: 200, body: { responseBody: '{"error":"unknown field: surface"}' } };
    expect(await bodyFor('editor')).toMatchObject(stored);
    expect(await bodyFor('owner')).toMatchObject(stored);
    expect(await bodyFor('viewer')).toMatchObject({ status: 403, body: { code: 'role_required' } });
    expect(delivery).toMatchObject({ outcome: 'failed', hasResponseBody: true });
    for (const path of ['/forwarding/deliveries', `/consents/${delivery.consentId}`, '/forwarding'])
      for (const role of ['viewer', 'owner'] as const)
        expect(await (await project.request(role, 'GET', path)).text()).not.toContain('unknown field');
  });

  it('is cut after 4 KiB, without the time for the rest', async () => {
    const { delivery, bodyFor } = await attempt(answer(500, Buffer.alloc(FLOOD_BYTES, 'x')));
    expect(delivery).toMatchObject({ category: 'http_5xx', httpStatus: 500 });
    expect((await bodyFor()).body['responseBody']).toBe('x'.repeat(RESPONSE_BODY_STORED_BYTES));
  });

  it.each([true, false])('delays no attempt while it is slow (kept: %s)', async (keepResponseBodies) => {
    const head = 'HTTP/1.1 500 Error\r\nContent-Length: 100\r\n\r\n';
    const { delivery, bodyFor } = await attempt(
      { kind: 'raw', parts: [head, 'first ', 'second '] },
      { keepResponseBodies },
    );
    expect(delivery).toMatchObject({ category: 'http_5xx', httpStatus: 500 });
    expect((delivery as unknown as { durationMs: number }).durationMs).toBeLessThan(REST_MS_MAX);
    expect((await bodyFor()).body).toEqual({ responseBody: keepResponseBodies ? 'first second ' : null });
  });

  it('is stored as text where it is binary, and as it is where it is HTML', async () => {
    const binary = await attempt(answer(500, Buffer.from([0x1f, 0x8b, 0x00, 0x41, 0xff])));
    expect((await binary.bodyFor()).body).toEqual({ responseBody: '\u001f\ufffdA\ufffd' });
    const html = '<script>alert(1)</script>';
    const page = await attempt(answer(500, html));
    expect((await page.bodyFor()).body).toEqual({ responseBody: html });
  });

  it('is empty where the response has none, and null without a response', async () => {
    expect((await (await attempt(answer(500))).bodyFor()).body).toEqual({ responseBody: '' });
    const reset = await attempt({ kind: 'reset' });
    expect(reset.delivery).toMatchObject({ category: 'reset', hasResponseBody: false });
    expect((await reset.bodyFor()).body).toEqual({ responseBody: null });
  });

  it('does not repeat the token', async () => {
    const { bodyFor } = await attempt(
      answer(401, `{"error":"wrong token","authorization":"Bearer ${TOKEN}"}`),
    );
    expect((await bodyFor()).body).toEqual({
      responseBody: '{"error":"wrong token","authorization":"Bearer ********"}',
    });
  });

  it('does not repeat a signing secret, also where there is no token', async () => {
    const receiver = await receive(answer(401));
    const project = await forwardingTo(receiver.url, { authMode: 'none', keepResponseBodies: true });
    const made = await answered(project.request('editor', 'POST', '/forwarding/signing-secret'));
    const secret = String(made.body['signingSecret']);
    expect(secret).toMatch(/^whsec_/);
    receiver.behave(answer(401, `checked with ${secret}`));
    const { id } = await choose(project.id);
    const delivery = await settled(project, id);
    const stored = String((await bodyOf(project, delivery.id, 'editor')).body['responseBody']);
    expect(stored).toContain('checked with ');
    expect(stored).not.toContain(secret.slice('whsec_'.length));
  });

  it('is not stored for successes, nor for endpoints that visitors name', async () => {
    const delivered = await attempt(answer(200, 'thanks'));
    expect(delivered.delivery).toMatchObject({ outcome: 'delivered', hasResponseBody: false });
    expect((await delivered.bodyFor()).body).toEqual({ responseBody: null });
    const receiver = await receive(answer(500, 'named by a visitor'));
    const project = await forwarding.proProject();
    await put(project, {
      endpointUrl: null,
      authMode: 'none',
      allowCustomEndpoint: true,
      keepResponseBodies: true,
    });
    const { id } = await choose(project.id, { custom_endpoint: receiver.url });
    expect(await settled(project, id)).toMatchObject({ outcome: 'failed', hasResponseBody: false });
  });

  it('is erased with its record', async () => {
    const { project, delivery, bodyFor } = await attempt(answer(500, 'an echo of the record'));
    const erased = await project.request('owner', 'DELETE', `/consents/${delivery.consentId}`, {
      reason: 'ticket 4711',
    });
    expect(erased.status).toBe(204);
    expect(await bodyFor()).toMatchObject({ status: 404, body: { code: 'delivery_not_found' } });
    const rows = await service.database.query('select from delivery where project_id = $1', [project.id]);
    expect(rows).toEqual([]);
  });

  it('belongs to its project', async () => {
    const { delivery, bodyFor } = await attempt(answer(500, 'private'));
    const other = await forwarding.proProject();
    for (const id of [delivery.id, newId(), 'x', '%00'])
      expect(await bodyOf(other, id, 'owner')).toMatchObject({
        status: 404,
        body: { code: 'delivery_not_found' },
      });
    expect((await bodyFor()).status).toBe(200);
  });
});

describe('the setting keepResponseBodies', () => {
  it('is off by default, validated, kept where omitted, audited, and part of the ETag', async () => {
    const receiver = await receive(answer(204));
    const project = await forwardingTo(receiver.url);
    const read = (): ReturnType<TestProject['request']> => project.request('viewer', 'GET', '/forwarding');
    const save = (more: Record<string, unknown>): Promise<JsonAnswer> =>
      put(project, { endpointUrl: receiver.url, ...more });
    const before = await read();
    expect(await before.json()).toMatchObject({ keepResponseBodies: false });
    for (const invalid of ['true', 1, {}])
      expect(await save({ keepResponseBodies: invalid })).toMatchObject({ status: 422 });
    expect((await save({ keepResponseBodies: true })).body).toMatchObject({ keepResponseBodies: true });
    expect((await read()).headers.get('etag')).not.toBe(before.headers.get('etag'));
    expect((await save({})).body).toMatchObject({ keepResponseBodies: true });
    const audit = await answered(project.request('owner', 'GET', '/audit?action=forwarding.save'));
    expect((audit.body['items'] as unknown[])[0]).toMatchObject({
      before: { keepResponseBodies: false },
      after: { keepResponseBodies: true },
    });
  });

  it('once off, keeps stored bodies and stores none', async () => {
    const { project, bodyFor } = await attempt(answer(500, 'before'));
    const { endpointUrl } = (await answered(project.request('viewer', 'GET', '/forwarding'))).body;
    await put(project, { endpointUrl, keepResponseBodies: false });
    const { id } = await choose(project.id);
    expect(await settled(project, id)).toMatchObject({ outcome: 'failed', hasResponseBody: false });
    expect((await bodyFor()).body).toEqual({ responseBody: 'before' });
  });
});
