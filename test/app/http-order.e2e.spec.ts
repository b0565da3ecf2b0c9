import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '../../src/platform/identity/ids.js';
import { sendBytes } from '../support/fakes/raw-request.js';
import { startTestService, type TestService } from '../support/programs/service.js';

/** Modules mount themselves on the server, and app defines the order. */
describe('what stands before the routes', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service.close());

  const post = (path: string, body: string, headers = {}): Promise<Response> =>
    fetch(`${service.baseUrl}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
    });
  const measured = async (): Promise<string> => (await fetch(`${service.baseUrl}/metrics`)).text();

  it('serves a consent before Express sees it', async () => {
    const before = await measured();
    const answer = await post(`/v1/projects/${newId()}/consents`, '{}');
    expect(answer.headers.get('cross-origin-resource-policy')).toBe('cross-origin');
    // Requests through Express are measured by route; for the ingest there is not even a refusal.
    expect(before).not.toContain('/consents"');
    expect(await measured()).not.toMatch(/http_request_duration_seconds_count\{method="POST"/);
  });

  it('answers a request that is no HTTP before anything else', async () => {
    expect(await sendBytes(service.baseUrl, 'NONSENSE\r\n\r\n')).toMatch(
      /^HTTP\/1\.1 400 [^]*application\/problem\+json/,
    );
  });

  it('measures what a parser refuses, and gives it the headers of all answers', async () => {
    const answer = await post('/v1/auth/sign-in', '{');
    expect(answer.status).toBe(400);
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(await measured()).toContain(
      'http_request_duration_seconds_count{method="POST",route="none",status="400"} 1',
    );
  });

  it('reads a webhook as bytes, before the parser of JSON', async () => {
    const answer = await post('/v1/webhooks/billing', '{ no json', { 'stripe-signature': 't=1,v1=00' });
    expect(await answer.json()).toMatchObject({ status: 400, code: 'webhook_signature_malformed' });
  });
});
