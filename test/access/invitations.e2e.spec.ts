import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import {
  INVITATIONS_PER_EMAIL_MAX,
  INVITATIONS_PER_PROJECT_AND_EMAIL_MAX,
} from '../../src/modules/access/application/account-limits.js';
import { PROJECTS_OWNED_MAX } from '../../src/modules/access/application/membership.service.js';
import { INVITATIONS_PER_PROJECT_MAX } from '../../src/modules/access/domain/account-link.js';
import type { Role } from '../../src/modules/access/domain/role.js';
import { newId } from '../../src/platform/identity/ids.js';
import { linkIn, mailsLeft, mailTo } from '../support/fakes/mails.js';
import { startTestService, type TestService } from '../support/programs/service.js';
import {
  becomeMember,
  BEHIND_LOOPBACK_PROXY,
  cookieOf,
  PASSWORD,
  postAuth,
  signUp,
  type TestUser,
} from '../support/people/user.js';

let service: TestService;
let owner: TestUser;
let projectId: string;

beforeAll(async () => {
  service = await startTestService({ ...BEHIND_LOOPBACK_PROXY, SIGN_UP: 'invited' });
});
afterAll(() => service.close());
beforeEach(async () => {
  // Each test has its own budget of mails.
  owner = await signUp(service);
  const made = await owner.request('POST', '/v1/projects', { name: 'Bakery' });
  projectId = ((await made.json()) as { id: string }).id;
});

const freshEmail = (): string => `${randomUUID()}@example.com`;
const at = (path: string): string => `/v1/projects/${projectId}${path}`;

async function problemOf(response: Response): Promise<{ status: number; code: string }> {
  const { status, code } = (await response.json()) as { status: number; code: string };
  return { status, code };
}

interface Invitation {
  id: string;
  email: string;
  role: Role;
  expiresAt: string;
}

async function invite(email: string, role: Role = 'editor'): Promise<Invitation> {
  const response = await owner.request('POST', at('/invitations'), { email, role });
  expect(response.status).toBe(201);
  return (await response.json()) as Invitation;
}

async function tokenFor(email: string): Promise<string> {
  const mail = await mailTo(service, email);
  expect(mail.subject).toBe('You’re invited to "Bakery"');
  const { page, token } = linkIn(mail);
  expect(page).toBe('/accept-invitation');
  return token;
}

const accept = (body: Record<string, unknown>, cookie?: string): Promise<Response> =>
  postAuth(service, 'accept-invitation', body, cookie ? { cookie } : {});

async function roleOf(userId: string): Promise<string | undefined> {
  const [row] = await service.database.query<{ role: string }>(
    'select role from project_member where project_id = $1 and user_id = $2',
    [projectId, userId],
  );
  return row?.role;
}

