import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import {
  MAIL_REQUESTS_PER_EMAIL_AND_NETWORK_MAX,
  MAIL_REQUESTS_PER_EMAIL_MAX,
  MAIL_REQUESTS_PER_MAILBOX_AND_NETWORK_MAX,
  INVITATIONS_PER_PROJECT_AND_EMAIL_MAX,
} from '../../src/modules/access/application/account-limits.js';
import { repair, whileBroken } from '../support/rules/broken.js';
import { linkIn, mailsLeft, mailTo } from '../support/fakes/mails.js';
import { createTestProject } from '../support/people/project.js';
import { startTestService, type TestService } from '../support/programs/service.js';
import {
  BEHIND_LOOPBACK_PROXY,
  cookieOf,
  freshAddress,
  PASSWORD,
  postAuth,
  signUp,
} from '../support/people/user.js';

const OTHER_PASSWORD = 'staple battery horse';
/** Well formed, and of no link. */
const NO_TOKEN = 'A'.repeat(43);

let service: TestService;

beforeAll(async () => {
  service = await startTestService(BEHIND_LOOPBACK_PROXY);
});
afterEach(() => repair(service));
afterAll(() => service.close());

const freshEmail = (): string => `${randomUUID()}@example.com`;

async function problemOf(response: Response): Promise<{ status: number; code: string }> {
  const { status, code } = (await response.json()) as { status: number; code: string };
  return { status, code };
}

/** Asks for an account and returns the token of the mail. */
async function askFor(email: string, password = PASSWORD): Promise<string> {
  const asked = await postAuth(service, 'sign-up/email', { email, password });
  expect({ status: asked.status, body: await asked.json() }).toEqual({
    status: 202,
    body: { status: 'check_your_mail' },
  });
  return linkIn(await mailTo(service, email)).token;
}

async function resetToken(email: string): Promise<string> {
  expect((await postAuth(service, 'forgot-password', { email })).status).toBe(202);
  return linkIn(await mailTo(service, email)).token;
}

const signIn = (email: string, password: string): Promise<Response> =>
  postAuth(service, 'sign-in/email', { email, password });

