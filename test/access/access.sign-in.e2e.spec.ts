import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import {
  FAILURES_PER_CHANGE_MAX,
  FAILURES_PER_NETWORK_MAX,
} from '../../src/modules/access/application/password-attempts.js';
import {
  ATTEMPTS_PER_ADDRESS_MAX,
  SESSIONS_PER_USER_MAX,
} from '../../src/modules/access/application/sign-in.service.js';
import { Passwords } from '../../src/modules/access/infrastructure/passwords.js';
import { SESSION_DAYS_MAX } from '../../src/modules/access/domain/session.js';
import { linkIn, mailTo } from '../support/fakes/mails.js';
import { useQuickPasswords, useRealPasswords } from '../support/programs/quick-passwords.js';
import { startTestService, type TestService } from '../support/programs/service.js';
import {
  BEHIND_LOOPBACK_PROXY,
  cookieOf,
  freshAddress,
  PASSWORD,
  postAuth,
  signUp,
} from '../support/people/user.js';
import { until } from '../support/until.js';

let service: TestService;

beforeAll(async () => {
  service = await startTestService(BEHIND_LOOPBACK_PROXY);
});
afterAll(() => service.close());

async function problemOf(response: Response): Promise<{ status: number; code: string; detail: string }> {
  expect(response.headers.get('content-type')).toContain('application/problem+json');
  return (await response.json()) as { status: number; code: string; detail: string };
}

describe('an account', () => {
  it('keeps neither the password nor address or browser of the session', async () => {
    const user = await signUp(service);
    const accounts = await service.database.query<{ password: string }>(
      'select password from user_account where user_id = $1',
      [user.id],
    );
    expect(accounts).toHaveLength(1);
    expect(accounts[0]?.password).not.toContain(PASSWORD);
    expect(
      await service.database.query(
        `select coalesce(ip_address, '') as ip, coalesce(user_agent, '') as agent from user_session where user_id = $1`,
        [user.id],
      ),
    ).toEqual([{ ip: '', agent: '' }]);
  });
});

describe('sign-in', () => {
  it('opens a session for the right password, whatever the case of the e-mail', async () => {
    const { email, id } = await signUp(service);
    const response = await postAuth(service, 'sign-in/email', {
      email: email.toUpperCase(),
      password: PASSWORD,
    });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ user: { id } });
    const me = await fetch(`${service.baseUrl}/v1/me`, { headers: { cookie: cookieOf(response) } });
    const fields = { name: 'Somebody', emailConfirmed: true, secondFactor: false };
    expect(await me.json()).toEqual({ kind: 'user', id, email, ...fields });
  });

  it('answers a wrong password and an unknown e-mail alike', async () => {
    const { email } = await signUp(service);
    const wrong = await postAuth(service, 'sign-in/email', { email, password: 'wrong password' });
    const unknown = await postAuth(service, 'sign-in/email', {
      email: 'nobody@example.com',
      password: PASSWORD,
    });
    expect(wrong.status).toBe(401);
    expect(wrong.headers.getSetCookie()).toEqual([]);
    expect(await problemOf(wrong)).toMatchObject({ code: 'invalid_credentials' });
    expect(await problemOf(unknown)).toMatchObject({ status: 401, code: 'invalid_credentials' });
  });

  it('gives a cookie for the browser session alone where the user is not to be remembered', async () => {
    const { email } = await signUp(service);
    const response = await postAuth(service, 'sign-in/email', {
      email,
      password: PASSWORD,
      rememberMe: false,
    });
    expect(response.status).toBe(200);
    expect(response.headers.getSetCookie()[0]).not.toContain('Max-Age');
  });

  it('keeps a bounded number of sessions for one user', async () => {
    const { email, id, cookie } = await signUp(service);
    await service.database.query(
      `insert into user_session (id, user_id, token, expires_at, created_at)
       select gen_random_uuid(), $1, 'old ' || n, now() + interval '1 day', now() + n * interval '1 microsecond'
       from generate_series(1, $2) n`,
      [id, SESSIONS_PER_USER_MAX + 5],
    );
    expect((await postAuth(service, 'sign-in/email', { email, password: PASSWORD })).status).toBe(200);
    const [{ count }] = (await service.database.query<{ count: string }>(
      'select count(*) from user_session where user_id = $1',
      [id],
    )) as [{ count: string }];
    expect(Number(count)).toBe(SESSIONS_PER_USER_MAX);
    expect((await fetch(`${service.baseUrl}/v1/me`, { headers: { cookie } })).status).toBe(401);
  });

  it('deletes the sessions of the user that have expired', async () => {
    const { email, id } = await signUp(service);
    await service.database.query(
      `update user_session set expires_at = now() - interval '1 second' where user_id = $1`,
      [id],
    );
    expect((await postAuth(service, 'sign-in/email', { email, password: PASSWORD })).status).toBe(200);
    const left = await service.database.query<{ valid: boolean }>(
      'select expires_at > now() as valid from user_session where user_id = $1',
      [id],
    );
    expect(left).toEqual([{ valid: true }]);
  });
});

