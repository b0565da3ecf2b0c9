import { randomUUID } from 'node:crypto';
import type { TestService } from './service.js';

/** Lets a test choose the client's address: start the service with it, and send `X-Forwarded-For`. */
export const BEHIND_LOOPBACK_PROXY = { TRUSTED_PROXIES: '127.0.0.1' };

export const PASSWORD = 'correct horse battery';

/** A user with a session. */
export interface TestUser {
  id: string;
  email: string;
  /** As a browser would send it. */
  cookie: string;
  /** `fetch` on a path, with the session, a JSON body if one is given, and further headers. */
  request(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Response>;
}

/** An address from the range for benchmarks that no other call has returned for long: they last for 125,000. */
export function freshAddress(): string {
  addressCount += 1;
  const block = Math.floor(addressCount / 250) % 512;
  return `198.${18 + Math.floor(block / 256)}.${block % 256}.${(addressCount % 250) + 1}`;
}
let addressCount = 0;

/** Posts JSON below `/v1/auth`, by default from an address of its own, so that no limit is met. */
export function postAuth(
  service: TestService,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Response> {
  return fetch(`${service.baseUrl}/v1/auth/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': freshAddress(), ...headers },
    body: JSON.stringify(body),
  });
}

/** Signs a user up at a service that was started `BEHIND_LOOPBACK_PROXY`. */
export async function signUp(
  service: TestService,
  fields: { email?: string; name?: string } = {},
  headers: Record<string, string> = {},
): Promise<TestUser> {
  const email = fields.email ?? `${randomUUID()}@example.com`;
  const response = await postAuth(
    service,
    'sign-up/email',
    { email, password: PASSWORD, ...fields },
    headers,
  );
  if (response.status !== 200)
    throw new Error(`Sign-up answered ${response.status}: ${await response.text()}`);
  const { user } = (await response.json()) as { user: { id: string } };
  const cookie = cookieOf(response);
  return {
    id: user.id,
    email,
    cookie,
    request: (method, path, body, headers = {}) =>
      fetch(`${service.baseUrl}${path}`, {
        method,
        headers: { cookie, ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
  };
}

/** The `Cookie` header that a browser would send after this answer. */
export function cookieOf(response: Response): string {
  return response.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ');
}