describe('an invitation', () => {
  it('makes an account and a member of who reads the mailbox, where sign-up is by invitation', async () => {
    const email = freshEmail();
    await invite(email.toUpperCase());
    const token = await tokenFor(email);
    const shown = await postAuth(service, 'invitation', { token });
    expect(await shown.json()).toMatchObject({
      projectName: 'Bakery',
      email,
      role: 'editor',
      accountExists: false,
    });
    expect(await problemOf(await accept({ token }))).toEqual({ status: 422, code: 'validation_failed' });
    const taken = await accept({ token, password: PASSWORD, name: 'Grace' });
    expect(taken.status).toBe(200);
    const body = (await taken.json()) as { user: { id: string } };
    expect(body).toMatchObject({ projectId, role: 'editor', user: { email, name: 'Grace' } });
    const entered = await fetch(`${service.baseUrl}${at('')}`, { headers: { cookie: cookieOf(taken) } });
    expect(entered.status).toBe(200);
    expect(await problemOf(await accept({ token, password: PASSWORD }))).toEqual({
      status: 410,
      code: 'link_ended',
    });
    const list = await owner.request('GET', at('/invitations'));
    expect(await list.json()).toEqual({ items: [], nextCursor: null });
  });

  it('is taken up by the account of the address alone, and by nobody else who has the link', async () => {
    const [invited, other] = await Promise.all([signUp(service), signUp(service)]);
    await invite(invited.email, 'owner');
    const token = await tokenFor(invited.email);
    expect(await problemOf(await accept({ token }))).toEqual({
      status: 401,
      code: 'authentication_required',
    });
    // A password opens nothing here: the address has an account.
    expect((await accept({ token, password: PASSWORD })).status).toBe(401);
    expect(await problemOf(await accept({ token }, other.cookie))).toEqual({
      status: 403,
      code: 'invitation_for_another',
    });
    expect(await roleOf(other.id)).toBeUndefined();
    const taken = await accept({ token }, invited.cookie);
    expect(await taken.json()).toEqual({
      projectId,
      organizationId: null,
      role: 'owner',
      projectRole: null,
      user: null,
    });
    expect(await roleOf(invited.id)).toBe('owner');
  });

  it('confirms the address of an account that was there before', async () => {
    const invited = await signUp(service);
    await service.database.query('update app_user set email_verified = false where id = $1', [invited.id]);
    await invite(invited.email);
    expect((await accept({ token: await tokenFor(invited.email) }, invited.cookie)).status).toBe(200);
    expect((await invited.request('GET', at(''))).status).toBe(200);
  });

  it('makes one member of two who take it up at once', async () => {
    const email = freshEmail();
    await invite(email);
    const token = await tokenFor(email);
    const answers = await Promise.all([
      accept({ token, password: PASSWORD }),
      accept({ token, password: 'another password' }),
    ]);
    const [accepted, refused] = answers.map(({ status }) => status).toSorted();
    expect(accepted).toBe(200);
    // 401: the first had ended, and the account has its password.
    expect([401, 410]).toContain(refused);
    const members = `select count(*)::int from project_member m join app_user u on u.id = m.user_id where u.email = $1`;
    expect(await service.database.query(members, [email])).toEqual([{ count: 1 }]);
  });

  it('is sent again with another link, and the one before opens nothing', async () => {
    const email = freshEmail();
    const { id, expiresAt } = await invite(email);
    const first = await tokenFor(email);
    const again = await owner.request('POST', at(`/invitations/${id}/resend`));
    expect(again.status).toBe(200);
    const body = (await again.json()) as Invitation;
    expect(Date.parse(body.expiresAt)).toBeGreaterThan(Date.parse(expiresAt));
    const second = await tokenFor(email);
    expect((await accept({ token: first, password: PASSWORD })).status).toBe(410);
    expect((await accept({ token: second, password: PASSWORD })).status).toBe(200);
  });

  it('is written in the language of the member who invites', async () => {
    const email = freshEmail();
    await service.database.query(`update app_user set language = 'de' where id = $1`, [owner.id]);
    await invite(email);
    expect((await mailTo(service, email)).text).toContain('in das Projekt „Bakery“ eingeladen');
  });

  it('is listed with the newest first', async () => {
    const emails = [freshEmail(), freshEmail(), freshEmail()];
    for (const email of emails) await invite(email);
    const { items } = (await (await owner.request('GET', at('/invitations'))).json()) as {
      items: Invitation[];
    };
    expect(items.map(({ email }) => email)).toEqual(emails.toReversed());
  });

  it('opens nothing once it is withdrawn, has ended, or its project is gone', async () => {
    const emails = [freshEmail(), freshEmail(), freshEmail()] as const;
    const tokens: string[] = [];
    const ids: string[] = [];
    for (const email of emails) {
      ids.push((await invite(email)).id);
      tokens.push(await tokenFor(email));
    }
    expect((await owner.request('DELETE', at(`/invitations/${ids[0]}`))).status).toBe(204);
    await service.database.query(
      `update project_invitation set expires_at = now() - interval '1 ms' where id = $1`,
      [ids[1]],
    );
    const ended = [tokens[0], tokens[1]];
    for (const token of ended) expect((await accept({ token, password: PASSWORD })).status).toBe(410);
    expect((await owner.request('DELETE', at(''))).status).toBe(204);
    expect((await accept({ token: tokens[2], password: PASSWORD })).status).toBe(410);
    expect(await service.database.query('select from app_user where email = any($1)', [emails])).toEqual([]);
  });

  it('of which the mail has not been sent goes with the project', async () => {
    const email = freshEmail();
    const { query } = service.database;
    // As when no worker has come to it yet.
    await query(`create function later() returns trigger language plpgsql as
                 $$ begin new.available_at := now() + interval '1 hour'; return new; end $$`);
    await query(
      `create trigger later before insert on outbox_message for each row when (new.topic = 'mail.invite') execute function later()`,
    );
    try {
      await invite(email);
      expect((await owner.request('DELETE', at(''))).status).toBe(204);
    } finally {
      await query('drop function later cascade');
    }
    expect(await mailsLeft(service, email)).toEqual([]);
  });

  it('counts with those of every project, and with each time it is sent again, for its mailbox', async () => {
    const email = freshEmail();
    const [name, host] = email.split('@');
    const tooMany = { status: 429, code: 'too_many_requests' };
    for (let sent = 0; sent < INVITATIONS_PER_EMAIL_MAX; sent += INVITATIONS_PER_PROJECT_AND_EMAIL_MAX) {
      const made = await owner.request('POST', '/v1/projects', { name: 'Bakery' });
      projectId = ((await made.json()) as { id: string }).id;
      // A tag names the same mailbox.
      const { id } = await invite(`${name}+${sent}@${host}`);
      const resend = at(`/invitations/${id}/resend`);
      for (let again = 1; again < INVITATIONS_PER_PROJECT_AND_EMAIL_MAX; again += 1)
        expect((await owner.request('POST', resend)).status).toBe(200);
      expect(await problemOf(await owner.request('POST', resend))).toEqual(tooMany);
    }
    const another = await owner.request('POST', '/v1/projects', { name: 'Bakery' });
    projectId = ((await another.json()) as { id: string }).id;
    const asked = await owner.request('POST', at('/invitations'), { email, role: 'viewer' });
    expect(await problemOf(asked)).toEqual(tooMany);
    await invite(freshEmail());
  });

  it('is refused for a member, twice, and beyond the limit, with the same answer for every other address', async () => {
    const known = await signUp(service);
    const answers = [];
    for (const email of [known.email, freshEmail()]) {
      const { id: _, email: __, ...rest } = await invite(email);
      answers.push({ ...rest, createdAt: '', sentAt: '', expiresAt: '' });
    }
    expect(answers[0]).toEqual(answers[1]);
    const again = await owner.request('POST', at('/invitations'), { email: known.email, role: 'viewer' });
    expect(await problemOf(again)).toEqual({ status: 409, code: 'invitation_exists' });
    const own = await owner.request('POST', at('/invitations'), { email: owner.email, role: 'viewer' });
    expect(await problemOf(own)).toEqual({ status: 409, code: 'member_exists' });
    await service.database.query(
      `insert into project_invitation (project_id, id, email, role, token_hash, expires_at)
       select $1, id, id::text, 'viewer', uuid_send(id), now()
       from (select gen_random_uuid() as id from generate_series(1, $2)) made`,
      [projectId, INVITATIONS_PER_PROJECT_MAX - 2],
    );
    const beyond = await owner.request('POST', at('/invitations'), { email: freshEmail(), role: 'viewer' });
    expect(await problemOf(beyond)).toEqual({ status: 409, code: 'invitation_limit_reached' });
  });

  it('is not found elsewhere, nor by an id that is none', async () => {
    for (const id of [newId(), 'x', '%00'])
      for (const [method, path] of [
        ['POST', `/invitations/${id}/resend`],
        ['DELETE', `/invitations/${id}`],
      ] as const)
        expect(await problemOf(await owner.request(method, at(path)))).toEqual({
          status: 404,
          code: 'invitation_not_found',
        });
  });

  it('makes no account where sign-up is closed', async () => {
    const closed = await startTestService({ ...BEHIND_LOOPBACK_PROXY, SIGN_UP: 'closed' });
    try {
      const user = await signUp(closed);
      const { id } = (await (await user.request('POST', '/v1/projects', { name: 'Bakery' })).json()) as {
        id: string;
      };
      const email = freshEmail();
      await user.request('POST', `/v1/projects/${id}/invitations`, { email, role: 'viewer' });
      const { token } = linkIn(await mailTo(closed, email));
      const answer = await postAuth(closed, 'accept-invitation', { token, password: PASSWORD });
      expect(await problemOf(answer)).toEqual({ status: 403, code: 'sign_up_closed' });
    } finally {
      await closed.close();
    }
  });
});

