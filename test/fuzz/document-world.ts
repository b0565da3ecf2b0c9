import { randomBytes, randomUUID } from 'node:crypto';
import { configurationPresets } from '../../src/modules/publishing/http/configuration.dto.js';
import { pageScripts } from '../../src/modules/publishing/infrastructure/loader-script.js';
import { newId } from '../../src/platform/identity/ids.js';
import {
  type FakeStripe,
  signatureOf,
  startFakeStripe,
  stripeEnvironment,
} from '../support/fakes/fake-stripe.js';
import { createOrganization, joinOrganization } from '../support/people/organization.js';
import type { Json } from '../support/people/json.js';
import { linkIn, mailTo } from '../support/fakes/mails.js';
import { choose, TOKEN } from '../support/programs/pipeline.js';
import { putPart, useService } from '../support/people/import.js';
import { approveDevice, insertTestToken, requestCodes } from '../support/people/personal-token.js';
import { createTestProject, type TestProject } from '../support/people/project.js';
import {
  makeTestAuthority,
  type Receiver,
  startReceiver,
  type TestAuthority,
} from '../support/fakes/receiver.js';
import { pinHorizon } from '../support/database/evidence-steps.js';
import { announceTestScan, insertTestScan } from '../support/people/scan.js';
import { reportTestScanner } from '../support/programs/scanner.js';
import { startTestService, type TestService } from '../support/programs/service.js';
import { writeSubscription } from '../support/people/subscription.js';
import { reply, startTimeStampService, unsignedTimeStamp } from '../support/fakes/timestamp-service.js';
import { totpCode } from '../support/people/totp.js';
import { until } from '../support/until.js';
import {
  becomeMember,
  BEHIND_LOOPBACK_PROXY,
  cookieOf,
  freshAddress,
  PASSWORD,
  postAuth,
  signUp,
  type TestUser,
  userWith,
} from '../support/people/user.js';
import { makeVisitorKey } from '../support/people/visitor-key.js';
import type { DocumentOperation } from './document-requests.js';

/** Members of a configuration that rules between them are about: absent, so that the defaults hold, or agreeing. */
const DEFAULTS = {
  blocking: undefined,
  texts: undefined,
  defaultLanguage: undefined,
  banner: undefined,
  defaultMode: undefined,
  defaultPreset: undefined,
  regionRules: [
    { regions: ['GB'], preset: { id: 'gb' } },
    { regions: ['CH'], modes: { analytics: 'opt_out', marketing: 'opt_in', preferences: 'notice' } },
    { regions: ['EU'], mode: 'opt_in' },
  ],
};
/** A query in a time zone that exists. */
const IN_BERLIN = { timeZone: 'Europe/Berlin' };
/** Entries of a full tile. */
const TILE_WIDTH = 256;
const IMPORT_FILE = 'id,givenAt,analytics';
const SEAL_DEADLINE_MS = 20_000;
/** A PNG signature and arbitrary bytes: no browser draws it. */
const PNG = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(60)]);

/** Existing values that a request needs instead of the document's examples. */
export interface Supplied {
  params?: Record<string, string>;
  /** `undefined` takes a parameter away. */
  query?: Record<string, string | undefined>;
  headers?: (body: string) => Record<string, string>;
  cookie?: string;
  /** Members of the body; `undefined` takes one away. */
  body?: Json;
  /** A body that is not JSON. */
  text?: string;
}

/** A project on Business for only one operation, and an owner of it. */
export interface Stage {
  project: TestProject;
  /** Null where the operation takes the project's keys. */
  owner: TestUser | null;
}

/** The service with its surroundings, and the preconditions of each operation. */
export class DocumentWorld {
  private constructor(
    readonly service: TestService,
    private readonly stripe: FakeStripe,
    private readonly receiver: Receiver,
    private readonly authority: TestAuthority,
    private readonly closeStamper: () => Promise<void>,
    private readonly releaseHorizon: () => Promise<void>,
  ) {}

