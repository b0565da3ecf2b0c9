import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ACTIVE_KEYS_PER_PROJECT_MAX } from '../../src/modules/access/api-key.service.js';
import { PROJECTS_OWNED_MAX } from '../../src/modules/access/application/membership.service.js';
import { ROLES, type Role } from '../../src/modules/access/domain/role.js';
import { newId } from '../../src/platform/identity/ids.js';
import { createTestProject, type TestProject } from '../support/people/project.js';
import { startTestService, type TestService } from '../support/programs/service.js';
import { becomeMember, BEHIND_LOOPBACK_PROXY, signUp, type TestUser } from '../support/people/user.js';

/** Of nothing. */
const UNKNOWN_ID = '01930000-0000-7000-8000-000000000000';

let service: TestService;
let owner: TestUser;
let stranger: TestUser;

beforeAll(async () => {
  service = await startTestService(BEHIND_LOOPBACK_PROXY);
  [owner, stranger] = await Promise.all([signUp(service, { name: 'Owner' }), signUp(service)]);
});
afterAll(() => service.close());

interface ProjectAnswer {
  id: string;
  name: string;
  domains: string[];
}

async function createProject(user: TestUser, body: unknown = { name: 'Shop' }): Promise<ProjectAnswer> {
  const response = await user.request('POST', '/v1/projects', body);
  expect(response.status).toBe(201);
  return (await response.json()) as ProjectAnswer;
}

const addMember = (projectId: string, user: TestUser, role: string): Promise<void> =>
  becomeMember((body) => owner.request('POST', `/v1/projects/${projectId}/members`, body), user, role);

async function refusal(response: Response): Promise<[number, string]> {
  expect(response.headers.get('content-type')).toContain('application/problem+json');
  return [response.status, ((await response.json()) as { code: string }).code];
}

async function refusedFields(response: Response): Promise<string[]> {
  expect(response.status).toBe(422);
  const { errors } = (await response.json()) as { errors: { field: string }[] };
  return errors.map((error) => error.field);
}

