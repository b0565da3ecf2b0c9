import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { WRONG_CODES_PER_USER_MAX } from '../../src/modules/access/application/device-authorization.service.js';
import { generateUserCode, TOKENS_PER_USER_MAX } from '../../src/modules/access/domain/personal-token.js';
import { linkIn, mailTo } from '../support/fakes/mails.js';
import type { Json } from '../support/people/json.js';
import {
  approveDevice,
  insertTestToken,
  pollDevice,
  requestCodes,
} from '../support/people/personal-token.js';
import { createTestProject, type TestProject } from '../support/people/project.js';
import {
  BEHIND_LOOPBACK_PROXY,
  freshAddress,
  PASSWORD,
  postAuth,
  signUp,
  type TestUser,
} from '../support/people/user.js';
import { startTestService, type TestService } from '../support/programs/service.js';

let service: TestService;
let user: TestUser;
let project: TestProject;

beforeAll(async () => {
  service = await startTestService({ ...BEHIND_LOOPBACK_PROXY, RUN_WORKER: 'true' });
});
afterAll(() => service.close());

beforeEach(async () => {
  [user, project] = await Promise.all([signUp(service), createTestProject(service)]);
  await join(project, 'editor');
});

const join = (to: TestProject, role: string): Promise<unknown> =>
  service.database.query('insert into project_member (project_id, user_id, role) values ($1, $2, $3)', [
    to.id,
    user.id,
    role,
  ]);