/** Creates an invitation by `POST …/members`, and returns its id. */
async function inviteAsMember(email: string, role: Role): Promise<string> {
  const response = await owner.request('POST', at('/members'), { email, role });
  expect(response.status).toBe(201);
  return ((await response.json()) as Invitation).id;
}

const join = (user: TestUser, role: Role): Promise<void> =>
  becomeMember((body) => owner.request('POST', at('/members'), body), user, role);

async function invitationsOf(user: TestUser): Promise<Record<string, unknown>[]> {
  const list = await user.request('GET', '/v1/me/invitations');
  expect(list.status).toBe(200);
  return ((await list.json()) as { items: Record<string, unknown>[] }).items;
}

const acceptAs = (user: TestUser, id: string): Promise<Response> =>
  user.request('POST', `/v1/me/invitations/${id}/accept`);

describe('a member who is wanted', () => {
  it('is invited with the same response as an address without an account, and is told by mail', async () => {
    const user = await signUp(service, { name: 'Grace' });
    const answers = [];
    for (const email of [user.email, freshEmail()]) {
      const response = await owner.request('POST', at('/members'), { email, role: 'editor' });
      const { id, ...body } = (await response.json()) as Invitation & Record<string, unknown>;
      expect(response.headers.get('location')).toBe(`/v1/projects/${projectId}/invitations/${id}`);
      answers.push([response.status, { ...body, email: '', createdAt: '', sentAt: '', expiresAt: '' }]);
      expect((await mailTo(service, email)).subject).toBe('You’re invited to "Bakery"');
    }
    expect(answers[0]).toEqual(answers[1]);
    expect(await roleOf(user.id)).toBeUndefined();
  });

  it('sees the invitation when signed in, and accepts or declines it without the mail', async () => {
    const [user, stranger] = await Promise.all([signUp(service), signUp(service)]);
    const id = await inviteAsMember(user.email, 'editor');
    expect(await invitationsOf(user)).toEqual([
      {
        id,
        projectId,
        projectName: 'Bakery',
        organizationId: null,
        organizationName: null,
        role: 'editor',
        projectRole: null,
        transfersOwnership: false,
        createdAt: expect.any(String),
        expiresAt: expect.any(String),
      },
    ]);
    const notFound = { status: 404, code: 'invitation_not_found' };
    for (const [who, invitationId] of [
      [stranger, id],
      [user, newId()],
      [user, 'x'],
    ] as const) {
      expect(await problemOf(await acceptAs(who, invitationId))).toEqual(notFound);
      const declined = await who.request('DELETE', `/v1/me/invitations/${invitationId}`);
      expect(await problemOf(declined)).toEqual(notFound);
    }
    expect(await invitationsOf(stranger)).toEqual([]);
    expect(await (await acceptAs(user, id)).json()).toMatchObject({ projectId, role: 'editor' });
    expect(await roleOf(user.id)).toBe('editor');
    expect(await problemOf(await acceptAs(user, id))).toEqual(notFound);

    const other = await inviteAsMember(stranger.email, 'owner');
    expect((await stranger.request('DELETE', `/v1/me/invitations/${other}`)).status).toBe(204);
    expect(await problemOf(await acceptAs(stranger, other))).toEqual(notFound);
    expect(await roleOf(stranger.id)).toBeUndefined();
    expect(await (await owner.request('GET', at('/invitations'))).json()).toMatchObject({ items: [] });
  });

  it('cannot accept what has expired or was withdrawn', async () => {
    const user = await signUp(service);
    const id = await inviteAsMember(user.email, 'viewer');
    const expire = "update project_invitation set expires_at = now() - interval '1 ms' where id = $1";
    await service.database.query(expire, [id]);
    expect(await invitationsOf(user)).toEqual([]);
    expect((await acceptAs(user, id)).status).toBe(404);
    expect((await owner.request('DELETE', at(`/invitations/${id}`))).status).toBe(204);
    const again = await inviteAsMember(user.email, 'viewer');
    const both = await Promise.all([acceptAs(user, again), acceptAs(user, again)]);
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 404]);
  });

  it('sees invitations page by page, newest first', async () => {
    const user = await signUp(service);
    const invitations: unknown[] = [];
    for (const name of ['One', 'Two', 'Three']) {
      const made = await owner.request('POST', '/v1/projects', { name });
      ({ id: projectId } = (await made.json()) as { id: string });
      invitations.unshift([await inviteAsMember(user.email, 'viewer'), name]);
    }
    const seen: unknown[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const query = `?limit=2${cursor && `&cursor=${cursor}`}`;
      const list = await user.request('GET', `/v1/me/invitations${query}`);
      const page = (await list.json()) as {
        items: { id: string; projectName: string }[];
        nextCursor: string | null;
      };
      seen.push(...page.items.map(({ id, projectName }) => [id, projectName]));
      cursor = page.nextCursor;
    }
    expect(seen).toEqual(invitations);
  });

  it('is not invited more often than a project may send invitations', async () => {
    const { email } = await signUp(service);
    const statuses: number[] = [];
    for (let n = 0; n <= INVITATIONS_PER_PROJECT_AND_EMAIL_MAX; n++) {
      const response = await owner.request('POST', at('/members'), { email, role: 'viewer' });
      statuses.push(response.status);
      const { id } = (await response.json()) as Invitation;
      if (response.ok) await owner.request('DELETE', at(`/invitations/${id}`));
    }
    expect(statuses).toEqual([
      ...Array.from({ length: INVITATIONS_PER_PROJECT_AND_EMAIL_MAX }, () => 201),
      429,
    ]);
  });
});

