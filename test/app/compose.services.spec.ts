import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { Client } from 'pg';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/standalone/embedded-postgres.js';
import { freePort } from '../support/programs/free-port.js';
import { Processes } from '../support/programs/processes.js';
import { until } from '../support/until.js';

const processes = new Processes();
let checkout: string;
let postgres: EmbeddedPostgres;
let redisPort: number;
let redisServer: ChildProcess;

const secret = (name: string): string => readFileSync(join(checkout, 'secrets', name), 'utf8').trim();

/** The secret's URL, with the host and port of this test's server in place of compose's. */
const urlAt = (name: string, port: number): string =>
  Object.assign(new URL(secret(name)), { hostname: '127.0.0.1', port: String(port) }).href;

beforeAll(async () => {
  checkout = processes.folder();
  mkdirSync(join(checkout, 'deploy'));
  cpSync('deploy', join(checkout, 'deploy'), { recursive: true });
  execFileSync('sh', [join(checkout, 'deploy', 'make-secrets.sh')]);

  postgres = await startEmbeddedPostgres(join(processes.dataFolder(), 'postgres'));
  redisPort = await freePort();
  redisServer = spawn(
    'redis-server',
    [join(checkout, 'secrets', 'redis.conf'), '--port', String(redisPort), '--bind', '127.0.0.1'],
    { cwd: checkout, stdio: 'ignore' },
  );
});

afterAll(async () => {
  redisServer.kill('SIGKILL');
  await postgres.stop();
  await processes.close();
});

describe('deploy/make-secrets.sh', () => {
  it('makes every file that docker-compose.yml mounts, in a folder for its owner alone', () => {
    const mounted = [
      ...readFileSync('docker-compose.yml', 'utf8').matchAll(
        /file: '\$\{SECRETS_DIR:-\.\/secrets\}\/([\w.]+)'/g,
      ),
    ];
    expect(mounted.map(([, name]) => name).toSorted()).toEqual(
      readdirSync(join(checkout, 'secrets')).toSorted(),
    );
    expect(statSync(join(checkout, 'secrets')).mode & 0o777).toBe(0o700);
  });

  it('makes those of a cell in a folder of its own', () => {
    execFileSync('sh', [join(checkout, 'deploy', 'make-secrets.sh'), 'secrets-eu']);
    const folder = join(checkout, 'secrets-eu');
    expect(readdirSync(folder).toSorted()).toEqual(readdirSync(join(checkout, 'secrets')).toSorted());
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    const key = readFileSync(join(folder, 'secret_keys'), 'utf8').trim();
    expect(key).not.toBe(secret('secret_keys'));
    const password = readFileSync(join(folder, 'postgres_owner_password'), 'utf8').trim();
    expect(readFileSync(join(folder, 'database_owner_url'), 'utf8')).toContain(password);
  });

  it('recommends to keep the keys apart from the backups, as the manual does', () => {
    const printed = execFileSync('sh', [join(checkout, 'deploy', 'make-secrets.sh')], { encoding: 'utf8' });
    const manual = readFileSync(join('docs', 'run.md'), 'utf8').replaceAll(/\s+/g, ' ');
    expect(printed).toContain('secret_keys, auth_secret and evidence_keys apart from the backups');
    expect(printed).not.toMatch(/with (your|the) backups/);
    expect(manual).toContain('`SECRET_KEYS`, `AUTH_SECRET` and `EVIDENCE_KEYS` apart from the dump');
  });

  it('keeps what is there', () => {
    const before = readdirSync(join(checkout, 'secrets')).map(secret);
    execFileSync('sh', [join(checkout, 'deploy', 'make-secrets.sh')]);
    expect(readdirSync(join(checkout, 'secrets')).map(secret)).toEqual(before);
  });
});

describe('the parts of docker-compose.yml, with its secrets', () => {
  it('Redis refuses whoever has no password', async () => {
    const redis = new Redis(redisPort, '127.0.0.1', { lazyConnect: true });
    redis.on('error', () => {});
    await until('redis-server answers', () =>
      redis.ping().then(
        () => true,
        (error: Error) => /NOAUTH/.test(error.message),
      ),
    );
    await expect(redis.set('a', 'b')).rejects.toThrow('NOAUTH');
    redis.disconnect();
  });

  it('PostgreSQL has the roles with the passwords of the files', () => {
    execFileSync('sh', [join(checkout, 'deploy', 'postgres', '10-roles.sh')], {
      env: {
        PATH: process.env['PATH'] ?? '',
        PGHOST: '127.0.0.1',
        PGPORT: String(postgres.port),
        PGPASSWORD: new URL(postgres.superuserUrl).password,
        POSTGRES_USER: new URL(postgres.superuserUrl).username,
        POSTGRES_DB: 'service',
        ROLES_FILE: join(checkout, 'deploy', 'postgres', 'roles.sql'),
        SERVICE_OWNER_PASSWORD_FILE: join(checkout, 'secrets', 'postgres_owner_password'),
        SERVICE_RUNTIME_PASSWORD_FILE: join(checkout, 'secrets', 'postgres_runtime_password'),
        SERVICE_SCANNER_PASSWORD_FILE: join(checkout, 'secrets', 'postgres_scanner_password'),
      },
    });
  });

  it('migrate, API and worker run on them in production', async () => {
    const environment = {
      NODE_ENV: 'production',
      DATABASE_URL: urlAt('database_url', postgres.port),
      REDIS_URL: urlAt('redis_url', redisPort),
      SECRET_KEYS_FILE: join(checkout, 'secrets', 'secret_keys'),
      AUTH_SECRET_FILE: join(checkout, 'secrets', 'auth_secret'),
      EVIDENCE_KEYS_FILE: join(checkout, 'secrets', 'evidence_keys'),
      PUBLIC_BASE_URL: 'https://consent.example.com',
      DATA_DIR: processes.folder(),
    };
    execFileSync(process.execPath, ['dist/ops.js', 'migrate'], {
      env: { ...environment, DATABASE_OWNER_URL: urlAt('database_owner_url', postgres.port) },
    });
    const api = await processes.startApi({ environment });
    const worker = await processes.startWorker({ environment });
    await Promise.all([api.ready(), worker.ready()]);
    for (const { baseUrl } of [api, worker]) {
      await until(`${baseUrl} is ready`, async () => (await fetch(`${baseUrl}/health/ready`)).ok);
    }
    const client = new Client(environment.DATABASE_URL);
    await client.connect();
    const { rows } = await client.query(
      `select distinct usename from pg_stat_activity
       where application_name like 'consent-service%' and pid <> pg_backend_pid()`,
    );
    expect(rows).toEqual([{ usename: 'service_runtime' }]);
    await client.end();
    expect(await api.stop()).toEqual({ code: 0, signal: null });
    expect(await worker.stop()).toEqual({ code: 0, signal: null });
  });
});
