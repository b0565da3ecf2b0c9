import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { WHOLE_SERVICE } from '../../src/modules/audit/audit.log.js';
import { AUDIT_ACTIONS, type AuditAction } from '../../src/modules/audit/domain/audit-event.js';
import { choose, TOKEN } from '../support/programs/pipeline.js';
import { makeVisitorKey } from '../support/people/visitor-key.js';
import {
  type FakeStripe,
  postEvent,
  startFakeStripe,
  stripeEnvironment,
  stripeEvent,
  stripeSubscription,
} from '../support/fakes/fake-stripe.js';
import { BillingWorker } from '../support/programs/billing-worker.js';
import type { Json } from '../support/people/json.js';
import { readOperations } from '../support/rules/openapi.js';
import { newId } from '../../src/platform/identity/ids.js';
import { linkIn, mailTo } from '../support/fakes/mails.js';
import { createOrganization, joinOrganization } from '../support/people/organization.js';
import { insertTestScan, type TestItem } from '../support/people/scan.js';
import { reportTestScanner } from '../support/programs/scanner.js';
import { startTestService, type TestService } from '../support/programs/service.js';
import {
  becomeMember,
  BEHIND_LOOPBACK_PROXY,
  PASSWORD,
  signUp,
  type TestUser,
} from '../support/people/user.js';

/** A project with the tier business, owned by Ada, with the parameters of routes. */
interface World {
  id: string;
  /** A key of the project. */
  keyId: string;
  /** As Ada, below the project; fails unless the answer is a good one. */
  call(method: string, path: string, body?: unknown): Promise<Json>;
}

interface Audited {
  action: AuditAction;
  /** Whether another user than Ada makes the change; `change` returns their id. */
  byAnother?: true;
  /** Whether a visitor does it, of whom nothing is known. */
  byVisitor?: true;
  /** Number of logs that contain it; by default one. */
  logs?: number;
  /** Calls the route so that it changes something. */
  change(world: World): Promise<unknown>;
}

const AT = '/v1/projects/{projectId}';
const ORGANIZATION_AT = '/v1/organizations/{organizationId}';
const ENDPOINT = {
  enabled: true,
  endpointUrl: 'https://r.example.com/c',
  authMode: 'bearer',
  bearerToken: TOKEN,
};
const secrets: string[] = [TOKEN];

const member = async ({ call }: World): Promise<string> => {
  const user = await signUp(service);
  await join(call, user, 'editor');
  return user.id;
};
const join = (call: World['call'], user: TestUser, role: string): Promise<void> =>
  becomeMember(
    async (body) => Response.json(await call('POST', '/members', body), { status: 201 }),
    user,
    role,
  );
const invite = async ({ call }: World): Promise<string> =>
  (await call('POST', '/invitations', { email: `${newId()}@example.com`, role: 'viewer' })).id as string;
const makeSecret = async ({ call }: World): Promise<void> => {
  secrets.push((await call('POST', '/forwarding/signing-secret')).signingSecret as string);
};
const makeEndpoint = async ({ call }: World): Promise<string> => {
  const body = { url: 'https://hooks.shop.example/', eventTypes: ['api_key.created'] };
  const { id, secret } = await call('POST', '/event-endpoints', body);
  secrets.push(secret as string);
  return id as string;
};
const makeImport = async ({ call }: World): Promise<string> => {
  for (const { id, endedAt } of (await call('GET', '/imports')).items as {
    id: string;
    endedAt: string | null;
  }[])
    if (endedAt === null) await call('POST', `/imports/${id}/cancel`);
  const created = await call('POST', '/imports', { profile: 'generic', fileName: 'a.csv', size: 1 });
  return created.id as string;
};
const rotateSecret = async (world: World): Promise<string> => {
  const id = await makeEndpoint(world);
  secrets.push((await world.call('POST', `/event-endpoints/${id}/rotate-secret`)).secret as string);
  return id;
};
const makeEventFor = async (world: World, state: string): Promise<{ id: string; eventId: string }> => {
  const id = await makeEndpoint(world);
  const eventId = newId();
  await service.database.query(
    `with made as (insert into event (project_id, id, type, data) values ($1, $2, 'api_key.created', '{"id":"x"}'))
     insert into event_delivery (project_id, endpoint_id, event_id, state, due_at)
     values ($1, $3, $2, $4::text, case when $4 = 'pending' then now() end)`,
    [world.id, eventId, id, state],
  );
  return { id, eventId };
};
const makeProxySecret = async ({ call }: World): Promise<void> => {
  secrets.push((await call('POST', '/first-party/proxy/secret')).secret as string);
};
const addDomain = async ({ call }: World): Promise<string> => {
  await call('PATCH', '', { domains: ['www.shop.example'] });
  return (await call('POST', '/domains', { hostname: 'consent.shop.example' })).id as string;
};
const customer = async ({ id }: World): Promise<string> => {
  const customerId = `cus_${id.slice(-8)}`;
  await service.database.query('insert into billing_customer (project_id, customer_id) values ($1, $2)', [
    id,
    customerId,
  ]);
  return customerId;
};