describe('who may do what (design §5)', () => {
  let project: TestProject;
  let other: TestProject;
  let member: Record<Role, TestUser>;

  beforeAll(async () => {
    project = await createTestProject(service);
    other = await createTestProject(service);
    const [viewer, editor, second] = await Promise.all([signUp(service), signUp(service), signUp(service)]);
    member = { viewer, editor, owner: second };
    await Promise.all(
      Object.entries(member).map(([role, user]) =>
        becomeMember((body) => project.request('owner', 'POST', '/members', body), user, role),
      ),
    );
  });

  // None of them changes what the others need; a 404 of an owner is about the member or key, not the project.
  const routes: [method: string, path: string, body: unknown, least: Role, ok: number][] = [
    ['GET', '', undefined, 'viewer', 200],
    ['PATCH', '', { name: 'Renamed' }, 'editor', 200],
    ['GET', '/members', undefined, 'owner', 200],
    ['POST', '/members', { email: 'nobody@example.com', role: 'admin' }, 'owner', 422],
    ['GET', `/members/${UNKNOWN_ID}`, undefined, 'owner', 404],
    ['PATCH', `/members/${UNKNOWN_ID}`, { role: 'viewer' }, 'owner', 404],
    ['DELETE', `/members/${UNKNOWN_ID}`, undefined, 'owner', 404],
    ['GET', '/api-keys', undefined, 'owner', 200],
    ['POST', '/api-keys', { name: 'A key', role: 'viewer' }, 'owner', 201],
    ['PATCH', `/api-keys/${UNKNOWN_ID}`, { name: 'A key' }, 'owner', 404],
    ['DELETE', `/api-keys/${UNKNOWN_ID}`, undefined, 'owner', 404],
  ];

  it.each(routes)('%s /v1/projects/:projectId%s', async (method, path, body, least, ok) => {
    const url = `/v1/projects/${project.id}${path}`;
    const covers = (role: Role): boolean => ROLES.indexOf(role) >= ROLES.indexOf(least);
    for (const role of ROLES) {
      const byKey = await project.request(role, method, path, body);
      const bySession = await member[role].request(method, url, body);
      expect([role, byKey.status, bySession.status]).toEqual(
        covers(role) ? [role, ok, ok] : [role, 403, 403],
      );
      if (!covers(role)) {
        expect(await byKey.json()).toMatchObject({
          code: 'role_required',
          requiredRole: least,
          currentRole: role,
        });
      }
    }
    // No credential, a key of another project, and a user who is not a member.
    const init = {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    };
    expect(await refusal(await fetch(`${service.baseUrl}${url}`, init))).toEqual([
      401,
      'authentication_required',
    ]);
    const foreignKey = { ...init.headers, authorization: `Bearer ${other.keys.owner}` };
    expect(await refusal(await fetch(`${service.baseUrl}${url}`, { ...init, headers: foreignKey }))).toEqual([
      404,
      'project_not_found',
    ]);
    expect(await refusal(await stranger.request(method, url, body))).toEqual([404, 'project_not_found']);
  });

  it('lets an owner alone delete the project', async () => {
    for (const role of ['viewer', 'editor'] as const) {
      expect((await project.request(role, 'DELETE', '')).status).toBe(403);
      expect((await member[role].request('DELETE', `/v1/projects/${project.id}`)).status).toBe(403);
    }
    expect((await stranger.request('DELETE', `/v1/projects/${project.id}`)).status).toBe(404);
  });

  it.each([
    ['Bearer'],
    ['Bearer '],
    ['Bearer ck_wrong'],
    ['Bearer ck_wrong ck_wrong'],
    ['Basic dXNlcjpwYXNz'],
    ['ck_wrong'],
    [''],
  ])('answers 401 to the Authorization %p, also beside a valid cookie', async (authorization) => {
    const response = await member.owner.request('GET', `/v1/projects/${project.id}`, undefined, {
      authorization,
    });
    expect(await refusal(response)).toEqual([401, 'authentication_required']);
  });

  it('does not hold CSRF rules against an API key', async () => {
    const response = await fetch(`${service.baseUrl}/v1/projects/${project.id}`, {
      method: 'PATCH',
      headers: {
        authorization: `Bearer ${project.keys.editor}`,
        'content-type': 'application/json',
        origin: 'https://elsewhere.com',
        'sec-fetch-site': 'cross-site',
      },
      body: JSON.stringify({ name: 'Renamed' }),
    });
    expect(response.status).toBe(200);
  });

  it.each(['not-an-id', '%00', '..%2f', UNKNOWN_ID, '00000000-0000-0000-0000-00000000000g', 'null'])(
    'answers 404 to the project id %p',
    async (id) => {
      const response = await stranger.request('GET', `/v1/projects/${id}`);
      expect(await refusal(response)).toEqual([404, 'project_not_found']);
    },
  );

  it('takes an id in upper case for the same project', async () => {
    const response = await member.viewer.request('GET', `/v1/projects/${project.id.toUpperCase()}`);
    expect(await response.json()).toMatchObject({ id: project.id });
  });

  it('tells whom a credential belongs to', async () => {
    const key = await fetch(`${service.baseUrl}/v1/me`, {
      headers: { authorization: `Bearer ${project.keys.editor}` },
    });
    expect(await key.json()).toEqual({
      kind: 'api_key',
      id: expect.any(String),
      projectId: project.id,
      role: 'editor',
    });
    expect(await (await owner.request('GET', '/v1/me')).json()).toEqual({
      kind: 'user',
      id: owner.id,
      name: 'Owner',
      email: owner.email,
      emailConfirmed: true,
      secondFactor: false,
    });
    expect((await fetch(`${service.baseUrl}/v1/me`)).status).toBe(401);
  });
});

