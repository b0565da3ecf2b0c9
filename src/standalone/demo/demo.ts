import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { join, relative } from 'node:path';
import { EntityManager } from '@mikro-orm/postgresql';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { findDemoProject, insertDemoProject } from '../../modules/projects/project.rows.js';
import { ApiKeyService } from '../../modules/access/api-key.service.js';
import type { KeyScope } from '../../modules/access/domain/api-key.js';
import { prepareDemoOwner, setDemoPassword } from '../../modules/access/application/demo-owner.js';
import { SignInService } from '../../modules/access/application/sign-in.service.js';
import { DEMO_OWNER_EMAIL } from '../../modules/access/domain/account.js';
import { ROLES, type Role } from '../../modules/access/domain/role.js';
import { expectedToken } from '../../modules/forwarding/application/stored-tokens.js';
import { TokenVault } from '../../modules/forwarding/infrastructure/secret.rows.js';
import { mailFolder } from '../../platform/mail/infrastructure/mail-files.js';
import { defaultText } from '../../modules/publishing/domain/default-texts.js';
import { isConnectionFailure } from '../../platform/database/postgres-error.js';
import { isUuid, newId } from '../../platform/identity/ids.js';
import { DEMO_PRICES } from './demo-prices.js';
import { type OneTimeLink, oneTimeLink } from './demo-sign-in.js';
import type { ScanSettings } from '../../modules/scans/scans.settings.js';
import { MISBEHAVING_SHOP } from './misbehaving-shop.js';
import { DEMO_POLICY } from './demo-page.js';
import { mountDemoSite } from './demo-site.js';
import type { StandaloneSettings } from '../secrets.js';
import type { Runtime } from '../prepare-runtime.js';
import type { ReceiverProcess } from './receiver-process.js';

/** The embedded server takes seconds to start again, and longer on a busy machine. */
const DATABASE_WAIT_MS = 60_000;
const DATABASE_PAUSE_MS = 200;
/** In scans of states: pages for each, and how long they stay open. */
const DEMO_STATE_PAGES = 2;
const DEMO_DWELL_SECONDS = 1;
const TOKEN_BYTES = 32;

/** Contents of `.data/dev-credentials.json` (design §3). */
interface DevCredentials {
  baseUrl: string;
  projectId: string;
  apiKeys: Record<Role, string>;
  billingWebhookSecret: string;
  receiverUrl: string;
  receiverLog: string;
}

/** The demo of standalone mode: a project, a receiver, a page with a real banner. */
export interface Demo<S extends StandaloneSettings = StandaloneSettings> {
  /** The machine's settings, with the receiver's own address allowed and its authority trusted. */
  settings: S;
  /** Mounts the demo page. */
  mount(app: NestExpressApplication): void;
  /** Creates the project if it is missing and writes the credentials, once the API is up at `baseUrl`. */
  ready(app: NestExpressApplication, baseUrl: string): Promise<void>;
  /** Ends the demo's requests to the API. */
  stop(): Promise<void>;
  /** The link to the dashboard that signs in, once. */
  entrance(baseUrl: string): string;
  /** Further lines for the terminal. */
  lines(baseUrl: string): string[];
}