describe('ownership', () => {
  it('cannot be forced on a member, nor on a stranger', async () => {
    const user = await signUp(service);
    await join(user, 'editor');
    const raised = await owner.request('PATCH', at(`/members/${user.id}`), { role: 'owner' });
    expect(await problemOf(raised)).toEqual({ status: 409, code: 'acceptance_required' });
    expect(await roleOf(user.id)).toBe('editor');
    const id = await inviteAsMember(user.email, 'owner');
    expect(await roleOf(user.id)).toBe('editor');
    const owned = await user.request('POST', '/v1/projects', { name: 'Mine' });
    expect(owned.status).toBe(201);
    expect(await (await acceptAs(user, id)).json()).toMatchObject({ projectId, role: 'owner' });
    expect([await roleOf(owner.id), await roleOf(user.id)]).toEqual(['owner', 'owner']);
    const again = await owner.request('POST', at('/members'), { email: user.email, role: 'owner' });
    expect(await problemOf(again)).toEqual({ status: 409, code: 'member_exists' });
  });

  it('is not accepted beyond the projects that one may own', async () => {
    const user = await signUp(service);
    await service.database.query(
      `with made as (insert into project (id, name, domains, tier, tier_reason, tier_version)
         select gen_random_uuid(), 'Full', '{}', 'lite', 'no_subscription', 0 from generate_series(1, $2) returning id)
       insert into project_member (project_id, user_id, role) select id, $1, 'owner' from made`,
      [user.id, PROJECTS_OWNED_MAX],
    );
    const id = await inviteAsMember(user.email, 'owner');
    expect(await problemOf(await acceptAs(user, id))).toEqual({ status: 409, code: 'project_limit_reached' });
    const link = await accept({ token: await tokenFor(user.email) }, user.cookie);
    expect(await problemOf(link)).toEqual({ status: 409, code: 'project_limit_reached' });
    expect(await roleOf(user.id)).toBeUndefined();
  });

  it('is no longer offered to a member who was removed, or whose role was lowered', async () => {
    const [removed, lowered] = await Promise.all([signUp(service), signUp(service)]);
    const ids: string[] = [];
    for (const user of [removed, lowered]) {
      await join(user, 'editor');
      ids.push(await inviteAsMember(user.email, 'owner'));
    }
    expect((await owner.request('DELETE', at(`/members/${removed.id}`))).status).toBe(204);
    expect((await owner.request('PATCH', at(`/members/${lowered.id}`), { role: 'viewer' })).status).toBe(200);
    expect((await acceptAs(removed, ids[0] ?? '')).status).toBe(404);
    expect((await acceptAs(lowered, ids[1] ?? '')).status).toBe(404);
    expect([await roleOf(removed.id), await roleOf(lowered.id)]).toEqual([undefined, 'viewer']);
  });

  it('is no longer offered once an account is deleted, whichever of the two', async () => {
    for (const leaving of ['giver', 'receiver'] as const) {
      const [giver, receiver] = await Promise.all([signUp(service), signUp(service)]);
      await join(giver, 'owner');
      await join(receiver, 'viewer');
      const offered = await giver.request('POST', at('/ownership'), { userId: receiver.id });
      expect(offered.status).toBe(201);
      const gone = leaving === 'giver' ? giver : receiver;
      expect((await gone.request('DELETE', '/v1/me', { password: PASSWORD })).status).toBe(204);
      expect(await (await owner.request('GET', at('/invitations'))).json()).toMatchObject({ items: [] });
    }
  });
});