const byToken = (token: string, method: string, path: string, body?: unknown): Promise<Response> =>
  fetch(`${service.baseUrl}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });

const tokenOf = async (name = 'laptop'): Promise<string> => {
  const { deviceCode, userCode } = await requestCodes(service, name);
  expect((await approveDevice(user, userCode)).status).toBe(204);
  const { status, access_token: token } = await pollDevice(service, deviceCode);
  expect(status).toBe(200);
  return token as string;
};

const answerOf = async (response: Response | Promise<Response>): Promise<[number, string | undefined]> => {
  const { status } = await response;
  const text = await (await response).text();
  return [status, text === '' ? undefined : (JSON.parse(text) as { code?: string }).code];
};

const securityLog = async (): Promise<string[]> => {
  const { items } = (await (await user.request('GET', '/v1/me/security-log')).json()) as {
    items: { action: string }[];
  };
  return items.map(({ action }) => action).filter((action) => /device|token/.test(action));
};

const late = (column: string, table: string): Promise<unknown> =>
  service.database.query(`update ${table} set ${column} = now() - interval '1 second'`);

describe('a device code', () => {
  it('becomes a token of the person who approves it, once', async () => {
    const { deviceCode, userCode } = await requestCodes(service, 'build 7');
    expect(userCode).toMatch(/^[B-Z]{4}-[B-Z]{4}$/);
    const shown = await user.request('POST', '/v1/auth/device/read', { userCode: userCode.toLowerCase() });
    expect(await shown.json()).toEqual({
      deviceName: 'build 7',
      network: expect.stringMatching(/^198\.\d+\.\d+\.0/),
      scope: 'projects',
      createdAt: expect.any(String),
      expiresAt: expect.any(String),
      signedInRecently: true,
    });
    expect((await approveDevice(user, userCode)).status).toBe(204);
    const answer = await pollDevice(service, deviceCode);
    expect(answer).toEqual({
      status: 200,
      access_token: expect.stringMatching(/^cp_[\w-]{43}$/),
      token_type: 'Bearer',
      expires_in: 90 * 24 * 60 * 60,
      scope: 'projects',
    });
    expect(await pollDevice(service, deviceCode)).toMatchObject({ status: 400, error: 'invalid_grant' });
    const token = answer['access_token'] as string;
    expect(await (await byToken(token, 'GET', '/v1/me')).json()).toMatchObject({
      kind: 'personal_token',
      userId: user.id,
      email: user.email,
    });
    const { items } = (await (await user.request('GET', '/v1/me/tokens')).json()) as { items: Json[] };
    expect(items).toEqual([
      {
        id: expect.any(String),
        name: 'build 7',
        createdAt: expect.any(String),
        expiresAt: expect.any(String),
        lastUsedOn: new Date().toISOString().slice(0, 10),
      },
    ]);
    expect(await securityLog()).toEqual(['personal_token_created', 'device_approved']);
    expect((await mailTo(service, user.email)).text).toContain('build 7');
  });

  it('is stored as hashes, and neither it nor the token is logged or listed', async () => {
    const { deviceCode, userCode } = await requestCodes(service);
    const dump = async (): Promise<string> =>
      JSON.stringify(
        await service.database.query(
          `select encode(device_code_hash, 'escape'), encode(user_code_hash, 'escape'), d::text from device_authorization d`,
        ),
      );
    const stored = await dump();
    for (const secret of [deviceCode, userCode, userCode.replace('-', '')])
      expect(stored).not.toContain(secret);
    await approveDevice(user, userCode);
    const { access_token: token } = await pollDevice(service, deviceCode);
    const rows = await service.database.query(
      `select t::text from personal_token t union all select e::text from security_event e
       union all select a::text from audit_event a`,
    );
    expect(JSON.stringify(rows)).not.toContain(String(token).slice(3));
    const listed = await (await user.request('GET', '/v1/me/tokens')).text();
    expect(listed).not.toContain(String(token).slice(3));
  });

  it('waits, slows down, and ends by a denial or after ten minutes', async () => {
    const pending = await requestCodes(service);
    const first = await pollDevice(service, pending.deviceCode);
    expect(first).toMatchObject({ status: 400, error: 'authorization_pending' });
    expect(await pollDevice(service, pending.deviceCode)).toMatchObject({ error: 'slow_down' });
    const [row] = await service.database.query<{ seconds: number }>(
      'select max(interval_seconds)::int as seconds from device_authorization',
    );
    expect(row?.seconds).toBe(10);
    const denied = await requestCodes(service);
    const denial = await user.request('POST', '/v1/auth/device/deny', { userCode: denied.userCode });
    expect(denial.status).toBe(204);
    expect(await answerOf(approveDevice(user, denied.userCode))).toEqual([404, 'device_code_not_found']);
    expect(await pollDevice(service, denied.deviceCode)).toMatchObject({ error: 'access_denied' });
    const approved = await requestCodes(service);
    await approveDevice(user, approved.userCode);
    const expired = await requestCodes(service);
    await late('expires_at', 'device_authorization');
    expect(await answerOf(approveDevice(user, expired.userCode))).toEqual([404, 'device_code_not_found']);
    for (const { deviceCode } of [approved, expired])
      expect(await pollDevice(service, deviceCode)).toMatchObject({ status: 400, error: 'expired_token' });
    expect(await service.database.query('select from personal_token where user_id = $1', [user.id])).toEqual(
      [],
    );
  });

  it('is given to one of many polls at the same time', async () => {
    const { deviceCode, userCode } = await requestCodes(service);
    await approveDevice(user, userCode);
    const answers = await Promise.all(Array.from({ length: 8 }, () => pollDevice(service, deviceCode)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  it.each([
    ['code', { client_id: 'other', device_name: 'x' }, 'invalid_client'],
    ['code', { client_id: 'consent-cli' }, 'invalid_request'],
    ['code', { client_id: 'consent-cli', device_name: 'x\ny' }, 'invalid_request'],
    ['code', { client_id: 'consent-cli', device_name: 'x', scope: 'all' }, 'invalid_scope'],
    ['token', { grant_type: 'password', device_code: 'x' }, 'unsupported_grant_type'],
    ['token', {}, 'unsupported_grant_type'],
  ])('refuses %s %j with %s', async (path, body, error) => {
    const response = await postAuth(service, `device/${path}`, body);
    expect([response.status, await response.json()]).toEqual([
      400,
      { error, error_description: expect.any(String) },
    ]);
    expect(response.headers.get('content-type')).toContain('application/json');
  });

  it('is limited by network', async () => {
    const headers = { 'x-forwarded-for': freshAddress() };
    const body = { client_id: 'consent-cli', device_name: 'x' };
    const statuses = [];
    for (let count = 0; count < 31; count++)
      statuses.push((await postAuth(service, 'device/code', body, headers)).status);
    expect(statuses.indexOf(429)).toBe(30);
  });
});

describe('an approval', () => {
  it('counts wrong codes, and only these', async () => {
    const { userCode } = await requestCodes(service);
    for (let count = 0; count < 2 * WRONG_CODES_PER_USER_MAX; count++)
      expect((await user.request('POST', '/v1/auth/device/read', { userCode })).status).toBe(200);
    for (let count = 0; count < WRONG_CODES_PER_USER_MAX; count++)
      expect(await answerOf(approveDevice(user, generateUserCode()))).toEqual([404, 'device_code_not_found']);
    expect(await answerOf(approveDevice(user, userCode))).toEqual([429, 'too_many_requests']);
    const other = await signUp(service);
    expect((await approveDevice(other, userCode)).status).toBe(204);
  });

  it('needs a recent sign-in, or the password', async () => {
    const { userCode } = await requestCodes(service);
    await service.database.query(
      `update user_session set created_at = now() - interval '2 hours' where user_id = $1`,
      [user.id],
    );
    const shown = await user.request('POST', '/v1/auth/device/read', { userCode });
    expect(await shown.json()).toMatchObject({ signedInRecently: false });
    expect(await answerOf(approveDevice(user, userCode))).toEqual([403, 'recent_sign_in_required']);
    expect(await answerOf(approveDevice(user, userCode, { password: 'wrong' }))).toEqual([
      401,
      'invalid_credentials',
    ]);
    expect((await approveDevice(user, userCode, { password: PASSWORD })).status).toBe(204);
  });

  it.each([
    ['another site', { origin: 'https://evil.example' }],
    ['a form of another site', { 'sec-fetch-site': 'cross-site' }],
  ])('is refused from %s', async (_, headers) => {
    const { userCode } = await requestCodes(service);
    for (const path of ['approve', 'deny']) {
      const response = user.request('POST', `/v1/auth/device/${path}`, { userCode }, headers);
      expect(await answerOf(response)).toEqual([403, 'csrf_refused']);
    }
    const form = await fetch(`${service.baseUrl}/v1/auth/device/approve`, {
      method: 'POST',
      headers: { cookie: user.cookie },
      body: new URLSearchParams({ userCode }),
    });
    expect(form.status).toBe(415);
    expect((await approveDevice(user, userCode)).status).toBe(204);
  });

  it('needs a session: neither a key nor a token approves', async () => {
    const { userCode } = await requestCodes(service);
    const token = await insertTestToken(service, user.id);
    for (const credential of [project.keys.owner, token]) {
      const response = byToken(credential, 'POST', '/v1/auth/device/approve', { userCode });
      expect(await answerOf(response)).toEqual([403, 'session_required']);
    }
  });
});

describe('a personal token', () => {
  it("has its person's role in each project, as it is now", async () => {
    const token = await tokenOf();
    const at = `/v1/projects/${project.id}`;
    expect((await byToken(token, 'PATCH', at, { name: 'New name' })).status).toBe(200);
    const listed = (await (await byToken(token, 'GET', '/v1/projects')).json()) as { items: Json[] };
    expect(listed.items).toMatchObject([{ id: project.id, role: 'editor' }]);
    expect(await answerOf(byToken(token, 'DELETE', at))).toEqual([403, 'role_required']);
    await service.database.query(`update project_member set role = 'viewer' where user_id = $1`, [user.id]);
    expect(await answerOf(byToken(token, 'PATCH', at, { name: 'Other' }))).toEqual([403, 'role_required']);
    await service.database.query('delete from project_member where user_id = $1', [user.id]);
    expect(await answerOf(byToken(token, 'GET', at))).toEqual([404, 'project_not_found']);
    const [{ actor = '' } = {}] = await service.database.query<{ actor: string }>(
      `select actor_id as actor from audit_event where project_id = $1 and action = 'project.update'`,
      [project.id],
    );
    expect(actor).toBe(user.id);
  });

  it('manages neither members nor keys, and changes no account', async () => {
    const own = await createTestProject(service);
    await join(own, 'owner');
    const token = await tokenOf();
    const keys = `/v1/projects/${own.id}/api-keys`;
    expect(await answerOf(byToken(token, 'POST', keys, { name: 'x', role: 'owner' }))).toEqual([
      403,
      'scope_required',
    ]);
    for (const [method, path] of [
      ['GET', '/v1/me/tokens'],
      ['DELETE', `/v1/me/tokens/${own.id}`],
      ['GET', '/v1/me/sessions'],
      ['POST', '/v1/projects'],
      ['DELETE', '/v1/me'],
    ] as const)
      expect(await answerOf(byToken(token, method, path))).toEqual([403, 'session_required']);
  });

  it('is under the second-factor policy of a project', async () => {
    const token = await tokenOf();
    await service.database.query('insert into project_sign_in_policy values ($1, true)', [project.id]);
    const at = `/v1/projects/${project.id}`;
    expect(await answerOf(byToken(token, 'GET', at))).toEqual([403, 'second_factor_required']);
    await service.database.query('update app_user set two_factor_enabled = true where id = $1', [user.id]);
    expect((await byToken(token, 'GET', at)).status).toBe(200);
  });

  it.each([
    ['revoked in the account', (_: string, id: string) => user.request('DELETE', `/v1/me/tokens/${id}`)],
    ['revoked by itself', (token: string) => byToken(token, 'DELETE', '/v1/me/tokens/current')],
    ['expired', () => late('expires_at', 'personal_token')],
    [
      'of a person with a new password',
      () =>
        user.request('POST', '/v1/auth/change-password', {
          currentPassword: PASSWORD,
          newPassword: 'staple battery horse',
        }),
    ],
    ['of a deleted account', () => user.request('DELETE', '/v1/me', { password: PASSWORD })],
  ])('is refused when %s', async (_, end) => {
    const token = await tokenOf();
    const { items } = (await (await user.request('GET', '/v1/me/tokens')).json()) as { items: Json[] };
    const ended = await end(token, String(items[0]?.['id']));
    if (ended instanceof Response) expect(ended.status).toBeLessThan(300);
    expect(await answerOf(byToken(token, 'GET', '/v1/me'))).toEqual([401, 'authentication_required']);
  });

  it('is refused after a password reset, with requests that were approved before it', async () => {
    const token = await tokenOf();
    const { deviceCode, userCode } = await requestCodes(service);
    await approveDevice(user, userCode);
    await mailTo(service, user.email);
    await postAuth(service, 'forgot-password', { email: user.email });
    const { token: link } = linkIn(await mailTo(service, user.email));
    const reset = await postAuth(service, 'reset-password', {
      token: link,
      newPassword: 'staple battery horse',
    });
    expect(reset.status).toBe(200);
    expect((await byToken(token, 'GET', '/v1/me')).status).toBe(401);
    expect(await pollDevice(service, deviceCode)).toMatchObject({ error: 'invalid_grant' });
  });

  it('is revoked by nobody else, and one of 21 ends the oldest', async () => {
    const token = await tokenOf();
    const { items } = (await (await user.request('GET', '/v1/me/tokens')).json()) as { items: Json[] };
    const other = await signUp(service);
    const refused = other.request('DELETE', `/v1/me/tokens/${String(items[0]?.['id'])}`);
    expect(await answerOf(refused)).toEqual([404, 'personal_token_not_found']);
    expect(await answerOf(byToken(project.keys.owner, 'DELETE', '/v1/me/tokens/current'))).toEqual([
      404,
      'personal_token_not_found',
    ]);
    for (let count = 1; count < TOKENS_PER_USER_MAX; count++) await insertTestToken(service, user.id);
    expect((await byToken(token, 'GET', '/v1/me')).status).toBe(200);
    await tokenOf();
    expect((await byToken(token, 'GET', '/v1/me')).status).toBe(401);
  });
});
