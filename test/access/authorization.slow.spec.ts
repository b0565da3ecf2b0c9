import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { KeyScope } from '../../src/modules/access/domain/api-key.js';
import { ROLES, type Role, roleCovers } from '../../src/modules/access/domain/role.js';
import { PAGES, PREVIEW_FRAME, STYLEGUIDE } from '../../src/modules/dashboard/dashboard.js';
import { LogStorage } from '../../src/modules/evidence/infrastructure/log-storage.js';
import { SiteStorage } from '../../src/modules/publishing/infrastructure/site-storage.js';
import { newId } from '../../src/platform/identity/ids.js';
import { fillIn, type Operation, readOperations } from '../support/rules/openapi.js';
import { servedRoutes } from '../support/rules/routes.js';
import { choose } from '../support/programs/pipeline.js';
import { createEndpoint } from '../support/people/event-endpoint.js';
import { insertTestToken } from '../support/people/personal-token.js';
import { createTestProject, type TestProject } from '../support/people/project.js';
import { startTestService, type TestService } from '../support/programs/service.js';
import { BEHIND_LOOPBACK_PROXY, freshAddress, signUp, type TestUser } from '../support/people/user.js';

/** Who may call a route, by the table of design §5; `tiers` where the route requires one. */
interface Rule {
  least: Role | 'public';
  tiers?: 'pro' | 'business';
  /** The scope that an API key needs besides its role; a session needs none. */
  scope?: KeyScope;
  /** Whether the role billing in the project's organization is enough. */
  billing?: true;
}

const AT = '/v1/projects/{projectId}';

