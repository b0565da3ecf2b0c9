import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import {
  INVITATIONS_PER_ORGANIZATION_MAX,
  ORGANIZATIONS_PER_ADMIN_MAX,
  PROJECTS_PER_ORGANIZATION_MAX,
} from '../../src/modules/organizations/domain/organization.js';
import { AccessService } from '../../src/modules/access/access.service.js';
import { newId } from '../../src/platform/identity/ids.js';
import { linkIn, mailTo } from '../support/fakes/mails.js';
import {
  createOrganization,
  createProjectIn,
  joinOrganization,
  type TestOrganization,
} from '../support/people/organization.js';
import { insertTestToken } from '../support/people/personal-token.js';
import { createTestProject } from '../support/people/project.js';
import {
  becomeMember,
  BEHIND_LOOPBACK_PROXY,
  cookieOf,
  PASSWORD,
  postAuth,
  signUp,
  type TestUser,
} from '../support/people/user.js';
import { startTestService, type TestService } from '../support/programs/service.js';

let service: TestService;
let admin: TestUser;
let user: TestUser;
let organization: TestOrganization;
let at: string;

beforeAll(async () => {
  service = await startTestService({ ...BEHIND_LOOPBACK_PROXY, SIGN_UP: 'invited' });
});
afterAll(() => service.close());
beforeEach(async () => {
  [admin, user] = await Promise.all([signUp(service, { name: 'Ada' }), signUp(service)]);
  organization = await createOrganization(admin);
  at = `/v1/organizations/${organization.id}`;
});

interface Ended {
  status: number;
  code: string | null;
}

async function endOf(response: Response): Promise<Ended> {
  const text = await response.text();
  const isProblem = response.headers.get('content-type')?.startsWith('application/problem+json');
  return { status: response.status, code: isProblem ? (JSON.parse(text) as { code: string }).code : null };
}

async function bodyOf(response: Response): Promise<Record<string, unknown>> {
  expect(response.status).toBeLessThan(300);
  return (await response.json()) as Record<string, unknown>;
}

const itemsOf = async (response: Response): Promise<Record<string, unknown>[]> =>
  (await bodyOf(response)).items as Record<string, unknown>[];

/** Actions of the organization's audit log, oldest first. */
const auditedActions = async (): Promise<unknown[]> =>
  (await itemsOf(await admin.request('GET', `${at}/audit`))).map(({ action }) => action).toReversed();

/** Makes the session of a user too old to count as recent. */
const ageSession = ({ id }: TestUser): Promise<unknown> =>
  service.database.query(
    `update user_session set created_at = now() - interval '2 hours' where user_id = $1`,
    [id],
  );