/** Prepares the demo around a receiver that is listening. @public Loaded by src/programs/run.ts with an import expression. */
export function prepareDemo<S extends StandaloneSettings>(
  machine: Runtime<S>,
  receiver: ReceiverProcess,
): Demo<S> {
  const { dataDir } = machine.settings.service;
  const folder = join(dataDir, 'demo');
  const credentialsFile = join(dataDir, 'dev-credentials.json');
  const { token } = receiver;
  let em: EntityManager | null = null;
  const settings = withDemoPrices(machine.settings);
  const vault = new TokenVault(settings.secrets);
  // The application is ready before anything is sent.
  receiver.expectedToken = async (projectId) =>
    em && isUuid(projectId) ? expectedToken(em, vault, projectId) : token;
  let credentials: DevCredentials | null = null;
  let link: OneTimeLink | null = null;
  let settingUp = Promise.resolve();
  const stopping = new AbortController();
  const password = randomBytes(TOKEN_BYTES).toString('base64url');

  return {
    settings: allowDemoSite(trustReceiver(settings, receiver, join(folder, 'trusted.pem'))),
    mount: (app) => {
      em = app.get(EntityManager);
      const signIns = app.get(SignInService, { strict: false });
      link = oneTimeLink(async (address) => {
        const client = { address, cookie: undefined, device: '', language: null };
        await setDemoPassword(app.get(EntityManager), password);
        const { cookies } = await signIns.signIn({ email: DEMO_OWNER_EMAIL, password }, client);
        return cookies;
      });
      mountDemoSite(app, {
        signIn: link.handler,
        mailFolder: mailFolder(dataDir),
        projectId: () => credentials?.projectId ?? '',
        received: () => receiver.received(),
      });
    },
    ready: async (app, baseUrl) => {
      const known = readCredentials(credentialsFile);
      const project = await whenDatabaseIsBack(async () => {
        const found = (await knownProject(app, known)) ?? (await createDemoProject(app));
        await prepareDemoOwner(app.get(EntityManager), found.projectId);
        return found;
      });
      settingUp = setUpProject({
        baseUrl,
        ...project,
        receiver,
        token,
        formerUrl: known?.receiverUrl,
        signal: stopping.signal,
      }).catch((error: unknown) => {
        if (stopping.signal.aborted) return;
        // Not a failure of the service: the demo project was changed, for example to tier lite.
        process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
      });
      // A known project already forwards to the receiver: a later start does not wait for the rest.
      if (known?.projectId !== project.projectId || known.receiverUrl !== receiver.url) await settingUp;
      credentials = {
        baseUrl,
        ...project,
        billingWebhookSecret: machine.billingWebhookSecret,
        receiverUrl: receiver.url,
        receiverLog: receiver.logFile,
      };
      // Removed first: an existing file would keep its mode.
      rmSync(credentialsFile, { force: true });
      writeFileSync(credentialsFile, `${JSON.stringify(credentials, null, 2)}\n`, { mode: 0o600 });
    },
    stop: async () => {
      stopping.abort();
      await settingUp;
    },
    entrance: (baseUrl) => `${baseUrl}${link?.path ?? ''}`,
    lines: (baseUrl) => [
      `  demo site      ${baseUrl}/demo`,
      `  demo shop      ${baseUrl}${MISBEHAVING_SHOP} (to be scanned)`,
      `  demo inbox     ${baseUrl}/demo/mail`,
      `  demo project   ${credentials?.projectId}`,
      `  demo receiver  ${receiver.url}`,
      `  receiver log   ${relative(process.cwd(), receiver.logFile)}`,
      `  API keys       ${relative(process.cwd(), credentialsFile)} (owner, editor, viewer)`,
    ],
  };
}

/**
 * Repeats a step while the database is unreachable: the embedded server is restarted when it dies,
 * and a start that already serves requests must not fail for it.
 */
async function whenDatabaseIsBack<T>(step: () => Promise<T>): Promise<T> {
  const startedMs = performance.now();
  for (;;) {
    try {
      return await step();
    } catch (error) {
      if (!isConnectionFailure(error) || performance.now() - startedMs > DATABASE_WAIT_MS) throw error;
      await sleep(DATABASE_PAUSE_MS);
    }
  }
}

/**
 * Allows exactly the receiver's host and port, and trusts its authority beside the configured ones.
 */
function trustReceiver<S extends StandaloneSettings>(
  settings: S,
  receiver: ReceiverProcess,
  bundleFile: string,
): S {
  const { extraCaFile, allowedPrivateTargets } = settings.delivery;
  const own = readFileSync(receiver.caFile, 'utf8');
  const others = extraCaFile ? readFileSync(extraCaFile, 'utf8') : '';
  writeFileSync(bundleFile, `${own}\n${others}`);
  return {
    ...settings,
    delivery: {
      ...settings.delivery,
      allowedPrivateTargets: [...allowedPrivateTargets, receiver.target],
      extraCaFile: bundleFile,
    },
  };
}

/**
 * Lets scans reach the demo site, by the port that the API is going to listen on, and nothing else
 * of this machine. Without a fixed port, its address is not known yet.
 */
function allowDemoSite<S extends StandaloneSettings>(settings: S): S {
  const { scans, service } = settings;
  if (service.port === 0) return settings;
  const own = ['127.0.0.1', 'localhost'].map((host) => `${host}:${service.port}`);
  return {
    ...settings,
    scans: {
      ...scans,
      allowedPrivateTargets: [...scans.allowedPrivateTargets, ...own],
      ...shortStates(scans),
      demoUrls: [`http://127.0.0.1:${service.port}${MISBEHAVING_SHOP}`],
    },
  };
}

/** A scan of the demo shop takes about a minute, unless the settings ask for more. */
function shortStates({
  statePages,
  dwellSeconds,
}: ScanSettings): Pick<ScanSettings, 'statePages' | 'dwellSeconds'> {
  const isGiven = (variable: string): boolean => process.env[variable] !== undefined;
  return {
    statePages: isGiven('SCANNER_STATE_PAGES') ? statePages : DEMO_STATE_PAGES,
    dwellSeconds: isGiven('SCANNER_DWELL_SECONDS') ? dwellSeconds : DEMO_DWELL_SECONDS,
  };
}

function readCredentials(file: string): DevCredentials | null {
  if (!existsSync(file)) return null;
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as DevCredentials;
  } catch {
    // Incomplete because a start was killed: create new keys.
    return null;
  }
}

type ProjectKeys = Pick<DevCredentials, 'projectId' | 'apiKeys'>;

