import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { linkIn, mailTo } from '../support/fakes/mails.js';
import { startTestService, type TestService } from '../support/programs/service.js';
import { formerTotpCode, totpCode, wrongTotpCode } from '../support/people/totp.js';
import {
  becomeMember,
  BEHIND_LOOPBACK_PROXY,
  cookieOf,
  PASSWORD,
  postAuth,
  signUp,
  type TestUser,
  userWith,
} from '../support/people/user.js';

let service: TestService;

beforeAll(async () => {
  service = await startTestService(BEHIND_LOOPBACK_PROXY);
});
afterAll(() => service.close());

interface Factor {
  user: TestUser;
  totpUri: string;
  recoveryCodes: string[];
}

async function problemOf(response: Response): Promise<{ status: number; code: string }> {
  const { status, code } = (await response.json()) as { status: number; code: string };
  return { status, code };
}

interface ProjectList {
  items: { id: string }[];
  withheld: unknown[];
  nextCursor: string | null;
}

async function listOf(user: TestUser, path: string): Promise<ProjectList> {
  return (await (await user.request('GET', path)).json()) as ProjectList;
}

/** A user who has set up a second factor, and their session afterwards. */
async function withFactor(): Promise<Factor> {
  const user = await signUp(service);
  const begun = await user.request('POST', '/v1/auth/second-factor', { password: PASSWORD });
  expect(begun.status).toBe(200);
  const { totpUri, recoveryCodes } = (await begun.json()) as Omit<Factor, 'user'>;
  const confirmed = await user.request('POST', '/v1/auth/second-factor/confirm', {
    // Different from the codes of the sign-ins below.
    code: await formerTotpCode(totpUri),
  });
  expect(confirmed.status).toBe(200);
  return { user: userWith(service, { ...user, cookie: cookieOf(confirmed) }), totpUri, recoveryCodes };
}

/** The first step of a sign-in: the cookie for the second. */
async function firstStep(email: string): Promise<string> {
  const answer = await postAuth(service, 'sign-in/email', { email, password: PASSWORD });
  expect({ status: answer.status, body: await answer.json() }).toEqual({
    status: 200,
    body: { secondFactorRequired: true },
  });
  return cookieOf(answer);
}

const secondStep = (cookie: string, body: Record<string, unknown>): Promise<Response> =>
  postAuth(service, 'sign-in/second-factor', body, { cookie });

const meWith = (cookie: string): Promise<Response> =>
  fetch(`${service.baseUrl}/v1/me`, { headers: { cookie } });

