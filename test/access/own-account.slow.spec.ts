import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { Role } from '../../src/modules/access/domain/role.js';
import { SESSION_DAYS_MAX } from '../../src/modules/access/domain/session.js';
import { repair, whileBroken } from '../support/rules/broken.js';
import { linkIn, mailsLeft, mailTo } from '../support/fakes/mails.js';
import { startTestService, type TestService } from '../support/programs/service.js';
import {
  BEHIND_LOOPBACK_PROXY,
  cookieOf,
  freshAddress,
  PASSWORD,
  postAuth,
  signUp,
  type TestUser,
  userWith,
} from '../support/people/user.js';

const OTHER_PASSWORD = 'staple battery horse';
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
const SAFARI =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1';

let service: TestService;

beforeAll(async () => {
  service = await startTestService(BEHIND_LOOPBACK_PROXY);
});
afterEach(() => repair(service));
afterAll(() => service.close());

const freshEmail = (): string => `${randomUUID()}@example.com`;

async function answerOf(response: Response): Promise<{ status: number; code: string }> {
  const { status, code } = (await response.json()) as { status: number; code: string };
  return { status, code };
}

const signIn = (
  email: string,
  password = PASSWORD,
  headers: Record<string, string> = {},
): Promise<Response> => postAuth(service, 'sign-in/email', { email, password }, headers);

/** Another session of a user. */
async function again(user: TestUser, userAgent = ''): Promise<TestUser> {
  const opened = await signIn(user.email, PASSWORD, { 'user-agent': userAgent });
  expect(opened.status).toBe(200);
  return userWith(service, { ...user, cookie: cookieOf(opened) });
}

const isSignedIn = async (user: TestUser): Promise<boolean> =>
  (await user.request('GET', '/v1/me')).status === 200;

async function logOf(userId: string): Promise<string[]> {
  const rows = await service.database.query<{ action: string }>(
    'select action from security_event where user_id = $1 order by id',
    [userId],
  );
  return rows.map(({ action }) => action);
}

const askFor = (user: TestUser, newEmail: string, password = PASSWORD): Promise<Response> =>
  user.request(
    'POST',
    '/v1/auth/change-email',
    { newEmail, password },
    { 'x-forwarded-for': freshAddress() },
  );

/** Asks for another address and returns the token that was mailed there. */
async function tokenFor(user: TestUser, newEmail: string): Promise<string> {
  expect((await askFor(user, newEmail)).status).toBe(202);
  const mail = await mailTo(service, newEmail.toLowerCase());
  expect(mail.subject).toBe('Confirm your new email address');
  const { page, token } = linkIn(mail);
  expect(page).toBe('/confirm-new-email');
  return token;
}

const confirm = (token: string, password = PASSWORD, cookie?: string): Promise<Response> =>
  postAuth(service, 'confirm-new-email', { token, password }, cookie === undefined ? {} : { cookie });