const scan = async ({ call }: World): Promise<string> => {
  await reportTestScanner(service);
  await call('PATCH', '', { domains: ['shop.example.com'] });
  return (await call('POST', '/scans', {})).id as string;
};

const finding = async ({ id }: World, status: string): Promise<string> => {
  const findingId = newId();
  await service.database.query(
    `insert into scan_finding
       (project_id, id, kind, item_kind, name, host, certainty, state, page_urls, status, misses, first_scan_id,
        last_scan_id, counted_scan_id, first_seen_at, last_seen_at)
     values ($1, $2, 'before_consent', 'cookie', 'sid', 'shop.example', 'open', 'before', '{}', $3, 0, $2, $2, $2,
             now(), now())`,
    [id, findingId, status],
  );
  return findingId;
};
const cookie = async ({ id }: World): Promise<string> => {
  const cookieId = newId();
  await service.database.query(
    `insert into site_item
       (project_id, id, kind, name, host, third_party, initiators, states, page_urls, last_scan_id, first_seen_at,
        last_seen_at)
     values ($1, $2, 'cookie', 'sid', 'shop.example', false, '{}', '{before}', '{}', $2, now(), now())`,
    [id, cookieId],
  );
  return cookieId;
};

const nameVisitors = ({ call }: World): Promise<Json> =>
  call('PUT', '/privacy', { visitorReferenceField: 'customer', visitorReferenceHashed: true });

/** As Ada, below her organization; fails unless the answer is a good one. */
async function callOrganization(method: string, path: string, body?: unknown): Promise<Json> {
  const response = await ada.request(method, `/v1/organizations/${organizationId}${path}`, body);
  const text = await response.text();
  if (response.status >= 300) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
  return text === '' ? {} : (JSON.parse(text) as Json);
}
const organizationMember = async (): Promise<TestUser> => {
  const user = await signUp(service);
  await joinOrganization(ada, organizationId, user, { role: 'member', projectRole: 'editor' });
  return user;
};
const inviteToOrganization = async (): Promise<string> => {
  const body = { email: `${newId()}@example.com`, role: 'member' };
  return (await callOrganization('POST', '/invitations', body)).id as string;
};