describe('an organization', () => {
  it('belongs to who creates it, who can rename and delete it', async () => {
    expect(await bodyOf(await admin.request('GET', at))).toMatchObject({
      name: 'Agency',
      role: 'admin',
      projectRole: null,
    });
    const renamed = await admin.request('PATCH', at, { name: '  Agency Ltd ' });
    expect(await bodyOf(renamed)).toMatchObject({ name: 'Agency Ltd', role: 'admin' });
    expect(await itemsOf(await admin.request('GET', '/v1/organizations'))).toHaveLength(1);
    expect(await auditedActions()).toEqual(['organization.create', 'organization.update']);
    expect((await admin.request('DELETE', at)).status).toBe(204);
    expect(await endOf(await admin.request('GET', at))).toEqual({
      status: 404,
      code: 'organization_not_found',
    });
  });

  it('is not deleted while it has projects', async () => {
    const projectId = await createProjectIn(admin, organization.id);
    expect(await endOf(await admin.request('DELETE', at))).toEqual({
      status: 409,
      code: 'organization_not_empty',
    });
    expect((await admin.request('DELETE', `/v1/projects/${projectId}`)).status).toBe(204);
    expect(await auditedActions()).toEqual(['organization.create', 'project.create', 'project.delete']);
    expect((await admin.request('DELETE', at)).status).toBe(204);
  });

  it('has no place for a key, and names itself to nobody else', async () => {
    const project = await createTestProject(service);
    const bearer = { authorization: `Bearer ${project.keys.owner}` };
    expect(await (await fetch(`${service.baseUrl}/v1/organizations`, { headers: bearer })).json()).toEqual({
      items: [],
      nextCursor: null,
    });
    const missing = { status: 404, code: 'organization_not_found' };
    expect(await endOf(await fetch(service.baseUrl + at, { headers: bearer }))).toEqual(missing);
    expect(await endOf(await user.request('GET', at))).toEqual(missing);
    expect(await endOf(await admin.request('GET', '/v1/organizations/nonsense'))).toEqual(missing);
  });

  it('is one of at most so many of one admin', async () => {
    await service.database.query(
      `with made as (insert into organization (id, name) select gen_random_uuid(), 'x' from generate_series(2, $2::int)
         returning id)
       insert into organization_member (organization_id, user_id, role) select id, $1, 'admin' from made`,
      [admin.id, ORGANIZATIONS_PER_ADMIN_MAX],
    );
    const refused = { status: 409, code: 'organization_limit_reached' };
    expect(await endOf(await admin.request('POST', '/v1/organizations', { name: 'One more' }))).toEqual(
      refused,
    );
    expect((await user.request('POST', '/v1/organizations', { name: 'First' })).status).toBe(201);
  });

  it.each([{}, { name: '' }, { name: ' ' }, { name: 'x'.repeat(121) }, { name: 1 }, { name: 'a\u0000b' }])(
    'has a name, and not %j',
    async (body) => {
      expect(await endOf(await admin.request('POST', '/v1/organizations', body))).toEqual({
        status: 422,
        code: 'validation_failed',
      });
    },
  );
});