  static async start(): Promise<DocumentWorld> {
    const stamper = await startTimeStampService((query, response) =>
      reply(response, unsignedTimeStamp(query)),
    );
    const stripe = await startFakeStripe();
    const authority = await makeTestAuthority();
    const receiver = await startReceiver(authority.authority);
    const service = await startTestService({
      ...BEHIND_LOOPBACK_PROXY,
      ...stripeEnvironment(stripe),
      RUN_WORKER: 'true',
      OUTBOX_POLL_MS: '100',
      EVIDENCE_KEYS: `e1:${randomBytes(32).toString('base64')}`,
      EVIDENCE_SEAL_SECONDS: '1',
      EVIDENCE_ROOT_SECONDS: '1',
      EVIDENCE_TIMESTAMP_URL: stamper.url,
      EVIDENCE_TIMESTAMP_SECONDS: '1',
      FORWARDING_ALLOWED_PRIVATE_TARGETS: `127.0.0.1:${receiver.port}`,
      FORWARDING_EXTRA_CA_FILE: authority.caFile,
      FORWARDING_CONNECT_TIMEOUT_MS: '300',
      FORWARDING_TIMEOUT_MS: '1000',
      CUSTOM_DOMAIN_TARGET: 'edge.service.test',
      // Nothing answers: a check is unclear, at once.
      CUSTOM_DOMAIN_RESOLVERS: '127.0.0.1:9',
      CUSTOM_DOMAIN_ATTEMPTS_PER_DAY: '1000',
    });
    const releaseHorizon = pinHorizon(service);
    return new DocumentWorld(service, stripe, receiver, authority, () => stamper.close(), releaseHorizon);
  }

  async close(): Promise<void> {
    await this.service.close();
    await Promise.all([this.stripe.close(), this.receiver.close(), this.closeStamper()]);
    this.authority.remove();
  }

  async stage(operation?: DocumentOperation): Promise<Stage> {
    const project = await createTestProject(this.service);
    await writeSubscription(this.service, project.id, { tier: 'business' });
    const isOfPeople = operation !== undefined && operation.security.length > 0 && !takesKeys(operation);
    return { project, owner: isOfPeople ? await this.member(project, 'owner') : null };
  }

  /** What lets a request of the operation succeed; made afresh, because many succeed only once. */
  async supply(operation: DocumentOperation, stage: Stage): Promise<Supplied> {
    const { params, ...supplied } = (await this.supplies[operation.operationId]?.(stage)) ?? {};
    return { ...supplied, params: { projectId: stage.project.id, ...params } };
  }

  /** Who may do it: the owner's key, or their session where keys are refused. */
  credentialOf(
    operation: DocumentOperation,
    { project, owner }: Stage,
    { cookie }: Supplied,
  ): Record<string, string> {
    if (cookie !== undefined) return { cookie };
    if (takesKeys(operation)) return { authorization: `Bearer ${project.keys.owner}` };
    return owner ? { cookie: owner.cookie } : {};
  }

  private readonly user = (): Promise<TestUser> => signUp(this.service);

  private readonly waitingDevice = async (): Promise<Supplied> => {
    const [{ cookie }, { userCode }] = await Promise.all([this.user(), requestCodes(this.service)]);
    return { cookie, body: { userCode, password: undefined } };
  };

  private async member(project: TestProject, role: string): Promise<TestUser> {
    const user = await this.user();
    await becomeMember((body) => project.request('owner', 'POST', '/members', body), user, role);
    return user;
  }

  private async linkTo(email: string): Promise<string> {
    return linkIn(await mailTo(this.service, email)).token;
  }

  private async made(answer: Promise<Response>): Promise<Json> {
    const response = await answer;
    if (!response.ok)
      throw new Error(`${response.url} answered ${response.status}: ${await response.text()}`);
    const text = await response.text();
    return text === '' ? {} : (JSON.parse(text) as Json);
  }

  private async invitation({ project }: Stage, email = `${randomUUID()}@example.com`): Promise<string> {
    return String(
      (await this.made(project.request('owner', 'POST', '/invitations', { email, role: 'viewer' })))['id'],
    );
  }

  /** An organization with its admin. */
  private readonly organization = async (): Promise<Supplied & { admin: TestUser; at: string }> => {
    const admin = await this.user();
    const { id: organizationId } = await createOrganization(admin);
    return {
      admin,
      at: `/v1/organizations/${organizationId}`,
      cookie: admin.cookie,
      params: { organizationId },
    };
  };

  private readonly organizationMember = async (): Promise<Supplied> => {
    const { admin, params, cookie } = await this.organization();
    const user = await this.user();
    await joinOrganization(admin, String(params?.['organizationId']), user, { role: 'member' });
    return { cookie, params: { ...params, userId: user.id } };
  };

  private readonly organizationInvitation = async (): Promise<Supplied> => {
    const { admin, at, params, cookie } = await this.organization();
    const body = { email: `${randomUUID()}@example.com`, role: 'member' };
    const { id } = await this.made(admin.request('POST', `${at}/invitations`, body));
    return { cookie, params: { ...params, invitationId: String(id) } };
  };