describe('projects', () => {
  it('are made by a user, who becomes their owner', async () => {
    const response = await owner.request('POST', '/v1/projects', {
      name: '  My shop ',
      domains: ['WWW.Example.com', 'münchen.de', 'www.example.com.', 'localhost'],
    });
    expect(response.status).toBe(201);
    const project = (await response.json()) as { id: string };
    expect(project).toEqual({
      id: expect.any(String),
      name: 'My shop',
      domains: ['www.example.com', 'xn--mnchen-3ya.de', 'localhost'],
      controllerName: null,
      controllerContact: null,
      organizationId: null,
      tier: 'lite',
      role: 'owner',
      lastFailureReason: null,
      createdAt: expect.stringMatching(/Z$/),
    });
    expect(await (await owner.request('GET', `/v1/projects/${project.id}`)).json()).toEqual(project);
    const members = await owner.request('GET', `/v1/projects/${project.id}/members`);
    expect(await members.json()).toEqual({
      items: [
        {
          userId: owner.id,
          email: owner.email,
          name: 'Owner',
          role: 'owner',
          createdAt: expect.any(String),
          secondFactor: false,
        },
      ],
      nextCursor: null,
    });
  });

  it('cannot be made by an API key', async () => {
    const { keys } = await createTestProject(service);
    const response = await fetch(`${service.baseUrl}/v1/projects`, {
      method: 'POST',
      headers: { authorization: `Bearer ${keys.owner}`, 'content-type': 'application/json' },
      body: '{"name":"Mine"}',
    });
    expect(await refusal(response)).toEqual([403, 'session_required']);
  });

  it('are listed newest first, page by page, own ones alone', async () => {
    const user = await signUp(service);
    const made = [];
    for (let number = 0; number < 5; number += 1) made.push((await createProject(user)).id);
    const seen: string[] = [];
    let cursor: string | null = null;
    let pages = 0;
    do {
      const query: string = cursor === null ? '?limit=2' : `?limit=2&cursor=${cursor}`;
      const page = (await (await user.request('GET', `/v1/projects${query}`)).json()) as {
        items: { id: string }[];
        nextCursor: string | null;
      };
      seen.push(...page.items.map((item) => item.id));
      cursor = page.nextCursor;
      pages += 1;
    } while (cursor !== null);
    expect(seen).toEqual(made.toReversed());
    expect(pages).toBe(3);
  });

  it('of an API key are its one', async () => {
    const project = await createTestProject(service);
    const list = async (query: string): Promise<{ items: { id: string }[]; nextCursor: string | null }> => {
      const response = await fetch(`${service.baseUrl}/v1/projects${query}`, {
        headers: { authorization: `Bearer ${project.keys.viewer}` },
      });
      return (await response.json()) as { items: { id: string }[]; nextCursor: string | null };
    };
    expect(await list('')).toMatchObject({ items: [{ id: project.id }], nextCursor: null });
  });

  it.each(['limit=0', 'limit=201', 'limit=x', 'limit=', 'limit=1.5', 'limit=1&limit=2', 'limit=-1'])(
    'refuse the page %p',
    async (query) => {
      expect(await refusedFields(await owner.request('GET', `/v1/projects?${query}`))).toContain('limit');
    },
  );

  it.each(['cursor=x', 'cursor=', 'cursor=a&cursor=b', `cursor=${'x'.repeat(300)}`, 'cursor=%00'])(
    'refuse the page %p',
    async (query) => {
      expect(await refusedFields(await owner.request('GET', `/v1/projects?${query}`))).toContain('cursor');
    },
  );

  it.each(['limit=1', 'limit=200'])('take the page %p', async (query) => {
    expect((await owner.request('GET', `/v1/projects?${query}`)).status).toBe(200);
  });

  it('change name and domains, each alone', async () => {
    const { id } = await createProject(owner, { name: 'Shop', domains: ['a.com'] });
    const renamed = await owner.request('PATCH', `/v1/projects/${id}`, { name: 'Store' });
    expect(await renamed.json()).toMatchObject({ name: 'Store', domains: ['a.com'] });
    const moved = await owner.request('PATCH', `/v1/projects/${id}`, { domains: [] });
    expect(await moved.json()).toMatchObject({ name: 'Store', domains: [] });
  });

  it.each<[string, unknown, string]>([
    ['no name', {}, 'name'],
    ['a null name', { name: null }, 'name'],
    ['a blank name', { name: '   ' }, 'name'],
    ['a name of 121 characters', { name: 'x'.repeat(121) }, 'name'],
    ['a name with NUL', { name: 'a\u0000b' }, 'name'],
    ['a name with a lone surrogate', { name: 'a\ud800b' }, 'name'],
    ['a name of many lines', { name: 'a\nb' }, 'name'],
    ['a number for a name', { name: 7 }, 'name'],
    ['domains that are text', { name: 'Shop', domains: 'a.com' }, 'domains'],
    ['null domains', { name: 'Shop', domains: null }, 'domains'],
    ['domains that are an object', { name: 'Shop', domains: { 0: 'a.com' } }, 'domains'],
    ['a domain with a scheme', { name: 'Shop', domains: ['https://a.com'] }, 'domains.0'],
    ['a second domain that is a number', { name: 'Shop', domains: ['a.com', 7] }, 'domains.1'],
    ['a domain with NUL', { name: 'Shop', domains: ['a\u0000.com'] }, 'domains.0'],
    ['101 domains', { name: 'Shop', domains: Array.from({ length: 101 }, (_, n) => `a${n}.com`) }, 'domains'],
    ['a tier', { name: 'Shop', tier: 'pro' }, 'tier'],
  ])('refuse %s', async (_, body, field) => {
    expect(await refusedFields(await owner.request('POST', '/v1/projects', body))).toContain(field);
  });

  it.each([
    ['120 characters', 'x'.repeat(120)],
    ['120 characters beyond the basic plane', '🍪'.repeat(120)],
    ['one character', 'x'],
    ['markup', `<b>'; drop table project; --</b>`],
  ])('take a name of %s', async (_, name) => {
    expect(await createProject(owner, { name })).toMatchObject({ name });
  });

  it.each([[null], [[]], [7], ['text'], [true], [{}]])('refuse the body %j', async (body) => {
    const { id } = await createProject(owner);
    expect((await owner.request('POST', '/v1/projects', body)).status).toBe(422);
    expect((await owner.request('PATCH', `/v1/projects/${id}`, body)).status).toBe(422);
  });

  it('refuse a missing body, broken JSON and a body over 100 KiB', async () => {
    const send = (body: string | undefined): Promise<Response> =>
      fetch(`${service.baseUrl}/v1/projects`, {
        method: 'POST',
        headers: { cookie: owner.cookie, 'content-type': 'application/json' },
        ...(body !== undefined && { body }),
      });
    expect((await send(undefined)).status).toBe(422);
    expect(await refusal(await send('{"name":'))).toEqual([400, 'body_not_json']);
    expect(await refusal(await send(`{"name":"${'x'.repeat(110_000)}"}`))).toEqual([
      413,
      'payload_too_large',
    ]);
  });

  it(`number at most ${PROJECTS_OWNED_MAX} for one owner, also for requests at the same time`, async () => {
    const user = await signUp(service);
    await service.database.query(
      `with made as (
         insert into project (id, name) select gen_random_uuid(), 'Shop' from generate_series(1, $2) returning id)
       insert into project_member (project_id, user_id, role) select id, $1, 'owner' from made`,
      [user.id, PROJECTS_OWNED_MAX - 1],
    );
    const responses = await Promise.all(
      Array.from({ length: 12 }, () => user.request('POST', '/v1/projects', { name: 'Shop' })),
    );
    expect(responses.map((response) => response.status).toSorted()).toEqual([
      201,
      ...Array.from({ length: 11 }, () => 409),
    ]);
    const refused = responses.find((response) => response.status === 409) as Response;
    expect(await refusal(refused)).toEqual([409, 'project_limit_reached']);
  });

  it('show lite where the cached tier has run out', async () => {
    const tierOf = async (validUntil: Date | null): Promise<unknown> => {
      const project = await createTestProject(service, { tier: 'pro', tierValidUntil: validUntil });
      return ((await (await project.request('viewer', 'GET', '')).json()) as { tier: string }).tier;
    };
    expect(await tierOf(null)).toBe('pro');
    expect(await tierOf(new Date(Date.now() + 60_000))).toBe('pro');
    expect(await tierOf(new Date(Date.now() - 1))).toBe('lite');
  });

  it('go with all their data when deleted, and nobody else’s', async () => {
    const gone = await createProject(owner);
    const kept = await createProject(owner);
    const { key } = await createKey(gone.id);
    for (const { id } of [gone, kept]) {
      await insertRecord(id);
      await service.database.query(
        `insert into outbox_message (ordering_key, project_id, topic, subject_id) values ($1, $1, 'x', gen_random_uuid())`,
        [id],
      );
      await service.database.query(
        `insert into outbox_dead_letter (ordering_key, id, project_id, topic, subject_id, failures, created_at)
         values ($1, 1, $1, 'x', gen_random_uuid(), 1, now())`,
        [id],
      );
    }
    expect((await owner.request('DELETE', `/v1/projects/${gone.id}`)).status).toBe(204);
    // One message about it comes with its end: the one that takes its site away.
    for (const table of [
      'project_member',
      'api_key',
      'consent_record',
      'outbox_message',
      'outbox_dead_letter',
    ]) {
      const [count] = await service.database.query(
        `select count(*) filter (where project_id = $1)::int as gone, count(*) filter (where project_id = $2)::int as kept
         from ${table} ${table === 'outbox_message' ? `where topic = 'x'` : ''}`,
        [gone.id, kept.id],
      );
      expect({ table, ...count }).toEqual({ table, gone: 0, kept: table === 'api_key' ? 0 : 1 });
    }
    expect((await owner.request('GET', `/v1/projects/${gone.id}`)).status).toBe(404);
    expect((await owner.request('DELETE', `/v1/projects/${gone.id}`)).status).toBe(404);
    expect((await withKey(key)).status).toBe(401);
    expect((await owner.request('GET', `/v1/projects/${kept.id}`)).status).toBe(200);
  });
});