describe('an invitation to an organization', () => {
  it('makes an account and a member of who reads the mailbox', async () => {
    const email = `${randomUUID()}@example.com`;
    const invited = await admin.request('POST', `${at}/invitations`, {
      email: email.toUpperCase(),
      role: 'member',
      projectRole: 'viewer',
    });
    expect(invited.status).toBe(201);
    expect(invited.headers.get('location')).toMatch(new RegExp(`^${at}/invitations/[0-9a-f-]{36}$`));
    const mail = await mailTo(service, email);
    expect(mail.subject).toBe('You’re invited to "Agency"');
    const { token } = linkIn(mail);
    const shown = await postAuth(service, 'invitation', { token });
    expect(await bodyOf(shown)).toMatchObject({
      projectName: null,
      organizationName: 'Agency',
      email,
      role: 'member',
      projectRole: 'viewer',
      accountExists: false,
    });
    const accepted = await postAuth(service, 'accept-invitation', { token, password: PASSWORD });
    expect(await bodyOf(accepted)).toMatchObject({
      projectId: null,
      organizationId: organization.id,
      role: 'member',
      projectRole: 'viewer',
    });
    const projectId = await createProjectIn(admin, organization.id);
    const entered = await fetch(`${service.baseUrl}/v1/projects/${projectId}`, {
      headers: { cookie: cookieOf(accepted) },
    });
    expect(await bodyOf(entered)).toMatchObject({ role: 'viewer', organizationId: organization.id });
    expect(await endOf(await postAuth(service, 'accept-invitation', { token, password: PASSWORD }))).toEqual({
      status: 410,
      code: 'link_ended',
    });
  });

  it('is in the list of its person, who may decline', async () => {
    await admin.request('POST', `${at}/invitations`, { email: user.email, role: 'billing' });
    const [own] = await itemsOf(await user.request('GET', '/v1/me/invitations'));
    expect(own).toMatchObject({
      projectId: null,
      organizationId: organization.id,
      organizationName: 'Agency',
      role: 'billing',
    });
    const path = `/v1/me/invitations/${String(own?.id)}`;
    expect((await admin.request('DELETE', path)).status).toBe(404);
    expect((await user.request('DELETE', path)).status).toBe(204);
    expect(await endOf(await user.request('POST', `${path}/accept`))).toEqual({
      status: 404,
      code: 'invitation_not_found',
    });
    expect(await auditedActions()).toEqual([
      'organization.create',
      'organization_invitation.create',
      'organization_invitation.decline',
    ]);
  });

  it('is one per address, can be sent again and withdrawn, and no member needs one', async () => {
    const invite = (role = 'member'): Promise<Response> =>
      admin.request('POST', `${at}/invitations`, { email: user.email, role });
    const { id } = await bodyOf(await invite());
    const first = linkIn(await mailTo(service, user.email)).token;
    expect(await endOf(await invite())).toEqual({ status: 409, code: 'invitation_exists' });
    expect((await admin.request('POST', `${at}/invitations/${String(id)}/resend`)).status).toBe(200);
    expect((await postAuth(service, 'invitation', { token: first })).status).toBe(410);
    expect((await admin.request('DELETE', `${at}/invitations/${String(id)}`)).status).toBe(204);
    expect(await endOf(await admin.request('GET', `${at}/invitations/${String(id)}`))).toEqual({
      status: 404,
      code: 'invitation_not_found',
    });
    await joinOrganization(admin, organization.id, user, { role: 'member' });
    expect(await endOf(await invite())).toEqual({ status: 409, code: 'member_exists' });
  });

  it('is one of at most so many', async () => {
    await service.database.query(
      `insert into organization_invitation (organization_id, id, email, role, token_hash, expires_at)
       select $1, id, id || '@example.com', 'member', uuid_send(id), now() + interval '1 day'
       from (select gen_random_uuid() as id from generate_series(1, $2::int)) made`,
      [organization.id, INVITATIONS_PER_ORGANIZATION_MAX],
    );
    const body = { email: user.email, role: 'member' };
    expect(await endOf(await admin.request('POST', `${at}/invitations`, body))).toEqual({
      status: 409,
      code: 'invitation_limit_reached',
    });
  });

  it.each([
    { role: 'owner' },
    { role: 'admin', projectRole: 'viewer' },
    { role: 'billing', projectRole: 'owner' },
    { role: 'member', projectRole: 'admin' },
    { role: 'member', projectRole: 1 },
    {},
  ])('offers a role that exists, and not %j', async (roles) => {
    const body = { email: user.email, ...roles };
    expect(await endOf(await admin.request('POST', `${at}/invitations`, body))).toEqual({
      status: 422,
      code: 'validation_failed',
    });
  });
});

