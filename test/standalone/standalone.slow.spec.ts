import { execFileSync } from 'node:child_process';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { newId } from '../../src/platform/identity/ids.js';
import { createTestDatabase } from '../support/database/database.js';
import { killPostgres, postmasterOf, Processes, type ServiceProcess } from '../support/programs/processes.js';
import {
  makeTestAuthority,
  type Receiver,
  startReceiver,
  type TestAuthority,
} from '../support/fakes/receiver.js';
import { until } from '../support/until.js';

const ROLES = ['owner', 'editor', 'viewer'] as const;

interface Credentials {
  baseUrl: string;
  projectId: string;
  apiKeys: Record<(typeof ROLES)[number], string>;
  billingWebhookSecret: string;
  receiverUrl: string;
  receiverLog: string;
}

interface LoggedRequest {
  path: string;
  status: number;
  headers: Record<string, string>;
  body: Record<string, unknown>;
}

let processes: Processes;
beforeAll(() => {
  processes = new Processes();
});
afterAll(() => processes.close());

const credentialsOf = (dataDir: string): Credentials =>
  JSON.parse(readFileSync(join(dataDir, 'dev-credentials.json'), 'utf8')) as Credentials;

const receiverLogOf = ({ receiverLog }: Credentials): LoggedRequest[] =>
  existsSync(receiverLog)
    ? readFileSync(receiverLog, 'utf8')
        .split('\n')
        // The last line may be half-written.
        .slice(0, -1)
        .map((line) => JSON.parse(line) as LoggedRequest)
    : [];

/** Posts a choice as a banner does; returns its id once it is acknowledged. */
async function acknowledge(api: ServiceProcess, projectId: string, id = newId()): Promise<string> {
  const response = await fetch(`${api.baseUrl}/v1/projects/${projectId}/consents`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ id, analytics: true, marketing: false, preferences: true, action: 'custom' }),
  });
  expect([response.status, await response.json()]).toEqual([201, expect.objectContaining({ id })]);
  return id;
}

async function call<T>(api: ServiceProcess, key: string, path: string, put?: unknown): Promise<T> {
  const response = await fetch(`${api.baseUrl}/v1/projects/${path}`, {
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(put !== undefined && { method: 'PUT', body: JSON.stringify(put) }),
  });
  expect(response.status).toBe(200);
  return (await response.json()) as T;
}

/** Every record that is stored, through the API. */
async function storedIds(api: ServiceProcess, { projectId, apiKeys }: Credentials): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const path: string = `${projectId}/consents?limit=100${cursor && `&cursor=${encodeURIComponent(cursor)}`}`;
    const page = await call<{ items: { id: string }[]; nextCursor: string | null }>(
      api,
      apiKeys.viewer,
      path,
    );
    ids.push(...page.items.map(({ id }) => id));
    cursor = page.nextCursor;
  }
  return ids;
}