describe('members', () => {
  it('are invited by e-mail, whatever its case, and see the project once they accept', async () => {
    const { id } = await createProject(owner);
    const user = await signUp(service, { name: 'Grace' });
    const response = await owner.request('POST', `/v1/projects/${id}/members`, {
      email: ` ${user.email.toUpperCase()} `,
      role: 'editor',
    });
    expect(response.status).toBe(201);
    const invitation = (await response.json()) as { id: string };
    expect(invitation).toEqual({
      id: expect.any(String),
      email: user.email,
      role: 'editor',
      invitedBy: owner.id,
      transfersOwnership: false,
      createdAt: expect.any(String),
      sentAt: expect.any(String),
      expiresAt: expect.any(String),
    });
    expect((await user.request('GET', `/v1/projects/${id}`)).status).toBe(404);
    const accepted = await user.request('POST', `/v1/me/invitations/${invitation.id}/accept`);
    expect([accepted.status, await accepted.json()]).toEqual([
      200,
      {
        projectId: id,
        organizationId: null,
        role: 'editor',
        projectRole: null,
      },
    ]);
    expect(await (await user.request('GET', '/v1/projects')).json()).toMatchObject({
      items: [{ id, role: 'editor' }],
    });
    const read = await owner.request('GET', `/v1/projects/${id}/members/${user.id}`);
    expect(await read.json()).toEqual({
      userId: user.id,
      email: user.email,
      name: 'Grace',
      role: 'editor',
      createdAt: expect.any(String),
      secondFactor: false,
    });
    const again = await owner.request('POST', `/v1/projects/${id}/members`, {
      email: user.email,
      role: 'viewer',
    });
    expect(await refusal(again)).toEqual([409, 'member_exists']);
  });

  it.each<[string, unknown, string]>([
    ['no e-mail', { role: 'viewer' }, 'email'],
    ['an e-mail with NUL', { email: 'a\u0000@example.com', role: 'viewer' }, 'email'],
    ['an unknown role', { email: 'a@example.com', role: 'admin' }, 'role'],
    ['no role', { email: 'a@example.com' }, 'role'],
    ['a list of roles', { email: 'a@example.com', role: ['viewer'] }, 'role'],
  ])('refuse %s', async (_, body, field) => {
    const { id } = await createProject(owner);
    const response = await owner.request('POST', `/v1/projects/${id}/members`, body);
    expect(await refusedFields(response)).toContain(field);
  });

  it('change their role and lose the project when removed', async () => {
    const { id } = await createProject(owner);
    const user = await signUp(service);
    await addMember(id, user, 'viewer');
    expect((await user.request('PATCH', `/v1/projects/${id}`, { name: 'X' })).status).toBe(403);
    const raised = await owner.request('PATCH', `/v1/projects/${id}/members/${user.id}`, { role: 'editor' });
    expect(await raised.json()).toMatchObject({ userId: user.id, role: 'editor' });
    expect((await user.request('PATCH', `/v1/projects/${id}`, { name: 'X' })).status).toBe(200);
    expect((await owner.request('DELETE', `/v1/projects/${id}/members/${user.id}`)).status).toBe(204);
    expect((await user.request('GET', `/v1/projects/${id}`)).status).toBe(404);
    const again = await owner.request('DELETE', `/v1/projects/${id}/members/${user.id}`);
    expect(await refusal(again)).toEqual([404, 'member_not_found']);
  });

  it('are listed page by page', async () => {
    const { id } = await createProject(owner);
    const user = await signUp(service);
    await addMember(id, user, 'viewer');
    const first = (await (await owner.request('GET', `/v1/projects/${id}/members?limit=1`)).json()) as {
      items: unknown[];
      nextCursor: string;
    };
    const second = await owner.request(
      'GET',
      `/v1/projects/${id}/members?limit=1&cursor=${first.nextCursor}`,
    );
    expect(first.items).toMatchObject([{ userId: owner.id }]);
    expect(await second.json()).toMatchObject({ items: [{ userId: user.id }], nextCursor: null });
  });

  it.each(['not-an-id', '%00', UNKNOWN_ID])('answer 404 to the user id %p', async (userId) => {
    const { id } = await createProject(owner);
    const path = `/v1/projects/${id}/members/${userId}`;
    expect(await refusal(await owner.request('PATCH', path, { role: 'viewer' }))).toEqual([
      404,
      'member_not_found',
    ]);
    expect(await refusal(await owner.request('DELETE', path))).toEqual([404, 'member_not_found']);
    expect(await refusal(await owner.request('GET', path))).toEqual([404, 'member_not_found']);
  });

  it('keep their last owner', async () => {
    const { id } = await createProject(owner);
    const path = `/v1/projects/${id}/members/${owner.id}`;
    expect(await refusal(await owner.request('DELETE', path))).toEqual([409, 'last_owner']);
    expect(await refusal(await owner.request('PATCH', path, { role: 'editor' }))).toEqual([
      409,
      'last_owner',
    ]);
    expect((await owner.request('PATCH', path, { role: 'owner' })).status).toBe(200);
    const second = await signUp(service);
    await addMember(id, second, 'owner');
    expect((await owner.request('PATCH', path, { role: 'editor' })).status).toBe(200);
  });

  it('keep one owner where two owners remove each other at the same time', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { id } = await createProject(owner);
      const second = await signUpOnce();
      await addMember(id, second, 'owner');
      const statuses = await Promise.all([
        owner.request('DELETE', `/v1/projects/${id}/members/${second.id}`),
        second.request('PATCH', `/v1/projects/${id}/members/${owner.id}`, { role: 'viewer' }),
      ]).then((responses) => responses.map((response) => response.status));
      const owners = await service.database.query(
        `select 1 from project_member where project_id = $1 and role = 'owner'`,
        [id],
      );
      expect(owners).toHaveLength(1);
      // The second request is refused: the caller is the last owner, or was removed before the
      // guard checked.
      expect(statuses.filter((status) => status < 300)).toHaveLength(1);
    }
  });
});