describe('a role in an organization', () => {
  it('adds up with the one on a project: the higher one holds', async () => {
    const projectId = await createProjectIn(admin, organization.id);
    const read = async (): Promise<unknown> =>
      (await bodyOf(await user.request('GET', `/v1/projects/${projectId}`))).role;
    await becomeMember(
      (body) => admin.request('POST', `/v1/projects/${projectId}/members`, body),
      user,
      'editor',
    );
    await joinOrganization(admin, organization.id, user, { role: 'member', projectRole: 'viewer' });
    expect(await read()).toBe('editor');
    const member = `${at}/members/${user.id}`;
    await bodyOf(await admin.request('PATCH', member, { role: 'member', projectRole: 'owner' }));
    expect(await read()).toBe('owner');
    expect(await itemsOf(await user.request('GET', '/v1/projects'))).toMatchObject([
      { id: projectId, role: 'owner' },
    ]);
    await bodyOf(await admin.request('PATCH', member, { role: 'member' }));
    expect(await read()).toBe('editor');
    expect((await admin.request('DELETE', member)).status).toBe(204);
    expect(await read()).toBe('editor');
  });

  it('billing sees and changes plans, and reads nothing else', async () => {
    const projectId = await createProjectIn(admin, organization.id);
    await joinOrganization(admin, organization.id, user, { role: 'billing' });
    const project = `/v1/projects/${projectId}`;
    for (const path of ['/tier', '/subscription'])
      expect((await user.request('GET', project + path)).status).toBe(200);
    expect(await endOf(await user.request('POST', `${project}/billing/portal`))).not.toMatchObject({
      status: 403,
    });
    for (const path of ['', '/consents', '/members', '/audit', '/forwarding'])
      expect(await endOf(await user.request('GET', project + path))).toEqual({
        status: 403,
        code: 'role_required',
      });
    expect(await itemsOf(await user.request('GET', `${at}/projects`))).toMatchObject([{ id: projectId }]);
    expect(await itemsOf(await user.request('GET', '/v1/projects'))).toEqual([]);
    expect(await endOf(await user.request('GET', `${at}/members`))).toEqual({
      status: 403,
      code: 'role_required',
    });
  });

  it('member without a role on projects opens none', async () => {
    const projectId = await createProjectIn(admin, organization.id);
    await joinOrganization(admin, organization.id, user, { role: 'member' });
    expect((await user.request('GET', at)).status).toBe(200);
    expect(await itemsOf(await user.request('GET', `${at}/projects`))).toEqual([]);
    for (const path of ['', '/tier'])
      expect(await endOf(await user.request('GET', `/v1/projects/${projectId}${path}`))).toEqual({
        status: 404,
        code: 'project_not_found',
      });
  });

  it('admin takes acceptance, and the last one stays', async () => {
    await joinOrganization(admin, organization.id, user, { role: 'member' });
    const [own, other] = [`${at}/members/${admin.id}`, `${at}/members/${user.id}`];
    expect(await endOf(await admin.request('PATCH', other, { role: 'admin' }))).toEqual({
      status: 409,
      code: 'acceptance_required',
    });
    const last = { status: 409, code: 'last_admin' };
    expect(await endOf(await admin.request('POST', `${at}/leave`))).toEqual(last);
    expect(await endOf(await admin.request('DELETE', own))).toEqual(last);
    expect(await endOf(await admin.request('PATCH', own, { role: 'billing' }))).toEqual(last);
    expect(await endOf(await admin.request('DELETE', '/v1/me', { password: PASSWORD }))).toEqual(last);
    await joinOrganization(admin, organization.id, user, { role: 'admin' });
    expect((await admin.request('POST', `${at}/leave`)).status).toBe(204);
    expect((await user.request('GET', `${at}/members`)).status).toBe(200);
    expect((await admin.request('GET', at)).status).toBe(404);
  });

  it('lets only one of two last admins leave at the same time', async () => {
    await joinOrganization(admin, organization.id, user, { role: 'admin' });
    const ends = await Promise.all(
      [admin, user].map(async (each) => (await each.request('POST', `${at}/leave`)).status),
    );
    expect(ends.toSorted()).toEqual([204, 409]);
  });
});

