import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OutboxDispatcher } from '../../src/platform/outbox/application/outbox.dispatcher.js';
import { MailServer } from '../support/fakes/mail-server.js';
import { linkIn } from '../support/fakes/mails.js';
import { startTestService, type TestService } from '../support/programs/service.js';
import { createTestProject } from '../support/people/project.js';
import { BEHIND_LOOPBACK_PROXY, cookieOf, freshAddress, PASSWORD, signUp } from '../support/people/user.js';

const ORIGIN = 'https://app.example.com';

let service: TestService;
let mail: MailServer;
beforeAll(async () => {
  mail = await MailServer.start();
  service = await startTestService({
    ...BEHIND_LOOPBACK_PROXY,
    NODE_ENV: 'production',
    PUBLIC_BASE_URL: ORIGIN,
    SIGN_UP: 'open',
    MAIL_URL: mail.url,
    MAIL_FROM: 'no-reply@example.com',
  });
});
afterAll(async () => {
  await service.close();
  await mail.down();
});

const post = (path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(service.baseUrl + path, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      origin: ORIGIN,
      'x-forwarded-for': freshAddress(),
      ...headers,
    },
    body: JSON.stringify(body),
  });

describe('the session cookie in production', () => {
  it.each(['confirm-email', 'sign-in', 'change-password', 'sign-out'])(
    'is Secure, HttpOnly and SameSite after %s',
    async (step) => {
      const email = `${step}@example.com`;
      await post('/v1/auth/sign-up/email', { email, password: PASSWORD });
      const dispatcher = service.app.get(OutboxDispatcher, { strict: false });
      const { token } = linkIn(await mail.mailTo(email, () => dispatcher.requestPoll()));
      let response = await post('/v1/auth/confirm-email', { token, password: PASSWORD });
      if (step === 'sign-in') response = await post('/v1/auth/sign-in/email', { email, password: PASSWORD });
      if (step === 'change-password') {
        const passwords = { currentPassword: PASSWORD, newPassword: `${PASSWORD} two` };
        response = await post('/v1/auth/change-password', passwords, { cookie: cookieOf(response) });
      }
      if (step === 'sign-out') response = await post('/v1/auth/sign-out', {}, { cookie: cookieOf(response) });
      expect(response.status).toBe(200);
      const cookies = response.headers.getSetCookie();
      expect(cookies.length).toBeGreaterThan(0);
      for (const cookie of cookies) {
        expect(cookie).toMatch(/^__Host-auth\./);
        const attributes = cookie.split('; ').slice(1);
        expect(attributes).toEqual(expect.arrayContaining(['Path=/', 'HttpOnly', 'Secure', 'SameSite=Lax']));
        expect(attributes.filter((attribute) => /^domain/i.test(attribute))).toEqual([]);
      }
    },
  );

  it('is needed under its secure name: the plain one opens nothing', async () => {
    const { cookie } = await signUp(service);
    const me = (value: string): Promise<Response> =>
      fetch(`${service.baseUrl}/v1/me`, { headers: { cookie: value } });
    expect((await me(cookie)).status).toBe(200);
    expect((await me(cookie.replace('__Host-', ''))).status).toBe(401);
  });
});