describe('API keys', () => {
  it('are shown once, and only as a hash in the database', async () => {
    const { id } = await createProject(owner);
    const response = await owner.request('POST', `/v1/projects/${id}/api-keys`, {
      name: ' CI ',
      role: 'editor',
    });
    expect(response.status).toBe(201);
    expect(response.headers.get('cache-control')).toBe('no-store');
    const made = (await response.json()) as { id: string; key: string; prefix: string };
    expect(made).toEqual({
      id: expect.any(String),
      name: 'CI',
      role: 'editor',
      scopes: [],
      createdBy: owner.id,
      prefix: made.key.slice(0, 8),
      createdAt: expect.any(String),
      revokedAt: null,
      lastUsedOn: null,
      expiresAt: null,
      limitedTo: null,
      formerValidUntil: null,
      key: expect.stringMatching(/^ck_[\w-]{43}$/),
    });
    const { key, ...shown } = made;
    const list = await owner.request('GET', `/v1/projects/${id}/api-keys`);
    expect(await list.json()).toEqual({ items: [shown], nextCursor: null });
    const [row] = await service.database.query('select api_key::text as all from api_key where id = $1', [
      made.id,
    ]);
    expect(row?.all).not.toContain(key.slice(8));
    expect(await (await withKey(key)).json()).toMatchObject({ id: made.id, projectId: id, role: 'editor' });
  });

  it('are good for nothing once revoked, and can be revoked again', async () => {
    const { id } = await createProject(owner);
    const { key, id: keyId } = await createKey(id);
    expect((await withKey(key)).status).toBe(200);
    const path = `/v1/projects/${id}/api-keys/${keyId}`;
    expect((await owner.request('DELETE', path)).status).toBe(204);
    expect((await withKey(key)).status).toBe(401);
    const revokedAt = async (): Promise<unknown> => {
      const list = await owner.request('GET', `/v1/projects/${id}/api-keys`);
      return ((await list.json()) as { items: { revokedAt: unknown }[] }).items[0]?.revokedAt;
    };
    const first = await revokedAt();
    expect(first).toEqual(expect.any(String));
    expect((await owner.request('DELETE', path)).status).toBe(204);
    expect(await revokedAt()).toBe(first);
  });

  it('are renamed by the owners of their own project alone', async () => {
    const { id } = await createProject(owner);
    const { id: keyId } = await createKey(id);
    const renamed = await owner.request('PATCH', `/v1/projects/${id}/api-keys/${keyId}`, { name: 'Deploy' });
    expect(await renamed.json()).toMatchObject({ id: keyId, name: 'Deploy' });
    const other = await createProject(owner);
    for (const method of ['PATCH', 'DELETE']) {
      const body = method === 'PATCH' ? { name: 'Stolen' } : undefined;
      const response = await owner.request(method, `/v1/projects/${other.id}/api-keys/${keyId}`, body);
      expect(await refusal(response)).toEqual([404, 'api_key_not_found']);
    }
    expect(await refusal(await owner.request('DELETE', `/v1/projects/${id}/api-keys/not-an-id`))).toEqual([
      404,
      'api_key_not_found',
    ]);
  });

  it('can be read and not renamed once they are revoked', async () => {
    const { id } = await createProject(owner);
    const { id: keyId } = await createKey(id);
    const path = `/v1/projects/${id}/api-keys/${keyId}`;
    await owner.request('DELETE', path);
    expect(await refusal(await owner.request('PATCH', path, { name: 'Again' }))).toEqual([
      409,
      'api_key_revoked',
    ]);
    const read = await owner.request('GET', path);
    expect(await read.json()).toMatchObject({ id: keyId, name: 'CI', revokedAt: expect.any(String) });
    expect(await refusal(await owner.request('GET', `/v1/projects/${id}/api-keys/x`))).toEqual([
      404,
      'api_key_not_found',
    ]);
  });

  it.each<[string, unknown, string]>([
    ['no name', { role: 'viewer' }, 'name'],
    ['a name of 121 characters', { name: 'x'.repeat(121), role: 'viewer' }, 'name'],
    ['a name with NUL', { name: 'a\u0000', role: 'viewer' }, 'name'],
    ['no role', { name: 'CI' }, 'role'],
    ['an unknown role', { name: 'CI', role: 'root' }, 'role'],
    ['an unknown scope', { name: 'CI', role: 'owner', scopes: ['all'] }, 'scopes'],
    ['a scope twice', { name: 'CI', role: 'owner', scopes: ['manage_access', 'manage_access'] }, 'scopes'],
    ['scopes that are no list', { name: 'CI', role: 'owner', scopes: 'manage_access' }, 'scopes'],
    [
      'a scope beside a role that could not use it',
      { name: 'CI', role: 'editor', scopes: ['manage_access'] },
      'scopes',
    ],
    ['a key of the client’s own', { name: 'CI', role: 'viewer', key: 'ck_mine' }, 'key'],
  ])('refuse %s', async (_, body, field) => {
    const { id } = await createProject(owner);
    const response = await owner.request('POST', `/v1/projects/${id}/api-keys`, body);
    expect(await refusedFields(response)).toContain(field);
  });

  it(`number at most ${ACTIVE_KEYS_PER_PROJECT_MAX} active ones, also for requests at the same time`, async () => {
    const { id } = await createProject(owner);
    const { id: firstId } = await createKey(id);
    await service.database.query(
      `insert into api_key (project_id, id, name, role, key_hash, prefix)
       select $1::uuid, gen_random_uuid(), 'k', 'viewer', decode(md5(random()::text), 'hex'), 'ck_' from generate_series(1, $2) n`,
      [id, ACTIVE_KEYS_PER_PROJECT_MAX - 2],
    );
    const make = (): Promise<Response> =>
      owner.request('POST', `/v1/projects/${id}/api-keys`, { name: 'CI', role: 'viewer' });
    const responses = await Promise.all([make(), make(), make()]);
    expect(responses.map((response) => response.status).toSorted()).toEqual([201, 409, 409]);
    expect(await refusal(await make())).toEqual([409, 'api_key_limit_reached']);
    await owner.request('DELETE', `/v1/projects/${id}/api-keys/${firstId}`);
    expect((await make()).status).toBe(201);
    // Neither does a key count that has expired.
    await service.database.query(
      `update api_key set expires_at = now() where id in
         (select id from api_key where project_id = $1 and revoked_at is null limit 1)`,
      [id],
    );
    expect([(await make()).status, (await make()).status]).toEqual([201, 409]);
  });

  it('are listed page by page, newest first', async () => {
    const { id } = await createProject(owner);
    const ids: string[] = [];
    for (let n = 0; n < 3; n += 1) ids.unshift((await createKey(id)).id);
    const page = async (query: string): Promise<{ items: { id: string }[]; nextCursor: string | null }> => {
      const response = await owner.request('GET', `/v1/projects/${id}/api-keys?limit=2${query}`);
      return (await response.json()) as { items: { id: string }[]; nextCursor: string | null };
    };
    const first = await page('');
    const second = await page(`&cursor=${first.nextCursor}`);
    expect([first, second].map(({ items }) => items.map((key) => key.id))).toEqual([
      ids.slice(0, 2),
      ids.slice(2),
    ]);
    expect(second.nextCursor).toBeNull();
  });
});

async function createKey(projectId: string): Promise<{ id: string; key: string }> {
  const response = await owner.request('POST', `/v1/projects/${projectId}/api-keys`, {
    name: 'CI',
    role: 'viewer',
  });
  expect(response.status).toBe(201);
  return (await response.json()) as { id: string; key: string };
}

function withKey(key: string): Promise<Response> {
  return fetch(`${service.baseUrl}/v1/me`, { headers: { authorization: `Bearer ${key}` } });
}

let lastSignedUp: Promise<TestUser> | undefined;
/** One further user for all rounds of a test: hashing a password is what makes sign-up slow. */
function signUpOnce(): Promise<TestUser> {
  lastSignedUp ??= signUp(service);
  return lastSignedUp;
}

async function insertRecord(projectId: string): Promise<void> {
  const insert = (): Promise<unknown> =>
    service.database.query(
      `insert into consent_record (project_id, id, analytics, marketing, preferences, action)
       values ($1, $2, true, false, false, 'custom')`,
      [projectId, newId()],
    );
  // The consent module makes the partitions; where it has not, any will do.
  await insert().catch(async () => {
    await service.database.query('create table consent_record_any partition of consent_record default');
    await insert();
  });
}