/** Every route that changes something for a project or an organization, and the action that it leaves. */
const AUDITED: Record<string, Audited> = {
  'POST /v1/projects': {
    action: 'project.create',
    change: () => Promise.resolve(),
  },
  [`PATCH ${AT}`]: { action: 'project.update', change: ({ call }) => call('PATCH', '', { name: 'New' }) },
  [`POST ${AT}/move`]: {
    action: 'project.move',
    logs: 2,
    change: ({ call }) => call('POST', '/move', { organizationId }),
  },
  'POST /v1/organizations': {
    action: 'organization.create',
    change: () => createOrganization(ada),
  },
  [`PATCH ${ORGANIZATION_AT}`]: {
    action: 'organization.update',
    change: () => callOrganization('PATCH', '', { name: newId() }),
  },
  [`DELETE ${ORGANIZATION_AT}`]: {
    action: 'organization.delete',
    change: async () => {
      const { id } = await createOrganization(ada);
      expect((await ada.request('DELETE', `/v1/organizations/${id}`)).status).toBe(204);
    },
  },
  [`POST ${ORGANIZATION_AT}/leave`]: {
    action: 'organization_member.leave',
    byAnother: true,
    change: async () => {
      const user = await organizationMember();
      expect((await user.request('POST', `/v1/organizations/${organizationId}/leave`)).status).toBe(204);
      return user.id;
    },
  },
  [`PATCH ${ORGANIZATION_AT}/members/{userId}`]: {
    action: 'organization_member.change_role',
    change: async () =>
      callOrganization('PATCH', `/members/${(await organizationMember()).id}`, { role: 'billing' }),
  },
  [`DELETE ${ORGANIZATION_AT}/members/{userId}`]: {
    action: 'organization_member.remove',
    change: async () => callOrganization('DELETE', `/members/${(await organizationMember()).id}`),
  },
  [`POST ${ORGANIZATION_AT}/invitations`]: {
    action: 'organization_invitation.create',
    change: inviteToOrganization,
  },
  [`POST ${ORGANIZATION_AT}/invitations/{invitationId}/resend`]: {
    action: 'organization_invitation.resend',
    change: async () => callOrganization('POST', `/invitations/${await inviteToOrganization()}/resend`),
  },
  [`DELETE ${ORGANIZATION_AT}/invitations/{invitationId}`]: {
    action: 'organization_invitation.withdraw',
    change: async () => callOrganization('DELETE', `/invitations/${await inviteToOrganization()}`),
  },
  [`DELETE ${AT}`]: { action: 'project.delete', change: ({ call }) => call('DELETE', '') },
  [`POST ${AT}/members`]: {
    action: 'invitation.create',
    change: ({ call }) => call('POST', '/members', { email: `${newId()}@example.com`, role: 'viewer' }),
  },
  [`PATCH ${AT}/members/{userId}`]: {
    action: 'member.change_role',
    change: async (world) => world.call('PATCH', `/members/${await member(world)}`, { role: 'viewer' }),
  },
  [`DELETE ${AT}/members/{userId}`]: {
    action: 'member.remove',
    change: async (world) => world.call('DELETE', `/members/${await member(world)}`),
  },
  [`POST ${AT}/invitations`]: { action: 'invitation.create', change: invite },
  [`POST ${AT}/invitations/{invitationId}/resend`]: {
    action: 'invitation.resend',
    change: async (world) => world.call('POST', `/invitations/${await invite(world)}/resend`),
  },
  [`DELETE ${AT}/invitations/{invitationId}`]: {
    action: 'invitation.withdraw',
    change: async (world) => world.call('DELETE', `/invitations/${await invite(world)}`),
  },
  'POST /v1/auth/accept-invitation': {
    action: 'invitation.accept',
    byAnother: true,
    change: async (world) => {
      const { id, email, request } = await signUp(service);
      await world.call('POST', '/invitations', { email, role: 'viewer' });
      const { token } = linkIn(await mailTo(service, email));
      secrets.push(token);
      const taken = await request('POST', '/v1/auth/accept-invitation', { token });
      expect(taken.status).toBe(200);
      return id;
    },
  },
  [`POST ${AT}/ownership`]: {
    action: 'invitation.create',
    change: async ({ id, call }) => {
      const user = await signUp(service);
      await service.database.query(
        "insert into project_member (project_id, user_id, role) values ($1, $2, 'viewer')",
        [id, user.id],
      );
      await call('POST', '/ownership', { userId: user.id });
    },
  },
  'POST /v1/me/invitations/{invitationId}/accept': {
    action: 'invitation.accept',
    byAnother: true,
    change: (world) => member(world),
  },
  'DELETE /v1/me/invitations/{invitationId}': {
    action: 'invitation.decline',
    byAnother: true,
    change: async ({ call }) => {
      const user = await signUp(service);
      const { id } = await call('POST', '/members', { email: user.email, role: 'viewer' });
      const declined = await user.request('DELETE', `/v1/me/invitations/${String(id)}`);
      expect(declined.status).toBe(204);
      return user.id;
    },
  },
  [`PUT ${AT}/sign-in-policy`]: {
    action: 'sign_in_policy.save',
    change: async ({ call }) => {
      const has = 'update app_user set two_factor_enabled = $2 where id = $1';
      await service.database.query(has, [ada.id, true]);
      await call('PUT', '/sign-in-policy', { secondFactorRequired: true });
      await service.database.query(has, [ada.id, false]);
    },
  },
  [`POST ${AT}/leave`]: {
    action: 'member.leave',
    byAnother: true,
    change: async ({ id, call }) => {
      const user = await signUp(service);
      await join(call, user, 'editor');
      expect((await user.request('POST', `/v1/projects/${id}/leave`)).status).toBe(204);
      return user.id;
    },
  },
  'DELETE /v1/me': {
    action: 'account.delete',
    byAnother: true,
    change: async () => {
      const user = await signUp(service);
      expect((await user.request('DELETE', '/v1/me', { password: PASSWORD })).status).toBe(204);
      return user.id;
    },
  },
  [`POST ${AT}/api-keys`]: {
    action: 'api_key.create',
    change: async ({ call }) => {
      secrets.push((await call('POST', '/api-keys', { name: 'K', role: 'viewer' })).key as string);
    },
  },
  [`PATCH ${AT}/api-keys/{apiKeyId}`]: {
    action: 'api_key.rename',
    change: ({ call, keyId }) => call('PATCH', `/api-keys/${keyId}`, { name: 'Other' }),
  },
  [`POST ${AT}/api-keys/{apiKeyId}/rotate`]: {
    action: 'api_key.rotate',
    change: async ({ call, keyId }) => {
      secrets.push((await call('POST', `/api-keys/${keyId}/rotate`, {})).key as string);
    },
  },
  [`DELETE ${AT}/api-keys/{apiKeyId}`]: {
    action: 'api_key.revoke',
    change: ({ call, keyId }) => call('DELETE', `/api-keys/${keyId}`),
  },
  [`POST ${AT}/tier/simulate`]: {
    action: 'tier.simulate',
    change: ({ call }) => call('POST', '/tier/simulate', { tier: 'pro' }),
  },
  [`PUT ${AT}/forwarding`]: {
    action: 'forwarding.save',
    change: ({ call }) => call('PUT', '/forwarding', ENDPOINT),
  },
  [`POST ${AT}/forwarding/resume`]: {
    action: 'forwarding.resume',
    change: async ({ id, call }) => {
      await service.database.query(
        "insert into forwarding_hold (project_id, phase, held_since) values ($1, 'open', now())",
        [id],
      );
      await call('POST', '/forwarding/resume');
    },
  },
  [`POST ${AT}/forwarding/signing-secret`]: { action: 'signing_secret.create', change: makeSecret },
  [`DELETE ${AT}/forwarding/signing-secret`]: {
    action: 'signing_secret.remove',
    change: async (world) => {
      await makeSecret(world);
      await world.call('DELETE', '/forwarding/signing-secret');
    },
  },
  [`DELETE ${AT}/forwarding/signing-secret/former`]: {
    action: 'signing_secret.forget_former',
    change: async (world) => {
      await makeSecret(world);
      await makeSecret(world);
      await world.call('DELETE', '/forwarding/signing-secret/former');
    },
  },
  [`POST ${AT}/forwarding/deliveries/resend`]: {
    action: 'delivery.resend',
    change: async ({ id, call }) => {
      await choose(service, id);
      const [from, to] = [-1, 1].map((hours) => new Date(Date.now() + hours * 3_600_000));
      await call('POST', '/forwarding/deliveries/resend', { status: 'unsent', from, to });
    },
  },
  [`POST ${AT}/forwarding/deliveries/resend/chosen`]: {
    action: 'delivery.resend',
    change: async ({ id, call }) => {
      const { id: consentId } = await choose(service, id);
      await call('POST', '/forwarding/deliveries/resend/chosen', { consentIds: [consentId] });
    },
  },
  [`POST ${AT}/forwarding/deliveries/{consentId}/resend`]: {
    action: 'delivery.resend',
    change: async ({ id, call }) =>
      call('POST', `/forwarding/deliveries/${(await choose(service, id)).id}/resend`),
  },
  [`POST ${AT}/imports`]: { action: 'import.create', change: makeImport },
  [`POST ${AT}/imports/{importId}/start`]: {
    action: 'import.start',
    change: async (world) => {
      const id = await makeImport(world);
      await service.database.query(
        `insert into consent_import_part (project_id, import_id, number, sha256) values ($1, $2, 1, '')`,
        [world.id, id],
      );
      await world.call('POST', `/imports/${id}/start`, {});
    },
  },
  [`POST ${AT}/imports/{importId}/cancel`]: {
    action: 'import.cancel',
    change: async (world) => world.call('POST', `/imports/${await makeImport(world)}/cancel`),
  },
  [`POST ${AT}/event-endpoints`]: { action: 'event_endpoint.create', change: makeEndpoint },
  [`PATCH ${AT}/event-endpoints/{endpointId}`]: {
    action: 'event_endpoint.update',
    change: async (world) =>
      world.call('PATCH', `/event-endpoints/${await makeEndpoint(world)}`, { description: 'New' }),
  },
  [`DELETE ${AT}/event-endpoints/{endpointId}`]: {
    action: 'event_endpoint.delete',
    change: async (world) => world.call('DELETE', `/event-endpoints/${await makeEndpoint(world)}`),
  },
  [`POST ${AT}/event-endpoints/{endpointId}/rotate-secret`]: {
    action: 'event_endpoint.rotate_secret',
    change: rotateSecret,
  },
  [`DELETE ${AT}/event-endpoints/{endpointId}/former-secret`]: {
    action: 'event_endpoint.forget_former_secret',
    change: async (world) =>
      world.call('DELETE', `/event-endpoints/${await rotateSecret(world)}/former-secret`),
  },
  [`POST ${AT}/event-endpoints/{endpointId}/resume`]: {
    action: 'event_endpoint.resume',
    change: async (world) => {
      const id = await makeEndpoint(world);
      await service.database.query(
        `update event_endpoint set phase = 'open', held_since = now(), held_reason = 'No.' where id = $1`,
        [id],
      );
      await world.call('POST', `/event-endpoints/${id}/resume`);
    },
  },
  [`POST ${AT}/event-endpoints/{endpointId}/recover`]: {
    action: 'event_delivery.recover',
    change: async (world) => {
      const { id } = await makeEventFor(world, 'failed');
      await world.call('POST', `/event-endpoints/${id}/recover`, { since: new Date(Date.now() - 3_600_000) });
    },
  },
  [`POST ${AT}/event-endpoints/{endpointId}/deliveries/{eventId}/resend`]: {
    action: 'event_delivery.resend',
    change: async (world) => {
      const { id, eventId } = await makeEventFor(world, 'failed');
      await world.call('POST', `/event-endpoints/${id}/deliveries/${eventId}/resend`);
    },
  },
  [`POST ${AT}/event-endpoints/{endpointId}/deliveries/{eventId}/skip`]: {
    action: 'event_delivery.skip',
    change: async (world) => {
      const { id, eventId } = await makeEventFor(world, 'pending');
      await world.call('POST', `/event-endpoints/${id}/deliveries/${eventId}/skip`);
    },
  },
  [`DELETE ${AT}/consents/{consentId}`]: {
    action: 'consent.erase',
    change: async ({ id, call }) =>
      call('DELETE', `/consents/${(await choose(service, id)).id}`, { reason: 'asked for' }),
  },
  [`PUT ${AT}/privacy`]: { action: 'privacy.save', change: nameVisitors },
  [`POST ${AT}/erasures`]: {
    action: 'visitor.erase',
    change: async (world) => {
      await nameVisitors(world);
      await world.call('POST', '/erasures', { visitorReference: 'visitor-42', reason: 'asked for' });
      secrets.push('visitor-42');
    },
  },
  [`POST ${AT}/billing/checkout`]: {
    action: 'billing.checkout',
    change: ({ call }) => call('POST', '/billing/checkout', { tier: 'pro', interval: 'month' }),
  },
  [`POST ${AT}/billing/portal`]: {
    action: 'billing.portal',
    change: async (world) => {
      await customer(world);
      await world.call('POST', '/billing/portal');
    },
  },
  [`POST ${AT}/billing/sync`]: {
    action: 'subscription.change',
    change: async (world) => {
      const subscription = stripeSubscription({ projectId: world.id, customer: await customer(world) });
      stripe.subscriptions.set(subscription.id, subscription);
      await world.call('POST', '/billing/sync');
    },
  },
  [`POST ${AT}/scans`]: { action: 'scan.request', change: scan },
  [`POST ${AT}/scans/{scanId}/cancel`]: {
    action: 'scan.cancel',
    change: async (world) => world.call('POST', `/scans/${await scan(world)}/cancel`),
  },
  [`POST ${AT}/first-party/proxy/secret`]: { action: 'proxy_secret.create', change: makeProxySecret },
  [`DELETE ${AT}/first-party/proxy/secret`]: {
    action: 'proxy_secret.remove',
    change: async (world) => {
      await makeProxySecret(world);
      await world.call('DELETE', '/first-party/proxy/secret');
    },
  },
  [`DELETE ${AT}/first-party/proxy/secret/former`]: {
    action: 'proxy_secret.forget_former',
    change: async (world) => {
      await makeProxySecret(world);
      await makeProxySecret(world);
      await world.call('DELETE', '/first-party/proxy/secret/former');
    },
  },
  [`POST ${AT}/domains`]: { action: 'custom_domain.create', change: addDomain },
  [`POST ${AT}/domains/{domainId}/check`]: {
    action: 'custom_domain.check',
    change: async (world) => world.call('POST', `/domains/${await addDomain(world)}/check`),
  },
  [`DELETE ${AT}/domains/{domainId}`]: {
    action: 'custom_domain.remove',
    change: async (world) => world.call('DELETE', `/domains/${await addDomain(world)}`),
  },
  [`POST ${AT}/scans/{scanId}/draft`]: {
    action: 'configuration.save_draft',
    change: async (world) => {
      const known = {
        name: '_ga',
        details: { setBy: 'script', initiator: 'www.googletagmanager.com/gtag/js' },
      };
      const query = service.database.query.bind(service.database);
      const id = await insertTestScan(query, world.id, { items: [known] as TestItem[] });
      await world.call('POST', `/scans/${id}/draft`);
    },
  },
  [`PUT ${AT}/scan-schedule`]: {
    action: 'scan.schedule',
    change: ({ call }) => call('PUT', '/scan-schedule', { frequency: 'weekly' }),
  },
  [`POST ${AT}/findings/{findingId}/accept`]: {
    action: 'finding.accept',
    change: async (world) =>
      world.call('POST', `/findings/${await finding(world, 'new')}/accept`, { reason: 'Cart.' }),
  },
  [`POST ${AT}/findings/{findingId}/reopen`]: {
    action: 'finding.reopen',
    change: async (world) => world.call('POST', `/findings/${await finding(world, 'accepted')}/reopen`),
  },
  [`PUT ${AT}/cookies/{cookieId}`]: {
    action: 'cookie.classify',
    change: async (world) => world.call('PUT', `/cookies/${await cookie(world)}`, { category: 'necessary' }),
  },
  [`PUT ${AT}/configuration`]: {
    action: 'configuration.save',
    change: ({ call }) => call('PUT', '/configuration', { policyVersion: '2' }),
  },
  [`PUT ${AT}/configuration/draft`]: {
    action: 'configuration.save_draft',
    change: ({ call }) => call('PUT', '/configuration/draft', { basedOn: 0 }),
  },
  [`DELETE ${AT}/configuration/draft`]: {
    action: 'configuration.discard_draft',
    change: async ({ call }) => {
      await call('PUT', '/configuration/draft', { basedOn: 0 });
      await call('DELETE', '/configuration/draft');
    },
  },
  [`POST ${AT}/publish`]: { action: 'configuration.publish', change: ({ call }) => call('POST', '/publish') },
  [`POST ${AT}/publications/{version}/rollback`]: {
    action: 'configuration.roll_back',
    change: async ({ id, call }) => {
      await call('PUT', '/configuration', {});
      await service.database.query(
        `insert into publication (project_id, version, configuration_version, configuration, tier, content_hash, region_rules_left_out)
         select project_id, 1, version, configuration, 'business', repeat('a', 64), false
         from site_configuration where project_id = $1`,
        [id],
      );
      await call('POST', '/publications/1/rollback');
    },
  },
  'POST /v1/visitor/erasures': {
    action: 'visitor.erase',
    byVisitor: true,
    change: async ({ id }) => {
      const { visitorKey, visitorKeyHash } = makeVisitorKey();
      secrets.push(visitorKey, visitorKeyHash);
      await choose(service, id, { visitorKeyHash });
      const asked = { method: 'POST', headers: { 'content-type': 'application/json' } };
      const body = JSON.stringify({ projectId: id, visitorKey });
      expect((await fetch(`${service.baseUrl}/v1/visitor/erasures`, { ...asked, body })).status).toBe(200);
    },
  },
};

