import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestService, type TestService } from '../support/programs/service.js';
import { becomeMember, BEHIND_LOOPBACK_PROXY, signUp, type TestUser } from '../support/people/user.js';

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
  await becomeMember((body) => founder.request('POST', `${url}/members`, body), second, 'owner');
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
    // A former owner who returns as a viewer finds all of their keys revoked.
    await becomeMember((body) => founder.request('POST', `${url}/members`, body), second, 'viewer');
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

describe('a key that ends', () => {
  it('is good until its instant and for nothing behind it, also for managing access', async () => {
    const { url, founder } = await site();
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const scopes = ['manage_access'];
    const { key, id } = await makeKey(founder, url, { scopes, expiresAt });
    expect((await withKey(key, 'GET', url)).status).toBe(200);
    await service.database.query(`update api_key set expires_at = now() - interval '1 ms' where id = $1`, [
      id,
    ]);
    expect((await withKey(key, 'GET', url)).status).toBe(401);
    expect((await founder.request('POST', `${url}/api-keys/${id}/rotate`, {})).status).toBe(404);
  });

  it('makes none that outlives it', async () => {
    const { url, founder } = await site();
    const inHours = (hours: number): string => new Date(Date.now() + hours * 3_600_000).toISOString();
    const { key } = await makeKey(founder, url, { scopes: ['manage_access'], expiresAt: inHours(1) });
    const forEver = await makeKey(founder, url);
    const mint = async (fields: object): Promise<number> =>
      (await withKey(key, 'POST', `${url}/api-keys`, { name: 'K', role: 'viewer', ...fields })).status;
    expect([
      await mint({}),
      await mint({ expiresAt: inHours(2) }),
      await mint({ expiresAt: inHours(0.5) }),
    ]).toEqual([422, 422, 201]);
    expect((await withKey(key, 'POST', `${url}/api-keys/${forEver.id}/rotate`, {})).status).toBe(422);
  });

  it.each([['2020-01-01'], ['soon'], [null]])('cannot end at %p', async (expiresAt) => {
    const { url, founder } = await site();
    const answer = await founder.request('POST', `${url}/api-keys`, { name: 'K', role: 'viewer', expiresAt });
    expect(answer.status).toBe(422);
  });
});

describe('a key for parts of the project', () => {
  it('may what its role may there, and nothing elsewhere', async () => {
    const { url, founder } = await site();
    const { key } = await makeKey(founder, url, { role: 'editor', limitedTo: ['publishing'] });
    const status = async (method: string, path: string, body?: unknown): Promise<number> =>
      (await withKey(key, method, url + path, body)).status;
    expect(await status('GET', '/configuration')).toBe(200);
    expect(await status('POST', '/publish')).toBe(202);
    expect(await status('PUT', '/forwarding', { enabled: false })).toBe(403);
    expect(await status('PATCH', '', { name: 'Mine' })).toBe(403);
    const refused = await withKey(key, 'GET', `${url}/consents`);
    expect(await refused.json()).toMatchObject({
      status: 403,
      code: 'scope_required',
      requiredScope: 'consents',
      limitedTo: ['publishing'],
    });
  });

  it('reads lists of projects only with the area read, and what it is itself with any', async () => {
    const { url, founder } = await site();
    const { key: publisher } = await makeKey(founder, url, { role: 'editor', limitedTo: ['publishing'] });
    const { key: reader } = await makeKey(founder, url, { role: 'viewer', limitedTo: ['read'] });
    for (const path of ['/v1/projects', '/v1/project-statuses']) {
      const refused = await withKey(publisher, 'GET', path);
      expect(await refused.json()).toMatchObject({ status: 403, code: 'scope_required' });
      expect((await withKey(reader, 'GET', path)).status).toBe(200);
    }
    expect((await withKey(publisher, 'GET', '/v1/me')).status).toBe(200);
  });

  it('never may more than its role', async () => {
    const { url, founder } = await site();
    const { key } = await makeKey(founder, url, { role: 'viewer', limitedTo: ['read', 'publishing'] });
    const answer = await withKey(key, 'POST', `${url}/publish`);
    expect(await answer.json()).toMatchObject({ status: 403, code: 'role_required' });
    expect((await withKey(key, 'GET', `${url}/audit`)).status).toBe(403);
  });

  it.each([
    [{ limitedTo: [] }, 'limitedTo'],
    [{ limitedTo: ['everything'] }, 'limitedTo'],
    [{ limitedTo: ['read', 'read'] }, 'limitedTo'],
    [{ limitedTo: ['read'], scopes: ['manage_access'] }, 'limitedTo'],
  ])('cannot be made with %j', async (fields, field) => {
    const { url, founder } = await site();
    const answer = await founder.request('POST', `${url}/api-keys`, { name: 'K', role: 'owner', ...fields });
    expect(await answer.json()).toMatchObject({ status: 422, errors: [{ field }] });
  });
});

