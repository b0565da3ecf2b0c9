import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import {
  MAIL_REQUESTS_PER_NETWORK_MAX,
  INVITATIONS_PER_EMAIL_MAX,
  INVITATIONS_PER_PROJECT_AND_EMAIL_MAX,
  MAILS_PER_NETWORK_MAX,
  MAILS_PER_PERSON_AND_DAY_MAX,
  MAILS_PER_PERSON_AND_HOUR_MAX,
} from '../../src/modules/access/application/account-limits.js';
import { startTestService, type TestService } from '../support/programs/service.js';
import {
  becomeMember,
  BEHIND_LOOPBACK_PROXY,
  freshAddress,
  PASSWORD,
  postAuth,
  signUp,
  type TestUser,
} from '../support/people/user.js';

const HOUR_SECONDS = 60 * 60;
const DAY_SECONDS = 24 * HOUR_SECONDS;

let service: TestService;

beforeAll(async () => {
  service = await startTestService(BEHIND_LOOPBACK_PROXY);
});
afterAll(() => service.close());

const freshEmail = (): string => `${randomUUID()}@example.com`;

async function projectOf(user: TestUser): Promise<string> {
  const made = await user.request('POST', '/v1/projects', { name: 'Bakery' });
  return `/v1/projects/${((await made.json()) as { id: string }).id}`;
}

const invite = (user: TestUser, project: string, email = freshEmail()): Promise<Response> =>
  user.request('POST', `${project}/invitations`, { email, role: 'viewer' });

const changeEmail = (user: TestUser, newEmail = freshEmail()): Promise<Response> =>
  user.request(
    'POST',
    '/v1/auth/change-email',
    { newEmail, password: PASSWORD },
    { 'x-forwarded-for': freshAddress() },
  );

/** Invites new addresses to the projects in turns. */
async function inviteMany(user: TestUser, projects: string[], count: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    const project = projects[n % projects.length] ?? '';
    expect((await invite(user, project)).status).toBe(201);
  }
}

/** The refusal without what differs by request, after checking that the client may try again within the window. */
async function refusalOf(response: Response, windowSeconds: number): Promise<unknown> {
  const retryAfter = Number(response.headers.get('retry-after'));
  expect(retryAfter).toBeGreaterThan(windowSeconds - 600);
  expect(retryAfter).toBeLessThanOrEqual(windowSeconds);
  const { status, code, detail } = (await response.json()) as Record<string, unknown>;
  return { status, code, detail };
}

const REFUSED = {
  status: 429,
  code: 'too_many_requests',
  detail: 'Too many attempts. Wait before you try again.',
};

/** Rows that a request for a mail leaves, and the links of invitations. */
async function written(): Promise<unknown> {
  const [row] = await service.database.query(
    `select (select count(*) from outbox_message) mails, (select count(*) from audit_event) events,
            (select count(*) from account_link) links,
            (select md5(string_agg(i::text, ',' order by id)) from project_invitation i) invitations`,
  );
  return row;
}

/** As when the window of all counters with this name has ended. */
async function endWindow(name: string): Promise<void> {
  const ended = await service.database.query(
    'update sign_in_attempt set expire = 0 where key like $1 returning key',
    [`${name}:%`],
  );
  expect(ended.length).toBeGreaterThan(0);
}