describe('a change of address', () => {
  it('is made once the new one is confirmed, is told to both, and leaves the session that confirms alone', async () => {
    const user = await signUp(service);
    const other = await again(user);
    const newEmail = `New.${freshEmail()}`;
    const email = newEmail.toLowerCase();
    const token = await tokenFor(user, newEmail);
    const asked = await mailTo(service, user.email);
    expect(asked).toMatchObject({
      subject: 'Request to change your email address',
      text: expect.stringContaining(email),
    });
    // Nothing has changed yet.
    expect(await (await user.request('GET', '/v1/me')).json()).toMatchObject({ email: user.email });
    expect((await signIn(email)).status).toBe(401);

    const confirmed = await confirm(token, PASSWORD, user.cookie);
    expect({ status: confirmed.status, body: await confirmed.json() }).toEqual({
      status: 200,
      body: { success: true },
    });
    expect(await (await user.request('GET', '/v1/me')).json()).toMatchObject({ email, emailConfirmed: true });
    expect(await isSignedIn(other)).toBe(false);
    expect((await signIn(user.email)).status).toBe(401);
    expect((await signIn(email)).status).toBe(200);
    for (const to of [user.email, email])
      expect((await mailTo(service, to)).subject).toBe('Your email address was changed');
    // Failed sign-ins are noted after the response, so the first one may already find the new address.
    const log = (await logOf(user.id)).filter((action) => action !== 'sign_in_failed');
    expect(log).toEqual(['sign_in', 'sign_in', 'email_change_requested', 'email_changed', 'sign_in']);
    expect(await answerOf(await confirm(token))).toEqual({ status: 410, code: 'link_ended' });
  });

  it('is confirmed by a mail in the language of the account', async () => {
    const [user, newEmail] = [await signUp(service), freshEmail()];
    await service.database.query(`update app_user set language = 'de' where id = $1`, [user.id]);
    expect((await askFor(user, newEmail)).status).toBe(202);
    expect((await mailTo(service, newEmail)).subject).toBe('Bestätigen Sie Ihre neue E-Mail-Adresse');
  });

  it('ends every session where the link is followed without one, and opens none', async () => {
    const user = await signUp(service);
    const token = await tokenFor(user, freshEmail());
    const confirmed = await confirm(token);
    expect({ status: confirmed.status, cookies: confirmed.headers.getSetCookie() }).toEqual({
      status: 200,
      cookies: [],
    });
    expect(await isSignedIn(user)).toBe(false);
  });

  it('is not made by a stranger who gets the mail, nor by the session of another', async () => {
    const user = await signUp(service);
    const stranger = await signUp(service);
    const token = await tokenFor(user, freshEmail());
    const refused = { status: 401, code: 'invalid_credentials' };
    expect(await answerOf(await confirm(token, OTHER_PASSWORD))).toEqual(refused);
    expect(await answerOf(await confirm(token, 'of the stranger', stranger.cookie))).toEqual(refused);
    expect(await (await user.request('GET', '/v1/me')).json()).toMatchObject({ email: user.email });
    // Ten wrong ones end the link's tries, and not the person's own.
    for (let n = 0; n < 8; n++) await confirm(token, `wrong ${n}`);
    expect((await confirm(token)).status).toBe(429);
    expect((await askFor(user, freshEmail())).status).toBe(202);
  });

  it('wants the password, and another address than before', async () => {
    const user = await signUp(service);
    expect(await answerOf(await askFor(user, freshEmail(), OTHER_PASSWORD))).toEqual({
      status: 401,
      code: 'invalid_credentials',
    });
    expect(await answerOf(await askFor(user, user.email.toUpperCase()))).toEqual({
      status: 422,
      code: 'validation_failed',
    });
    expect(await mailsLeft(service, user.email)).toEqual([]);
  });

  it('answers and tells the user the same where the new address has an account, which keeps it', async () => {
    const [user, taken] = [await signUp(service), await signUp(service)];
    const asked = await askFor(user, taken.email);
    expect({ status: asked.status, body: await asked.json() }).toEqual({
      status: 202,
      body: { status: 'check_your_mail' },
    });
    expect((await mailTo(service, user.email)).subject).toBe('Request to change your email address');
    expect((await mailTo(service, taken.email)).subject).toBe('You already have an account');
    expect(await service.database.query('select from account_link where user_id = $1', [user.id])).toEqual(
      [],
    );
  });

  it('to an address that gets an account meanwhile is not made', async () => {
    const user = await signUp(service);
    const email = freshEmail();
    const token = await tokenFor(user, email);
    await signUp(service, { email });
    expect(await answerOf(await confirm(token))).toEqual({ status: 410, code: 'link_ended' });
    expect(await (await user.request('GET', '/v1/me')).json()).toMatchObject({ email: user.email });
  });

  it('to one address by two accounts at once is made by one', async () => {
    const users = [await signUp(service), await signUp(service)] as const;
    const email = freshEmail();
    const tokens = [await tokenFor(users[0], email), await tokenFor(users[1], email)];
    const answers = await Promise.all(tokens.map((token) => confirm(token)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 410]);
  });

  it('opens no project to who has registered an address that is not hers', async () => {
    const squatter = await signUp(service);
    await service.database.query('update app_user set email_verified = false where id = $1', [squatter.id]);
    expect(await answerOf(await askFor(squatter, freshEmail()))).toEqual({
      status: 403,
      code: 'email_not_confirmed',
    });
  });

  it('ends the links of every other change that was asked for', async () => {
    const user = await signUp(service);
    const [followed, other] = [freshEmail(), freshEmail()];
    const token = await tokenFor(user, followed);
    const late = await tokenFor(user, other);
    expect((await confirm(token)).status).toBe(200);
    expect(await answerOf(await confirm(late))).toEqual({ status: 410, code: 'link_ended' });
    expect((await signIn(followed)).status).toBe(200);
    expect((await signIn(other)).status).toBe(401);
  });

  it('deletes links that have expired, as one more is made', async () => {
    const [user, newEmail] = [await signUp(service), freshEmail()];
    await tokenFor(user, freshEmail());
    await service.database.query(
      `update account_link set expires_at = now() - interval '1 second' where user_id = $1`,
      [user.id],
    );
    await tokenFor(user, newEmail);
    const links = await service.database.query('select email from account_link where user_id = $1', [
      user.id,
    ]);
    expect(links).toEqual([{ email: newEmail }]);
  });

  it('ends with the links that were mailed to the address before', async () => {
    const user = await signUp(service);
    expect((await postAuth(service, 'forgot-password', { email: user.email })).status).toBe(202);
    const { token: reset } = linkIn(await mailTo(service, user.email));
    expect((await confirm(await tokenFor(user, freshEmail()))).status).toBe(200);
    const late = await postAuth(service, 'reset-password', { token: reset, newPassword: OTHER_PASSWORD });
    expect(await answerOf(late)).toEqual({ status: 410, code: 'link_ended' });
  });

  it('leaves no way back in to a link that a worker makes for the address before at the same time', async () => {
    const user = await signUp(service);
    expect((await postAuth(service, 'forgot-password', { email: user.email })).status).toBe(202);
    const { token } = linkIn(await mailTo(service, user.email));
    await service.database.query('update app_user set email = $2 where id = $1', [user.id, freshEmail()]);
    const late = await postAuth(service, 'reset-password', { token, newPassword: OTHER_PASSWORD });
    expect(await answerOf(late)).toEqual({ status: 410, code: 'link_ended' });
  });

  it('ends with a reset of the password', async () => {
    const user = await signUp(service);
    const token = await tokenFor(user, freshEmail());
    expect((await mailTo(service, user.email)).subject).toBe('Request to change your email address');
    expect((await postAuth(service, 'forgot-password', { email: user.email })).status).toBe(202);
    const { token: reset } = linkIn(await mailTo(service, user.email));
    await postAuth(service, 'reset-password', { token: reset, newPassword: OTHER_PASSWORD });
    expect(await answerOf(await confirm(token, OTHER_PASSWORD))).toEqual({ status: 410, code: 'link_ended' });
  });

  it('stays unmade whichever of its statements breaks', async () => {
    const user = await signUp(service);
    const email = freshEmail();
    const token = await tokenFor(user, email);
    expect(await mailsLeft(service, user.email)).toHaveLength(1);
    const before = await stateOf(user.id);
    for (const table of ['account_link', 'app_user', 'user_session', 'security_event', 'outbox_message']) {
      const { status } = await whileBroken(service, table, () => confirm(token));
      expect({ table, status, state: await stateOf(user.id) }).toEqual({ table, status: 500, state: before });
    }
    expect((await confirm(token)).status).toBe(200);
    expect((await signIn(email)).status).toBe(200);
  });
});