describe('sign-up', () => {
  it('makes an account once the address is confirmed with the password, and opens a session', async () => {
    const asked = await postAuth(service, 'sign-up/email', {
      email: 'Ada@Example.com',
      password: PASSWORD,
      name: 'Ada',
    });
    expect(asked.headers.getSetCookie()).toEqual([]);
    const mail = await mailTo(service, 'ada@example.com');
    expect(mail).toMatchObject({
      subject: 'Confirm your email address',
      text: expect.stringContaining('Hello "Ada",'),
    });
    const { page, token } = linkIn(mail);
    expect(page).toBe('/confirm-email');
    expect(await service.database.query("select from app_user where email = 'ada@example.com'")).toEqual([]);

    const response = await postAuth(service, 'confirm-email', { token, password: PASSWORD });
    expect(response.status).toBe(200);
    expect(response.headers.get('cache-control')).toBe('no-store');
    const [cookie = ''] = response.headers.getSetCookie();
    expect(cookie).toMatch(/^auth\.session_token=/);
    for (const attribute of ['HttpOnly', 'SameSite=Lax', 'Path=/']) expect(cookie).toContain(attribute);
    const { user } = (await response.json()) as { user: { id: string } };
    expect(user).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: 'Ada',
      email: 'ada@example.com',
    });
    const me = await fetch(`${service.baseUrl}/v1/me`, { headers: { cookie: cookieOf(response) } });
    expect(await me.json()).toEqual({
      kind: 'user',
      id: user.id,
      name: 'Ada',
      email: 'ada@example.com',
      emailConfirmed: true,
      secondFactor: false,
    });
  });

  it('writes mails in the language of the browser, at sign-up and for the account from then on', async () => {
    const email = freshEmail();
    const german = { 'accept-language': 'de-AT,de;q=0.9,en;q=0.8' };
    await postAuth(service, 'sign-up/email', { email, password: PASSWORD }, german);
    const mail = await mailTo(service, email);
    expect(mail.subject).toBe('Bestätigen Sie Ihre E-Mail-Adresse');
    expect(mail.html).toContain('<html lang="de">');
    await postAuth(service, 'confirm-email', { token: linkIn(mail).token, password: PASSWORD }, german);
    const subjectOfReset = async (): Promise<string> => {
      await postAuth(service, 'forgot-password', { email }, { 'accept-language': 'en' });
      return (await mailTo(service, email)).subject;
    };
    // Anyone can request it, with any language.
    expect(await subjectOfReset()).toBe('Passwort zurücksetzen');
    const credentials = { email, password: PASSWORD };
    await postAuth(service, 'sign-in/email', credentials, { 'accept-language': 'fr' });
    expect(await subjectOfReset()).toBe('Passwort zurücksetzen');
    await postAuth(service, 'sign-in/email', credentials, { 'accept-language': 'en-GB' });
    expect(await subjectOfReset()).toBe('Reset your password');
  });

  it('names a user after the address where no name is given', async () => {
    const token = await askFor('grace@example.com');
    const response = await postAuth(service, 'confirm-email', { token, password: PASSWORD });
    expect(await response.json()).toMatchObject({ user: { name: 'grace' } });
  });

  it('opens nothing before the address is confirmed', async () => {
    const email = freshEmail();
    await askFor(email);
    expect(await problemOf(await signIn(email, PASSWORD))).toEqual({
      status: 401,
      code: 'invalid_credentials',
    });
  });

  it('tells an address that has an account by mail alone, whatever its case', async () => {
    const { email } = await signUp(service);
    const again = await postAuth(service, 'sign-up/email', {
      email: email.toUpperCase(),
      password: PASSWORD,
    });
    expect({ status: again.status, body: await again.json() }).toEqual({
      status: 202,
      body: { status: 'check_your_mail' },
    });
    const mail = await mailTo(service, email);
    expect(mail.subject).toBe('You already have an account');
    expect(linkIn(mail).page).toBe('/new-password');
    expect((await signIn(email, PASSWORD)).status).toBe(200);
  });

  it('makes one account of sign-ups at the same time, for the first that is confirmed', async () => {
    const email = freshEmail();
    const first = await askFor(email);
    const second = await askFor(email, OTHER_PASSWORD);
    const answers = await Promise.all([
      postAuth(service, 'confirm-email', { token: first, password: PASSWORD }),
      postAuth(service, 'confirm-email', { token: second, password: OTHER_PASSWORD }),
    ]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 410]);
    expect(await service.database.query('select from app_user where email = $1', [email])).toHaveLength(1);
    expect(await service.database.query('select from account_link where email = $1', [email])).toEqual([]);
  });

  it('keeps neither the token nor the password in clear', async () => {
    const email = freshEmail();
    const token = await askFor(email);
    const [row] = await service.database.query<{ all: string }>(
      'select to_jsonb(l)::text as all from account_link l where email = $1',
      [email],
    );
    expect(row?.all).not.toContain(token);
    expect(row?.all).not.toContain(PASSWORD);
  });

  it('waits with neither address nor password in clear', async () => {
    const email = freshEmail();
    const { status } = await postAuth(service, 'sign-up/email', { email, password: PASSWORD });
    expect(status).toBe(202);
    const rows = await service.database.query<{ all: string }>(
      'select to_jsonb(m)::text as all from outbox_message m',
    );
    expect(rows.map(({ all }) => all).join()).not.toContain(email);
    await mailTo(service, email);
  });

  it('is not confirmed by a wrong password, and by no more than ten tries', async () => {
    const email = freshEmail();
    const token = await askFor(email);
    const statuses: number[] = [];
    for (let n = 0; n < 11; n++)
      statuses.push((await postAuth(service, 'confirm-email', { token, password: `wrong ${n}` })).status);
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 401), 429]);
    expect(await service.database.query('select from app_user where email = $1', [email])).toEqual([]);
  });

  it.each([
    ['one that never was', () => Promise.resolve(NO_TOKEN)],
    [
      'one that has ended',
      async () => {
        const email = freshEmail();
        const token = await askFor(email);
        const end = "update account_link set expires_at = now() - interval '1 second' where email = $1";
        await service.database.query(end, [email]);
        return token;
      },
    ],
    [
      'one that was followed',
      async () => {
        const token = await askFor(freshEmail());
        expect((await postAuth(service, 'confirm-email', { token, password: PASSWORD })).status).toBe(200);
        return token;
      },
    ],
    ['one of another kind', async () => resetToken((await signUp(service)).email)],
  ])('is refused by a link that is %s', async (_, tokenOf) => {
    const token = await tokenOf();
    const answer = await postAuth(service, 'confirm-email', { token, password: PASSWORD });
    expect(await problemOf(answer)).toEqual({ status: 410, code: 'link_ended' });
  });

  it.each([['short'], [''], ['A'.repeat(44)], [`${'A'.repeat(42)}.`], [null], [7]])(
    'refuses the token %p as a field',
    async (token) => {
      for (const [path, body] of [
        ['confirm-email', { token, password: PASSWORD }],
        ['reset-password', { token, newPassword: PASSWORD }],
      ] as const)
        expect(await problemOf(await postAuth(service, path, body))).toEqual({
          status: 422,
          code: 'validation_failed',
        });
    },
  );
});

