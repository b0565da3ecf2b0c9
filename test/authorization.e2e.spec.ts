import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ROLES, type Role, roleCovers } from '../src/access/role.js';
import { newId } from '../src/shared/ids.js';
import { fillIn, type Operation, readOperations } from './support/openapi.js';
import { createTestProject, type TestProject } from './support/project.js';
import { startTestService, type TestService } from './support/service.js';
import { BEHIND_LOOPBACK_PROXY, signUp, type TestUser } from './support/user.js';

/** Who may, by the table of design §5; `tiers` where the route asks for one. */
interface Rule {
  least: Role | 'public';
  tiers?: 'pro' | 'business';
}

const AT = '/v1/projects/{projectId}';

/** The table, route by route; a new route fails the first test until it stands here. */
const RULES: Record<string, Rule> = {
  [`GET ${AT}`]: { least: 'viewer' },
  [`PATCH ${AT}`]: { least: 'editor' },
  [`DELETE ${AT}`]: { least: 'owner' },
  [`GET ${AT}/members`]: { least: 'owner' },
  [`POST ${AT}/members`]: { least: 'owner' },
  [`PATCH ${AT}/members/{userId}`]: { least: 'owner' },
  [`DELETE ${AT}/members/{userId}`]: { least: 'owner' },
  [`GET ${AT}/api-keys`]: { least: 'owner' },
  [`POST ${AT}/api-keys`]: { least: 'owner' },
  [`PATCH ${AT}/api-keys/{apiKeyId}`]: { least: 'owner' },
  [`DELETE ${AT}/api-keys/{apiKeyId}`]: { least: 'owner' },
  [`POST ${AT}/consents`]: { least: 'public' },
  [`GET ${AT}/consents`]: { least: 'viewer' },
  [`GET ${AT}/consents/{consentId}`]: { least: 'viewer' },
  [`GET ${AT}/consents/export`]: { least: 'viewer', tiers: 'pro' },
  [`GET ${AT}/analytics/consents`]: { least: 'viewer', tiers: 'business' },
  [`GET ${AT}/forwarding`]: { least: 'viewer' },
  [`PUT ${AT}/forwarding`]: { least: 'editor', tiers: 'pro' },
  [`POST ${AT}/forwarding/token`]: { least: 'editor' },
  [`POST ${AT}/forwarding/test`]: { least: 'editor', tiers: 'pro' },
  [`GET ${AT}/forwarding/deliveries`]: { least: 'viewer' },
  [`POST ${AT}/forwarding/deliveries/resend`]: { least: 'editor', tiers: 'pro' },
  [`POST ${AT}/forwarding/deliveries/{consentId}/resend`]: { least: 'editor', tiers: 'pro' },
  [`GET ${AT}/tier`]: { least: 'viewer' },
  [`POST ${AT}/tier/simulate`]: { least: 'editor' },
  [`GET ${AT}/subscription`]: { least: 'viewer' },
  [`POST ${AT}/billing/checkout`]: { least: 'owner' },
  [`POST ${AT}/billing/portal`]: { least: 'owner' },
  [`POST ${AT}/billing/sync`]: { least: 'owner' },
  [`GET ${AT}/configuration`]: { least: 'viewer' },
  [`PUT ${AT}/configuration`]: { least: 'editor' },
  [`POST ${AT}/publish`]: { least: 'editor' },
  [`POST ${AT}/configuration/publish`]: { least: 'editor' },
  [`GET ${AT}/publications`]: { least: 'viewer' },
  [`POST ${AT}/publications/{version}/rollback`]: { least: 'editor' },
  [`GET ${AT}/configuration/publications`]: { least: 'viewer' },
};

/** Refusals that are about who calls, and not about what. */
const ACCESS_CODES = ['authentication_required', 'role_required', 'project_not_found', 'tier_required'];

let service: TestService;

beforeAll(async () => {
  service = await startTestService(BEHIND_LOOPBACK_PROXY);
});

afterAll(() => service.close());

const operations = readOperations().filter(({ path }) => path.startsWith(AT));

