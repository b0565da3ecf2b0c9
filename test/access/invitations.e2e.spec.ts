import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { INVITATIONS_PER_PROJECT_MAX } from '../../src/access/domain/invitation.js';
import type { Role } from '../../src/access/domain/role.js';
import { newId } from '../../src/shared/ids.js';
import { linkIn, mailsLeft, mailTo } from '../support/mails.js';
import { startTestService, type TestService } from '../support/service.js';
import {
  BEHIND_LOOPBACK_PROXY,
  cookieOf,
  PASSWORD,
  postAuth,
  signUp,
  type TestUser,
} from '../support/user.js';

let service: TestService;
let owner: TestUser;
let projectId: string;

beforeAll(async () => {
  service = await startTestService({ ...BEHIND_LOOPBACK_PROXY, SIGN_UP: 'invited' });
  owner = await signUp(service);
});
afterAll(() => service.close());
beforeEach(async () => {
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
  expect(mail.subject).toBe('Invitation to Bakery');
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
    expect(await taken.json()).toEqual({ projectId, role: 'owner', user: null });
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
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 410]);
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
      `create trigger later before insert on outbox_message for each row when (new.topic = 'mail.send') execute function later()`,
    );
    await invite(email);
    expect((await owner.request('DELETE', at(''))).status).toBe(204);
    await query('drop trigger later on outbox_message');
    expect(await mailsLeft(service, email)).toEqual([]);
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

describe('a member who is added by address', () => {
  it('is told by mail, and an invitation of hers goes', async () => {
    const user = await signUp(service);
    await invite(user.email);
    await tokenFor(user.email);
    const added = await owner.request('POST', at('/members'), { email: user.email, role: 'viewer' });
    expect(added.status).toBe(201);
    expect((await mailTo(service, user.email)).subject).toBe('You were added to Bakery');
    expect(await (await owner.request('GET', at('/invitations'))).json()).toMatchObject({ items: [] });
  });
});

describe('the last owner', () => {
  it('can neither leave nor be lowered, and can hand the project over', async () => {
    const user = await signUp(service);
    await owner.request('POST', at('/members'), { email: user.email, role: 'viewer' });
    await mailTo(service, user.email);
    expect(await problemOf(await owner.request('POST', at('/leave')))).toEqual({
      status: 409,
      code: 'last_owner',
    });
    const lowered = await owner.request('PATCH', at(`/members/${owner.id}`), { role: 'viewer' });
    expect(await problemOf(lowered)).toEqual({ status: 409, code: 'last_owner' });
    const handed = await owner.request('POST', at('/ownership'), { userId: user.id });
    expect(await handed.json()).toMatchObject({ userId: user.id, role: 'owner' });
    expect([await roleOf(owner.id), await roleOf(user.id)]).toEqual(['editor', 'owner']);
    expect((await mailTo(service, user.email)).subject).toBe('You own Bakery now');
    expect((await mailTo(service, owner.email)).subject).toBe('You have handed Bakery over');
    expect((await owner.request('POST', at('/leave'))).status).toBe(204);
    expect(await roleOf(owner.id)).toBeUndefined();
  });

  it('hands over to a member alone', async () => {
    const stranger = await signUp(service);
    for (const userId of [stranger.id, newId()])
      expect(await problemOf(await owner.request('POST', at('/ownership'), { userId }))).toEqual({
        status: 404,
        code: 'member_not_found',
      });
    expect(await roleOf(owner.id)).toBe('owner');
  });
});