/** The table, route by route. A route that is missing here fails the first test. */
const RULES: Record<string, Rule> = {
  [`GET ${AT}`]: { least: 'viewer' },
  [`PATCH ${AT}`]: { least: 'editor' },
  [`DELETE ${AT}`]: { least: 'owner' },
  [`POST ${AT}/move`]: { least: 'owner' },
  [`GET ${AT}/audit`]: { least: 'owner' },
  [`GET ${AT}/audit/export`]: { least: 'owner' },
  [`GET ${AT}/members`]: { least: 'owner', scope: 'manage_access' },
  [`POST ${AT}/members`]: { least: 'owner', scope: 'manage_access' },
  [`GET ${AT}/members/{userId}`]: { least: 'owner', scope: 'manage_access' },
  [`PATCH ${AT}/members/{userId}`]: { least: 'owner', scope: 'manage_access' },
  [`DELETE ${AT}/members/{userId}`]: { least: 'owner', scope: 'manage_access' },
  [`GET ${AT}/members/{userId}/api-keys`]: { least: 'owner', scope: 'manage_access' },
  [`GET ${AT}/invitations`]: { least: 'owner', scope: 'manage_access' },
  [`POST ${AT}/invitations`]: { least: 'owner', scope: 'manage_access' },
  [`GET ${AT}/invitations/{invitationId}`]: { least: 'owner', scope: 'manage_access' },
  [`POST ${AT}/invitations/{invitationId}/resend`]: { least: 'owner', scope: 'manage_access' },
  [`DELETE ${AT}/invitations/{invitationId}`]: { least: 'owner', scope: 'manage_access' },
  [`GET ${AT}/sign-in-policy`]: { least: 'viewer' },
  [`PUT ${AT}/sign-in-policy`]: { least: 'owner' },
  [`POST ${AT}/ownership`]: { least: 'owner' },
  [`POST ${AT}/leave`]: { least: 'viewer' },
  [`GET ${AT}/api-keys`]: { least: 'owner', scope: 'manage_access' },
  [`POST ${AT}/api-keys`]: { least: 'owner', scope: 'manage_access' },
  [`POST ${AT}/api-keys/{apiKeyId}/rotate`]: { least: 'owner', scope: 'manage_access' },
  [`GET ${AT}/api-keys/{apiKeyId}`]: { least: 'owner', scope: 'manage_access' },
  [`PATCH ${AT}/api-keys/{apiKeyId}`]: { least: 'owner', scope: 'manage_access' },
  [`DELETE ${AT}/api-keys/{apiKeyId}`]: { least: 'owner', scope: 'manage_access' },
  [`POST ${AT}/consents`]: { least: 'public' },
  [`GET ${AT}/consents`]: { least: 'viewer' },
  [`GET ${AT}/consents/{consentId}`]: { least: 'viewer' },
  [`DELETE ${AT}/consents/{consentId}`]: { least: 'owner' },
  [`GET ${AT}/consents/{consentId}/proof`]: { least: 'viewer' },
  [`GET ${AT}/log`]: { least: 'viewer' },
  [`GET ${AT}/log/checkpoint`]: { least: 'viewer' },
  [`GET ${AT}/log/consistency`]: { least: 'viewer' },
  [`GET ${AT}/log/continues`]: { least: 'viewer' },
  [`GET ${AT}/log/tile/{path}`]: { least: 'viewer' },
  [`GET ${AT}/privacy`]: { least: 'viewer' },
  [`PUT ${AT}/privacy`]: { least: 'owner' },
  [`GET ${AT}/visitor-records`]: { least: 'viewer' },
  [`POST ${AT}/erasures`]: { least: 'owner' },
  [`GET ${AT}/erasures/{erasureId}`]: { least: 'owner' },
  [`GET ${AT}/consents/export`]: { least: 'viewer', tiers: 'pro' },
  [`GET ${AT}/analytics/consents`]: { least: 'viewer', tiers: 'business' },
  [`GET ${AT}/analytics/site`]: { least: 'viewer', tiers: 'business' },
  [`GET ${AT}/analytics/last-seen`]: { least: 'viewer' },
  [`GET ${AT}/analytics/overview`]: { least: 'viewer' },
  [`GET ${AT}/analytics/daily`]: { least: 'viewer' },
  [`POST ${AT}/visits`]: { least: 'public' },
  [`GET ${AT}/forwarding`]: { least: 'viewer' },
  [`PUT ${AT}/forwarding`]: { least: 'editor', tiers: 'pro' },
  [`POST ${AT}/forwarding/token`]: { least: 'editor' },
  [`POST ${AT}/forwarding/signing-secret`]: { least: 'editor' },
  [`DELETE ${AT}/forwarding/signing-secret`]: { least: 'editor' },
  [`DELETE ${AT}/forwarding/signing-secret/former`]: { least: 'editor' },
  [`POST ${AT}/forwarding/resume`]: { least: 'editor' },
  [`POST ${AT}/forwarding/test`]: { least: 'editor', tiers: 'pro' },
  [`GET ${AT}/forwarding/deliveries`]: { least: 'viewer' },
  [`GET ${AT}/forwarding/deliveries/undelivered`]: { least: 'viewer' },
  [`GET ${AT}/forwarding/deliveries/activity`]: { least: 'viewer' },
  [`GET ${AT}/forwarding/deliveries/{deliveryId}/response-body`]: { least: 'editor' },
  [`POST ${AT}/forwarding/deliveries/resend`]: { least: 'editor', tiers: 'pro' },
  [`POST ${AT}/forwarding/deliveries/resend/count`]: { least: 'editor', tiers: 'pro' },
  [`POST ${AT}/forwarding/deliveries/resend/chosen`]: { least: 'editor', tiers: 'pro' },
  [`POST ${AT}/forwarding/deliveries/{consentId}/resend`]: { least: 'editor', tiers: 'pro' },
  [`GET ${AT}/event-endpoints`]: { least: 'viewer' },
  [`POST ${AT}/event-endpoints`]: { least: 'editor' },
  [`GET ${AT}/event-endpoints/{endpointId}`]: { least: 'viewer' },
  [`PATCH ${AT}/event-endpoints/{endpointId}`]: { least: 'editor' },
  [`DELETE ${AT}/event-endpoints/{endpointId}`]: { least: 'editor' },
  [`POST ${AT}/event-endpoints/{endpointId}/rotate-secret`]: { least: 'editor' },
  [`DELETE ${AT}/event-endpoints/{endpointId}/former-secret`]: { least: 'editor' },
  [`GET ${AT}/event-endpoints/{endpointId}/deliveries`]: { least: 'viewer' },
  [`GET ${AT}/event-endpoints/{endpointId}/deliveries/{deliveryId}/response-body`]: { least: 'editor' },
  [`POST ${AT}/event-endpoints/{endpointId}/deliveries/{eventId}/resend`]: { least: 'editor' },
  [`POST ${AT}/event-endpoints/{endpointId}/deliveries/{eventId}/skip`]: { least: 'editor' },
  [`POST ${AT}/event-endpoints/{endpointId}/resume`]: { least: 'editor' },
  [`POST ${AT}/event-endpoints/{endpointId}/recover`]: { least: 'editor' },
  [`POST ${AT}/event-endpoints/{endpointId}/test`]: { least: 'editor' },
  [`GET ${AT}/imports`]: { least: 'owner' },
  [`POST ${AT}/imports`]: { least: 'owner' },
  [`GET ${AT}/imports/{importId}`]: { least: 'owner' },
  [`PUT ${AT}/imports/{importId}/parts/{number}`]: { least: 'owner' },
  [`POST ${AT}/imports/{importId}/start`]: { least: 'owner' },
  [`POST ${AT}/imports/{importId}/cancel`]: { least: 'owner' },
  [`GET ${AT}/imports/{importId}/refused-rows`]: { least: 'owner' },
  [`GET ${AT}/events`]: { least: 'viewer' },
  [`GET ${AT}/events/{eventId}`]: { least: 'viewer' },
  [`POST ${AT}/events/trigger`]: { least: 'editor' },
  [`GET ${AT}/first-party/proxy`]: { least: 'viewer' },
  [`POST ${AT}/first-party/proxy/secret`]: { least: 'editor' },
  [`DELETE ${AT}/first-party/proxy/secret`]: { least: 'editor' },
  [`DELETE ${AT}/first-party/proxy/secret/former`]: { least: 'editor' },
  [`GET ${AT}/domains`]: { least: 'viewer' },
  [`POST ${AT}/domains`]: { least: 'editor' },
  [`GET ${AT}/domains/{domainId}`]: { least: 'viewer' },
  [`POST ${AT}/domains/{domainId}/check`]: { least: 'editor' },
  [`DELETE ${AT}/domains/{domainId}`]: { least: 'editor' },
  [`POST ${AT}/scans`]: { least: 'editor' },
  [`GET ${AT}/scans`]: { least: 'viewer' },
  [`GET ${AT}/scans/{scanId}`]: { least: 'viewer' },
  [`GET ${AT}/scans/{scanId}/items`]: { least: 'viewer' },
  [`GET ${AT}/scans/{scanId}/states/{state}/screenshot`]: { least: 'viewer' },
  [`POST ${AT}/scans/{scanId}/cancel`]: { least: 'editor' },
  [`POST ${AT}/scans/{scanId}/draft`]: { least: 'editor' },
  [`GET ${AT}/scan-schedule`]: { least: 'viewer' },
  [`PUT ${AT}/scan-schedule`]: { least: 'editor' },
  [`GET ${AT}/scan-alerts`]: { least: 'viewer' },
  [`PUT ${AT}/scan-alerts`]: { least: 'viewer' },
  [`GET ${AT}/scans/{scanId}/findings`]: { least: 'viewer' },
  [`GET ${AT}/scans/{scanId}/changes`]: { least: 'viewer' },
  [`GET ${AT}/scans/{scanId}/proof`]: { least: 'viewer' },
  [`GET ${AT}/scans/{scanId}/report`]: { least: 'viewer' },
  [`GET ${AT}/findings`]: { least: 'viewer' },
  [`POST ${AT}/findings/{findingId}/accept`]: { least: 'editor' },
  [`POST ${AT}/findings/{findingId}/reopen`]: { least: 'editor' },
  [`GET ${AT}/cookies`]: { least: 'viewer' },
  [`PUT ${AT}/cookies/{cookieId}`]: { least: 'editor' },
  [`GET ${AT}/tier`]: { least: 'viewer', billing: true },
  [`POST ${AT}/tier/simulate`]: { least: 'editor' },
  [`GET ${AT}/subscription`]: { least: 'viewer', billing: true },
  [`POST ${AT}/billing/checkout`]: { least: 'owner', billing: true },
  [`POST ${AT}/billing/portal`]: { least: 'owner', billing: true },
  [`POST ${AT}/billing/sync`]: { least: 'owner', billing: true },
  [`GET ${AT}/configuration`]: { least: 'viewer' },
  [`GET ${AT}/configuration/presets`]: { least: 'viewer' },
  [`GET ${AT}/configuration/content-security-policy`]: { least: 'viewer' },
  [`PUT ${AT}/configuration`]: { least: 'editor' },
  [`GET ${AT}/configuration/draft`]: { least: 'viewer' },
  [`PUT ${AT}/configuration/draft`]: { least: 'editor' },
  [`DELETE ${AT}/configuration/draft`]: { least: 'editor' },
  [`POST ${AT}/configuration/preview`]: { least: 'viewer' },
  [`GET ${AT}/configuration/published/{configHash}`]: { least: 'viewer' },
  [`GET ${AT}/publications/in-force`]: { least: 'viewer' },
  [`GET ${AT}/publications/{version}/changes`]: { least: 'viewer' },
  [`POST ${AT}/publish`]: { least: 'editor' },
  [`GET ${AT}/publications`]: { least: 'viewer' },
  [`POST ${AT}/publications/{version}/rollback`]: { least: 'editor' },
};