describe('one data folder over many starts (design §3)', () => {
  let authority: TestAuthority;
  let receiver: Receiver;
  let dataDir: string;
  let environment: Record<string, string>;
  let credentials: Credentials;
  let api: ServiceProcess;
  const acknowledged: string[] = [];

  beforeAll(async () => {
    authority = await makeTestAuthority();
    receiver = await startReceiver(authority.authority);
    dataDir = join(processes.folder(), 'data');
    environment = {
      DATA_DIR: dataDir,
      FORWARDING_ALLOWED_PRIVATE_TARGETS: `127.0.0.1:${receiver.port}`,
      FORWARDING_EXTRA_CA_FILE: authority.caFile,
      // Short, so that what a killed process held is free again soon.
      FORWARDING_CONNECT_TIMEOUT_MS: '2000',
      FORWARDING_TIMEOUT_MS: '3000',
      OUTBOX_LEASE_MS: '3500',
    };
    api = await processes.startApi({ environment });
    await api.ready();
    credentials = credentialsOf(dataDir);
  });

  afterEach(() => receiver.behave({ kind: 'answer', status: 204 }));

  afterAll(async () => {
    await receiver.close();
    authority.remove();
  });

  const start = async (): Promise<void> => {
    api = await processes.startApi({ environment });
    await api.ready();
  };
  const acknowledgeMany = async (count: number): Promise<string[]> => {
    const ids = await Promise.all(
      Array.from({ length: count }, () => acknowledge(api, credentials.projectId)),
    );
    acknowledged.push(...ids);
    return ids;
  };
  const timesReceived = (id: string): number =>
    receiver.requests.filter(({ headers }) => headers['webhook-id'] === id).length;
  const pending = async (): Promise<number> =>
    (await call<{ pending: number }>(api, credentials.apiKeys.viewer, `${credentials.projectId}/forwarding`))
      .pending;
  const deliveriesOf = async (id: string): Promise<string[]> => {
    const { items } = await call<{ items: { consentId: string; outcome: string }[] }>(
      api,
      credentials.apiKeys.viewer,
      `${credentials.projectId}/forwarding/deliveries?limit=100`,
    );
    return items.filter(({ consentId }) => consentId === id).map(({ outcome }) => outcome);
  };
  /** From now on the demo project forwards to the receiver of this test. */
  const forwardToReceiver = (): Promise<unknown> =>
    call(api, credentials.apiKeys.editor, `${credentials.projectId}/forwarding`, {
      enabled: true,
      endpointUrl: receiver.url,
      authMode: 'none',
    });

  it('writes the credentials, readable by their owner alone, and says where they are', () => {
    expect(statSync(join(dataDir, 'dev-credentials.json')).mode & 0o777).toBe(0o600);
    expect(credentials).toEqual({
      baseUrl: api.baseUrl,
      projectId: expect.any(String),
      apiKeys: { owner: expect.any(String), editor: expect.any(String), viewer: expect.any(String) },
      billingWebhookSecret: expect.stringMatching(/^whsec_/),
      receiverUrl: expect.stringMatching(/^https:\/\/127\.0\.0\.1:\d+\/consents$/),
      receiverLog: expect.stringContaining(dataDir),
    });
    expect(api.output()).toContain('dev-credentials.json');
    expect(api.output()).toContain(credentials.projectId);
    for (const secret of [...Object.values(credentials.apiKeys), credentials.billingWebhookSecret])
      expect(api.output()).not.toContain(secret);
  });

  it('delivers a consent to the demo receiver, with the headers of spec §4.1', async () => {
    const [id = ''] = await acknowledgeMany(1);
    const request = await until('the receiver has it', () =>
      receiverLogOf(credentials).find(({ body }) => body['id'] === id),
    );
    expect(request).toMatchObject({
      path: '/consents',
      status: 204,
      headers: {
        authorization: expect.stringMatching(/^Bearer [\w-]{43,}$/),
        'content-type': 'application/json',
        'user-agent': 'Service-Consent-Forwarder/1.0',
        'x-service-project-id': credentials.projectId,
        'x-service-consent-id': id,
      },
      body: { analytics: true, marketing: false, preferences: true, action: 'custom' },
    });
  });

  it('refuses a second start on the same folder, and goes on itself', async () => {
    const second = await processes.startApi({ environment });
    expect(await second.exit()).toEqual({ code: 1, signal: null });
    expect(second.output().trim().split('\n')).toEqual([
      `The data folder ${dataDir} is in use by another instance of this service. ` +
        'Stop that instance, or set DATA_DIR (and PORT) to run a second one.',
    ]);
    await acknowledgeMany(1);
  });

  it('finishes what is under way before it ends', async () => {
    await forwardToReceiver();
    receiver.behave({ kind: 'slow', status: 204, afterMs: 1000 });
    const [id = ''] = await acknowledgeMany(1);
    await until('the receiver has it', () => timesReceived(id) === 1);
    expect(await api.stop()).toEqual({ code: 0, signal: null });
    expect(postmasterOf(dataDir)).toBeNull();
    receiver.behave({ kind: 'answer', status: 204 });

    await start();
    expect(await deliveriesOf(id)).toEqual(['delivered']);
    expect(timesReceived(id)).toBe(1);
  });

  it('keeps project, keys and records over a start', async () => {
    const { baseUrl: _former, ...kept } = credentials;
    const { baseUrl, ...found } = credentialsOf(dataDir);
    expect(found).toEqual(kept);
    expect(baseUrl).toBe(api.baseUrl);
    expect(new Set(await storedIds(api, credentials))).toEqual(new Set(acknowledged));
  });

  it('takes over the server that a killed process left behind', async () => {
    const [id = ''] = await acknowledgeMany(1);
    const server = postmasterOf(dataDir);
    await api.kill();
    expect(postmasterOf(dataDir)).toBe(server);

    await start();
    expect(postmasterOf(dataDir)).toBe(server);
    expect(await storedIds(api, credentials)).toContain(id);
  });

  it('recovers by itself after everything was killed: all acknowledged records are there and get delivered', async () => {
    receiver.behave({ kind: 'hang' });
    const ids = await acknowledgeMany(30);
    await until('some are under way', () => ids.some((id) => timesReceived(id) > 0));
    await Promise.all([api.kill(), killPostgres(dataDir)]);
    receiver.behave({ kind: 'answer', status: 204 });
    const underWay = ids.filter((id) => timesReceived(id) === 1);

    await start();
    expect(new Set(await storedIds(api, credentials))).toEqual(new Set(acknowledged));
    await until('nothing is pending', async () => (await pending()) === 0);
    // Twice where the outcome of the first attempt is unknown, else once.
    for (const id of ids) expect([id, timesReceived(id)]).toEqual([id, underWay.includes(id) ? 2 : 1]);
  });

  it('starts a server again that was killed under it, while callers wait or are told to come again', async () => {
    const before = postmasterOf(dataDir);
    process.kill(before ?? 0, 'SIGKILL');
    const id = newId();
    const post = async (): Promise<number> => {
      const response = await fetch(`${api.baseUrl}/v1/projects/${credentials.projectId}/consents`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ id, analytics: true, marketing: true, preferences: true, action: 'custom' }),
      });
      if (response.status === 503) expect(response.headers.get('retry-after')).toMatch(/^\d+$/);
      return response.status;
    };
    await until('the record is taken', async () => {
      const status = await post();
      expect([200, 201, 503]).toContain(status);
      return status < 300;
    });
    acknowledged.push(id);
    expect(postmasterOf(dataDir)).not.toBe(before);
    await until('it is delivered', () => timesReceived(id) > 0);
    const ready = await fetch(`${api.baseUrl}/health/ready`);
    expect(ready.status).toBe(200);
  });

  it('is not held up by a client that never ends its request', async () => {
    const socket = connect(Number(new URL(api.baseUrl).port), '127.0.0.1').on('error', () => {});
    const head = [
      `POST /v1/projects/${credentials.projectId}/consents HTTP/1.1`,
      'host: 127.0.0.1',
      'content-type: application/json',
      'content-length: 100',
    ];
    socket.write(`${head.join('\r\n')}\r\n\r\n{`);
    // Answered after the half request has arrived.
    await fetch(`${api.baseUrl}/health/live`);
    api.signal('SIGINT');
    expect(await api.exit(15_000)).toEqual({ code: 0, signal: null });
    socket.destroy();
  });

  it('says that the port is taken and leaves no server behind', async () => {
    const taken = await occupy();
    const { port } = taken.address() as AddressInfo;
    try {
      const second = await processes.startApi({ environment: { ...environment, PORT: String(port) } });
      expect(await second.exit()).toEqual({ code: 1, signal: null });
      expect(second.output().trim().split('\n')).toEqual([
        `Port ${port} on 127.0.0.1 is already in use. Stop the program that uses it, or set PORT to a free port.`,
      ]);
      expect(postmasterOf(dataDir)).toBeNull();
    } finally {
      taken.close();
    }
  });
});