/** Everything stored about a user, and their queued mail. */
async function stateOf(userId: string): Promise<unknown> {
  const [row] = await service.database.query(
    `select (select to_jsonb(u) from app_user u where id = $1) as "user",
            (select jsonb_agg(s.id order by id) from user_session s where user_id = $1) as sessions,
            (select jsonb_agg(l.id order by id) from account_link l where user_id = $1) as links,
            (select jsonb_agg(to_jsonb(m) order by project_id) from project_member m where user_id = $1) as places,
            (select jsonb_agg(to_jsonb(k) order by id) from api_key k where created_by = $1) as keys,
            (select jsonb_agg(to_jsonb(i) order by id) from project_invitation i
             where invited_by = $1 or email = (select email from app_user where id = $1)) as invitations,
            (select count(*)::int from audit_event where actor_id = $1::uuid::text) as audited,
            (select count(*)::int from outbox_message) as messages`,
    [userId],
  );
  return row;
}

interface OwnSession {
  id: string;
  device: string | null;
  createdAt: string;
  lastUsedAt: string | null;
  current: boolean;
}

async function findSessions(user: TestUser): Promise<OwnSession[]> {
  const response = await user.request('GET', '/v1/me/sessions');
  expect(response.status).toBe(200);
  return ((await response.json()) as { items: OwnSession[] }).items;
}