const ORGANIZATION_AT = '/v1/organizations/{organizationId}';

/** The routes of an organization: for every member, or for admins; `session` where a token is refused. */
const ORGANIZATION_RULES: Record<string, { least: 'member' | 'admin'; session?: true }> = {
  [`GET ${ORGANIZATION_AT}`]: { least: 'member' },
  [`PATCH ${ORGANIZATION_AT}`]: { least: 'admin', session: true },
  [`DELETE ${ORGANIZATION_AT}`]: { least: 'admin', session: true },
  [`GET ${ORGANIZATION_AT}/projects`]: { least: 'member' },
  [`POST ${ORGANIZATION_AT}/leave`]: { least: 'member', session: true },
  [`GET ${ORGANIZATION_AT}/members`]: { least: 'admin' },
  [`GET ${ORGANIZATION_AT}/members/{userId}`]: { least: 'admin' },
  [`PATCH ${ORGANIZATION_AT}/members/{userId}`]: { least: 'admin', session: true },
  [`DELETE ${ORGANIZATION_AT}/members/{userId}`]: { least: 'admin', session: true },
  [`GET ${ORGANIZATION_AT}/invitations`]: { least: 'admin' },
  [`POST ${ORGANIZATION_AT}/invitations`]: { least: 'admin', session: true },
  [`GET ${ORGANIZATION_AT}/invitations/{invitationId}`]: { least: 'admin' },
  [`POST ${ORGANIZATION_AT}/invitations/{invitationId}/resend`]: { least: 'admin', session: true },
  [`DELETE ${ORGANIZATION_AT}/invitations/{invitationId}`]: { least: 'admin', session: true },
  [`GET ${ORGANIZATION_AT}/audit`]: { least: 'admin' },
  [`GET ${ORGANIZATION_AT}/audit/export`]: { least: 'admin' },
};