describe('a second factor', () => {
  it('is asked for at each sign-in once a code of it was shown', async () => {
    const { user, totpUri, recoveryCodes } = await withFactor();
    expect(new URL(totpUri)).toMatchObject({ protocol: 'otpauth:' });
    expect(recoveryCodes).toHaveLength(10);
    expect(await (await user.request('GET', '/v1/me')).json()).toMatchObject({ secondFactor: true });
    expect((await mailTo(service, user.email)).subject).toBe('Two-factor authentication was turned on');

    const cookie = await firstStep(user.email);
    expect((await meWith(cookie)).status).toBe(401);
    const opened = await secondStep(cookie, { code: totpCode(totpUri) });
    expect(await opened.json()).toMatchObject({ user: { id: user.id } });
    expect((await meWith(cookieOf(opened))).status).toBe(200);
  });

  it('is not asked for before that', async () => {
    const user = await signUp(service);
    await user.request('POST', '/v1/auth/second-factor', { password: PASSWORD });
    const answer = await postAuth(service, 'sign-in/email', { email: user.email, password: PASSWORD });
    expect(await answer.json()).toMatchObject({ user: { id: user.id } });
  });

  it('takes each code once, and no other twice', async () => {
    const { user, totpUri } = await withFactor();
    const code = totpCode(totpUri);
    expect((await secondStep(await firstStep(user.email), { code })).status).toBe(200);
    const again = await secondStep(await firstStep(user.email), { code });
    expect(await problemOf(again)).toEqual({ status: 401, code: 'second_factor_invalid' });
    expect((await meWith(cookieOf(again))).status).toBe(401);
    const rows = await service.database.query('select from user_session where user_id = $1', [user.id]);
    expect(rows).toHaveLength(2);
  });

  it('takes a code of its set-up at no sign-in, and one of a sign-in at no set-up', async () => {
    const user = await signUp(service);
    const begun = await user.request('POST', '/v1/auth/second-factor', { password: PASSWORD });
    const { totpUri } = (await begun.json()) as Factor;
    const former = await formerTotpCode(totpUri);
    const confirmed = await user.request('POST', '/v1/auth/second-factor/confirm', { code: former });
    expect(confirmed.status).toBe(200);
    const used = { status: 401, code: 'second_factor_invalid' };
    expect(await problemOf(await secondStep(await firstStep(user.email), { code: former }))).toEqual(used);
    const code = totpCode(totpUri);
    expect((await secondStep(await firstStep(user.email), { code })).status).toBe(200);
    const { request } = userWith(service, { ...user, cookie: cookieOf(confirmed) });
    expect(await problemOf(await request('POST', '/v1/auth/second-factor/confirm', { code }))).toEqual(used);
  });

  it('is set up by one of two requests with the same code, and by a right code after a wrong one', async () => {
    const user = await signUp(service);
    const begun = await user.request('POST', '/v1/auth/second-factor', { password: PASSWORD });
    const { totpUri } = (await begun.json()) as Factor;
    const confirm = (code: string) => user.request('POST', '/v1/auth/second-factor/confirm', { code });
    expect((await confirm(wrongTotpCode(totpUri))).status).toBe(401);
    const code = totpCode(totpUri);
    const both = await Promise.all([confirm(code), confirm(code)]);
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 401]);
  });

  it('is replaced by each recovery code once', async () => {
    const { user, recoveryCodes } = await withFactor();
    const [recoveryCode = ''] = recoveryCodes;
    expect((await secondStep(await firstStep(user.email), { recoveryCode })).status).toBe(200);
    const again = await secondStep(await firstStep(user.email), { recoveryCode });
    expect(await problemOf(again)).toEqual({ status: 401, code: 'second_factor_invalid' });
    const replaced = await user.request('POST', '/v1/auth/second-factor/recovery-codes', {
      password: PASSWORD,
    });
    const { recoveryCodes: others } = (await replaced.json()) as Factor;
    expect(others).toHaveLength(10);
    const old = await secondStep(await firstStep(user.email), { recoveryCode: recoveryCodes[1] });
    expect(old.status).toBe(401);
    expect((await secondStep(await firstStep(user.email), { recoveryCode: others[0] })).status).toBe(200);
  });

  it('is not guessed: five tries for one password, ten in a row for an account', async () => {
    const { user, totpUri } = await withFactor();
    const wrong = wrongTotpCode(totpUri);
    const statuses: number[] = [];
    for (let round = 0; round < 2; round++) {
      const cookie = await firstStep(user.email);
      for (let n = 0; n < 5; n++) statuses.push((await secondStep(cookie, { code: wrong })).status);
      const right = await secondStep(cookie, { code: totpCode(totpUri) });
      expect(right.status).toBe(429);
    }
    expect(statuses).toEqual(Array.from({ length: 10 }, () => 401));
    const locked = await secondStep(await firstStep(user.email), { code: totpCode(totpUri) });
    expect(locked.status).toBe(429);
  });

  it('is kept encrypted', async () => {
    const { user, totpUri, recoveryCodes } = await withFactor();
    const [row] = await service.database.query<{ all: string }>(
      'select to_jsonb(f)::text as all from user_second_factor f where user_id = $1',
      [user.id],
    );
    const secret = new URL(totpUri).searchParams.get('secret') ?? '';
    expect(secret.length).toBeGreaterThan(16);
    for (const open of [secret, ...recoveryCodes]) expect(row?.all).not.toContain(open);
  });

  it('is set up, replaced and taken away with the password alone', async () => {
    const { user } = await withFactor();
    for (const path of ['second-factor', 'second-factor/recovery-codes', 'second-factor/disable']) {
      const answer = await user.request('POST', `/v1/auth/${path}`, { password: 'a wrong password' });
      expect(await problemOf(answer)).toEqual({ status: 401, code: 'invalid_credentials' });
    }
    const again = await user.request('POST', '/v1/auth/second-factor', { password: PASSWORD });
    expect(await problemOf(again)).toEqual({ status: 409, code: 'second_factor_enabled' });
    const gone = await user.request('POST', '/v1/auth/second-factor/disable', { password: PASSWORD });
    expect(gone.status).toBe(200);
    const answer = await postAuth(service, 'sign-in/email', { email: user.email, password: PASSWORD });
    expect(await answer.json()).toMatchObject({ user: { id: user.id } });
  });

  it('outlives a new password', async () => {
    const { user, totpUri } = await withFactor();
    await mailTo(service, user.email);
    await postAuth(service, 'forgot-password', { email: user.email });
    const { token } = linkIn(await mailTo(service, user.email));
    const reset = await postAuth(service, 'reset-password', { token, newPassword: PASSWORD });
    expect(reset.headers.getSetCookie()).toEqual([]);
    expect((await user.request('GET', '/v1/me')).status).toBe(401);
    const cookie = await firstStep(user.email);
    expect((await secondStep(cookie, { code: totpCode(totpUri) })).status).toBe(200);
  });

  it.each([
    [{}],
    [{ code: '123456', recoveryCode: 'aaaaa-bbbbb' }],
    [{ code: '12345' }],
    [{ code: 123456 }],
    [{ recoveryCode: 'x' }],
  ])('refuses %j as fields', async (body) => {
    expect((await secondStep('', body)).status).toBe(422);
  });

  it('is asked of nobody who has not given the password', async () => {
    const answer = await secondStep('', { code: '123456' });
    expect(await problemOf(answer)).toEqual({ status: 401, code: 'authentication_required' });
  });
});