/** Routes that are no GET and leave no event, and why. */
const EXCEPTIONS: Record<string, string> = {
  'POST /v1/auth/sign-up/email': 'a person’s own log',
  'POST /v1/auth/confirm-email': 'a person’s own log',
  'POST /v1/auth/forgot-password': 'a person’s own log',
  'POST /v1/auth/reset-password': 'a person’s own log',
  'POST /v1/auth/invitation': 'only looks',
  [`POST ${AT}/configuration/preview`]: 'only looks',
  [`PUT ${AT}/scan-alerts`]: 'a person’s own mails',
  [`POST ${AT}/forwarding/deliveries/resend/count`]: 'only looks',
  [`PUT ${AT}/imports/{importId}/parts/{number}`]: 'its import is created and started with an event',
  [`POST ${AT}/event-endpoints/{endpointId}/test`]: 'sends a test, which the log shows',
  [`POST ${AT}/events/trigger`]: 'makes a test that no endpoint gets',
  'POST /v1/auth/second-factor': 'keeps a factor that is not asked for yet',
  'POST /v1/auth/second-factor/confirm': 'a person’s own log',
  'POST /v1/auth/second-factor/disable': 'a person’s own log',
  'POST /v1/auth/second-factor/recovery-codes': 'a person’s own log',
  'POST /v1/auth/sign-in/second-factor': 'a person’s own log',
  'POST /v1/auth/sign-in/email': 'a person’s own log',
  'POST /v1/auth/sign-out': 'a person’s own log',
  'POST /v1/auth/change-password': 'a person’s own log',
  'POST /v1/auth/change-email': 'a person’s own log',
  'POST /v1/auth/confirm-new-email': 'a person’s own log',
  'POST /v1/auth/device/code': 'asks for something that a person decides',
  'POST /v1/auth/device/token': 'a person’s own log',
  'POST /v1/auth/device/read': 'only looks',
  'POST /v1/auth/device/approve': 'a person’s own log',
  'POST /v1/auth/device/deny': 'a person’s own log',
  'DELETE /v1/me/tokens/current': 'a person’s own log',
  'DELETE /v1/me/tokens/{tokenId}': 'a person’s own log',
  'PATCH /v1/me': 'a person’s own log',
  'DELETE /v1/me/sessions': 'a person’s own log',
  'DELETE /v1/me/sessions/{sessionId}': 'a person’s own log',
  [`POST ${AT}/consents`]: 'a visitor’s record is itself what is written down',
  'POST /v1/visitor/records': 'only looks',
  'POST /v1/visitor/receipts': 'only looks',
  'POST /v1/visitor/withdrawals': 'a visitor’s record is itself what is written down',
  [`POST ${AT}/visits`]: 'a page view is counted, and nobody is known to have made it',
  [`POST ${AT}/forwarding/token`]: 'makes a random text and keeps nothing',
  [`POST ${AT}/forwarding/test`]: 'sends a made-up record and keeps nothing',
  'POST /v1/webhooks/billing': 'keeps the event; what comes of it is subscription.change, by stripe',
  'POST /v1/webhooks/stripe': 'the same',
};