/** The routes outside of a project: public, for a session or an API key, or only for a session. */
const OTHER_RULES: Record<string, 'public' | 'signed in' | 'session'> = {
  'POST /v1/auth/sign-up/email': 'public',
  'POST /v1/auth/confirm-email': 'public',
  'POST /v1/auth/forgot-password': 'public',
  'POST /v1/auth/reset-password': 'public',
  'POST /v1/auth/invitation': 'public',
  'POST /v1/auth/accept-invitation': 'public',
  'POST /v1/auth/second-factor': 'session',
  'POST /v1/auth/second-factor/confirm': 'session',
  'POST /v1/auth/second-factor/disable': 'session',
  'POST /v1/auth/second-factor/recovery-codes': 'session',
  'POST /v1/auth/sign-in/second-factor': 'public',
  'POST /v1/auth/sign-in/email': 'public',
  'POST /v1/auth/sign-out': 'public',
  'GET /v1/auth/get-session': 'public',
  'POST /v1/auth/change-password': 'session',
  'POST /v1/auth/change-email': 'session',
  'POST /v1/auth/confirm-new-email': 'public',
  'GET /v1/me': 'signed in',
  'PATCH /v1/me': 'session',
  'DELETE /v1/me': 'session',
  'GET /v1/me/tokens': 'session',
  'DELETE /v1/me/tokens/current': 'signed in',
  'DELETE /v1/me/tokens/{tokenId}': 'session',
  'POST /v1/auth/device/code': 'public',
  'POST /v1/auth/device/token': 'public',
  'POST /v1/auth/device/read': 'session',
  'POST /v1/auth/device/approve': 'session',
  'POST /v1/auth/device/deny': 'session',
  'GET /v1/me/sessions': 'session',
  'DELETE /v1/me/sessions': 'session',
  'DELETE /v1/me/sessions/{sessionId}': 'session',
  'GET /v1/me/invitations': 'session',
  'POST /v1/me/invitations/{invitationId}/accept': 'session',
  'DELETE /v1/me/invitations/{invitationId}': 'session',
  'GET /v1/me/security-log': 'session',
  'GET /v1/projects': 'signed in',
  'GET /v1/project-statuses': 'signed in',
  'POST /v1/projects': 'session',
  'GET /v1/organizations': 'signed in',
  'POST /v1/organizations': 'session',
  'GET /v1/pricing': 'public',
  'GET /v1/event-types': 'public',
  'POST /v1/visitor/records': 'public',
  'POST /v1/visitor/receipts': 'public',
  'POST /v1/visitor/withdrawals': 'public',
  'POST /v1/visitor/erasures': 'public',
  'POST /v1/webhooks/billing': 'public',
  'POST /v1/webhooks/stripe': 'public',
  'GET /.well-known/consent-log-keys': 'public',
  'GET /log/checkpoint': 'public',
  'GET /log/consistency': 'public',
  'GET /log/continues': 'public',
  'GET /log/tile/{path}': 'public',
  'GET /log/timestamp': 'public',
  'GET /log/timestamp/{size}': 'public',
  'GET /log/timestamp/{size}/checkpoint': 'public',
  'GET /cdn/{projectId}/loader.js': 'public',
  'GET /cdn/{projectId}/config.json': 'public',
  'GET /cdn/{projectId}/blocker.js': 'public',
  'GET /cdn/{projectId}/declaration.js': 'public',
  'GET /cdn/{projectId}/declaration.html': 'public',
  'GET /cdn/{projectId}/banner-{hash}.js': 'public',
  'GET /cdn/{projectId}/signals-{hash}.js': 'public',
  'GET /cdn/{projectId}/logo-{hash}.png': 'public',
  'GET /cdn/{projectId}/text-{name}.json': 'public',
  'GET /cdn/{projectId}/details-{name}.json': 'public',
};

/** Operations that require a confirmed address. */
const FOR_CONFIRMED = [
  'POST /v1/auth/device/approve',
  'GET /v1/projects',
  'GET /v1/project-statuses',
  'POST /v1/projects',
  'GET /v1/organizations',
  'POST /v1/organizations',
  'POST /v1/auth/change-email',
  'GET /v1/me/invitations',
  'POST /v1/me/invitations/{invitationId}/accept',
  'DELETE /v1/me/invitations/{invitationId}',
];

/**
 * Undocumented routes, all of them public: the operator's, the document itself, preflights, and the
 * framework's 404 handlers.
 */
const UNDOCUMENTED =
  /^(GET (\/health\/(live|ready)|\/metrics|\/docs.*|\/llms\.txt)|OPTIONS \/.*|.* \{\/\*splat\})$/;

/** The pages of the dashboard, which hold nothing before they ask for it, and those for everybody. */
const DASHBOARD = new Set([
  ...[...PAGES, PREVIEW_FRAME, STYLEGUIDE].map((page) => `GET ${page.replaceAll(/[:*](\w+)/g, '{$1}')}`),
  'GET /pricing',
  'GET /unsubscribe',
  'POST /unsubscribe',
  'GET /pricing/{language}',
  'GET /region',
  'GET /region/{name}',
]);

/** Refusals that are about who calls, and not about what. */
const ACCESS_CODES = [
  'authentication_required',
  'role_required',
  'scope_required',
  'project_not_found',
  'organization_not_found',
  'tier_required',
  'email_not_confirmed',
  'second_factor_required',
];

/** Signing up costs a password hash: people are made once, and become members of each test's own projects. */
interface People extends Record<Role, TestUser> {
  /** Whose session has run out. */
  late: TestUser;
  /** A user who has signed out. */
  gone: TestUser;
  stranger: TestUser;
  /** Who was a member once. */
  former: TestUser;
  /** Who was there before addresses were confirmed. */
  unconfirmed: TestUser;
}