function occupy(): Promise<Server> {
  return new Promise((resolve) => {
    const server = createServer();
    server.listen(0, '127.0.0.1', () => resolve(server));
  });
}

describe('settings (design §8)', () => {
  const refusal = async (environment: Record<string, string>): Promise<string[]> => {
    const dataDir = join(processes.folder(), 'data');
    const api = await processes.startApi({ environment: { DATA_DIR: dataDir, ...environment } });
    expect(await api.exit()).toEqual({ code: 1, signal: null });
    expect(postmasterOf(dataDir)).toBeNull();
    return api.output().trim().split('\n');
  };

  it('tells each wrong one in a sentence that names it', async () => {
    expect(
      await refusal({
        PORT: 'eighty',
        REDIS_URL: 'http://user:hunter2@127.0.0.1',
        RUN_WORKER: 'yes',
        FORWARDING_TIMEOUT_MS: '99',
        SECRET_KEYS: 'k1:dG9vIHNob3J0',
        TRUSTED_PROXIES: '10.0.0.0/33',
      }),
    ).toEqual([
      expect.stringMatching(/^PORT must be .*\.$/),
      expect.stringMatching(/^TRUSTED_PROXIES must .*\.$/),
      expect.stringMatching(/^REDIS_URL must be .*\.$/),
      expect.stringMatching(/^RUN_WORKER must be .*\.$/),
      expect.stringMatching(/^SECRET_KEYS .*\.$/),
      expect.stringMatching(/^FORWARDING_TIMEOUT_MS must be .*\.$/),
    ]);
  });

  it('tells that the database cannot be reached without repeating its URL', async () => {
    const lines = await refusal({
      NODE_ENV: 'development',
      DATABASE_URL: 'postgresql://service:hunter2@127.0.0.1:1/service',
      DATABASE_START_WAIT_SECONDS: '0',
    });
    expect(lines).toEqual([
      'Cannot use the database: connection refused. Check DATABASE_URL and that the server is running.',
    ]);
  });

  it('does not start as development where nobody said so', async () => {
    const open = { DATABASE_URL: 'postgresql://service@127.0.0.1:1/service', HOST: '0.0.0.0' };
    expect(await refusal(open)).toEqual([
      'NODE_ENV must be set with DATABASE_URL and a publicly reachable HOST: to production, or to development where no one else has access.',
    ]);
  });

  it('tells of each secret that production lacks', async () => {
    expect(await refusal({ NODE_ENV: 'production' })).toEqual([
      expect.stringMatching(/^PUBLIC_BASE_URL must be set in production/),
      expect.stringMatching(/^DATABASE_URL must be set in production/),
      expect.stringMatching(/^SECRET_KEYS must be set in production/),
      expect.stringMatching(/^AUTH_SECRET must be set in production/),
    ]);
  });

  it('refuses a database with the demo project in production', async () => {
    const database = await createTestDatabase();
    try {
      await database.query("insert into project (id, name, demo) values ($1, 'Demo project', true)", [
        newId(),
      ]);
      const lines = await refusal({
        NODE_ENV: 'production',
        DATABASE_URL: database.url,
        PUBLIC_BASE_URL: 'https://consent.example.com',
        SECRET_KEYS: `k1:${Buffer.alloc(32, 7).toString('base64')}`,
        AUTH_SECRET: 'x'.repeat(32),
      });
      expect(lines).toEqual([expect.stringContaining('contains the demo project')]);
    } finally {
      await database.close();
    }
  });
});