describe('the session', () => {
  it('ends with sign-out, on the server too', async () => {
    const user = await signUp(service);
    expect((await user.request('GET', '/v1/me')).status).toBe(200);
    const out = await user.request('POST', '/v1/auth/sign-out');
    expect(out.status).toBe(200);
    expect(out.headers.getSetCookie()[0]).toMatch(/^auth\.session_token=;.*Max-Age=0/);
    expect((await user.request('GET', '/v1/me')).status).toBe(401);
    expect((await user.request('POST', '/v1/auth/sign-out')).status).toBe(200);
  });

  it('is told by get-session, and null without one', async () => {
    const user = await signUp(service);
    const session = (await (await user.request('GET', '/v1/auth/get-session')).json()) as {
      session: { expiresAt: string };
    };
    expect(session).toEqual({
      user: { id: user.id, email: user.email, name: expect.any(String) },
      session: { expiresAt: expect.any(String) },
    });
    const none = await fetch(`${service.baseUrl}/v1/auth/get-session`);
    expect(none.status).toBe(200);
    expect(await none.json()).toBeNull();
  });

  it('is not written to by being used, and is prolonged by get-session after a day', async () => {
    const user = await signUp(service);
    const expiryOf = async (): Promise<Date | undefined> =>
      (
        await service.database.query<{ expires_at: Date }>(
          'select expires_at from user_session where user_id = $1',
          [user.id],
        )
      )[0]?.expires_at;
    await service.database.query(
      `update user_session set expires_at = now() + interval '5 days' where user_id = $1`,
      [user.id],
    );
    const before = await expiryOf();
    expect((await user.request('GET', '/v1/me')).status).toBe(200);
    expect(await expiryOf()).toEqual(before);
    const renewed = await user.request('GET', '/v1/auth/get-session');
    expect(renewed.headers.getSetCookie()[0]).toMatch(/^auth\.session_token=/);
    expect((await expiryOf())?.getTime()).toBeGreaterThan((before?.getTime() ?? 0) + 24 * 3_600_000);
  });

  it(`ends ${SESSION_DAYS_MAX} days after it was opened, however often it was prolonged`, async () => {
    const user = await signUp(service);
    const openedBefore = (age: string): Promise<unknown> =>
      service.database.query('update user_session set created_at = now() - $2::interval where user_id = $1', [
        user.id,
        age,
      ]);
    await openedBefore(`${SESSION_DAYS_MAX} days -1 hour`);
    const last = (await (await user.request('GET', '/v1/auth/get-session')).json()) as {
      session: { expiresAt: string };
    };
    const leftMs = Date.parse(last.session.expiresAt) - Date.now();
    expect(leftMs).toBeGreaterThan(59 * 60_000);
    expect(leftMs).toBeLessThanOrEqual(60 * 60_000);
    await openedBefore(`${SESSION_DAYS_MAX} days`);
    expect((await user.request('GET', '/v1/me')).status).toBe(401);
    const ended = await user.request('GET', '/v1/auth/get-session');
    expect(await ended.json()).toBeNull();
    expect(ended.headers.getSetCookie()[0]).toMatch(/^auth\.session_token=;.*Max-Age=0/);
    expect(await service.database.query('select 1 from user_session where user_id = $1', [user.id])).toEqual(
      [],
    );
  });

  it('is refused once it has expired', async () => {
    const user = await signUp(service);
    await service.database.query(
      `update user_session set expires_at = now() - interval '1 second' where user_id = $1`,
      [user.id],
    );
    expect((await user.request('GET', '/v1/me')).status).toBe(401);
  });

  it.each([
    ['a token without signature', (cookie: string) => cookie.split('.').slice(0, 2).join('.')],
    ['a changed signature', (cookie: string) => cookie.replace(/.{8}$/, 'AAAAAAA%3D')],
    ['broken percent-encoding', () => 'auth.session_token=%E0%A4%A.%ff'],
    ['an empty value', () => 'auth.session_token='],
    ['nonsense', () => ';;;=;,'],
  ])('is not there for a cookie with %s', async (_, change) => {
    const user = await signUp(service);
    const response = await fetch(`${service.baseUrl}/v1/me`, { headers: { cookie: change(user.cookie) } });
    expect(response.status).toBe(401);
    expect(await problemOf(response)).toMatchObject({ code: 'authentication_required' });
  });

  it('ends with a change of the password, all but the one that changed it', async () => {
    const user = await signUp(service);
    const other = cookieOf(
      await postAuth(service, 'sign-in/email', { email: user.email, password: PASSWORD }),
    );
    const change = { currentPassword: 'wrong password', newPassword: 'another password' };
    const wrong = await user.request('POST', '/v1/auth/change-password', change);
    expect(wrong.status).toBe(401);
    expect(await problemOf(wrong)).toMatchObject({ code: 'invalid_credentials' });

    const right = await user.request('POST', '/v1/auth/change-password', {
      ...change,
      currentPassword: PASSWORD,
    });
    expect(right.status).toBe(200);
    const meWith = (cookie: string): Promise<Response> =>
      fetch(`${service.baseUrl}/v1/me`, { headers: { cookie } });
    expect((await meWith(cookieOf(right))).status).toBe(200);
    expect((await meWith(other)).status).toBe(401);
    const oldPassword = await postAuth(service, 'sign-in/email', { email: user.email, password: PASSWORD });
    expect(oldPassword.status).toBe(401);
  });
});