describe('who registers the address of a colleague first', () => {
  it('gets nothing of what the owner gives to that address', async () => {
    const project = await createTestProject(service);
    const colleague = freshEmail();
    // The stranger signs up with a colleague's address. They know the password and can't read the
    // mail.
    const asked = await postAuth(service, 'sign-up/email', { email: colleague, password: 'of the stranger' });
    expect(asked.status).toBe(202);
    const { token } = linkIn(await mailTo(service, colleague));
    expect((await signIn(colleague, 'of the stranger')).status).toBe(401);
    // The owner invites the address, which has no account yet.
    const added = await project.request('owner', 'POST', '/members', { email: colleague, role: 'owner' });
    expect(added.status).toBe(201);
    const { id: invitationId } = (await added.json()) as { id: string };
    expect((await mailTo(service, colleague)).subject).toContain('You’re invited to');
    // The colleague opens the mail without knowing the stranger's password, and signs up again.
    const opened = await postAuth(service, 'confirm-email', { token, password: PASSWORD });
    expect(await problemOf(opened)).toEqual({ status: 401, code: 'invalid_credentials' });
    const own = await askFor(colleague);
    const made = await postAuth(service, 'confirm-email', { token: own, password: PASSWORD });
    expect(made.status).toBe(200);
    const accepted = await fetch(`${service.baseUrl}/v1/me/invitations/${invitationId}/accept`, {
      method: 'POST',
      headers: { cookie: cookieOf(made) },
    });
    expect(await accepted.json()).toMatchObject({ projectId: project.id, role: 'owner' });
    // The stranger's password doesn't work, and their link has ended.
    expect((await signIn(colleague, 'of the stranger')).status).toBe(401);
    const late = await postAuth(service, 'confirm-email', { token, password: 'of the stranger' });
    expect(await problemOf(late)).toEqual({ status: 410, code: 'link_ended' });
  });

  it('and was registered before addresses were confirmed enters no project until she proves the address', async () => {
    const user = await signUp(service);
    const project = await createTestProject(service);
    await service.database.query('update app_user set email_verified = false where id = $1', [user.id]);
    await service.database.query(
      "insert into project_member (project_id, user_id, role) values ($1, $2, 'owner')",
      [project.id, user.id],
    );
    const refused = { status: 403, code: 'email_not_confirmed' };
    expect(await problemOf(await user.request('GET', `/v1/projects/${project.id}`))).toEqual(refused);
    expect(await problemOf(await user.request('GET', '/v1/projects'))).toEqual(refused);
    expect(await problemOf(await user.request('POST', '/v1/projects', { name: 'Mine' }))).toEqual(refused);
    // Another project's owner invites the address: only a person who reads its mail can accept.
    const other = await createTestProject(service);
    const added = await other.request('owner', 'POST', '/members', { email: user.email, role: 'viewer' });
    expect(added.status).toBe(201);
    const { id: invitationId } = (await added.json()) as { id: string };
    await mailTo(service, user.email);
    for (const [method, path] of [
      ['GET', ''],
      ['POST', `/${invitationId}/accept`],
      ['DELETE', `/${invitationId}`],
    ] as const)
      expect(await problemOf(await user.request(method, `/v1/me/invitations${path}`))).toEqual(refused);
    // Not a member: no word of whether the project is there.
    expect(await problemOf(await user.request('GET', `/v1/projects/${other.id}`))).toEqual({
      status: 404,
      code: 'project_not_found',
    });
    expect(await (await user.request('GET', '/v1/me')).json()).toMatchObject({ emailConfirmed: false });

    const token = await resetToken(user.email);
    await postAuth(service, 'reset-password', { token, newPassword: OTHER_PASSWORD });
    const cookie = cookieOf(await signIn(user.email, OTHER_PASSWORD));
    const entered = await fetch(`${service.baseUrl}/v1/projects/${project.id}`, { headers: { cookie } });
    expect(entered.status).toBe(200);
  });
});

