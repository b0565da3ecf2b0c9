import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type LoneService, startLoneService } from '../support/programs/processes.js';
import { until } from '../support/until.js';

const PASSWORD = 'correct horse battery';
const EMAIL = 'ada@example.com';

let service: LoneService;

beforeAll(async () => {
  service = await startLoneService({ DEMO: 'false' });
});
afterAll(() => service?.stop());

const post = (path: string, body: object): Promise<Response> =>
  fetch(`${service.baseUrl}/v1/auth/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

/** The status of the page with the mails, for a request with these headers. */
async function statusFor(headers: Record<string, string>): Promise<number | undefined> {
  const { hostname, port } = new URL(service.baseUrl);
  const sent = request({ hostname, port, path: '/demo/mail', headers }).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  response.resume();
  return response.statusCode;
}

/** How the page of the dashboard says that mails arrive. */
async function mailsShown(): Promise<string | undefined> {
  const page = await (await fetch(`${service.baseUrl}/sign-up`)).text();
  return /<meta name="mail" content="(\w+)"/.exec(page)?.[1];
}

it('shows the mail that confirms the first account, on this machine alone, and nothing after it', async () => {
  expect((await post('sign-up/email', { email: EMAIL, password: PASSWORD })).status).toBe(202);
  const token = await until('the mail is shown', async () => {
    const mails = await (await fetch(`${service.baseUrl}/demo/mail`)).text();
    return /\/confirm-email\?token=([\w-]+)/.exec(mails)?.[1];
  });
  const { host } = new URL(service.baseUrl);
  expect(await mailsShown()).toBe('inbox');
  expect(await statusFor({ host })).toBe(200);
  expect(await statusFor({ host: 'rebind.example' })).toBe(404);
  expect(await statusFor({ host, 'x-forwarded-for': '127.0.0.1' })).toBe(404);
  expect(await statusFor({ host, forwarded: 'for=127.0.0.1' })).toBe(404);

  expect((await post('confirm-email', { token, password: PASSWORD })).status).toBe(200);
  expect(await statusFor({ host })).toBe(404);
  expect(await mailsShown()).toBe('none');
});