it('takes a new password of as many characters as promised, also where each is two UTF-16 units', async () => {
  const user = await signUp(service);
  const change = { currentPassword: PASSWORD, newPassword: '😀'.repeat(128) };
  expect((await user.request('POST', '/v1/auth/change-password', change)).status).toBe(200);
  const { email } = user;
  const opened = await postAuth(service, 'sign-in/email', { email, password: change.newPassword });
  expect(opened.status).toBe(200);
});

it.each(['sign-up/email', 'sign-in/email'])(
  'asks for another try of %s where the thread that hashes passwords is late',
  async (path) => {
    const email = `${randomUUID()}@example.com`;
    useRealPasswords(service.app);
    const passwords = service.app.get(Passwords, { strict: false });
    const { options } = (passwords as unknown as { threads: { options: { taskMaxMs: number } } }).threads;
    const { taskMaxMs } = options;
    const send = (): Promise<Response> => {
      const fields = path.startsWith('sign-up') ? { name: 'Ada', email } : { email };
      return postAuth(service, path, { ...fields, password: 'a wrong password' });
    };
    try {
      options.taskMaxMs = 0;
      // On a busy machine the thread's answer may come before the timer.
      const refused = await until('the thread is late', async () => {
        const response = await send();
        return response.status === 503 ? response : response.arrayBuffer().then(() => null);
      });
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '10']);
      expect(await problemOf(refused)).toMatchObject({ code: 'overloaded' });
      options.taskMaxMs = taskMaxMs;
      expect((await send()).status).toBe(path.startsWith('sign-up') ? 202 : 401);
    } finally {
      options.taskMaxMs = taskMaxMs;
      useQuickPasswords(service.app);
    }
  },
);