  private readonly ofOrganization = async (): Promise<Supplied> => {
    const { params, cookie } = await this.organization();
    return { params, cookie };
  };

  private async apiKey({ project }: Stage): Promise<string> {
    const body = { name: 'Another', role: 'viewer' };
    return String((await this.made(project.request('owner', 'POST', '/api-keys', body)))['id']);
  }

  /** A record of a visitor with a key. */
  private async record({ project }: Stage): Promise<{ consentId: string; visitorKey: string }> {
    const { visitorKey, visitorKeyHash } = makeVisitorKey();
    const { id } = await choose(this.service, project.id, { visitorKeyHash, customer: 'customer-42' });
    return { consentId: id, visitorKey };
  }

  private async withFactor(): Promise<{ user: TestUser; cookie: string; recoveryCodes: string[] }> {
    const user = await this.user();
    const begun = await this.made(user.request('POST', '/v1/auth/second-factor', { password: PASSWORD }));
    const code = totpCode(String(begun['totpUri']));
    const confirmed = await user.request('POST', '/v1/auth/second-factor/confirm', { code });
    return {
      user,
      cookie: cookieOf(confirmed) || user.cookie,
      recoveryCodes: begun['recoveryCodes'] as string[],
    };
  }

  private async forwarding({ project }: Stage): Promise<void> {
    const settings = {
      enabled: true,
      endpointUrl: this.receiver.url,
      authMode: 'bearer',
      bearerToken: TOKEN,
    };
    await this.made(project.request('owner', 'PUT', '/forwarding', settings));
  }

  private readonly endpoint = async ({ project }: Stage): Promise<Supplied> => {
    const body = { url: this.receiver.url, eventTypes: ['api_key.created'], keepResponseBodies: true };
    const made = await this.made(project.request('owner', 'POST', '/event-endpoints', body));
    return { params: { endpointId: String(made['id']) }, query: { eventId: undefined } };
  };

  private readonly uploaded = async ({ project }: Stage): Promise<Supplied> => {
    const file = Buffer.from(IMPORT_FILE);
    const body = { profile: 'generic', fileName: 'a.csv', size: file.length };
    // A project has one import that has not ended.
    const { items } = await this.made(project.request('owner', 'GET', '/imports'));
    for (const open of items as { id: string; endedAt: string | null }[])
      if (open.endedAt === null)
        await this.made(project.request('owner', 'POST', `/imports/${open.id}/cancel`));
    const made = await this.made(project.request('owner', 'POST', '/imports', body));
    const id = String(made['id']);
    useService(this.service.baseUrl);
    await putPart(project, id, 1, file);
    return { params: { importId: id, number: '1' } };
  };

  /** An event of an endpoint. */
  private readonly sentEvent = async (stage: Stage): Promise<Supplied> => {
    const { params } = await this.endpoint(stage);
    await this.made(stage.project.request('owner', 'POST', '/api-keys', { name: 'Key', role: 'viewer' }));
    const { items } = await this.made(stage.project.request('owner', 'GET', '/events'));
    const [event] = items as { id: string }[];
    return { params: { ...params, eventId: event?.id ?? '' } };
  };

  private async published({ project }: Stage): Promise<{ version: number; configHash: string }> {
    await this.made(
      project.request('owner', 'PUT', '/configuration', {
        policyVersion: newId(),
        banner: { enabled: true },
      }),
    );
    return until('it is published', async () => {
      const { items } = await this.made(project.request('owner', 'GET', '/publications'));
      return (items as { version: number; configHash: string; publishedAt?: string }[])[0];
    });
  }

  /** A proved record in a separate project, and the size of the stamped log of all; made once. */
  private readonly sealed = once(async () => {
    const stage = await this.stage();
    const { consentId } = await this.record(stage);
    const { project } = stage;
    await this.releaseHorizon();
    await until(
      'the record is proved',
      async () => (await project.request('owner', 'GET', `/consents/${consentId}/proof`)).status === 200,
      SEAL_DEADLINE_MS,
    );
    const size = await until(
      'there is a timestamp',
      async () => {
        const answer = await fetch(`${this.service.baseUrl}/log/timestamp`);
        return answer.status === 200 ? String(((await answer.json()) as Json)['size']) : null;
      },
      SEAL_DEADLINE_MS,
    );
    const authorization = `Bearer ${project.keys.owner}`;
    return {
      params: { projectId: project.id, consentId, size, path: '0/000.p/1' },
      query: {},
      headers: () => ({ authorization }),
    };
  });