describe('the last use of a key', () => {
  it('is kept by the day, in one write a day', async () => {
    const { url, founder } = await site();
    const { key, id } = await makeKey(founder, url, { role: 'viewer' });
    const row = async () =>
      (
        await service.database.query<{ day: string | null; written: string }>(
          'select last_used_on::text as day, xmin::text as written from api_key where id = $1',
          [id],
        )
      )[0];
    expect((await row())?.day).toBeNull();
    // At midnight the day of the use is one of two.
    const today = (): string => new Date().toISOString().slice(0, 10);
    const days = [today()];
    await withKey(key, 'GET', url);
    const first = await row();
    expect([...days, today()]).toContain(first?.day);
    await withKey(key, 'GET', url);
    expect(await row()).toEqual(first);
    const [shown] = ((await (await founder.request('GET', `${url}/api-keys`)).json()) as { items: object[] })
      .items;
    expect(shown).toMatchObject({ id, lastUsedOn: first?.day, expiresAt: null, limitedTo: null });
    await service.database.query(`update api_key set last_used_on = '2026-01-01' where id = $1`, [id]);
    await withKey(key, 'GET', url);
    expect([...days, today()]).toContain((await row())?.day);
  });
});

describe('a key that is rotated', () => {
  const rotate = async (user: TestUser, path: string, body: object = {}): Promise<MadeKey> => {
    const response = await user.request('POST', `${path}/rotate`, body);
    expect(response.status).toBe(200);
    return (await response.json()) as MadeKey;
  };

  it('is good by both secrets for the time that was asked for, then by the new one alone', async () => {
    const { url, founder } = await site();
    const before = await makeKey(founder, url, { role: 'editor' });
    const path = `${url}/api-keys/${before.id}`;
    const after = await rotate(founder, path, { formerValidHours: 2 });
    expect(after).toMatchObject({ id: before.id, role: 'editor', name: 'CI' });
    const works = async (key: string): Promise<boolean> => (await withKey(key, 'GET', url)).status === 200;
    expect([await works(before.key), await works(after.key)]).toEqual([true, true]);
    const [row] = await service.database.query<{ hours: number }>(
      'select extract(epoch from former_valid_until - now()) / 3600 as hours from api_key where id = $1',
      [before.id],
    );
    expect(Number(row?.hours)).toBeCloseTo(2, 1);
    await service.database.query(
      `update api_key set former_valid_until = now() - interval '1 ms' where id = $1`,
      [before.id],
    );
    expect([await works(before.key), await works(after.key)]).toEqual([false, true]);
    const newest = await rotate(founder, path);
    const last = await rotate(founder, path, { formerValidHours: 0 });
    const keys = [before.key, after.key, newest.key, last.key];
    expect(await Promise.all(keys.map(works))).toEqual([false, false, false, true]);
    expect((await founder.request('DELETE', path)).status).toBe(204);
    expect(await works(last.key)).toBe(false);
  });

  it('goes with whoever knows its secret now', async () => {
    const { url, founder, second } = await site();
    const made = await makeKey(founder, url, { role: 'owner' });
    const taken = await rotate(second, `${url}/api-keys/${made.id}`);
    expect(taken.createdBy).toBe(second.id);
    expect((await founder.request('DELETE', `${url}/members/${second.id}`)).status).toBe(204);
    for (const key of [made.key, taken.key]) expect((await withKey(key, 'GET', url)).status).toBe(401);
  });

  it('loses its former secret with the member who made that one, and keeps the current one', async () => {
    const { url, founder, second } = await site();
    const made = await makeKey(second, url, { scopes: ['manage_access'] });
    const rotated = await rotate(founder, `${url}/api-keys/${made.id}`, { formerValidHours: 24 });
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const minted = await withKey(made.key, 'POST', `${url}/api-keys`, {
      name: 'Spare',
      role: 'owner',
      expiresAt,
    });
    expect(minted.status).toBe(201);
    const spare = (await minted.json()) as MadeKey;
    expect(spare.createdBy).toBe(second.id);
    const listed = await second.request('GET', `${url}/members/${second.id}/api-keys`);
    expect(((await listed.json()) as { items: object[] }).items).toMatchObject([
      { id: spare.id, secret: 'current' },
      { id: made.id, secret: 'former' },
    ]);
    expect((await founder.request('DELETE', `${url}/members/${second.id}`)).status).toBe(204);
    const statusOf = async (key: string): Promise<number> => (await withKey(key, 'GET', url)).status;
    expect([await statusOf(made.key), await statusOf(spare.key), await statusOf(rotated.key)]).toEqual([
      401, 401, 200,
    ]);
    const back = await withKey(made.key, 'POST', `${url}/members`, { email: second.email, role: 'owner' });
    expect(back.status).toBe(401);
    expect(
      await service.database.query(
        `select actor_id, before from audit_event where target = $1 and action = 'api_key.revoke_former'`,
        [made.id],
      ),
    ).toEqual([{ actor_id: founder.id, before: { name: 'CI', role: 'owner', scopes: ['manage_access'] } }]);
  });

  it('loses its former secret when the member who made that one may less than the key', async () => {
    const { url, founder, second } = await site();
    const [owners, editors] = await Promise.all([
      makeKey(second, url),
      makeKey(second, url, { role: 'editor' }),
    ]);
    for (const { id } of [owners, editors]) await rotate(founder, `${url}/api-keys/${id}`);
    await founder.request('PATCH', `${url}/members/${second.id}`, { role: 'editor' });
    const statuses = [owners, editors].map(async ({ key }) => (await withKey(key, 'GET', url)).status);
    expect(await Promise.all(statuses)).toEqual([401, 200]);
  });

  it('makes no key that outlives its former secret with that one', async () => {
    const { url, founder } = await site();
    const made = await makeKey(founder, url, { scopes: ['manage_access'] });
    const rotated = await rotate(founder, `${url}/api-keys/${made.id}`, { formerValidHours: 1 });
    const mint = async (key: string, hours: number): Promise<number> => {
      const expiresAt = new Date(Date.now() + hours * 3_600_000).toISOString();
      return (await withKey(key, 'POST', `${url}/api-keys`, { name: 'K', role: 'viewer', expiresAt })).status;
    };
    expect([await mint(made.key, 2), await mint(made.key, 0.5), await mint(rotated.key, 2)]).toEqual([
      422, 201, 201,
    ]);
    expect((await withKey(made.key, 'POST', `${url}/api-keys/${made.id}/rotate`, {})).status).toBe(422);
  });

  it('leaves no key behind that was made with a secret while it was rotated', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { url, founder, second } = await site();
      const made = await makeKey(second, url, { scopes: ['manage_access'] });
      const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
      await Promise.all([
        rotate(founder, `${url}/api-keys/${made.id}`),
        ...Array.from({ length: 4 }, () =>
          withKey(made.key, 'POST', `${url}/api-keys`, { name: 'Quick', role: 'owner', expiresAt }),
        ),
      ]);
      await founder.request('DELETE', `${url}/members/${second.id}`);
      const keys = await founder.request('GET', `${url}/api-keys`);
      const { items } = (await keys.json()) as { items: { id: string; revokedAt: string | null }[] };
      expect(items.filter(({ revokedAt }) => revokedAt === null).map(({ id }) => id)).toEqual([made.id]);
    }
  });

  it.each([[{ formerValidHours: 169 }], [{ formerValidHours: -1 }], [{ formerValidHours: 1.5 }]])(
    'refuses %j',
    async (body) => {
      const { url, founder } = await site();
      const { id } = await makeKey(founder, url);
      expect((await founder.request('POST', `${url}/api-keys/${id}/rotate`, body)).status).toBe(422);
    },
  );
});