describe('limits of attempts', () => {
  it(`lets ${ATTEMPTS_PER_ADDRESS_MAX} sign-ins a minute come from one address and refuses the next`, async () => {
    const address = { 'x-forwarded-for': freshAddress() };
    const attempt = (number: number): Promise<Response> =>
      postAuth(service, 'sign-in/email', { email: `a${number}@example.com`, password: 'wrong' }, address);
    const statuses = [];
    for (let number = 0; number < ATTEMPTS_PER_ADDRESS_MAX; number += 1) {
      statuses.push((await attempt(number)).status);
    }
    expect(statuses).toEqual(Array.from({ length: ATTEMPTS_PER_ADDRESS_MAX }, () => 401));
    const refused = await attempt(ATTEMPTS_PER_ADDRESS_MAX);
    expect(refused.status).toBe(429);
    const retryAfter = Number(refused.headers.get('retry-after'));
    expect(retryAfter).toBeGreaterThan(0);
    expect(retryAfter).toBeLessThanOrEqual(60);
    expect(await problemOf(refused)).toMatchObject({ code: 'too_many_requests' });
    expect((await attempt(ATTEMPTS_PER_ADDRESS_MAX + 1)).status).toBe(429);
    const elsewhere = await postAuth(service, 'sign-in/email', {
      email: 'a0@example.com',
      password: 'wrong',
    });
    expect(elsewhere.status).toBe(401);
  });

  it('counts the addresses of one IPv6 network together', async () => {
    const statuses = await Promise.all(
      Array.from({ length: ATTEMPTS_PER_ADDRESS_MAX + 1 }, (_, number) =>
        postAuth(
          service,
          'sign-in/email',
          { email: `six${number}@example.com`, password: 'wrong' },
          { 'x-forwarded-for': `2001:db8::${number + 1}` },
        ).then((response) => response.status),
      ),
    );
    expect(statuses.filter((status) => status === 401)).toHaveLength(ATTEMPTS_PER_ADDRESS_MAX);
    expect(statuses.filter((status) => status === 429)).toHaveLength(1);
  });

  it('refuses a sign-up beyond the limit of one address', async () => {
    const address = { 'x-forwarded-for': freshAddress() };
    const statuses = await Promise.all(
      Array.from({ length: ATTEMPTS_PER_ADDRESS_MAX + 1 }, (_, number) =>
        postAuth(
          service,
          'sign-up/email',
          { email: `many${number}@example.com`, password: PASSWORD },
          address,
        ).then((response) => response.status),
      ),
    );
    expect(statuses.toSorted()).toEqual([
      ...Array.from({ length: ATTEMPTS_PER_ADDRESS_MAX }, () => 202),
      429,
    ]);
  });

  it(`refuses an e-mail after ${FAILURES_PER_NETWORK_MAX} failures from one network, even with the right password`, async () => {
    const { email } = await signUp(service);
    const address = { 'x-forwarded-for': freshAddress() };
    const attempt = (password: string, number: number): Promise<Response> => {
      const fields = { email: number % 2 === 0 ? email : email.toUpperCase(), password };
      return postAuth(service, 'sign-in/email', fields, address);
    };
    const failOften = async (times: number): Promise<void> => {
      for (let number = 0; number < times; number += 1) {
        expect((await attempt('wrong password', number)).status).toBe(401);
      }
    };
    await failOften(FAILURES_PER_NETWORK_MAX - 1);
    // A sign-in that succeeds is not counted, and does not make the failures forgotten.
    for (let number = 0; number < 3; number += 1) expect((await attempt(PASSWORD, number)).status).toBe(200);
    await failOften(1);
    const right = await attempt(PASSWORD, 0);
    expect(right.status).toBe(429);
    expect(Number(right.headers.get('retry-after'))).toBeGreaterThan(60);
    expect(Number(right.headers.get('retry-after'))).toBeLessThanOrEqual(900);
  });

  it('counts failures at the same time one by one', async () => {
    const address = { 'x-forwarded-for': freshAddress() };
    const fields = { email: 'rush@example.com', password: 'wrong password' };
    const statuses = await Promise.all(
      Array.from({ length: FAILURES_PER_NETWORK_MAX + 5 }, () =>
        postAuth(service, 'sign-in/email', fields, address).then((response) => response.status),
      ),
    );
    expect(statuses.filter((status) => status === 401)).toHaveLength(FAILURES_PER_NETWORK_MAX);
    expect(statuses.filter((status) => status === 429)).toHaveLength(5);
  });

  it('holds also for the current password when it is changed', async () => {
    const user = await signUp(service);
    const change = (currentPassword: string): Promise<Response> =>
      user.request('POST', '/v1/auth/change-password', { currentPassword, newPassword: 'another password' });
    for (let number = 0; number < FAILURES_PER_CHANGE_MAX; number += 1) {
      expect((await change('wrong password')).status).toBe(401);
    }
    const refused = await change(PASSWORD);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(15 * 60);
    // It has its own counter: signing in still works.
    const fields = { email: user.email, password: PASSWORD };
    expect((await postAuth(service, 'sign-in/email', fields)).status).toBe(200);
  });

  it('stores neither addresses nor e-mails with the counts', async () => {
    await signUp(service);
    for (const table of ['sign_in_attempt', 'user_network']) {
      const rows = await service.database.query<{ row: string }>(`select t::text as row from ${table} t`);
      expect(rows.length).toBeGreaterThan(0);
      expect(rows.map(({ row }) => row).join('\n')).not.toMatch(/@|198\.18/);
    }
  });

  it('believes no header about the address without a trusted proxy', async () => {
    const direct = await startTestService();
    const statuses = [];
    for (let number = 0; number <= ATTEMPTS_PER_ADDRESS_MAX; number += 1) {
      const fields = { email: `b${number}@example.com`, password: 'wrong' };
      statuses.push((await postAuth(direct, 'sign-in/email', fields)).status);
    }
    expect(statuses.at(-1)).toBe(429);
    expect(statuses.filter((status) => status === 401)).toHaveLength(ATTEMPTS_PER_ADDRESS_MAX);
    await direct.close();
  });
});