describe('sessions', () => {
  it('are listed with device and last use, newest first, and without the header or a token', async () => {
    const user = await signUp(service, {}, { 'user-agent': FIREFOX });
    await again(user, SAFARI);
    await again(user, 'curl/8.5.0');
    const sessions = await findSessions(user);
    expect(sessions.map(({ device, current }) => [device, current])).toEqual([
      [null, false],
      ['Safari on iOS', false],
      ['Firefox on Linux', true],
    ]);
    expect(Object.keys(sessions[0] ?? {}).toSorted()).toEqual(
      ['createdAt', 'current', 'device', 'expiresAt', 'id', 'lastUsedAt'].toSorted(),
    );
    const rows = await service.database.query<{ all: string }>(
      'select to_jsonb(s)::text as all from user_session s where user_id = $1',
      [user.id],
    );
    expect(rows.map(({ all }) => all).join()).not.toMatch(/Mozilla|140\.0|curl\/8/);
  });

  it(`are not listed ${SESSION_DAYS_MAX} days after they were opened`, async () => {
    const user = await signUp(service);
    await again(user);
    const opened = async (age: string): Promise<number> => {
      await service.database.query(
        `update user_session set created_at = now() - $2::interval
         where user_id = $1 and id = (select max(id::text)::uuid from user_session where user_id = $1)`,
        [user.id, age],
      );
      return (await findSessions(user)).length;
    };
    expect(await opened(`${SESSION_DAYS_MAX} days -1 hour`)).toBe(2);
    expect(await opened(`${SESSION_DAYS_MAX} days`)).toBe(1);
  });

  it('say when they were last used, to within five minutes', async () => {
    const user = await signUp(service);
    const setUse = (ago: string): Promise<unknown> =>
      service.database.query(
        `update user_session set last_used_at = now() - $2::interval where user_id = $1`,
        [user.id, ago],
      );
    const sinceUse = async (): Promise<number> => {
      const [session] = await findSessions(user);
      return Date.now() - Date.parse(session?.lastUsedAt ?? '');
    };
    await setUse('4 minutes');
    expect(await sinceUse()).toBeGreaterThan(3 * 60_000);
    await setUse('5 minutes 1 second');
    expect(await sinceUse()).toBeLessThan(60_000);
    await service.database.query('update user_session set last_used_at = null where user_id = $1', [user.id]);
    expect(await sinceUse()).toBeLessThan(60_000);
  });

  it('are signed out one by one, also the one that asks, and nobody else’s', async () => {
    const [user, stranger] = [await signUp(service), await signUp(service)];
    const other = await again(user);
    const end = (who: TestUser, id: string): Promise<Response> =>
      who.request('DELETE', `/v1/me/sessions/${id}`);
    const ids = new Map((await findSessions(user)).map(({ id, current }) => [current, id]));
    const [own = '', second = ''] = [ids.get(true), ids.get(false)];
    const unknown = { status: 404, code: 'session_not_found' };
    expect(await answerOf(await end(stranger, second))).toEqual(unknown);
    expect(await answerOf(await end(user, 'none'))).toEqual(unknown);
    expect((await end(user, second)).status).toBe(204);
    expect(await isSignedIn(other)).toBe(false);
    expect(await answerOf(await end(user, second))).toEqual(unknown);
    expect((await end(user, own)).status).toBe(204);
    expect(await isSignedIn(user)).toBe(false);
    expect(await logOf(user.id)).toEqual(['sign_in', 'sign_in', 'sign_out', 'sign_out']);
  });

  it('are signed out all but the one that asks', async () => {
    const user = await signUp(service);
    const others = [await again(user), await again(user)];
    expect((await user.request('DELETE', '/v1/me/sessions')).status).toBe(204);
    expect(await isSignedIn(user)).toBe(true);
    for (const other of others) expect(await isSignedIn(other)).toBe(false);
    // There is no session to end, and no event to log.
    expect((await user.request('DELETE', '/v1/me/sessions')).status).toBe(204);
    expect((await logOf(user.id)).filter((action) => action === 'sessions_ended')).toHaveLength(1);
  });

  it('that are left by signing out stand in the person’s own log', async () => {
    const user = await signUp(service);
    expect((await user.request('POST', '/v1/auth/sign-out')).status).toBe(200);
    expect(await isSignedIn(user)).toBe(false);
    // Without a session there is no account whose log could have an entry.
    expect((await user.request('POST', '/v1/auth/sign-out')).status).toBe(200);
    expect(await logOf(user.id)).toEqual(['sign_in', 'sign_out']);
  });
});

