import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Migration20261121000202_key_maker } from '../../src/migrations/Migration20261121000202_key_maker.js';
import { createTestProject } from '../support/project.js';
import { startTestService, type TestService } from '../support/service.js';
import { BEHIND_LOOPBACK_PROXY, signUp, type TestUser } from '../support/user.js';

let service: TestService;

beforeAll(async () => {
  service = await startTestService(BEHIND_LOOPBACK_PROXY);
});
afterAll(() => service.close());

interface Site {
  url: string;
  founder: TestUser;
  second: TestUser;
}

/** A project with two owners. */
async function site(): Promise<Site> {
  const [founder, second] = await Promise.all([signUp(service), signUp(service)]);
  const made = await founder.request('POST', '/v1/projects', { name: 'A site' });
  const url = `/v1/projects/${((await made.json()) as { id: string }).id}`;
  await founder.request('POST', `${url}/members`, { email: second.email, role: 'owner' });
  return { url, founder, second };
}

/** `fetch` with an API key. */
function withKey(key: string, method: string, path: string, body?: unknown): Promise<Response> {
  return fetch(`${service.baseUrl}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

interface MadeKey {
  id: string;
  key: string;
  scopes: string[];
  createdBy: string | null;
}

async function makeKey(user: TestUser, url: string, fields: object = {}): Promise<MadeKey> {
  const response = await user.request('POST', `${url}/api-keys`, { name: 'CI', role: 'owner', ...fields });
  expect(response.status).toBe(201);
  return (await response.json()) as MadeKey;
}

describe('an owner who was removed', () => {
  it('keeps no key, mints none, and does not come back to remove the one who removed her', async () => {
    const { url, founder, second } = await site();
    const { key, id: keyId } = await makeKey(second, url, { scopes: ['manage_access'] });
    const minted = await withKey(key, 'POST', `${url}/api-keys`, { name: 'Spare', role: 'owner' });
    const { key: spare, id: spareId } = (await minted.json()) as MadeKey;
    // Said before it is done.
    const going = await founder.request('GET', `${url}/members/${second.id}/api-keys`);
    expect(((await going.json()) as { items: MadeKey[] }).items.map(({ id }) => id)).toEqual([
      spareId,
      keyId,
    ]);
    const { key: stays } = await makeKey(founder, url);
    const removed = await founder.request('DELETE', `${url}/members/${second.id}`);
    const answers = {
      read: (await withKey(key, 'GET', url)).status,
      mint: (await withKey(key, 'POST', `${url}/api-keys`, { name: 'Another', role: 'owner' })).status,
      spareRead: (await withKey(spare, 'GET', url)).status,
      comeBack: (await withKey(key, 'POST', `${url}/members`, { email: second.email, role: 'owner' })).status,
      removeFounder: (await withKey(key, 'DELETE', `${url}/members/${founder.id}`)).status,
    };
    process.stdout.write(`a removed owner's keys: ${JSON.stringify(answers)}\n`);
    expect(removed.status).toBe(204);
    const refused = { read: 401, mint: 401, spareRead: 401, comeBack: 401, removeFounder: 401 };
    expect(answers).toEqual(refused);
    expect((await withKey(stays, 'GET', url)).status).toBe(200);
    // Back as a viewer, she finds none of them alive.
    await founder.request('POST', `${url}/members`, { email: second.email, role: 'viewer' });
    expect((await withKey(key, 'GET', url)).status).toBe(401);
  });

  it('mints none while she is being removed', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { url, founder, second } = await site();
      await Promise.all([
        founder.request('DELETE', `${url}/members/${second.id}`),
        ...Array.from({ length: 4 }, () =>
          second.request('POST', `${url}/api-keys`, { name: 'Quick', role: 'owner' }),
        ),
        second.request('POST', `${url}/members`, { email: founder.email, role: 'viewer' }),
      ]);
      const keys = await founder.request('GET', `${url}/api-keys`);
      const { items } = (await keys.json()) as { items: { revokedAt: string | null }[] };
      expect(items.filter(({ revokedAt }) => revokedAt === null)).toEqual([]);
    }
  });
});

describe('a member whose role is lowered', () => {
  it('keeps the keys that may no more than she may now', async () => {
    const { url, founder, second } = await site();
    const keys = await Promise.all(
      (['viewer', 'editor', 'owner'] as const).map((role) => makeKey(second, url, { role })),
    );
    const lowered = await founder.request('PATCH', `${url}/members/${second.id}`, { role: 'editor' });
    expect(lowered.status).toBe(200);
    const statuses = keys.map(async ({ key }) => (await withKey(key, 'GET', url)).status);
    expect(await Promise.all(statuses)).toEqual([200, 200, 401]);
  });
});

describe('a key without the scope', () => {
  it('manages neither members nor keys, as owner either', async () => {
    const { url, founder, second } = await site();
    const { key, scopes, createdBy } = await makeKey(founder, url);
    expect({ scopes, createdBy }).toEqual({ scopes: [], createdBy: founder.id });
    const refused = await withKey(key, 'DELETE', `${url}/members/${second.id}`);
    expect(refused.status).toBe(403);
    expect(await refused.json()).toMatchObject({ code: 'scope_required', requiredScope: 'manage_access' });
    expect((await withKey(key, 'POST', `${url}/api-keys`, { name: 'K', role: 'viewer' })).status).toBe(403);
    expect((await second.request('GET', url)).status).toBe(200);
  });
});

describe('keys from before the scopes', () => {
  it('manage access where no person owns the project, and nowhere else', async () => {
    const { founder, url } = await site();
    const owned = await makeKey(founder, url);
    const headless = await createTestProject(service);
    const { query, orm } = service.database;
    await query('alter table api_key drop column created_by, drop column scopes');
    const migration = new Migration20261121000202_key_maker(orm.em.getDriver(), orm.config);
    migration.up();
    for (const statement of migration.getQueries()) await query(String(statement));
    const scopes = await query<{ id: string; role: string; scopes: string[] }>(
      'select role, scopes from api_key where id = $1 or project_id = $2 order by role',
      [owned.id, headless.id],
    );
    expect(scopes).toEqual([
      { role: 'editor', scopes: [] },
      { role: 'owner', scopes: [] },
      { role: 'owner', scopes: ['manage_access'] },
      { role: 'viewer', scopes: [] },
    ]);
  });
});