describe('requests of other sites', () => {
  const foreign: Record<string, string>[] = [
    { origin: 'https://evil.com' },
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
  ];

  it.each(foreign)('cannot act by the session cookie: %j', async (headers) => {
    const user = await signUp(service);
    const refused = await user.request('POST', '/v1/projects', { name: 'Mine' }, headers);
    expect(refused.status).toBe(403);
    expect(await problemOf(refused)).toMatchObject({ code: 'csrf_refused' });
    const read = await user.request('GET', '/v1/projects', undefined, headers);
    expect(await read.json()).toEqual({ items: [], withheld: [], nextCursor: null });
  });

  it.each(foreign)('cannot sign anybody in or out: %j', async (headers) => {
    const user = await signUp(service);
    const fields = { email: user.email, password: PASSWORD };
    const signIn = await postAuth(service, 'sign-in/email', fields, headers);
    expect(signIn.status).toBe(403);
    expect(signIn.headers.getSetCookie()).toEqual([]);
    expect((await user.request('POST', '/v1/auth/sign-out', undefined, headers)).status).toBe(403);
    expect((await user.request('GET', '/v1/me')).status).toBe(200);
  });

  it('differ from requests of our own pages, which may act', async () => {
    const user = await signUp(service);
    const headers = { origin: service.baseUrl, 'sec-fetch-site': 'same-origin' };
    expect((await user.request('POST', '/v1/projects', { name: 'Mine' }, headers)).status).toBe(201);
  });
});

describe('behind https', () => {
  it('marks the cookie Secure, and takes the configured origin alone for its own', async () => {
    const secure = await startTestService({
      ...BEHIND_LOOPBACK_PROXY,
      PUBLIC_BASE_URL: 'https://app.example.com',
    });
    const { email } = await signUp(secure);
    const response = await postAuth(secure, 'sign-in/email', { email, password: PASSWORD });
    expect(response.headers.getSetCookie()[0]).toMatch(
      /^__Host-auth\.session_token=(?!.*Domain=).*Path=\/;.*Secure/,
    );
    const cookie = cookieOf(response);
    const create = (origin: string): Promise<Response> =>
      fetch(`${secure.baseUrl}/v1/projects`, {
        method: 'POST',
        headers: { cookie, origin, 'content-type': 'application/json' },
        body: '{"name":"Mine"}',
      });
    expect((await create(secure.baseUrl)).status).toBe(403);
    expect((await create('https://app.example.com')).status).toBe(201);
    await secure.close();
  });
});