async function ask(
  { method, path, example }: Operation,
  projectId: string,
  headers: Record<string, string>,
): Promise<{ status: number; code: string | null }> {
  const values = { projectId, userId: newId(), apiKeyId: newId(), consentId: newId() };
  const response = await fetch(service.baseUrl + fillIn(path, values), {
    method,
    headers: { ...headers, ...(example && { 'content-type': 'application/json' }) },
    ...(example && { body: JSON.stringify(example) }),
  });
  const text = await response.text();
  const isProblem = response.headers.get('content-type')?.startsWith('application/problem+json');
  return { status: response.status, code: isProblem ? (JSON.parse(text) as { code: string }).code : null };
}

const bearer = (key: string): Record<string, string> => ({ authorization: `Bearer ${key}` });

/** A member of the project with that role, signed in. */
async function member(project: TestProject, role: Role): Promise<TestUser> {
  const user = await signUp(service);
  await service.database.query('insert into project_member (project_id, user_id, role) values ($1, $2, $3)', [
    project.id,
    user.id,
    role,
  ]);
  return user;
}

describe('who may do what (design §5)', () => {
  it('has a rule for every project route', () => {
    expect(operations.length).toBeGreaterThan(20);
    const unruled = operations
      .map(({ method, path }) => `${method} ${path}`)
      .filter((route) => !RULES[route]);
    expect(unruled).toEqual([]);
  });

  describe.each(operations.map((operation) => [`${operation.method} ${operation.path}`, operation] as const))(
    '%s',
    (route, operation) => {
      const { least, tiers } = RULES[route] ?? { least: 'owner' };
      const business = () => createTestProject(service, { tier: 'business' });

      if (least === 'public') {
        it('asks for no credential, and minds none', async () => {
          const project = await business();
          for (const headers of [{}, bearer('nonsense'), bearer((await business()).keys.viewer)]) {
            expect(ACCESS_CODES).not.toContain((await ask(operation, project.id, headers)).code);
          }
        });
        return;
      }

      it.each<[string, Record<string, string>]>([
        ['no credential', {}],
        ['an unknown key', bearer('ck_nonsense')],
        ['a cookie that is none', { cookie: 'session=nonsense.nonsense' }],
        ['another scheme', { authorization: 'Basic dTpw' }],
      ])('401 with %s', async (_, headers) => {
        const project = await business();
        const expected = { status: 401, code: 'authentication_required' };
        expect(await ask(operation, project.id, headers)).toEqual(expected);
        // Who has no credential does not learn which projects there are.
        expect(await ask(operation, newId(), headers)).toEqual(expected);
      });

      it("404 with another project's owner key, and for a project that does not exist", async () => {
        const [project, stranger] = await Promise.all([business(), business()]);
        const expected = { status: 404, code: 'project_not_found' };
        expect(await ask(operation, project.id, bearer(stranger.keys.owner))).toEqual(expected);
        expect(await ask(operation, newId(), bearer(stranger.keys.owner))).toEqual(expected);
      });

      it.each(ROLES)('as %s, by key and by session', async (role) => {
        const byKey = await business();
        const bySession = await business();
        const { cookie } = await member(bySession, role);
        for (const answer of [
          await ask(operation, byKey.id, bearer(byKey.keys[role])),
          await ask(operation, bySession.id, { cookie }),
        ]) {
          if (roleCovers(role, least)) expect(ACCESS_CODES).not.toContain(answer.code);
          else expect(answer).toEqual({ status: 403, code: 'role_required' });
        }
      });

      it(tiers ? `403 below the tier ${tiers} (spec §4.6)` : 'on the tier lite as well', async () => {
        const below = await createTestProject(service, { tier: tiers === 'business' ? 'pro' : 'lite' });
        const answer = await ask(operation, below.id, bearer(below.keys.owner));
        if (tiers) {
          expect(answer).toEqual({ status: 403, code: 'tier_required' });
          const enough = await createTestProject(service, { tier: tiers });
          expect(ACCESS_CODES).not.toContain(
            (await ask(operation, enough.id, bearer(enough.keys.owner))).code,
          );
        } else {
          expect(ACCESS_CODES).not.toContain(answer.code);
        }
      });
    },
  );
});