describe('what browsers are told on every answer', () => {
  it.each<[string, number, RequestInit?]>([
    ['/v1/pricing', 200],
    ['/v1/me', 401],
    ['/v1/projects/x', 401],
    ['/nothing', 404],
    ['/v1/%ff', 400],
    ['/health/live', 200],
    ['/health/ready', 200],
    ['/metrics', 200],
    ['/docs', 200],
    ['/docs/receiver', 200],
    ['/docs-json', 200],
    ['/cdn/PROJECT/loader.js', 200],
    ['/cdn/PROJECT/config.json', 200],
    [
      '/v1/auth/sign-in/email',
      400,
      { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{' },
    ],
    ['/v1/webhooks/billing', 400, { method: 'POST', body: '{}' }],
    [
      '/v1/projects/PROJECT/consents',
      422,
      { method: 'POST', headers: { 'content-type': 'text/plain' }, body: '{}' },
    ],
    ['/v1/projects/PROJECT/consents', 204, { method: 'OPTIONS' }],
    [
      '/v1/projects/PROJECT/consents',
      415,
      { method: 'POST', headers: { 'content-type': 'text/html' }, body: 'x' },
    ],
  ])('%s (%d)', async (path, status, init = {}) => {
    const { id } = await createTestProject(service);
    const response = await fetch(service.baseUrl + path.replace('PROJECT', id), init);
    await response.arrayBuffer();
    expect(response.status).toBe(status);
    const told = Object.fromEntries(response.headers);
    expect(told).toMatchObject({
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'SAMEORIGIN',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'strict-transport-security': expect.stringMatching(/max-age=\d{8}/),
      'content-security-policy': expect.stringMatching(/default-src '(self|none)'/),
    });
    expect(told).not.toHaveProperty('x-powered-by');
    expect(told).not.toHaveProperty('server');
    if (!/consents|cdn|pricing/.test(path)) expect(told).not.toHaveProperty('access-control-allow-origin');
    expect(told).not.toHaveProperty('access-control-allow-credentials');
  });
});

describe('the dashboard', () => {
  const open = (path: string, init: RequestInit = {}): Promise<Response> =>
    fetch(service.baseUrl + path, { redirect: 'manual', ...init });

  it.each([
    '/',
    '/sign-in',
    '/sign-up',
    '/new-project',
    '/account',
    '/projects',
    '/projects/x',
    '/projects/x/settings/plan',
    '/new-organization',
    '/organizations/x',
    '/organizations/x/members',
  ])('is served at %s, and runs nothing but its own files', async (path) => {
    const response = await open(path);
    const policy = response.headers.get('content-security-policy') ?? '';
    const [, nonce = ''] = /'nonce-([^']+)'/.exec(policy) ?? [];
    expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(policy).toMatch(/^default-src 'none'; .*frame-ancestors 'none'; upgrade-insecure-requests$/);
    expect(policy).not.toMatch(/unsafe|\*|https?:/);
    const page = await response.text();
    for (const [tag] of page.matchAll(/<(script|link|style)\b[^>]*>/g))
      if (!tag.includes('rel="icon"')) expect(tag).toContain(`nonce="${nonce}"`);
    expect(page).toContain('<meta name="environment" content="production" />');
    // No two answers let the same inline script in.
    expect((await open(path)).headers.get('content-security-policy')).not.toBe(policy);
  });

  it('has its files kept for good by browsers, compressed as they take them', async () => {
    const page = await (await open('/')).text();
    const [, script = ''] = /<script type="module"[^>]* src="([^"]+)"/.exec(page) ?? [];
    const plain = await (await open(script, { headers: { 'accept-encoding': 'identity' } })).text();
    for (const encoding of ['br', 'gzip']) {
      const response = await open(script, { headers: { 'accept-encoding': encoding } });
      const { 'content-encoding': used, vary, ...told } = Object.fromEntries(response.headers);
      expect([response.status, used, vary]).toEqual([200, encoding, 'Accept-Encoding']);
      expect(told).toMatchObject({
        'cache-control': 'public, max-age=31536000, immutable',
        'content-type': 'text/javascript; charset=utf-8',
      });
      expect((await response.text()) === plain).toBe(true);
    }
  });

  it.each([
    ['/nothing', 'GET'],
    ['/sign-in/nothing', 'GET'],
    ['/assets/nothing.js', 'GET'],
    ['/assets/..%2findex.html', 'GET'],
    ['/assets/', 'GET'],
    ['/v1/projects/x/nothing', 'GET'],
    ['/sign-in', 'POST'],
  ])('is not what %s answers to %s', async (path, method) => {
    const response = await open(path, { method });
    expect(response.status).toBe(404);
    expect(response.headers.get('content-type')).toContain('application/problem+json');
  });
});