describe('bad input', () => {
  const good = { email: 'x@example.com', password: PASSWORD };

  it.each<[string, unknown, string]>([
    ['no e-mail', { password: PASSWORD }, 'email'],
    ['an e-mail that is none', { ...good, email: 'nobody' }, 'email'],
    ['an e-mail that the library alone finds odd', { ...good, email: 'x/y@example.com' }, 'email'],
    ['an e-mail with NUL', { ...good, email: 'x\u0000@example.com' }, 'email'],
    ['an e-mail beyond ASCII', { ...good, email: 'ü@example.com' }, 'email'],
    ['an e-mail that is too long', { ...good, email: `${'x'.repeat(250)}@example.com` }, 'email'],
    ['an e-mail that is an object', { ...good, email: { $ne: '' } }, 'email'],
    ['a password of 7 characters', { ...good, password: 'x'.repeat(7) }, 'password'],
    ['a password of 129 characters', { ...good, password: 'x'.repeat(129) }, 'password'],
    ['a password that is a number', { ...good, password: 12_345_678 }, 'password'],
    ['a name with NUL', { ...good, name: 'a\u0000b' }, 'name'],
    ['a lone surrogate in the name', { ...good, name: 'a\ud800b' }, 'name'],
    ['a blank name', { ...good, name: '  ' }, 'name'],
    ['a null name', { ...good, name: null }, 'name'],
    ['rememberMe, which is for sessions', { ...good, rememberMe: true }, 'rememberMe'],
    ['an unknown field', { ...good, emailVerified: true }, 'emailVerified'],
  ])('refuses a sign-up with %s', async (_, body, field) => {
    const response = await postAuth(service, 'sign-up/email', body);
    expect(response.status).toBe(422);
    expect(await problemOf(response)).toMatchObject({
      code: 'validation_failed',
      errors: expect.arrayContaining([expect.objectContaining({ field })]),
    });
  });

  it.each([['null'], ['[]'], ['7'], ['"text"'], ['true']])('refuses the body %s', async (body) => {
    for (const path of ['sign-up/email', 'sign-in/email']) {
      const response = await fetch(`${service.baseUrl}/v1/auth/${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      });
      expect(response.status).toBe(422);
    }
  });

  it('takes passwords of 8 and of 128 characters, with NUL and lone surrogates too', async () => {
    for (const password of ['\u0000\ud800345678', 'x'.repeat(128)]) {
      const email = `${password.length}@example.com`;
      expect((await postAuth(service, 'sign-up/email', { email, password })).status).toBe(202);
      const { token } = linkIn(await mailTo(service, email));
      expect((await postAuth(service, 'confirm-email', { token, password })).status).toBe(200);
      expect((await postAuth(service, 'sign-in/email', { email, password })).status).toBe(200);
    }
  });

  it('refuses what is not JSON with 400, without repeating it', async () => {
    const response = await fetch(`${service.baseUrl}/v1/auth/sign-in/email`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"password":"hunter2',
    });
    expect(response.status).toBe(400);
    const problem = await problemOf(response);
    expect(problem).toMatchObject({ code: 'body_not_json' });
    expect(problem.detail).not.toContain('hunter2');
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'])(
    'does not read a body as %s',
    async (type) => {
      const response = await fetch(`${service.baseUrl}/v1/auth/sign-in/email`, {
        method: 'POST',
        headers: { 'content-type': type },
        body: 'email=x%40example.com&password=x',
      });
      expect(response.status).toBe(415);
    },
  );

  it('takes a body of 16 KiB and refuses a larger one with 413', async () => {
    const bodyOf = (bytes: number): string => {
      const frame = JSON.stringify({ email: 'x@example.com', password: '' }).length;
      return JSON.stringify({ email: 'x@example.com', password: 'x'.repeat(bytes - frame) });
    };
    const send = (body: string): Promise<Response> =>
      fetch(`${service.baseUrl}/v1/auth/sign-in/email`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      });
    expect((await send(bodyOf(16 * 1024))).status).toBe(422);
    const refused = await send(bodyOf(16 * 1024 + 1));
    expect(refused.status).toBe(413);
    expect(await problemOf(refused)).toMatchObject({ code: 'payload_too_large' });
  });

  it.each([
    ['POST', 'request-password-reset'],
    ['POST', 'update-user'],
    ['GET', 'list-sessions'],
    ['GET', 'error'],
    ['GET', ''],
  ])('knows no route %s %s', async (method, path) => {
    const response = await fetch(`${service.baseUrl}/v1/auth/${path}`, { method });
    expect(response.status).toBe(404);
    expect(await problemOf(response)).toMatchObject({ code: 'not_found' });
  });

  it.each([
    ['GET', 'sign-in/email', 'POST'],
    ['POST', 'get-session', 'GET, HEAD'],
  ])('knows no method %s for %s', async (method, path, allow) => {
    const response = await fetch(`${service.baseUrl}/v1/auth/${path}`, { method });
    expect([response.status, response.headers.get('allow')]).toEqual([405, allow]);
  });

  it('answers a Host header that is none', async () => {
    const { hostname, port } = new URL(service.baseUrl);
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const request = httpRequest(
        { hostname, port, path: '/v1/auth/get-session', headers: { host: '][' } },
        (response) => {
          response.resume();
          resolve(response.statusCode);
        },
      );
      request.on('error', reject).end();
    });
    expect(status).toBe(200);
  });
});