let service: TestService;
let people: People;
let tokens: Record<Role, string>;

beforeAll(async () => {
  service = await startTestService({
    ...BEHIND_LOOPBACK_PROXY,
    CUSTOM_DOMAIN_TARGET: 'edge.service.test',
    // Nothing answers: a check is unclear, at once.
    CUSTOM_DOMAIN_RESOLVERS: '127.0.0.1:9',
  });
  const [viewer, editor, owner, late, gone, stranger, former, unconfirmed] = (await Promise.all(
    Array.from({ length: 8 }, () => signUp(service)),
  )) as [TestUser, TestUser, TestUser, TestUser, TestUser, TestUser, TestUser, TestUser];
  people = { viewer, editor, owner, late, gone, stranger, former, unconfirmed };
  const made = await Promise.all(ROLES.map((role) => insertTestToken(service, people[role].id)));
  tokens = Object.fromEntries(ROLES.map((role, index) => [role, made[index]])) as Record<Role, string>;
  await service.database.query('update app_user set email_verified = false where id = $1', [unconfirmed.id]);
  const expire = `update user_session set expires_at = now() - interval '1 second' where user_id = $1`;
  await service.database.query(expire, [late.id]);
  expect((await gone.request('POST', '/v1/auth/sign-out')).status).toBeLessThan(300);
});

afterAll(() => service.close());

const documented = readOperations();
const operations = documented.filter(({ path }) => path.startsWith(AT));
const ofOrganizations = documented.filter(({ path }) => path.startsWith(ORGANIZATION_AT));
const others = documented.filter(({ path }) => !path.startsWith(AT) && !path.startsWith(ORGANIZATION_AT));
const routeOf = ({ method, path }: Operation): string => `${method} ${path}`;