describe('a project that asks for one', () => {
  it('is closed to members without, by an owner who has one', async () => {
    const [{ user: owner }, member] = await Promise.all([withFactor(), signUp(service)]);
    const made = await owner.request('POST', '/v1/projects', { name: 'Bakery' });
    const { id } = (await made.json()) as { id: string };
    await becomeMember((body) => owner.request('POST', `/v1/projects/${id}/members`, body), member, 'owner');
    const at = `/v1/projects/${id}/sign-in-policy`;
    const policy = { secondFactorRequired: true };
    expect(await problemOf(await member.request('PUT', at, policy))).toEqual({
      status: 409,
      code: 'second_factor_missing',
    });
    expect(await (await owner.request('PUT', at, policy)).json()).toEqual(policy);
    expect(await (await owner.request('GET', at)).json()).toEqual(policy);
    expect(await problemOf(await member.request('GET', `/v1/projects/${id}`))).toEqual({
      status: 403,
      code: 'second_factor_required',
    });
    // Lists show its name only, and the member's other projects as ever.
    const ownProject = await member.request('POST', '/v1/projects', { name: 'Own shop' });
    const own = ((await ownProject.json()) as { id: string }).id;
    for (const list of ['/v1/projects', '/v1/project-statuses']) {
      const { items, withheld } = await listOf(member, list);
      expect(items.map((item) => item.id)).toEqual([own]);
      expect(withheld).toEqual([{ id, name: 'Bakery', role: 'owner' }]);
      expect((await listOf(owner, list)).items.map((item) => item.id)).toContain(id);
      expect(await listOf(member, `${list}?limit=1`)).toMatchObject({ nextCursor: expect.any(String) });
    }
    expect((await owner.request('PUT', at, { secondFactorRequired: false })).status).toBe(200);
    expect((await member.request('GET', `/v1/projects/${id}`)).status).toBe(200);
    expect((await listOf(member, '/v1/projects')).items).toHaveLength(2);
    const off = { secondFactorRequired: false };
    expect(await problemOf(await member.request('PUT', at, off))).toEqual({
      status: 409,
      code: 'second_factor_missing',
    });
  });

  it.each(['owner', 'editor', 'viewer'])('is closed to one who is %s', async (role) => {
    const [{ user: owner }, member] = await Promise.all([withFactor(), signUp(service)]);
    const made = await owner.request('POST', '/v1/projects', { name: 'Bakery' });
    const { id } = (await made.json()) as { id: string };
    await becomeMember((body) => owner.request('POST', `/v1/projects/${id}/members`, body), member, role);
    expect((await member.request('GET', `/v1/projects/${id}`)).status).toBe(200);
    const policy = { secondFactorRequired: true };
    expect((await owner.request('PUT', `/v1/projects/${id}/sign-in-policy`, policy)).status).toBe(200);
    expect(await problemOf(await member.request('GET', `/v1/projects/${id}`))).toEqual({
      status: 403,
      code: 'second_factor_required',
    });
  });

  it('is changed by no API key, whatever its scope', async () => {
    const { user: owner } = await withFactor();
    const made = await owner.request('POST', '/v1/projects', { name: 'Bakery' });
    const url = `/v1/projects/${((await made.json()) as { id: string }).id}`;
    const fields = { name: 'Admin', role: 'owner', scopes: ['manage_access'] };
    const { key } = (await (await owner.request('POST', `${url}/api-keys`, fields)).json()) as {
      key: string;
    };
    await owner.request('PUT', `${url}/sign-in-policy`, { secondFactorRequired: true });
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    for (const secondFactorRequired of [false, true]) {
      const body = JSON.stringify({ secondFactorRequired });
      const answer = await fetch(`${service.baseUrl}${url}/sign-in-policy`, { method: 'PUT', headers, body });
      expect(await problemOf(answer)).toEqual({ status: 403, code: 'session_required' });
    }
    const policy = await owner.request('GET', `${url}/sign-in-policy`);
    expect(await policy.json()).toEqual({ secondFactorRequired: true });
  });
});