describe('a forgotten password', () => {
  it('is set anew by a mailed link, once, and ends every session', async () => {
    const user = await signUp(service);
    const other = await resetToken(user.email);
    const token = await resetToken(user.email);
    const reset = await postAuth(service, 'reset-password', { token, newPassword: OTHER_PASSWORD });
    expect({ status: reset.status, body: await reset.json() }).toEqual({
      status: 200,
      body: { success: true },
    });
    expect(reset.headers.getSetCookie()).toEqual([]);
    expect((await user.request('GET', '/v1/me')).status).toBe(401);
    expect((await signIn(user.email, PASSWORD)).status).toBe(401);
    expect((await signIn(user.email, OTHER_PASSWORD)).status).toBe(200);
    expect((await mailTo(service, user.email)).subject).toBe('Your password was changed');
    // Neither link serves again.
    for (const used of [token, other])
      expect(
        await problemOf(await postAuth(service, 'reset-password', { token: used, newPassword: PASSWORD })),
      ).toEqual({ status: 410, code: 'link_ended' });
  });

  it('is set by one of two who follow the link at once', async () => {
    const { email } = await signUp(service);
    const token = await resetToken(email);
    const answers = await Promise.all(
      ['the first password', 'the second password'].map((newPassword) =>
        postAuth(service, 'reset-password', { token, newPassword }),
      ),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 410]);
  });

  it('is mailed to nobody where there is no account, with the same answer', async () => {
    const email = freshEmail();
    const asked = await postAuth(service, 'forgot-password', { email });
    expect({ status: asked.status, body: await asked.json() }).toEqual({
      status: 202,
      body: { status: 'check_your_mail' },
    });
    expect(await mailsLeft(service, email)).toEqual([]);
  });

  it.each(['account_link', 'user_account', 'app_user', 'user_session', 'security_event', 'outbox_message'])(
    'stays as it was where the statement on %s breaks',
    async (table) => {
      const user = await signUp(service);
      const token = await resetToken(user.email);
      const state = (): Promise<unknown> =>
        service.database.query(
          `select (select password from user_account where user_id = $1) as password,
                  (select count(*)::int from user_session where user_id = $1) as sessions,
                  (select count(*)::int from account_link where user_id = $1) as links,
                  (select count(*)::int from outbox_message) as messages`,
          [user.id],
        );
      // Mails still in progress would count as a change.
      expect(await mailsLeft(service, user.email)).toEqual([]);
      const before = await state();
      const answer = await whileBroken(service, table, () =>
        postAuth(service, 'reset-password', { token, newPassword: OTHER_PASSWORD }),
      );
      expect(answer.status).toBe(500);
      expect(await state()).toEqual(before);
      expect((await signIn(user.email, PASSWORD)).status).toBe(200);
      expect((await postAuth(service, 'reset-password', { token, newPassword: OTHER_PASSWORD })).status).toBe(
        200,
      );
    },
  );
});

describe('a change of the password', () => {
  it('is told by mail', async () => {
    const user = await signUp(service);
    const change = { currentPassword: PASSWORD, newPassword: OTHER_PASSWORD };
    expect((await user.request('POST', '/v1/auth/change-password', change)).status).toBe(200);
    expect((await mailTo(service, user.email)).subject).toBe('Your password was changed');
  });
});