describe('a removed member', () => {
  it('loses access at once: session, personal token and the keys that they created', async () => {
    const projectId = await createProjectIn(admin, organization.id);
    await joinOrganization(admin, organization.id, user, { role: 'member', projectRole: 'owner' });
    const project = `/v1/projects/${projectId}`;
    const made = await bodyOf(
      await user.request('POST', `${project}/api-keys`, { name: 'CI', role: 'viewer' }),
    );
    const token = await insertTestToken(service, user.id);
    const email = `${randomUUID()}@example.com`;
    expect((await user.request('POST', `${project}/members`, { email, role: 'viewer' })).status).toBe(201);
    const ask = (credential: string): Promise<number> =>
      fetch(service.baseUrl + project, { headers: { authorization: `Bearer ${credential}` } }).then(
        ({ status }) => status,
      );
    expect([await ask(String(made.key)), await ask(token)]).toEqual([200, 200]);
    expect((await admin.request('DELETE', `${at}/members/${user.id}`)).status).toBe(204);
    expect([await ask(String(made.key)), await ask(token)]).toEqual([401, 404]);
    expect((await user.request('GET', project)).status).toBe(404);
    expect(await itemsOf(await admin.request('GET', `${project}/invitations`))).toEqual([]);
    expect(await itemsOf(await user.request('GET', '/v1/organizations'))).toEqual([]);
  });

  it('keeps keys that their role on the project covers', async () => {
    const projectId = await createProjectIn(admin, organization.id);
    const project = `/v1/projects/${projectId}`;
    await becomeMember((body) => admin.request('POST', `${project}/members`, body), user, 'owner');
    await joinOrganization(admin, organization.id, user, { role: 'member', projectRole: 'viewer' });
    const made = await bodyOf(
      await user.request('POST', `${project}/api-keys`, { name: 'CI', role: 'owner' }),
    );
    expect((await user.request('POST', `${at}/leave`)).status).toBe(204);
    const byKey = await fetch(service.baseUrl + project, {
      headers: { authorization: `Bearer ${String(made.key)}` },
    });
    expect(byKey.status).toBe(200);
  });

  it('with a lower role loses the keys that exceed it', async () => {
    const projectId = await createProjectIn(admin, organization.id);
    const project = `/v1/projects/${projectId}`;
    await joinOrganization(admin, organization.id, user, { role: 'member', projectRole: 'owner' });
    const keys = await Promise.all(
      ['viewer', 'owner'].map(async (role) =>
        bodyOf(await user.request('POST', `${project}/api-keys`, { name: role, role })),
      ),
    );
    await bodyOf(
      await admin.request('PATCH', `${at}/members/${user.id}`, { role: 'member', projectRole: 'viewer' }),
    );
    const statuses = await Promise.all(
      keys.map(async ({ key }) => {
        const headers = { authorization: `Bearer ${String(key)}` };
        return (await fetch(service.baseUrl + project, { headers })).status;
      }),
    );
    expect(statuses).toEqual([200, 401]);
  });

  it('who deletes their account leaves organizations, and their keys end', async () => {
    const projectId = await createProjectIn(admin, organization.id);
    await joinOrganization(admin, organization.id, user, { role: 'member', projectRole: 'owner' });
    const made = await bodyOf(
      await user.request('POST', `/v1/projects/${projectId}/api-keys`, { name: 'CI', role: 'viewer' }),
    );
    await admin.request('POST', `${at}/invitations`, { email: user.email, role: 'admin' });
    expect((await user.request('DELETE', '/v1/me', { password: PASSWORD })).status).toBe(204);
    const byKey = await fetch(`${service.baseUrl}/v1/projects/${projectId}`, {
      headers: { authorization: `Bearer ${String(made.key)}` },
    });
    expect(byKey.status).toBe(401);
    const rows = await service.database.query(
      `select user_id::text from organization_member where user_id = $1
       union all select email from organization_invitation where email = $2`,
      [user.id, user.email],
    );
    expect(rows).toEqual([]);
    expect((await auditedActions()).slice(-2)).toEqual([
      'organization_member.leave',
      'organization_invitation.withdraw',
    ]);
  });
});