describe('a name', () => {
  it('is changed, and told of where it stands', async () => {
    const user = await signUp(service, { name: 'Ada' });
    const renamed = await user.request('PATCH', '/v1/me', { name: 'Ada Lovelace' });
    expect(await renamed.json()).toMatchObject({ id: user.id, name: 'Ada Lovelace' });
    expect(await (await user.request('GET', '/v1/me')).json()).toMatchObject({ name: 'Ada Lovelace' });
    expect(await logOf(user.id)).toEqual(['sign_in', 'name_changed']);
    expect((await user.request('PATCH', '/v1/me', { name: ' ' })).status).toBe(422);
  });
});

async function projectOf(user: TestUser, name = 'Bakery'): Promise<string> {
  const made = await user.request('POST', '/v1/projects', { name });
  expect(made.status).toBe(201);
  return ((await made.json()) as { id: string }).id;
}

async function join(projectId: string, user: TestUser, role: Role): Promise<void> {
  await service.database.query('insert into project_member (project_id, user_id, role) values ($1, $2, $3)', [
    projectId,
    user.id,
    role,
  ]);
}

const deleteAccount = (user: TestUser, password = PASSWORD): Promise<Response> =>
  user.request('DELETE', '/v1/me', { password });

describe('an account', () => {
  it('is deleted with places, keys, invitations, sessions and log, and the audits tell', async () => {
    const [user, colleague] = [await signUp(service), await signUp(service)];
    const project = await projectOf(user);
    await join(project, colleague, 'owner');
    const made = await user.request('POST', `/v1/projects/${project}/api-keys`, {
      name: 'Mine',
      role: 'viewer',
    });
    const { key } = (await made.json()) as { key: string };
    const invited = freshEmail();
    await user.request('POST', `/v1/projects/${project}/invitations`, { email: invited, role: 'viewer' });
    const { token } = linkIn(await mailTo(service, invited));
    const paths: string[] = [];
    for (const name of ['Elsewhere', 'Somewhere']) {
      const path = `/v1/projects/${await projectOf(colleague, name)}/invitations`;
      await colleague.request('POST', path, { email: user.email, role: 'viewer' });
      paths.push(path);
    }

    expect(await answerOf(await deleteAccount(user, OTHER_PASSWORD))).toEqual({
      status: 401,
      code: 'invalid_credentials',
    });
    const deleted = await deleteAccount(user);
    expect(deleted.status).toBe(204);
    expect(deleted.headers.getSetCookie().join()).toMatch(/auth\.session_token=;/);

    expect(await isSignedIn(user)).toBe(false);
    expect((await signIn(user.email)).status).toBe(401);
    const byKey = { headers: { authorization: `Bearer ${key}` } };
    expect((await fetch(`${service.baseUrl}/v1/projects/${project}`, byKey)).status).toBe(401);
    expect(await answerOf(await postAuth(service, 'invitation', { token }))).toEqual({
      status: 410,
      code: 'link_ended',
    });
    expect(await stateOf(user.id)).toMatchObject({
      user: null,
      sessions: null,
      links: null,
      places: null,
      keys: null,
      invitations: null,
    });
    for (const path of paths)
      expect(await (await colleague.request('GET', path)).json()).toMatchObject({ items: [] });
    const rows = await service.database.query<{ action: string }>(
      `select action from audit_event where actor_id = $1 order by id`,
      [user.id],
    );
    expect(rows.map(({ action }) => action)).toEqual([
      'project.create',
      'api_key.create',
      'invitation.create',
      'api_key.revoke',
      'invitation.withdraw',
      'member.leave',
      'invitation.withdraw',
      'invitation.withdraw',
      'account.delete',
    ]);
    const mails = await mailsLeft(service, user.email);
    expect(mails).toContain('Your account was deleted');
    // The address is free again.
    expect(await signUp(service, { email: user.email })).toMatchObject({ email: user.email });
  });

  it('of the last owner of projects stays, and the answer names them', async () => {
    const [user, colleague] = [await signUp(service), await signUp(service)];
    for (const name of ['One', 'Two']) await projectOf(user, name);
    await join(await projectOf(user, 'Shared'), colleague, 'owner');
    const before = await stateOf(user.id);
    const refused = await deleteAccount(user);
    expect(await refused.json()).toMatchObject({
      status: 409,
      code: 'last_owner',
      detail: 'You are the only owner of "One", "Two". Transfer ownership or delete the project first.',
    });
    expect(await stateOf(user.id)).toEqual(before);
    for (let n = 3; n <= 6; n++) await projectOf(user, `P${n}`);
    expect(await (await deleteAccount(user)).json()).toMatchObject({
      detail: expect.stringContaining('"P3", "P4", "P5", 1 more.'),
    });
  });

  it('of two owners who go at once, one stays', async () => {
    const [user, colleague] = [await signUp(service), await signUp(service)];
    const projects = [await projectOf(user), await projectOf(colleague)];
    await join(projects[0] ?? '', colleague, 'owner');
    await join(projects[1] ?? '', user, 'owner');
    const answers = await Promise.all([deleteAccount(user), deleteAccount(colleague)]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([204, 409]);
    for (const id of projects) {
      const rows = await service.database.query('select from project_member where project_id = $1', [id]);
      expect(rows).toHaveLength(1);
    }
  });

  it('stays whole whichever statement of its deletion breaks', async () => {
    const [user, colleague] = [await signUp(service), await signUp(service)];
    const project = await projectOf(user);
    await join(project, colleague, 'owner');
    await user.request('POST', `/v1/projects/${project}/api-keys`, { name: 'Mine', role: 'viewer' });
    await user.request('POST', `/v1/projects/${project}/invitations`, {
      email: freshEmail(),
      role: 'viewer',
    });
    await mailsLeft(service, user.email);
    const before = await stateOf(user.id);
    for (const table of [
      'api_key',
      'project_invitation',
      'project_member',
      'audit_event',
      'outbox_message',
      'app_user',
      'user_session',
      'user_account',
      'security_event',
    ]) {
      const { status } = await whileBroken(service, table, () => deleteAccount(user));
      expect({ table, status, state: await stateOf(user.id) }).toEqual({ table, status: 500, state: before });
    }
    expect((await deleteAccount(user)).status).toBe(204);
  });
});

describe('who leaves a project, is taken out of it or lowered', () => {
  it('leaves no invitation behind that gives more than her role', async () => {
    const [owner, leaver, lowered] = [await signUp(service), await signUp(service), await signUp(service)];
    const project = await projectOf(owner);
    for (const user of [leaver, lowered]) {
      await join(project, user, 'owner');
      for (const role of ['owner', 'editor', 'viewer'])
        await user.request('POST', `/v1/projects/${project}/invitations`, { email: freshEmail(), role });
    }
    expect((await leaver.request('POST', `/v1/projects/${project}/leave`)).status).toBe(204);
    for (const [role, left] of [
      ['editor', ['viewer', 'editor']],
      ['viewer', ['viewer']],
    ] as const) {
      await owner.request('PATCH', `/v1/projects/${project}/members/${lowered.id}`, { role });
      const list = await owner.request('GET', `/v1/projects/${project}/invitations`);
      expect(await list.json()).toMatchObject({ items: left.map((each) => ({ role: each })) });
    }
  });
});