describe('the mails that a person causes', () => {
  it('are bounded per hour over all projects, mailboxes, kinds of mail and API keys', async () => {
    const [person, member, known] = [await signUp(service), await signUp(service), await signUp(service)];
    const [first, second] = [await projectOf(person), await projectOf(person)];
    const made = await person.request('POST', `${first}/api-keys`, {
      name: 'Admin',
      role: 'owner',
      scopes: ['manage_access'],
    });
    const { key } = (await made.json()) as { key: string };
    const inviteByKey = (email: string): Promise<Response> =>
      fetch(`${service.baseUrl}${first}/members`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ email, role: 'viewer' }),
      });
    await becomeMember((body) => person.request('POST', `${second}/members`, body), member, 'viewer');
    const { id } = (await (await invite(person, first)).json()) as { id: string };
    const resend = (): Promise<Response> => person.request('POST', `${first}/invitations/${id}/resend`);
    expect((await resend()).status).toBe(200);
    expect((await inviteByKey(freshEmail())).status).toBe(201);
    expect((await changeEmail(person)).status).toBe(202);
    await inviteMany(person, [first, second], MAILS_PER_PERSON_AND_HOUR_MAX - 6);
    // The last that is within the bound.
    expect((await invite(person, second)).status).toBe(201);

    const before = await written();
    for (const refused of [
      await invite(person, first),
      await invite(person, second, known.email),
      await person.request('POST', `${second}/members`, { email: freshEmail(), role: 'viewer' }),
      await inviteByKey(freshEmail()),
      await inviteByKey(known.email),
      await resend(),
      await person.request('POST', `${second}/ownership`, { userId: member.id }),
      await changeEmail(person),
      await changeEmail(person, known.email),
    ])
      expect(await refusalOf(refused, HOUR_SECONDS)).toEqual(REFUSED);
    expect(await written()).toEqual(before);

    // Neither another person, nor a person's own password reset.
    expect((await invite(member, await projectOf(member))).status).toBe(201);
    expect((await changeEmail(member)).status).toBe(202);
    expect((await postAuth(service, 'forgot-password', { email: person.email })).status).toBe(202);
  });

  it('are bounded per day', async () => {
    const person = await signUp(service);
    const projects = [await projectOf(person), await projectOf(person), await projectOf(person)];
    const hours = MAILS_PER_PERSON_AND_DAY_MAX / MAILS_PER_PERSON_AND_HOUR_MAX;
    for (let hour = 1; hour <= hours; hour++) {
      await inviteMany(person, projects, MAILS_PER_PERSON_AND_HOUR_MAX - 1);
      expect((await invite(person, projects[0] ?? '')).status).toBe(201);
      await endWindow('mail_person_hour');
    }
    const before = await written();
    expect(await refusalOf(await invite(person, projects[1] ?? ''), DAY_SECONDS)).toEqual(REFUSED);
    expect(await written()).toEqual(before);
    const other = await signUp(service);
    expect((await invite(other, await projectOf(other))).status).toBe(201);
  });

  it('use nothing of the budget of a mailbox once they are refused', async () => {
    const [person, other] = [await signUp(service), await signUp(service)];
    const projects: string[] = [];
    // As many as could use up what the mailbox receives from all projects.
    for (let n = 0; n < INVITATIONS_PER_EMAIL_MAX; n += INVITATIONS_PER_PROJECT_AND_EMAIL_MAX)
      projects.push(await projectOf(person));
    const email = freshEmail();
    await inviteMany(person, projects, MAILS_PER_PERSON_AND_HOUR_MAX);
    for (const project of projects)
      for (let n = 0; n < INVITATIONS_PER_PROJECT_AND_EMAIL_MAX; n++)
        expect((await invite(person, project, email)).status).toBe(429);
    expect((await invite(other, await projectOf(other), email)).status).toBe(201);
  });
});

describe('the mails that a network requests without a session', () => {
  it('are bounded per hour over all addresses and kinds of mail', async () => {
    const known = await signUp(service);
    let host = 0;
    // Of one customer: the /64 counts.
    const from = (): { 'x-forwarded-for': string } => ({
      'x-forwarded-for': `2001:db8:7:9::${(host += 1).toString(16)}`,
    });
    const ask = (path: string, email = freshEmail()): Promise<Response> =>
      postAuth(service, path, { email, ...(path === 'sign-up/email' && { password: PASSWORD }) }, from());
    const kinds = ['sign-up/email', 'forgot-password'];
    for (let n = 0; n < MAILS_PER_NETWORK_MAX; n++) {
      if (n > 0 && n % MAIL_REQUESTS_PER_NETWORK_MAX === 0) await endWindow('mail_request_network');
      expect((await ask(kinds[n % 2] ?? '')).status).toBe(202);
    }
    const before = await written();
    for (const path of kinds)
      for (const email of [known.email, freshEmail()])
        expect(await refusalOf(await ask(path, email), HOUR_SECONDS)).toEqual(REFUSED);
    expect(await written()).toEqual(before);

    const elsewhere = { 'x-forwarded-for': '2001:db8:7:a::1' };
    const signUpBody = { email: freshEmail(), password: PASSWORD };
    expect((await postAuth(service, 'sign-up/email', signUpBody, elsewhere)).status).toBe(202);
    // People with a session are counted themselves, and sign-ins apart.
    const change = { newEmail: freshEmail(), password: PASSWORD };
    expect((await known.request('POST', '/v1/auth/change-email', change, from())).status).toBe(202);
    const fields = { email: known.email, password: PASSWORD };
    expect((await postAuth(service, 'sign-in/email', fields, from())).status).toBe(200);
  });
});