describe('a project', () => {
  const move = (by: TestUser, projectId: string, body: unknown): Promise<Response> =>
    by.request('POST', `/v1/projects/${projectId}/move`, body);

  it('moves in, to another organization, and out, and is audited in all of them', async () => {
    const { id: projectId } = await bodyOf(await admin.request('POST', '/v1/projects', { name: 'Bakery' }));
    const other = await createOrganization(admin, 'Other');
    const id = String(projectId);
    for (const organizationId of [organization.id, organization.id, other.id, null])
      expect(await bodyOf(await move(admin, id, { organizationId }))).toMatchObject({ organizationId });
    expect(await auditedActions()).toEqual(['organization.create', 'project.move', 'project.move']);
    const moves = await itemsOf(await admin.request('GET', `/v1/projects/${id}/audit?action=project.move`));
    expect(moves.map(({ after }) => after)).toEqual([
      { organizationId: null },
      { organizationId: other.id },
      { organizationId: organization.id },
    ]);
  });

  it('that moves out has its mover as an owner, and keys of people without a role end', async () => {
    const projectId = await createProjectIn(admin, organization.id);
    await joinOrganization(admin, organization.id, user, { role: 'member', projectRole: 'owner' });
    const made = await bodyOf(
      await user.request('POST', `/v1/projects/${projectId}/api-keys`, { name: 'CI', role: 'viewer' }),
    );
    expect(await itemsOf(await admin.request('GET', `/v1/projects/${projectId}/members`))).toEqual([]);
    expect((await move(admin, projectId, { organizationId: null })).status).toBe(200);
    expect(await itemsOf(await admin.request('GET', `/v1/projects/${projectId}/members`))).toMatchObject([
      { userId: admin.id, role: 'owner' },
    ]);
    const byKey = await fetch(`${service.baseUrl}/v1/projects/${projectId}`, {
      headers: { authorization: `Bearer ${String(made.key)}` },
    });
    expect(byKey.status).toBe(401);
    expect((await user.request('GET', `/v1/projects/${projectId}`)).status).toBe(404);
  });

  it('moves only by an owner who is an admin of each organization, and recently signed in', async () => {
    const { id } = await bodyOf(await user.request('POST', '/v1/projects', { name: 'Bakery' }));
    const projectId = String(id);
    const toOrganization = { organizationId: organization.id };
    expect(await endOf(await move(user, projectId, toOrganization))).toEqual({
      status: 404,
      code: 'organization_not_found',
    });
    expect(await endOf(await move(admin, projectId, toOrganization))).toEqual({
      status: 404,
      code: 'project_not_found',
    });
    await joinOrganization(admin, organization.id, user, { role: 'member', projectRole: 'owner' });
    expect(await endOf(await move(user, projectId, toOrganization))).toEqual({
      status: 403,
      code: 'role_required',
    });
    await joinOrganization(admin, organization.id, user, { role: 'admin' });
    await ageSession(user);
    expect(await endOf(await move(user, projectId, toOrganization))).toEqual({
      status: 403,
      code: 'recent_sign_in_required',
    });
    expect(await endOf(await move(user, projectId, { ...toOrganization, password: 'wrong one' }))).toEqual({
      status: 401,
      code: 'invalid_credentials',
    });
    expect((await move(user, projectId, { ...toOrganization, password: PASSWORD })).status).toBe(200);
    for (const body of [{}, { organizationId: 'nonsense' }, { organizationId: 1 }])
      expect(await endOf(await move(admin, projectId, body))).toEqual({
        status: 422,
        code: 'validation_failed',
      });
  });

  it('of an organization cannot be taken out by its own owner alone', async () => {
    const projectId = await createProjectIn(admin, organization.id);
    await becomeMember(
      (body) => admin.request('POST', `/v1/projects/${projectId}/members`, body),
      user,
      'owner',
    );
    // Guests of a project do not learn the roles of its organization.
    expect(await endOf(await move(user, projectId, { organizationId: null }))).toEqual({
      status: 404,
      code: 'organization_not_found',
    });
    // Its owners are the admins of the organization, so its last own owner may leave.
    expect((await user.request('POST', `/v1/projects/${projectId}/leave`)).status).toBe(204);
  });

  it('is created in an organization by its admins', async () => {
    const create = (by: TestUser, organizationId: unknown): Promise<Response> =>
      by.request('POST', '/v1/projects', { name: 'Bakery', organizationId });
    const missing = { status: 404, code: 'organization_not_found' };
    expect(await endOf(await create(user, organization.id))).toEqual(missing);
    expect(await endOf(await create(user, newId()))).toEqual(missing);
    await joinOrganization(admin, organization.id, user, { role: 'member', projectRole: 'owner' });
    expect(await endOf(await create(user, organization.id))).toEqual({ status: 403, code: 'role_required' });
    expect(await endOf(await create(admin, 'nonsense'))).toEqual({ status: 422, code: 'validation_failed' });
    expect((await create(admin, null)).status).toBe(201);
  });

  it('of any of their organizations counts against the quotas of one admin', async () => {
    const accounts = service.app.get(AccessService, { strict: false });
    const other = await createOrganization(admin);
    await joinOrganization(admin, other.id, user, { role: 'admin', projectRole: null });
    for (const organizationId of [null, organization.id, other.id]) {
      const created = await admin.request('POST', '/v1/projects', { name: 'Bakery', organizationId });
      expect(await accounts.accountOf(String((await bodyOf(created)).id))).toBe(admin.id);
    }
  });

  it('is one of at most so many of an organization', async () => {
    await service.database.query(
      `insert into project (id, name, organization_id) select gen_random_uuid(), 'x', $1 from generate_series(1, $2::int)`,
      [organization.id, PROJECTS_PER_ORGANIZATION_MAX],
    );
    const refused = { status: 409, code: 'project_limit_reached' };
    const body = { name: 'One more', organizationId: organization.id };
    expect(await endOf(await admin.request('POST', '/v1/projects', body))).toEqual(refused);
    const { id } = await bodyOf(await admin.request('POST', '/v1/projects', { name: 'Bakery' }));
    expect(await endOf(await move(admin, String(id), { organizationId: organization.id }))).toEqual(refused);
  });
});