/** Not the main action of any route: the operator's commands, the service itself, and consequences. */
const NOT_BY_ROUTES: AuditAction[] = [
  // By checks (test/domains/custom-domains.e2e).
  'custom_domain.change_state',
  'custom_domain.release',
  // By its upkeep (test/events/event-delivery.e2e).
  'event_endpoint.disable',
  'tier.grant',
  'tier.revoke',
  'billing.replay',
  'outbox.retry',
  'secrets.re_encrypt',
  'account.create',
  'account.confirm',
  'account.reset_password',
  'account.drop_second_factor',
  'forwarding.held',
  'forwarding.released',
  'api_key.revoke_former',
  'ownership.transfer',
  'scan.alert',
  // By the routes of invitations to projects (test/organizations/organizations.e2e).
  'organization_invitation.accept',
  'organization_invitation.decline',
  // Written until members had to accept.
  'member.add',
];

let stripe: FakeStripe;
let service: TestService;
let ada: TestUser;
let organizationId: string;

beforeAll(async () => {
  stripe = await startFakeStripe();
  service = await startTestService({
    ...BEHIND_LOOPBACK_PROXY,
    ...stripeEnvironment(stripe),
    CUSTOM_DOMAIN_TARGET: 'edge.service.test',
    // Nothing answers: a check is unclear, at once.
    CUSTOM_DOMAIN_RESOLVERS: '127.0.0.1:9',
  });
  ada = await signUp(service);
  organizationId = (await createOrganization(ada)).id;
});