async function ask(
  { method, path, example }: Operation,
  projectId: string,
  headers: Record<string, string>,
  ids: Record<string, string> = {},
): Promise<{ status: number; code: string | null }> {
  const values = {
    projectId,
    organizationId: newId(),
    userId: newId(),
    apiKeyId: newId(),
    consentId: newId(),
    deliveryId: newId(),
    invitationId: newId(),
    erasureId: newId(),
    scanId: newId(),
    state: 'before',
    findingId: newId(),
    cookieId: newId(),
    sessionId: newId(),
    domainId: newId(),
    version: '1',
    ...ids,
  };
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

/** Adds a user to the project. */
async function join(project: TestProject, user: TestUser, role: Role): Promise<TestUser> {
  await service.database.query('insert into project_member (project_id, user_id, role) values ($1, $2, $3)', [
    project.id,
    user.id,
    role,
  ]);
  return user;
}

describe('who may do what (design §5)', () => {
  it('has a rule for every route of the document, and for no other', () => {
    expect(operations.length).toBeGreaterThan(20);
    expect(Object.keys(RULES).toSorted()).toEqual(operations.map(routeOf).toSorted());
    expect(Object.keys(OTHER_RULES).toSorted()).toEqual(others.map(routeOf).toSorted());
    expect(Object.keys(ORGANIZATION_RULES).toSorted()).toEqual(ofOrganizations.map(routeOf).toSorted());
  });

  it('knows every route that the application serves', () => {
    const unknown = servedRoutes(service.app).filter(
      (route) =>
        !documented.some((operation) => routeOf(operation) === route) &&
        !UNDOCUMENTED.test(route) &&
        !DASHBOARD.has(route),
    );
    expect(servedRoutes(service.app).length).toBeGreaterThan(documented.length);
    expect(unknown).toEqual([]);
  });

  describe.each(operations.map((operation) => [`${operation.method} ${operation.path}`, operation] as const))(
    '%s',
    (route, operation) => {
      const { least, tiers, scope, billing } = RULES[route] ?? { least: 'owner' };
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
        // Without a credential, the response doesn't reveal which projects exist.
        expect(await ask(operation, newId(), headers)).toEqual(expected);
      });

      it('401 with what was a credential once', async () => {
        const project = await business();
        const expected = { status: 401, code: 'authentication_required' };
        await service.database.query('update api_key set revoked_at = now() where project_id = $1', [
          project.id,
        ]);
        expect(await ask(operation, project.id, bearer(project.keys.owner))).toEqual(expected);
        for (const user of [people.late, people.gone]) {
          const { cookie } = await join(project, user, 'owner');
          expect(await ask(operation, project.id, { cookie })).toEqual(expected);
        }
      });

      it("404 with the session of another project's owner, and of a member who was taken out", async () => {
        const [project, elsewhere] = await Promise.all([business(), business()]);
        await join(elsewhere, people.stranger, 'owner');
        await join(project, people.former, 'owner');
        await service.database.query('delete from project_member where user_id = $1', [people.former.id]);
        const expected = { status: 404, code: 'project_not_found' };
        for (const { cookie } of [people.stranger, people.former])
          expect(await ask(operation, project.id, { cookie })).toEqual(expected);
      });

      if (/\}\/.*\{/.test(operation.path)) {
        it("404 for what belongs to another project, asked for in one's own, and it stays as it was", async () => {
          const [own, elsewhere] = await Promise.all([business(), business()]);
          const ids = await belongingsOf(elsewhere);
          const before = await contentOf(elsewhere);
          const answer = await ask(operation, own.id, bearer(own.keys.owner), ids);
          expect(answer).toEqual({ status: 404, code: expect.stringMatching(/_not_found$/) });
          expect(await contentOf(elsewhere)).toEqual(before);
          // The same ids are found where they belong.
          const found = await ask(operation, elsewhere.id, bearer(elsewhere.keys.owner), ids);
          expect(found.status).not.toBe(404);
          expect(found.status).toBeLessThan(500);
        });
      }

      it("404 with another project's owner key, and for a project that does not exist", async () => {
        const [project, stranger] = await Promise.all([business(), business()]);
        const expected = { status: 404, code: 'project_not_found' };
        expect(await ask(operation, project.id, bearer(stranger.keys.owner))).toEqual(expected);
        expect(await ask(operation, newId(), bearer(stranger.keys.owner))).toEqual(expected);
      });

      it('403 with the session of an owner who has not confirmed her address', async () => {
        const project = await business();
        const { cookie } = await join(project, people.unconfirmed, 'owner');
        const expected = { status: 403, code: 'email_not_confirmed' };
        expect(await ask(operation, project.id, { cookie })).toEqual(expected);
      });

      it('403 with the session of an owner without the second factor that the project asks for, and not by key', async () => {
        const project = await business();
        const { cookie } = await join(project, people.owner, 'owner');
        await service.database.query('insert into project_sign_in_policy values ($1, true)', [project.id]);
        const expected = { status: 403, code: 'second_factor_required' };
        expect(await ask(operation, project.id, { cookie })).toEqual(expected);
        // For another project, the response is the same as for an unknown one.
        const stranger = await ask(operation, project.id, { cookie: people.stranger.cookie });
        expect(stranger).toEqual({ status: 404, code: 'project_not_found' });
        const byKey = await ask(operation, project.id, bearer(project.keys.owner));
        expect(byKey.code).not.toBe('second_factor_required');
      });

      it.each(ROLES)('as %s, by key, by session and by personal token', async (role) => {
        const byKey = await business();
        const bySession = await business();
        const { cookie } = await join(bySession, people[role], role);
        const answers = [
          await ask(operation, byKey.id, bearer(byKey.keys[role])),
          await ask(operation, bySession.id, { cookie }),
        ];
        for (const answer of answers) {
          if (roleCovers(role, least)) expect(ACCESS_CODES).not.toContain(answer.code);
          else expect(answer).toEqual({ status: 403, code: 'role_required' });
        }
        const own = await business();
        await join(own, people[role], role);
        const byToken = await ask(operation, own.id, bearer(tokens[role]));
        if (!roleCovers(role, least)) expect(byToken).toEqual({ status: 403, code: 'role_required' });
        else if (scope) expect(byToken).toEqual({ status: 403, code: 'scope_required' });
        else {
          expect(ACCESS_CODES).not.toContain(byToken.code);
          const isReserved = answers[0]?.code === 'session_required';
          expect(byToken.code === 'session_required').toBe(isReserved);
        }
      });

      it('by the higher one of the roles on the project and in its organization', async () => {
        const organizationId = await insertOrganization();
        let project = await business();
        const isMove = route.endsWith('/move');
        // A wrong password is refused before the roles in the organization are read.
        const asked = isMove ? { ...operation, example: { organizationId: null } } : operation;
        for (const roles of ORGANIZATION_ROLES_OF_MEMBERS) {
          for (const own of [null, ...ROLES]) {
            // Only admins may take it out of the organization.
            const isMovable = !isMove || roles?.role === 'admin';
            const byOrganization = roles?.role === 'admin' ? 'owner' : (roles?.projectRole ?? null);
            const held = [own, byOrganization].filter((role) => role !== null);
            await placeIn(organizationId, { project, user: people.viewer, roles, own });
            const answer = await ask(asked, project.id, { cookie: people.viewer.cookie });
            const { code } = answer;
            const at = { route, roles, own };
            const isBilling = roles?.role === 'billing';
            if (held.some((role) => roleCovers(role, least)) || (isBilling && billing)) {
              if (isMovable)
                expect({ at, refused: ACCESS_CODES.includes(code ?? '') }).toEqual({ at, refused: false });
              // A guest does not learn the roles of the organization.
              else
                expect({ at, code }).toEqual({
                  at,
                  code: roles ? 'role_required' : 'organization_not_found',
                });
              if (route === `DELETE ${AT}`) project = await business();
            } else if (held.length > 0 || isBilling)
              expect({ at, ...answer }).toEqual({ at, status: 403, code: 'role_required' });
            else expect({ at, ...answer }).toEqual({ at, status: 404, code: 'project_not_found' });
          }
        }
      });

      it(
        scope ? `403 with an owner key without ${scope}` : 'with an owner key that has no scope',
        async () => {
          const project = await business();
          const plain = "update api_key set scopes = '{}' where project_id = $1";
          await service.database.query(plain, [project.id]);
          const answer = await ask(operation, project.id, bearer(project.keys.owner));
          if (scope) expect(answer).toEqual({ status: 403, code: 'scope_required' });
          else expect(ACCESS_CODES).not.toContain(answer.code);
        },
      );

      it('403 with an owner key that is for other parts of the project', async () => {
        const project = await business();
        const limit = "update api_key set limited_to = '{}' where project_id = $1";
        await service.database.query(limit, [project.id]);
        const answer = await ask(operation, project.id, bearer(project.keys.owner));
        expect(answer).toEqual({ status: 403, code: 'scope_required' });
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

/** The roles of a member of an organization; null: no member. */
type MemberRoles = { role: 'admin' | 'billing' | 'member'; projectRole: Role | null } | null;

const ORGANIZATION_ROLES_OF_MEMBERS: MemberRoles[] = [
  null,
  { role: 'admin', projectRole: null },
  { role: 'billing', projectRole: null },
  ...[null, ...ROLES].map((projectRole) => ({ role: 'member', projectRole }) as const),
];

async function insertOrganization(): Promise<string> {
  const id = newId();
  await service.database.query("insert into organization (id, name) values ($1, 'Agency')", [id]);
  return id;
}

/** Gives a user a role in an organization; null: none. */
async function joinWith(organizationId: string, user: TestUser, roles: MemberRoles): Promise<void> {
  await service.database.query(
    'delete from organization_member where organization_id = $1 and user_id = $2',
    [organizationId, user.id],
  );
  if (roles)
    await service.database.query('insert into organization_member values ($1, $2, $3, $4)', [
      organizationId,
      user.id,
      roles.role,
      roles.projectRole,
    ]);
}

/** Puts a project into an organization, and gives a user a role in both. */
async function placeIn(
  organizationId: string,
  given: { project: TestProject; user: TestUser; roles: MemberRoles; own: Role | null },
): Promise<void> {
  const { project, user, roles, own } = given;
  await service.database.query('update project set organization_id = $2 where id = $1', [
    project.id,
    organizationId,
  ]);
  await joinWith(organizationId, user, roles);
  await service.database.query('delete from project_member where project_id = $1', [project.id]);
  if (own) await join(project, user, own);
}

describe('routes of an organization', () => {
  it.each(ofOrganizations.map((operation) => [routeOf(operation), operation] as const))(
    '%s',
    async (route, operation) => {
      const { least, session } = ORGANIZATION_RULES[route] ?? { least: 'admin' };
      const project = await createTestProject(service);
      const user = people.viewer;
      for (const roles of ORGANIZATION_ROLES_OF_MEMBERS) {
        const organizationId = await insertOrganization();
        await joinWith(organizationId, user, roles);
        const ids = { organizationId };
        const missing = { status: 404, code: 'organization_not_found' };
        const byKey = await ask(operation, project.id, bearer(project.keys.owner), ids);
        expect(byKey).toEqual(session ? { status: 403, code: 'session_required' } : missing);
        for (const headers of [{}, bearer('ck_nonsense')])
          expect((await ask(operation, project.id, headers, ids)).code).toBe('authentication_required');
        const byToken = await ask(operation, project.id, bearer(tokens.viewer), ids);
        const bySession = await ask(operation, project.id, { cookie: user.cookie }, ids);
        const isRefused = least === 'admin' && roles?.role !== 'admin';
        const refused = roles === null ? missing : { status: 403, code: 'role_required' };
        if (roles === null || isRefused) expect([byToken, bySession]).toEqual([refused, refused]);
        else {
          expect({ roles, refused: ACCESS_CODES.includes(bySession.code ?? '') }).toEqual({
            roles,
            refused: false,
          });
          expect(byToken.code === 'session_required').toBe(session === true);
        }
      }
    },
  );
});

describe('routes outside of a project', () => {
  it.each(others.map((operation) => [routeOf(operation), operation] as const))(
    '%s',
    async (route, operation) => {
      const rule = OTHER_RULES[route];
      const project = await createTestProject(service);
      const user = await signUp(service);
      const code = async (headers: Record<string, string>): Promise<string | null> =>
        (await ask(operation, project.id, { 'x-forwarded-for': freshAddress(), ...headers })).code;
      const nobody = [{}, bearer('ck_nonsense'), { cookie: 'session=nonsense.nonsense' }];
      const closed = rule !== 'public';
      for (const headers of nobody) expect((await code(headers)) === 'authentication_required').toBe(closed);
      const byKey = await code(bearer(project.keys.owner));
      expect(byKey === 'session_required').toBe(rule === 'session');
      const byToken = await code(bearer(await insertTestToken(service, user.id)));
      expect(byToken === 'session_required').toBe(rule === 'session');
      expect(byToken).not.toBe('authentication_required');
      expect(['authentication_required', 'session_required']).not.toContain(
        await code({ cookie: user.cookie }),
      );
      // The session outlives the routes that require it.
      const unconfirmed =
        closed && (await code({ cookie: people.unconfirmed.cookie })) === 'email_not_confirmed';
      expect({ route, unconfirmed }).toEqual({ route, unconfirmed: FOR_CONFIRMED.includes(route) });
    },
  );
});

/** One of each thing that a project has and a path can name. */
async function belongingsOf(project: TestProject): Promise<Record<string, string>> {
  const user = await join(project, people.viewer, 'owner');
  await join(project, people.owner, 'owner');
  const [key] = await service.database.query<{ id: string }>('select id from api_key where project_id = $1', [
    project.id,
  ]);
  const consent = await choose(service, project.id);
  const invitationId = newId();
  await service.database.query(
    `insert into project_invitation (project_id, id, email, role, token_hash, expires_at)
     values ($1, $2::uuid, $2::uuid || '@example.com', 'viewer', uuid_send($2::uuid), now() + interval '1 day')`,
    [project.id, invitationId],
  );
  await project.request('owner', 'PUT', '/configuration', {});
  await service.database.query(
    `insert into publication (project_id, version, configuration_version, configuration, tier, content_hash, region_rules_left_out)
     select project_id, 1, version, configuration, 'business', repeat('a', 64), false
     from site_configuration where project_id = $1`,
    [project.id],
  );
  const erasureId = newId();
  await service.database.query(
    `insert into erasure_request (project_id, id, reason, finished_at) values ($1, $2, 'asked for', now())`,
    [project.id, erasureId],
  );
  const scanId = newId();
  await service.database.query(
    `insert into scan (project_id, id, urls, domains, pages_max) values ($1, $2, '{}', '{}', 1)`,
    [project.id, scanId],
  );
  await service.database.query(
    `insert into scan_artifact (project_id, scan_id, state, page, kind, sha256, bytes, content)
     values ($1, $2, 'before', 1, 'screenshot', sha256($3), length($3), $3)`,
    [project.id, scanId, Buffer.from('a picture')],
  );
  const [findingId, cookieId] = [newId(), newId()];
  await service.database.query(
    `insert into scan_finding
       (project_id, id, kind, item_kind, name, host, certainty, state, page_urls, status, misses, first_scan_id,
        last_scan_id, counted_scan_id, first_seen_at, last_seen_at)
     values ($1, $2, 'before_consent', 'cookie', 'sid', 'shop.example', 'open', 'before', '{}', 'new', 0, $3, $3, $3,
             now(), now())`,
    [project.id, findingId, scanId],
  );
  await service.database.query(
    `insert into site_item
       (project_id, id, kind, name, host, third_party, initiators, states, page_urls, last_scan_id, first_seen_at,
        last_seen_at)
     values ($1, $2, 'cookie', 'sid', 'shop.example', false, '{}', '{before}', '{}', $3, now(), now())`,
    [project.id, cookieId, scanId],
  );
  const deliveryId = newId();
  await service.database.query(
    `insert into delivery (project_id, id, consent_id, outcome, duration_ms, attempted_at)
     values ($1, $2, $3, 'failed', 1, now())`,
    [project.id, deliveryId, consent.id],
  );
  const { id: endpointId } = await createEndpoint(project, { url: 'https://hooks.example.com/' });
  const eventId = newId();
  for (const statement of [
    `insert into event (project_id, id, type, data) values ($1, $2, 'api_key.created', '{"id":"x"}')`,
    `insert into event_delivery (project_id, endpoint_id, event_id, state) values ($1, $3, $2, 'failed')`,
    `insert into event_attempt
       (project_id, endpoint_id, id, event_id, outcome, attempt, duration_ms, attempted_at)
     values ($1, $3, $4, $2, 'failed', 1, 1, now())`,
  ])
    await service.database.query(
      statement,
      [project.id, eventId, endpointId, deliveryId].slice(
        0,
        Math.max(...statement.match(/(?<=\$)\d/g)!.map(Number)),
      ),
    );
  const created = await project.request('owner', 'POST', '/imports', {
    profile: 'generic',
    fileName: 'a.csv',
    size: 1,
  });
  const { id: importId } = (await created.json()) as { id: string };
  const ofEvents = { endpointId, eventId, importId, number: '1' };
  const ids = {
    userId: user.id,
    apiKeyId: key?.id ?? '',
    consentId: consent.id,
    deliveryId,
    ...ofEvents,
  };
  const configHash = 'a'.repeat(64);
  const options = { contentType: 'application/json', cacheControl: 'no-store' };
  await service.app
    .get(SiteStorage, { strict: false })
    .put(`${project.id}/${configHash}.json`, '{}', options);
  const tile = { level: 0, index: 0, width: 1, bytes: Buffer.alloc(32) };
  await service.app.get(LogStorage, { strict: false }).putTile(project.id, tile);
  await service.database.query(
    `insert into evidence_log (log, origin, size, edge, checkpoint_size) values ($1, 'log', 1, $2, 1)`,
    [project.id, Buffer.alloc(64)],
  );
  const domainId = newId();
  await service.database.query(
    `insert into custom_domain (id, project_id, hostname, token, state, state_since, created_at, next_check_at)
     values ($2, $1, 'consent.shop.example', '', 'pending', now(), now(), now())`,
    [project.id, domainId],
  );
  const ofScans = { scanId, findingId, cookieId, domainId };
  return { ...ids, ...ofScans, invitationId, erasureId, version: '1', configHash, path: '0/000.p/1' };
}

/** The stored state of all these resources, to detect changes. */
function contentOf(project: TestProject): Promise<Record<string, unknown>[]> {
  const tables = [
    'scan',
    'scan_finding',
    'cookie_decision',
    'project_invitation',
    'api_key',
    'project_member',
    'publication',
    'consent_record',
    'outbox_message',
    'erasure_request',
    'event_endpoint',
    'event_delivery',
    'consent_import',
  ];
  const rows = tables.map((table) => `select t::text as row from ${table} t where t.project_id = $1`);
  return service.database.query(`${rows.join(' union all ')} order by row`, [project.id]);
}