  private readonly epoch = async (): Promise<Supplied> => ({
    ...(await this.sealed()),
    query: { epoch: '1' },
  });

  private readonly sizes = async (): Promise<Supplied> => ({
    ...(await this.sealed()),
    query: { from: '1', to: '1', epoch: '1' },
  });

  private async accountWithLink(route: string, email: string, body: Json): Promise<string> {
    await this.made(postAuth(this.service, route, body));
    return this.linkTo(email);
  }

  private readonly visitor = async (stage: Stage): Promise<Supplied> => {
    const { visitorKey } = await this.record(stage);
    return { body: { projectId: stage.project.id, visitorKey, consentId: undefined, id: undefined } };
  };

  private readonly domains = (): Promise<Supplied> =>
    Promise.resolve({ body: { domains: ['www.example.com'] } });

  /** Of a project without a subscription. */
  private readonly unsubscribed = async (): Promise<Supplied> => {
    const { id, keys } = await createTestProject(this.service);
    return { params: { projectId: id }, headers: () => ({ authorization: `Bearer ${keys.owner}` }) };
  };

  private readonly signed = (): Promise<Supplied> =>
    Promise.resolve({ headers: (body) => ({ 'Stripe-Signature': signatureOf(body) }) });

  private readonly period = (): Promise<Supplied> => {
    const at = (ms: number): string => new Date(Date.now() + ms).toISOString();
    return Promise.resolve({ query: { from: at(-3_600_000), to: at(3_600_000) } });
  };

  private readonly inBerlin = (): Promise<Supplied> => Promise.resolve({ query: IN_BERLIN });

  private readonly resent = (): Promise<Supplied> => {
    const at = (ms: number): string => new Date(Date.now() + ms).toISOString();
    return Promise.resolve({ body: { from: at(-3_600_000), to: at(0) } });
  };

  private readonly asUserWith = (body: Json) => async (): Promise<Supplied> => ({
    cookie: (await this.user()).cookie,
    body,
  });

  private readonly ofPublication = async (stage: Stage): Promise<Supplied> => {
    const { version, configHash } = await this.published(stage);
    return { params: { version: String(version), configHash }, query: { since: '1' } };
  };

  private readonly site = async (stage: Stage): Promise<Supplied> => {
    await this.published(stage);
    const hash = hashIn(pageScripts().banner);
    const files = ['loader.js', 'config.json', `banner-${hash}.js`];
    await until('the files are there', async () => {
      const answers = await Promise.all(
        files.map((file) => fetch(`${this.service.baseUrl}/cdn/${stage.project.id}/${file}`)),
      );
      return answers.every(({ status }) => status === 200);
    });
    return { params: { hash } };
  };

  private readonly logo = async ({ project }: Stage): Promise<Supplied> => {
    const logo = `data:image/png;base64,${PNG.toString('base64')}`;
    await this.made(project.request('owner', 'PUT', '/configuration', { banner: { enabled: true, logo } }));
    const address = `${this.service.baseUrl}/cdn/${project.id}`;
    return until('the logo is there', async () => {
      const published = await fetch(`${address}/config.json`);
      if (!published.ok) return null;
      const { banner } = (await published.json()) as { banner: { logo?: string } };
      const hash = /^logo-(\w+)\.png$/.exec(banner.logo ?? '')?.[1];
      return hash === undefined ? null : { params: { hash } };
    });
  };

  private readonly languageFile = async ({ project }: Stage): Promise<Supplied> => {
    const { texts } = configurationPresets({ languages: 'en,de,fr,es,it,nl,pl,pt,sv,da' });
    await this.made(project.request('owner', 'PUT', '/configuration', { banner: { enabled: true }, texts }));
    return until('the texts are there', async () => {
      const published = await fetch(`${this.service.baseUrl}/cdn/${project.id}/config.json`);
      if (!published.ok) return null;
      const { languages, configHash } = (await published.json()) as {
        languages?: string[];
        configHash: string;
      };
      return languages ? { params: { name: `${configHash}-de` } } : null;
    });
  };

  /** A custom domain that is not verified; another one each time, because one is removed. */
  private readonly domain = async ({ project }: Stage): Promise<Supplied> => {
    await this.made(project.request('owner', 'PATCH', '', { domains: ['www.example.com'] }));
    await this.service.database.query('delete from custom_domain where project_id = $1', [project.id]);
    const added = await this.made(
      project.request('owner', 'POST', '/domains', { hostname: 'consent.example.com' }),
    );
    return { params: { domainId: String(added['id']) } };
  };