describe('limits', () => {
  it.each([
    ['sign-up/email', { password: PASSWORD }],
    ['forgot-password', {}],
  ])('of %s are the same for an address with and without an account', async (path, fields) => {
    for (const email of [(await signUp(service)).email, freshEmail()]) {
      const address = { 'x-forwarded-for': freshAddress() };
      const statuses: number[] = [];
      for (let n = 0; n <= MAIL_REQUESTS_PER_EMAIL_AND_NETWORK_MAX; n++)
        statuses.push((await postAuth(service, path, { email, ...fields }, address)).status);
      expect(statuses).toEqual([
        ...Array.from({ length: MAIL_REQUESTS_PER_EMAIL_AND_NETWORK_MAX }, () => 202),
        429,
      ]);
      const refused = await postAuth(service, path, { email, ...fields }, address);
      expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(60 * 60);
      // Another network is not closed by it.
      expect((await postAuth(service, path, { email, ...fields })).status).toBe(202);
    }
  });

  it('bound the mails to one address from all networks together', async () => {
    const email = freshEmail();
    const statuses: number[] = [];
    for (let n = 0; n <= MAIL_REQUESTS_PER_EMAIL_MAX; n++)
      statuses.push((await postAuth(service, 'forgot-password', { email })).status);
    expect(statuses).toEqual([...Array.from({ length: MAIL_REQUESTS_PER_EMAIL_MAX }, () => 202), 429]);
  });
});

describe('a forgotten password', () => {
  it('shares its requests with the other kinds of mail and the tags of its mailbox', async () => {
    const email = freshEmail();
    const [name, host] = email.split('@');
    const from = { 'x-forwarded-for': freshAddress() };
    const statuses: number[] = [];
    for (let n = 0; n <= MAIL_REQUESTS_PER_MAILBOX_AND_NETWORK_MAX; n++) {
      const tagged = `${name}+${n}@${host}`;
      const isSignUp = n % 2 === 0;
      const body = isSignUp ? { name: 'Ada', email: tagged, password: PASSWORD } : { email: tagged };
      const path = isSignUp ? 'sign-up/email' : 'forgot-password';
      statuses.push((await postAuth(service, path, body, from)).status);
    }
    expect(statuses.slice(-2)).toEqual([202, 429]);
  });

  it('is not blocked by invitations that strangers have sent to the address', async () => {
    const [owner, victim] = await Promise.all([signUp(service), signUp(service)]);
    const made = await owner.request('POST', '/v1/projects', { name: 'Spam' });
    const path = `/v1/projects/${((await made.json()) as { id: string }).id}/invitations`;
    const statuses: number[] = [];
    for (let n = 0; n <= INVITATIONS_PER_PROJECT_AND_EMAIL_MAX; n++) {
      const sent = await owner.request('POST', path, { email: victim.email, role: 'viewer' });
      statuses.push(sent.status);
      const { id } = (await sent.json()) as { id: string };
      if (sent.ok) await owner.request('DELETE', `${path}/${id}`);
    }
    expect(statuses).toEqual([
      ...Array.from({ length: INVITATIONS_PER_PROJECT_AND_EMAIL_MAX }, () => 201),
      429,
    ]);
    expect((await postAuth(service, 'forgot-password', { email: victim.email })).status).toBe(202);
  });

  it('can be asked for from a known network when strangers have used up all requests', async () => {
    const home = { 'x-forwarded-for': freshAddress() };
    const { email } = await signUp(service, {}, home);
    for (let n = 0; n < MAIL_REQUESTS_PER_EMAIL_MAX; n++)
      await postAuth(service, 'forgot-password', { email });
    expect((await postAuth(service, 'forgot-password', { email })).status).toBe(429);
    for (let n = 0; n < MAIL_REQUESTS_PER_EMAIL_AND_NETWORK_MAX; n++)
      expect((await postAuth(service, 'forgot-password', { email }, home)).status).toBe(202);
    expect((await postAuth(service, 'forgot-password', { email }, home)).status).toBe(429);
  });
});

describe.each([
  ['invited', 'by invitation'],
  ['closed', 'by the operator'],
])('SIGN_UP=%s', (signUpSetting, words) => {
  it('refuses a sign-up, whatever the address', async () => {
    const closed = await startTestService({ ...BEHIND_LOOPBACK_PROXY, SIGN_UP: signUpSetting });
    try {
      const { email } = await signUp(closed);
      for (const asked of [email, freshEmail()]) {
        const answer = await postAuth(closed, 'sign-up/email', { email: asked, password: PASSWORD });
        expect(await answer.json()).toMatchObject({
          status: 403,
          code: 'sign_up_closed',
          detail: expect.stringContaining(words),
        });
      }
      const confirmed = await postAuth(closed, 'confirm-email', { token: NO_TOKEN, password: PASSWORD });
      expect(await problemOf(confirmed)).toEqual({ status: 403, code: 'sign_up_closed' });
    } finally {
      await closed.close();
    }
  });
});