/** The project of the previous start, if all its keys still work. */
async function knownProject(
  app: NestExpressApplication,
  known: DevCredentials | null,
): Promise<ProjectKeys | null> {
  if (!known) return null;
  const apiKeys = app.get(ApiKeyService, { strict: false });
  const found = await Promise.all(ROLES.map((role) => apiKeys.find(known.apiKeys[role])));
  const works = found.every((key) => key?.projectId === known.projectId);
  return works ? { projectId: known.projectId, apiKeys: known.apiKeys } : null;
}

/** A fresh key per role on the demo project, which is created if missing; older demo keys are revoked. */
async function createDemoProject(app: NestExpressApplication): Promise<ProjectKeys> {
  const service = app.get(ApiKeyService, { strict: false });
  return app
    .get(EntityManager)
    .fork()
    .transactional(async (tx) => {
      const known = await findDemoProject(tx);
      const projectId = known ?? newId();
      if (known === null) await insertDemoProject(tx, projectId);
      await service.revokeNamed(tx, projectId, 'demo ');
      const keys = ROLES.map(
        (role) =>
          [
            role,
            service.create(tx, { projectId, name: `demo ${role}`, role, scopes: scopesOf(role) }).key,
          ] as const,
      );
      return { projectId, apiKeys: Object.fromEntries(keys) as Record<Role, string> };
    });
}

/**
 * The demo's owner key also manages members and keys, so that the whole API can be tried without a
 * session.
 */
function scopesOf(role: Role): KeyScope[] {
  return role === 'owner' ? ['manage_access'] : [];
}

function withDemoPrices<S extends StandaloneSettings>(settings: S): S {
  if (settings.billing.prices.length > 0) return settings;
  return { ...settings, billing: { ...settings.billing, prices: DEMO_PRICES } };
}

/** Our banner, in two languages, with a shop's typical services. */
const demoConfiguration = (baseUrl: string) => ({
  banner: { enabled: true },
  policyUrl: `${baseUrl}${DEMO_POLICY}`,
  texts: [defaultText('en'), defaultText('de')],
  services: [
    {
      name: 'Basket',
      provider: 'This shop',
      category: 'necessary',
      cookies: [
        {
          name: 'basket',
          duration: 'Session',
          purpose: 'Remembers the contents of your cart.',
          translations: [
            { language: 'de', duration: 'Sitzung', purpose: 'Merkt sich den Inhalt Ihres Warenkorbs.' },
          ],
        },
      ],
      translations: [{ language: 'de', name: 'Warenkorb' }],
    },
    {
      name: 'Visit counter',
      provider: 'This shop',
      category: 'analytics',
      cookies: [
        {
          name: '_visits*',
          duration: '1 month',
          purpose: 'Distinguishes visits.',
          translations: [{ language: 'de', duration: '1 Monat', purpose: 'Unterscheidet Besuche.' }],
        },
      ],
      translations: [{ language: 'de', name: 'Besuchszähler' }],
    },
  ],
});

/**
 * Sets the project up as its owner would, over the API: tier business, a banner if no configuration
 * was ever saved, and forwarding to the receiver. Keeps changed forwarding settings, unless they
 * still point at the receiver's former port.
 */
async function setUpProject(
  demo: ProjectKeys & {
    baseUrl: string;
    receiver: ReceiverProcess;
    token: string;
    formerUrl: string | undefined;
    signal: AbortSignal;
  },
): Promise<void> {
  const { signal } = demo;
  const call = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const startedMs = performance.now();
    const send = (): Promise<Response> =>
      fetch(`${demo.baseUrl}/v1/projects/${demo.projectId}${path}`, {
        method,
        signal,
        headers: { authorization: `Bearer ${demo.apiKeys.editor}`, 'content-type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
    let response = await send();
    while (response.status === 503 && performance.now() - startedMs < DATABASE_WAIT_MS) {
      await sleep(DATABASE_PAUSE_MS, undefined, { signal });
      response = await send();
    }
    if (!response.ok)
      throw new Error(
        `could not point the demo project to its receiver: ${method} ${path} returned ${response.status}`,
      );
    return (await response.json()) as T;
  };
  const { endpointUrl, tokenUpdatedAt } = await call<{
    endpointUrl: string | null;
    tokenUpdatedAt: string | null;
  }>('GET', '/forwarding');
  const untouched = endpointUrl === null && tokenUpdatedAt === null;
  const moved = endpointUrl !== null && endpointUrl === demo.formerUrl && endpointUrl !== demo.receiver.url;
  await call('POST', '/tier/simulate', { tier: 'business' });
  const { version } = await call<{ version: number }>('GET', '/configuration');
  if (version === 0) await call('PUT', '/configuration', demoConfiguration(demo.baseUrl));
  if (!untouched && !moved) return;
  await call('PUT', '/forwarding', {
    enabled: true,
    endpointUrl: demo.receiver.url,
    authMode: 'bearer',
    bearerToken: demo.token,
  });
}