  /** Another one each time: a scan is canceled only once, and a project has one active scan. */
  private readonly scan = async ({ project }: Stage): Promise<Supplied> => {
    const scanId = newId();
    await this.service.database.query(
      `update scan set status = 'canceled', ended_at = now() where project_id = $1 and status = 'queued'`,
      [project.id],
    );
    await this.service.database.query(
      `insert into scan (project_id, id, urls, domains, pages_max) values ($1, $2, '{}', '{}', 1)`,
      [project.id, scanId],
    );
    return { params: { scanId }, query: { page: undefined, group: undefined } };
  };

  /** A scan that a worker has evaluated, with a finding about a cookie. */
  private async evaluatedScan({
    project,
  }: Stage): Promise<Record<'scanId' | 'findingId' | 'cookieId', string>> {
    const { database } = this.service;
    const scanId = await insertTestScan((sql, values) => database.query(sql, values), project.id, {
      items: [{ name: '_fbp', details: { initiator: 'connect.facebook.net/en_US/fbevents.js' } }],
    });
    await announceTestScan(database.orm.em, project.id, scanId);
    return until('the scan is evaluated', async () => {
      const [found] = await database.query<{ findingId: string; cookieId: string }>(
        `select f.finding_id as "findingId", c.id as "cookieId"
         from scan_finding_seen f join site_item c on c.project_id = f.project_id and c.last_scan_id = f.scan_id
         where f.project_id = $1 and f.scan_id = $2`,
        [project.id, scanId],
      );
      return found && { scanId, ...found };
    });
  }

  private readonly ofEvaluatedScan = async (stage: Stage): Promise<Supplied> => {
    const { scanId } = await this.evaluatedScan(stage);
    return { params: { scanId }, query: { since: undefined } };
  };

  /** A scan with a screenshot of its state before any choice. */
  private readonly ofPicturedScan = async (stage: Stage): Promise<Supplied> => {
    const { scanId } = await this.evaluatedScan(stage);
    await this.service.database.query(
      `insert into scan_artifact (project_id, scan_id, state, page, kind, sha256, bytes, content)
       values ($1, $2, 'before', 1, 'screenshot', sha256($3), length($3), $3)`,
      [stage.project.id, scanId, PNG],
    );
    return { params: { scanId, state: 'before' } };
  };

  private readonly finding = async (stage: Stage): Promise<Supplied> => {
    const { findingId } = await this.evaluatedScan(stage);
    return { params: { findingId } };
  };