describe('people of organization A', () => {
  it('reach nothing of B, by path or body', async () => {
    const other = await createOrganization(user, 'B');
    const projectId = await createProjectIn(user, other.id);
    const invited = await bodyOf(
      await user.request('POST', `/v1/organizations/${other.id}/invitations`, {
        email: `${randomUUID()}@example.com`,
        role: 'admin',
      }),
    );
    const invitationId = String(invited.id);
    const before = await itemsOf(await user.request('GET', `/v1/organizations/${other.id}/audit`));
    const b = `/v1/organizations/${other.id}`;
    const notFound = { status: 404, code: 'organization_not_found' };
    for (const [method, path, body] of [
      ['GET', b],
      ['PATCH', b, { name: 'Mine' }],
      ['DELETE', b],
      ['GET', `${b}/projects`],
      ['POST', `${b}/leave`],
      ['GET', `${b}/members`],
      ['GET', `${b}/members/${user.id}`],
      ['PATCH', `${b}/members/${user.id}`, { role: 'member' }],
      ['DELETE', `${b}/members/${user.id}`],
      ['GET', `${b}/invitations`],
      ['POST', `${b}/invitations`, { email: admin.email, role: 'admin' }],
      ['GET', `${b}/invitations/${invitationId}`],
      ['POST', `${b}/invitations/${invitationId}/resend`],
      ['DELETE', `${b}/invitations/${invitationId}`],
      ['GET', `${b}/audit`],
      ['GET', `${b}/audit/export`],
    ] as const)
      expect([method, path, await endOf(await admin.request(method, path, body))]).toEqual([
        method,
        path,
        notFound,
      ]);
    // Ids of B below the path of A.
    for (const [method, path] of [
      ['GET', `${at}/members/${user.id}`],
      ['DELETE', `${at}/members/${user.id}`],
      ['GET', `${at}/invitations/${invitationId}`],
      ['POST', `${at}/invitations/${invitationId}/resend`],
      ['DELETE', `${at}/invitations/${invitationId}`],
    ] as const)
      expect((await admin.request(method, path)).status).toBe(404);
    const own = await createProjectIn(admin, organization.id);
    const toB = { organizationId: other.id };
    expect(await endOf(await admin.request('POST', `/v1/projects/${own}/move`, toB))).toEqual(notFound);
    expect(await endOf(await admin.request('POST', '/v1/projects', { name: 'x', ...toB }))).toEqual(notFound);
    expect((await admin.request('GET', `/v1/projects/${projectId}`)).status).toBe(404);
    const into = { organizationId: organization.id };
    expect((await admin.request('POST', `/v1/projects/${projectId}/move`, into)).status).toBe(404);
    expect(await itemsOf(await user.request('GET', `${b}/audit`))).toEqual(before);
  });
});