afterAll(async () => {
  await service.close();
  await stripe.close();
});

async function makeWorld(): Promise<World> {
  const made = await ada.request('POST', '/v1/projects', { name: 'A project' });
  const { id } = (await made.json()) as { id: string };
  const call: World['call'] = async (method, path, body) => {
    const response = await ada.request(method, `/v1/projects/${id}${path}`, body);
    const text = await response.text();
    if (response.status >= 300) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
    return text === '' ? {} : (JSON.parse(text) as Json);
  };
  await call('POST', '/tier/simulate', { tier: 'business' });
  const key = await call('POST', '/api-keys', { name: 'Key', role: 'viewer' });
  secrets.push(key.key as string);
  return { id, keyId: key.id as string, call };
}

async function eventsOf(projectId: string): Promise<Json[]> {
  return service.database.query(
    `select action, actor_kind, actor_id, target from audit_event
     where project_id in ($1, $2, $3) or action in ('organization.create', 'organization.delete')
     order by id desc`,
    [projectId, WHOLE_SERVICE, organizationId],
  );
}

describe('every route that changes something', () => {
  const changing = readOperations()
    .filter(({ method }) => method !== 'GET')
    .map(({ method, path }) => `${method} ${path}`);

  it('has its action or the reason why it has none, and every action its route or its reason', () => {
    expect([...Object.keys(AUDITED), ...Object.keys(EXCEPTIONS)].toSorted()).toEqual(changing.toSorted());
    const known = [...Object.values(AUDITED).map(({ action }) => action), ...NOT_BY_ROUTES];
    expect([...new Set(known)].toSorted()).toEqual([...AUDIT_ACTIONS].toSorted());
  });

  it.each(Object.entries(AUDITED))(
    '%s is written down with who did it',
    async (route, { action, byAnother, byVisitor, logs = 1, change }) => {
      const world = await makeWorld();
      const before = route === 'POST /v1/projects' ? [] : await eventsOf(world.id);
      const changed = await change(world);
      const written = (await eventsOf(world.id)).slice(0, -before.length || undefined);
      const actor = byVisitor
        ? { actor_kind: 'visitor', actor_id: null }
        : { actor_kind: 'user', actor_id: byAnother ? changed : ada.id };
      expect(written.filter((event) => event.action === action)).toMatchObject(
        Array.from({ length: logs }, () => ({ action, ...actor })),
      );
    },
  );

  it('leaves no secret behind, of tokens, keys and signing secrets that were made or saved here', async () => {
    const rows = await service.database.query<{ row: string }>('select e::text as row from audit_event e');
    const text = rows.map(({ row }) => row).join('\n');
    expect(secrets.length).toBeGreaterThan(Object.keys(AUDITED).length);
    for (const secret of secrets) expect(text).not.toContain(secret);
  });
});

describe('what the billing provider told us', () => {
  it('is written down as its own doing, with the status before and after', async () => {
    const { id } = await makeWorld();
    const worker = BillingWorker.of(service);
    const subscription = stripeSubscription({ projectId: id, status: 'active' });
    for (const status of ['active', 'past_due']) {
      stripe.subscriptions.set(subscription.id, { ...subscription, status });
      await postEvent(service.baseUrl, stripeEvent('customer.subscription.updated', subscription));
      await worker.drain();
    }
    const rows = await service.database.query(
      `select actor_kind, actor_id, network, before, after from audit_event
       where project_id = $1 and action = 'subscription.change' order by id`,
      [id],
    );
    expect(rows).toMatchObject([
      {
        actor_kind: 'stripe',
        actor_id: null,
        network: null,
        before: null,
        after: { status: 'active', tier: 'pro' },
      },
      { actor_kind: 'stripe', before: { status: 'active' }, after: { status: 'past_due' } },
    ]);
  });
});