describe('users and folders', () => {
  const root = process.getuid?.() === 0;

  /** A start, a consent, its delivery to the demo receiver, an end. */
  const works = async (dataDir: string, user?: { uid: number; gid: number }): Promise<void> => {
    const api = await processes.startApi({ environment: { DATA_DIR: dataDir }, ...(user && { user }) });
    await api.ready();
    const credentials = credentialsOf(dataDir);
    const id = await acknowledge(api, credentials.projectId);
    await until('the receiver has it', () =>
      receiverLogOf(credentials).some(({ body, status }) => body['id'] === id && status === 204),
    );
    expect(await api.stop()).toEqual({ code: 0, signal: null });
  };

  if (!root) {
    it('cannot be tried out as other users, because this user is not root', () => {
      expect(process.getuid?.()).not.toBe(0);
      process.stdout.write(
        'Starts as another user are tested as root alone: this user may not change to one.\n',
      );
    });
    return;
  }

  it('works as an ordinary user', async () => {
    const [, uid, gid] = /^nobody:[^:]*:(\d+):(\d+):/m.exec(readFileSync('/etc/passwd', 'utf8')) ?? [];
    const user = { uid: Number(uid), gid: Number(gid) };
    const dataDir = join(processes.folder(), 'data');
    mkdirSync(dataDir);
    chownSync(dataDir, user.uid, user.gid);
    await works(dataDir, user);
    expect(statSync(join(dataDir, 'postgres')).uid).toBe(user.uid);
    expect(statSync(dataDir).mode & 0o777).toBe(0o700);
    expect(postmasterOf(dataDir)).toBeNull();
  });

  it('works as root, with a server that shares its user with nothing else, in a folder closed to others', async () => {
    const dataDir = join(processes.folder(), 'data');
    await works(dataDir);
    expect(statSync(dataDir).mode & 0o777).toBe(0o711);
    const { uid } = statSync(join(dataDir, 'postgres', 'data'));
    const known = readFileSync('/etc/passwd', 'utf8').split('\n');
    expect(known.filter((line) => Number(line.split(':')[2]) === uid)).toEqual([]);
    expect(uid).toBeGreaterThan(0);
    expect(statSync(join(dataDir, 'postgres', 'data', 'base')).uid).toBe(uid);
    expect(statSync(join(dataDir, 'postgres', 'data')).mode & 0o077).toBe(0);
  });

  it('goes on as root with a server that an earlier version ran as nobody', async () => {
    const dataDir = join(processes.folder(), 'data');
    await works(dataDir);
    const [, nobody] = /^nobody:[^:]*:(\d+):/m.exec(readFileSync('/etc/passwd', 'utf8')) ?? [];
    execFileSync('chown', ['-R', `${nobody}:${nobody}`, join(dataDir, 'postgres')]);
    chmodSync(dataDir, 0o755);
    await works(dataDir);
    expect(statSync(join(dataDir, 'postgres', 'data', 'base')).uid).toBe(Number(nobody));
    expect(statSync(dataDir).mode & 0o777).toBe(0o711);
  });

  it('works as root from a folder that is closed to others, also with a umask that closes new ones', async () => {
    const closed = processes.folder();
    chmodSync(closed, 0o700);
    const dataDir = join(closed, 'data');
    // The child inherits it.
    const umask = process.umask(0o077);
    const name = createHash('sha256').update(join(dataDir, 'postgres')).digest('hex').slice(0, 12);
    const elsewhere = join('/var/lib/consent-service', name);
    try {
      await works(dataDir);
      expect(existsSync(join(elsewhere, 'postgres', 'data', 'PG_VERSION'))).toBe(true);
      expect(postmasterOf(elsewhere)).toBeNull();
    } finally {
      process.umask(umask);
      await killPostgres(elsewhere);
      rmSync(elsewhere, { recursive: true, force: true });
    }
  });
});