  private readonly supplies: Record<string, (stage: Stage) => Promise<Supplied>> = {
    authSignIn: async () => ({ body: { email: (await this.user()).email, password: PASSWORD } }),
    authSignOut: this.asUserWith({}),
    authSession: this.asUserWith({}),
    authChangePassword: this.asUserWith({ currentPassword: PASSWORD }),
    authChangeEmail: this.asUserWith({ password: PASSWORD }),
    accountConfirmEmail: async () => {
      const email = `${randomUUID()}@example.com`;
      const token = await this.accountWithLink('sign-up/email', email, { email, password: PASSWORD });
      return { body: { token, password: PASSWORD } };
    },
    accountResetPassword: async () => {
      const { email } = await this.user();
      return { body: { token: await this.accountWithLink('forgot-password', email, { email }) } };
    },
    accountConfirmNewEmail: async () => {
      const user = await this.user();
      const newEmail = `${randomUUID()}@example.com`;
      await this.made(user.request('POST', '/v1/auth/change-email', { newEmail, password: PASSWORD }));
      return { body: { token: await this.linkTo(newEmail), password: PASSWORD } };
    },
    accountInvitation: async (stage) => {
      const email = `${randomUUID()}@example.com`;
      await this.invitation(stage, email);
      return { body: { token: await this.linkTo(email) } };
    },
    accountAcceptInvitation: async (stage) => {
      const email = `${randomUUID()}@example.com`;
      await this.invitation(stage, email);
      return { body: { token: await this.linkTo(email) } };
    },
    organizationRead: this.ofOrganization,
    organizationRename: this.ofOrganization,
    organizationRemove: this.ofOrganization,
    organizationListProjects: this.ofOrganization,
    organizationLeave: async () => {
      const { admin, params } = await this.organization();
      const user = await this.user();
      await joinOrganization(admin, String(params?.['organizationId']), user, { role: 'billing' });
      return { params, cookie: user.cookie };
    },
    organizationMemberList: this.ofOrganization,
    organizationMemberRead: this.organizationMember,
    organizationMemberChangeRoles: async () => ({
      ...(await this.organizationMember()),
      body: { role: 'member' },
    }),
    organizationMemberRemove: this.organizationMember,
    organizationInvitationList: this.ofOrganization,
    organizationInvitationInvite: async () => ({
      ...(await this.ofOrganization()),
      body: { role: 'member' },
    }),
    projectMove: () => Promise.resolve({ body: { organizationId: null, password: undefined } }),
    organizationInvitationRead: this.organizationInvitation,
    organizationInvitationResend: this.organizationInvitation,
    organizationInvitationWithdraw: this.organizationInvitation,
    organizationAuditList: this.ofOrganization,
    organizationAuditExport: this.ofOrganization,
    invitationRead: async (stage) => ({ params: { invitationId: await this.invitation(stage) } }),
    invitationWithdraw: async (stage) => ({ params: { invitationId: await this.invitation(stage) } }),
    invitationResend: async (stage) => ({ params: { invitationId: await this.invitation(stage) } }),
    ownInvitationAccept: async (stage) => {
      const { email, cookie } = await this.user();
      return { cookie, params: { invitationId: await this.invitation(stage, email) } };
    },
    ownInvitationDecline: async (stage) => {
      const { email, cookie } = await this.user();
      return { cookie, params: { invitationId: await this.invitation(stage, email) } };
    },
    ownershipOffer: async ({ project }) => ({ body: { userId: (await this.member(project, 'editor')).id } }),
    ownershipLeave: async ({ project }) => ({ cookie: (await this.member(project, 'viewer')).cookie }),
    secondFactorBegin: this.asUserWith({ password: PASSWORD }),
    secondFactorConfirm: async () => {
      const user = await this.user();
      const { totpUri } = await this.made(
        user.request('POST', '/v1/auth/second-factor', { password: PASSWORD }),
      );
      return { cookie: user.cookie, body: { code: totpCode(String(totpUri)) } };
    },
    secondFactorDisable: async () => ({
      cookie: (await this.withFactor()).cookie,
      body: { password: PASSWORD },
    }),
    secondFactorRecoveryCodes: async () => ({
      cookie: (await this.withFactor()).cookie,
      body: { password: PASSWORD },
    }),
    secondFactorSignIn: async () => {
      const { user, recoveryCodes } = await this.withFactor();
      const first = await postAuth(this.service, 'sign-in/email', { email: user.email, password: PASSWORD });
      return { cookie: cookieOf(first), body: { recoveryCode: recoveryCodes[0], code: undefined } };
    },
    signInPolicySave: async ({ project }) => {
      const { user, cookie } = await this.withFactor();
      const invited = { ...user, request: userWith(this.service, { ...user, cookie }).request };
      await becomeMember((body) => project.request('owner', 'POST', '/members', body), invited, 'owner');
      return { cookie };
    },
    devicePoll: async () => {
      const [user, { deviceCode, userCode }] = await Promise.all([this.user(), requestCodes(this.service)]);
      await approveDevice(user, userCode);
      return { body: { device_code: deviceCode } };
    },
    deviceDecisionRead: this.waitingDevice,
    deviceDecisionApprove: this.waitingDevice,
    deviceDecisionDeny: this.waitingDevice,
    personalTokenRevokeCurrent: async () => {
      const token = await insertTestToken(this.service, (await this.user()).id);
      return { headers: () => ({ authorization: `Bearer ${token}` }) };
    },
    personalTokenRevoke: async () => {
      const user = await this.user();
      await insertTestToken(this.service, user.id);
      const { items } = await this.made(user.request('GET', '/v1/me/tokens'));
      const [token] = items as { id: string }[];
      return { cookie: user.cookie, params: { tokenId: token?.id ?? newId() } };
    },
    meDelete: this.asUserWith({ password: PASSWORD }),
    sessionEndOthers: this.asUserWith({}),
    sessionEnd: async () => {
      const user = await this.user();
      await this.made(postAuth(this.service, 'sign-in/email', { email: user.email, password: PASSWORD }));
      const { items } = await this.made(user.request('GET', '/v1/me/sessions'));
      const other = (items as { id: string; current: boolean }[]).find(({ current }) => !current);
      return { cookie: user.cookie, params: { sessionId: other?.id ?? newId() } };
    },
    memberRead: async ({ project }) => ({ params: { userId: (await this.member(project, 'viewer')).id } }),
    memberChangeRole: async ({ project }) => ({
      params: { userId: (await this.member(project, 'viewer')).id },
      body: { role: 'editor' },
    }),
    memberRemove: async ({ project }) => ({ params: { userId: (await this.member(project, 'viewer')).id } }),
    memberKeysOf: async ({ project }) => ({ params: { userId: (await this.member(project, 'viewer')).id } }),
    apiKeyRead: async (stage) => ({ params: { apiKeyId: await this.apiKey(stage) } }),
    apiKeyRename: async (stage) => ({ params: { apiKeyId: await this.apiKey(stage) } }),
    apiKeyRevoke: async (stage) => ({ params: { apiKeyId: await this.apiKey(stage) } }),
    apiKeyRotate: async (stage) => ({ params: { apiKeyId: await this.apiKey(stage) } }),
    projectRemove: async () => {
      const { project } = await this.stage();
      return {
        params: { projectId: project.id },
        headers: () => ({ authorization: `Bearer ${project.keys.owner}` }),
      };
    },
    projectCreate: this.domains,
    projectUpdate: this.domains,
    simulateTierSimulate: () => Promise.resolve({ body: { pastDueSince: undefined, endedAt: undefined } }),
    tierRead: () => Promise.resolve({ query: { hostname: 'www.example.com' } }),
    analyticsOverview: this.inBerlin,
    analyticsDaily: this.inBerlin,
    deliveryReadActivity: this.inBerlin,
    projectStatusList: this.inBerlin,
    visitCount: () => Promise.resolve({ headers: () => ({ origin: 'https://www.example.com' }) }),
    configurationSave: () => Promise.resolve({ body: { ...DEFAULTS, draftVersion: undefined } }),
    draftSave: () => Promise.resolve({ body: { ...DEFAULTS, basedOn: 0 } }),
    draftPreview: () => Promise.resolve({ body: DEFAULTS }),
    consentList: () => Promise.resolve({ query: { visitorReference: undefined } }),
    consentExport: () =>
      Promise.resolve({
        query: { ...IN_BERLIN, proofs: undefined, from: undefined, to: undefined },
      }),
    auditExport: () => Promise.resolve({ query: { from: undefined, to: undefined } }),
    billingCheckout: this.unsubscribed,
    consentOne: async (stage) => ({ params: { consentId: (await this.record(stage)).consentId } }),
    consentErase: async (stage) => ({ params: { consentId: (await this.record(stage)).consentId } }),
    consentAnalytics: this.period,
    visitSite: this.period,
    privacyFile: async ({ project }) => {
      const settings = { visitorReferenceField: 'customer', visitorReferenceHashed: false };
      await this.made(project.request('owner', 'PUT', '/privacy', settings));
      return { query: IN_BERLIN };
    },
    privacyErase: async (stage) => ({
      body: { consentId: (await this.record(stage)).consentId, visitorReference: undefined },
    }),
    privacyOne: async (stage) => {
      const { consentId } = await this.record(stage);
      const erasure = await this.made(
        stage.project.request('owner', 'POST', '/erasures', { consentId, reason: 'Request 4711' }),
      );
      return { params: { erasureId: String(erasure['id']) } };
    },
    visitorRecords: this.visitor,
    visitorReceipt: this.visitor,
    visitorWithdraw: this.visitor,
    visitorErase: this.visitor,
    eventEndpointCreate: () => Promise.resolve({ body: { url: this.receiver.url } }),
    importRead: this.uploaded,
    importPutPart: async (stage) => ({ ...(await this.uploaded(stage)), text: IMPORT_FILE }),
    importStart: this.uploaded,
    importCancel: this.uploaded,
    importRefusedRows: this.uploaded,
    eventEndpointRead: this.endpoint,
    eventEndpointUpdate: async (stage) => ({
      ...(await this.endpoint(stage)),
      body: { url: this.receiver.url },
    }),
    eventEndpointRemove: this.endpoint,
    eventEndpointRotateSecret: this.endpoint,
    eventEndpointForgetFormerSecret: this.endpoint,
    eventEndpointDeliveries: this.endpoint,
    eventEndpointResume: this.endpoint,
    eventEndpointTest: this.endpoint,
    eventEndpointRecover: async (stage) => ({
      ...(await this.endpoint(stage)),
      body: { since: new Date(Date.now() - 3_600_000).toISOString() },
    }),
    eventEndpointResend: this.sentEvent,
    eventEndpointSkip: this.sentEvent,
    eventRead: this.sentEvent,
    eventList: () =>
      Promise.resolve({
        query: { from: undefined, to: undefined, cursor: undefined, waitSeconds: undefined },
      }),
    logProof: async () => ({ ...(await this.sealed()), query: IN_BERLIN }),
    logLog: this.sealed,
    logCheckpoint: this.epoch,
    logConsistency: this.sizes,
    logTile: this.epoch,
    rootLogCheckpoint: this.epoch,
    rootLogConsistency: this.sizes,
    rootLogTile: async () => {
      const supplied = await this.sealed();
      const width = Number(supplied.params.size) % TILE_WIDTH;
      return { ...supplied, params: { ...supplied.params, path: `0/000.p/${width}` }, query: { epoch: '1' } };
    },
    rootLogNewestTimeStamp: this.sealed,
    rootLogTimeStamp: this.epoch,
    rootLogStampedCheckpoint: this.epoch,
    forwardingSave: () =>
      Promise.resolve({
        body: { endpointUrl: this.receiver.url, authMode: 'bearer', bearerToken: TOKEN },
      }),
    forwardingTest: async (stage) => {
      await this.forwarding(stage);
      return {};
    },
    deliveryResendMany: this.resent,
    deliveryResendCount: this.resent,
    deliveryResendChosen: async (stage) => ({ body: { consentIds: [(await this.record(stage)).consentId] } }),
    deliveryResendOne: async (stage) => {
      await this.forwarding(stage);
      return { params: { consentId: (await this.record(stage)).consentId } };
    },
    webhookReceive: this.signed,
    webhookReceiveAlias: this.signed,
    billingPortal: async () => {
      const project = await createTestProject(this.service);
      await this.made(
        project.request('owner', 'POST', '/billing/checkout', { tier: 'pro', interval: 'month' }),
      );
      const authorization = `Bearer ${project.keys.owner}`;
      return { params: { projectId: project.id }, headers: () => ({ authorization }) };
    },
    configurationRollBack: this.ofPublication,
    publicationInForce: async (stage) => {
      await this.published(stage);
      return { query: { at: new Date().toISOString() } };
    },
    publicationDocument: this.ofPublication,
    publicationChanges: this.ofPublication,
    draftRead: async ({ project }) => {
      await this.made(project.request('owner', 'PUT', '/configuration/draft', { basedOn: 0 }));
      return {};
    },
    draftDiscard: async ({ project }) => {
      await this.made(project.request('owner', 'PUT', '/configuration/draft', { basedOn: 0 }));
      return {};
    },
    cdnLoader: this.site,
    cdnBanner: this.site,
    cdnSignals: async (stage) => ({
      ...(await this.site(stage)),
      params: { hash: hashIn(pageScripts().signals) },
    }),
    cdnConfiguration: this.site,
    cdnLogo: this.logo,
    cdnText: this.languageFile,
    cdnDetails: this.languageFile,
    domainAdd: async ({ project }) => {
      await this.made(project.request('owner', 'PATCH', '', { domains: ['www.example.com'] }));
      return { body: { hostname: 'consent.example.com' } };
    },
    domainRead: this.domain,
    domainCheck: this.domain,
    domainRemove: this.domain,
    scanRequest: async ({ project }) => {
      await reportTestScanner(this.service);
      await this.made(project.request('owner', 'PATCH', '', { domains: ['www.example.com'] }));
      return { body: { urls: ['https://www.example.com/'], ignoreRobots: false } };
    },
    scanRead: this.scan,
    scanItems: this.scan,
    scanCancel: this.scan,
    scanDraftCreate: this.ofEvaluatedScan,
    scanProofRead: this.ofEvaluatedScan,
    scanReportRead: async (stage) => {
      const { params } = await this.ofEvaluatedScan(stage);
      return { params, query: { format: 'csv', state: undefined } };
    },
    scanScreenshot: this.ofPicturedScan,
    findingOfScan: this.ofEvaluatedScan,
    findingChanges: this.ofEvaluatedScan,
    findingAccept: this.finding,
    findingReopen: async (stage) => {
      const { params } = await this.finding(stage);
      const path = `/findings/${params?.['findingId']}/accept`;
      await this.made(stage.project.request('owner', 'POST', path, { reason: 'Known' }));
      return { params };
    },
    cookieDecide: async (stage) => {
      const { cookieId } = await this.evaluatedScan(stage);
      return { params: { cookieId } };
    },
  };
}

/** A new address for each request, so that limits by address are not reached. */
export const fromAnywhere = (): Record<string, string> => ({ 'x-forwarded-for': freshAddress() });

const takesKeys = ({ security }: DocumentOperation): boolean => security.some((each) => 'apiKey' in each);

/** The hash in `banner-<hash>.js` or `signals-<hash>.js`. */
const hashIn = (name: string): string => name.replace(/^\w+-|\.js$/g, '');

function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return () => (made ??= make());
}