describe('the last owner', () => {
  it('can neither leave nor be lowered, and hands the project over once a member accepts', async () => {
    const user = await signUp(service);
    await join(user, 'viewer');
    await mailTo(service, user.email);
    expect(await problemOf(await owner.request('POST', at('/leave')))).toEqual({
      status: 409,
      code: 'last_owner',
    });
    const lowered = await owner.request('PATCH', at(`/members/${owner.id}`), { role: 'viewer' });
    expect(await problemOf(lowered)).toEqual({ status: 409, code: 'last_owner' });
    const offered = await owner.request('POST', at('/ownership'), { userId: user.id });
    expect(offered.status).toBe(201);
    const { id } = (await offered.json()) as Invitation;
    expect((await mailTo(service, user.email)).subject).toBe('Accept ownership of "Bakery"');
    const twice = await owner.request('POST', at('/ownership'), { userId: user.id });
    expect(await problemOf(twice)).toEqual({ status: 409, code: 'invitation_exists' });
    expect([await roleOf(owner.id), await roleOf(user.id)]).toEqual(['owner', 'viewer']);
    expect(await invitationsOf(user)).toMatchObject([{ id, role: 'owner', transfersOwnership: true }]);
    const keys = await Promise.all(
      ['owner', 'viewer'].map((role) => owner.request('POST', at('/api-keys'), { name: 'K', role })),
    );
    expect(await (await acceptAs(user, id)).json()).toMatchObject({ projectId, role: 'owner' });
    expect([await roleOf(owner.id), await roleOf(user.id)]).toEqual(['editor', 'owner']);
    const works = keys.map(async (response) => {
      const { key } = (await response.json()) as { key: string };
      const headers = { authorization: `Bearer ${key}` };
      return (await fetch(`${service.baseUrl}${at('')}`, { headers })).status;
    });
    expect(await Promise.all(works)).toEqual([401, 200]);
    expect((await mailTo(service, user.email)).subject).toBe('You are now the owner of "Bakery"');
    expect((await mailTo(service, owner.email)).subject).toBe('You transferred ownership of "Bakery"');
    expect((await owner.request('POST', at('/leave'))).status).toBe(204);
    expect(await roleOf(owner.id)).toBeUndefined();
  });

  it('hands over by the link of the mail, too', async () => {
    const user = await signUp(service);
    await join(user, 'editor');
    await mailTo(service, user.email);
    await owner.request('POST', at('/ownership'), { userId: user.id });
    const { token } = linkIn(await mailTo(service, user.email));
    expect((await accept({ token }, user.cookie)).status).toBe(200);
    expect([await roleOf(owner.id), await roleOf(user.id)]).toEqual(['editor', 'owner']);
  });

  it('hands over to a member alone, who is no owner yet', async () => {
    const stranger = await signUp(service);
    for (const userId of [stranger.id, newId()])
      expect(await problemOf(await owner.request('POST', at('/ownership'), { userId }))).toEqual({
        status: 404,
        code: 'member_not_found',
      });
    const own = await owner.request('POST', at('/ownership'), { userId: owner.id });
    expect(await problemOf(own)).toEqual({ status: 409, code: 'member_exists' });
    expect(await roleOf(owner.id)).toBe('owner');
  });
});

describe('a service that sends no mail', () => {
  it('invites by POST …/members, and people with an account accept', async () => {
    const silent = await startTestService({
      ...BEHIND_LOOPBACK_PROXY,
      // Only production has no folder for mails.
      NODE_ENV: 'production',
      PUBLIC_BASE_URL: 'https://app.example.com',
    });
    try {
      const [first, second] = [await signUp(silent), await signUp(silent)];
      const made = await first.request('POST', '/v1/projects', { name: 'Bakery' });
      const { id } = (await made.json()) as { id: string };
      const body = { email: second.email, role: 'viewer' };
      const refused = await first.request('POST', `/v1/projects/${id}/invitations`, body);
      expect(await problemOf(refused)).toEqual({ status: 503, code: 'mail_not_configured' });
      await becomeMember(
        (wanted) => first.request('POST', `/v1/projects/${id}/members`, wanted),
        second,
        'viewer',
      );
      expect((await second.request('GET', `/v1/projects/${id}`)).status).toBe(200);
    } finally {
      await silent.close();
    }
  });
});
