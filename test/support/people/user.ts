import { randomUUID } from 'node:crypto';
import { hashPassword } from 'better-auth/crypto';
import { Passwords } from '../../../src/modules/access/infrastructure/passwords.js';
import { insertUser } from '../../../src/modules/access/infrastructure/user.rows.js';
import { newId } from '../../../src/platform/identity/ids.js';
import type { TestService } from '../programs/service.js';
import { until } from '../until.js';

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

/** Posts JSON below `/v1/auth`, by default from a new address, so that no limit applies. */
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

/** A user with a confirmed address, as after a sign-up, signed in at a service that was started `BEHIND_LOOPBACK_PROXY`. */
export async function signUp(
  service: TestService,
  fields: { email?: string; name?: string } = {},
  headers: Record<string, string> = {},
): Promise<TestUser> {
  const { email = `${randomUUID()}@example.com`, name = 'Somebody' } = fields;
  const passwordHash = await service.app.get(Passwords, { strict: false }).hash(PASSWORD);
  const user = { email, name, passwordHash };
  const id = await service.database.orm.em.fork().transactional((tx) => insertUser(tx, user, new Date()));
  if (!id) throw new Error(`${email}: an account with this address already exists`);
  // A busy machine may answer 503.
  const response = await until('the service signs in', async () => {
    const answer = await postAuth(service, 'sign-in/email', { email, password: PASSWORD }, headers);
    return answer.status === 503 ? null : answer;
  });
  if (response.status !== 200)
    throw new Error(`Sign-in answered ${response.status}: ${await response.text()}`);
  return userWith(service, { id, email, cookie: cookieOf(response) });
}

/**
 * Makes a user a member in the way that people become members: `invite` posts to `…/members` as an owner, and the user
 * accepts.
 */
export async function becomeMember(
  invite: (body: { email: string; role: string }) => Promise<Response>,
  user: TestUser,
  role: string,
): Promise<void> {
  const invited = await invite({ email: user.email, role });
  if (invited.status !== 201)
    throw new Error(`The invitation answered ${invited.status}: ${await invited.text()}`);
  const { id } = (await invited.json()) as { id: string };
  const accepted = await user.request('POST', `/v1/me/invitations/${id}/accept`);
  if (accepted.status !== 200)
    throw new Error(`The acceptance answered ${accepted.status}: ${await accepted.text()}`);
}

/** Creates a user with a confirmed address by SQL, where the service runs in another process. Returns the user's id. */
export async function insertAccount(
  query: (sql: string, parameters: unknown[]) => Promise<unknown>,
  { email, password = PASSWORD, name = 'A user' }: { email: string; password?: string; name?: string },
): Promise<string> {
  const [id, hash] = [newId(), await hashPassword(password)];
  await query(
    `with made as (insert into app_user (id, name, email, email_verified) values ($1, $2, $3, true))
     insert into user_account (id, user_id, provider_id, account_id, password)
     values (gen_random_uuid(), $1, 'credential', $1::uuid::text, $4)`,
    [id, name, email, hash],
  );
  return id;
}

/** A user by their session. */
export function userWith(
  service: TestService,
  { id, email, cookie }: Pick<TestUser, 'id' | 'email' | 'cookie'>,
): TestUser {
  return {
    id,
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