describe("a person's own log", () => {
  it('tells what was done about her account', async () => {
    const { user, totpUri } = await withFactor();
    await postAuth(service, 'sign-in/email', { email: user.email, password: 'a wrong password' });
    await secondStep(await firstStep(user.email), { code: totpCode(totpUri) });
    const log = await user.request('GET', '/v1/me/security-log');
    const { items } = (await log.json()) as { items: { action: string }[] };
    expect(items.map(({ action }) => action)).toEqual(
      expect.arrayContaining(['sign_in', 'second_factor_enabled', 'sign_in_failed']),
    );
  });
});

describe("a person's own log", () => {
  it('tells of wrong second steps, of codes used again, and of a recovery code beside its sign-in', async () => {
    const { user, totpUri, recoveryCodes } = await withFactor();
    const code = totpCode(totpUri);
    await secondStep(await firstStep(user.email), { code: wrongTotpCode(totpUri) });
    await secondStep(await firstStep(user.email), { code });
    await secondStep(await firstStep(user.email), { code });
    await secondStep(await firstStep(user.email), { recoveryCode: recoveryCodes[0] });
    // Without a started sign-in there is no account whose log could have an entry.
    await secondStep('auth.two_factor=2fa-nonsense.signature', { code });
    const log = await user.request('GET', '/v1/me/security-log');
    const { items } = (await log.json()) as { items: { action: string; network: string | null }[] };
    expect(items.map(({ action }) => action).toReversed()).toEqual([
      'sign_in',
      'second_factor_enabled',
      'second_factor_failed',
      'sign_in',
      'second_factor_failed',
      'recovery_code_used',
      'sign_in',
    ]);
    for (const { network } of items) expect(network).toMatch(/\/24$/);
  });
});
