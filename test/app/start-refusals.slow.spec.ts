import { execFile, spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { createTestDatabase, type TestDatabase } from '../support/database/database.js';
import { freePort } from '../support/programs/free-port.js';
import { startLoneService } from '../support/programs/processes.js';
import { until } from '../support/until.js';

let database: TestDatabase;
let folder: string;

beforeAll(async () => {
  database = await createTestDatabase();
  folder = mkdtempSync(join(tmpdir(), 'consent-refusals-'));
  chmodSync(folder, 0o755);
});
afterAll(async () => {
  await database.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Starts a program of `dist` that must not start; returns its output. */
async function refusal(
  environment: NodeJS.ProcessEnv,
  program = 'main',
): Promise<{ code: number; err: string }> {
  const { PATH, HOME } = process.env;
  const env = {
    PATH,
    HOME,
    NODE_ENV: 'test',
    PORT: '0',
    DATA_DIR: folder,
    DATABASE_URL: database.url,
    ...environment,
  };
  try {
    const args = ['--disable-warning=ExperimentalWarning', `dist/${program}.js`];
    await promisify(execFile)(process.execPath, args, { env, timeout: 60_000 });
  } catch (error) {
    const { code, stderr } = error as { code: number; stderr: string };
    return { code, err: stderr };
  }
  throw new Error('it started');
}

const withUrl = (change: Partial<URL>): string => Object.assign(new URL(database.url), change).href;

describe('a start while the database is away', () => {
  it('waits, says so, and goes on once the database is there', async () => {
    const port = await freePort();
    const target = new URL(database.ownerUrl);
    const late = Object.assign(new URL(database.ownerUrl), {
      hostname: '127.0.0.1',
      port: String(port),
    }).href;
    const { PATH, HOME } = process.env;
    const env = {
      PATH,
      HOME,
      NODE_ENV: 'test',
      DATA_DIR: folder,
      DATABASE_URL: late,
      DATABASE_OWNER_URL: late,
    };
    const args = ['--disable-warning=ExperimentalWarning', 'dist/ops.js', 'migrate'];
    const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
    const exited = once(child, 'exit');
    let lines = '';
    child.stderr.on('data', (chunk: Buffer) => (lines += chunk.toString()));
    const proxy = createServer((socket) => {
      const upstream = connect(Number(target.port), target.hostname);
      socket.on('error', () => upstream.destroy()).pipe(upstream);
      upstream.on('error', () => socket.destroy()).pipe(socket);
    });
    try {
      await until('it waits', () => lines.includes('Waiting for the database') || child.exitCode !== null);
      expect(lines).toMatch(/^Waiting for the database for up to 300 s: connection refused\. .*\n$/);
      await new Promise<void>((listening) => proxy.listen(port, '127.0.0.1', listening));
      expect(await exited).toEqual([0, null]);
    } finally {
      child.kill('SIGKILL');
      proxy.close();
    }
  });
});

describe('a start that cannot succeed says why, in a sentence', () => {
  it('a role that may not come in', async () => {
    await database.query(`create role locked_out login password 'right'`);
    try {
      const url = withUrl({ username: 'nobody_of_this_name', password: 'hunter2hunter2' });
      const { code, err } = await refusal({ DATABASE_URL: url });
      expect({ code, err }).toEqual({
        code: 1,
        err: expect.stringMatching(/^Cannot use the database: authentication failed\. .*DATABASE_URL.*\n$/),
      });
      expect(err).not.toContain('hunter2');
    } finally {
      await database.query('drop role locked_out');
    }
  });

  it('a database that is not there', async () => {
    const { code, err } = await refusal({ DATABASE_URL: withUrl({ pathname: '/not_there' }) });
    expect({ code, err }).toEqual({
      code: 1,
      err: expect.stringMatching(/^Cannot use the database: no database with this name exists\. .*\n$/),
    });
  });

  it.each(['LATIN1', 'SQL_ASCII'])(
    'a database with the encoding %s, in which nothing is made',
    async (encoding) => {
      const name = `test_${randomUUID().replaceAll('-', '')}`;
      await database.query(
        `create database ${name} encoding '${encoding}' lc_collate 'C' lc_ctype 'C' template template0 owner service_owner`,
      );
      const ownerUrl = Object.assign(new URL(database.ownerUrl), { pathname: `/${name}` }).href;
      const client = new Client({ connectionString: ownerUrl });
      try {
        const { code, err } = await refusal({ DATABASE_URL: ownerUrl });
        expect({ code, err }).toEqual({
          code: 1,
          err: expect.stringMatching(
            new RegExp(`^The database has the encoding ${encoding}, .* UTF8\\. Create one with .*\\n$`),
          ),
        });
        await client.connect();
        const { rows } = await client.query(
          `select from pg_class where relnamespace not in
         (select oid from pg_namespace where nspname like 'pg\\_%' or nspname = 'information_schema')`,
        );
        expect(rows).toEqual([]);
      } finally {
        await client.end();
        await database.query(`drop database ${name} with (force)`);
      }
    },
  );

  it('a role whose search path leads elsewhere', async () => {
    const owner = new URL(database.ownerUrl).username;
    const name = new URL(database.url).pathname.slice(1);
    await database.query(`alter role ${owner} in database ${name} set search_path = nowhere`);
    try {
      const { code, err } = await refusal({ DATABASE_OWNER_URL: database.ownerUrl });
      expect({ code, err }).toEqual({
        code: 1,
        err: expect.stringMatching(
          /^This role has no access to any schema of its search path\. Set it .* search_path = public, bullmq"; .*\n$/,
        ),
      });
    } finally {
      await database.query(`alter role ${owner} in database ${name} reset search_path`);
    }
  });

  it('a host that nobody knows', async () => {
    const { code, err } = await refusal({ DATABASE_URL: 'postgresql://u:hunter2@db.invalid/service' });
    expect({ code, err }).toEqual({
      code: 1,
      err: expect.stringMatching(/^Cannot use the database: the host cannot be resolved\. .*\n$/),
    });
  });

  it('a port where nothing listens', async () => {
    const { code, err } = await refusal({
      DATABASE_URL: 'postgresql://u:hunter2@127.0.0.1:1/service',
      DATABASE_START_WAIT_SECONDS: '0',
    });
    expect({ code, err }).toEqual({
      code: 1,
      err: expect.stringMatching(/^Cannot use the database: connection refused\. .*\n$/),
    });
  });

  it('an owner who may come in, and a role that serves and may not', async () => {
    const { code, err } = await refusal({
      DATABASE_OWNER_URL: database.url,
      DATABASE_URL: withUrl({ username: 'nobody_of_this_name', password: 'hunter2hunter2' }),
    });
    expect({ code, err }).toEqual({
      code: 1,
      err: expect.stringMatching(/^Cannot use the database: authentication failed\..*\n$/),
    });
  });

  it.each(['main', 'worker'])('a storage folder that %s cannot write', async (program) => {
    const file = join(folder, 'a-file');
    writeFileSync(file, '');
    const environment = { RUN_WORKER: 'true', STORAGE_URL: `file://${file}/below` };
    const { code, err } = await refusal(environment, program);
    expect({ code, err }).toEqual({
      code: 1,
      err: expect.stringMatching(/^STORAGE_URL .* cannot write \(ENOTDIR\)\.\n$/),
    });
  });

  it('a folder of evidence that it cannot write', async () => {
    const file = join(folder, 'another-file');
    writeFileSync(file, '');
    const evidence = {
      EVIDENCE_KEYS: `e1:${'B'.repeat(42)}A=`,
      EVIDENCE_STORAGE_URL: `file://${file}/below`,
    };
    const { code, err } = await refusal({ RUN_WORKER: 'true', ...evidence });
    expect({ code, err }).toEqual({
      code: 1,
      err: expect.stringMatching(/^EVIDENCE_STORAGE_URL .* cannot write \(ENOTDIR\)\.\n$/),
    });
  });

  it('a host without an address', async () => {
    const { code, err } = await refusal({ HOST: 'host.invalid' });
    expect(code).toBe(1);
    expect(err).toContain('Cannot resolve the host host.invalid. Set HOST to an address of this machine.\n');
    expect(err).not.toContain('    at ');
  });
});

describe('a part that the operator has not set up', () => {
  it('is refused with 503, which is no error in the log and no 5xx in the metrics: anybody may ask for it', async () => {
    const service = await startLoneService({
      NODE_ENV: 'production',
      HOST: '127.0.0.1',
      PUBLIC_BASE_URL: 'https://consent.example.com',
      DATABASE_URL: database.url,
      SECRET_KEYS: `k1:${randomBytes(32).toString('base64')}`,
      AUTH_SECRET: randomBytes(32).toString('base64url'),
      LOG_LEVEL: 'info',
    });
    try {
      const response = await fetch(`${service.baseUrl}/v1/auth/forgot-password`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"email":"ada@example.com"}',
      });
      expect([response.status, await response.json()]).toEqual([
        503,
        expect.objectContaining({ code: 'mail_not_configured' }),
      ]);
      const line = await until('its line is in the log', () =>
        service
          .output()
          .split('\n')
          .find((each) => each.includes('/v1/auth/forgot-password')),
      );
      const logged = JSON.parse(line) as Record<string, unknown>;
      expect(logged).toMatchObject({ level: 30, msg: 'request refused', res: { statusCode: 503 } });
      expect(logged).not.toHaveProperty('err');
      const metrics = await (await fetch(`${service.baseUrl}/metrics`)).text();
      const statuses = [...metrics.matchAll(/^http_request_duration_seconds_count\{.*status="(\w+)"\}/gm)];
      expect(statuses.map(([, status]) => status)).toEqual(['not_configured']);
      const [, alerted = ''] =
        /http_request_duration_seconds_count\{status=~"(.*?)"\}/.exec(
          readFileSync('deploy/prometheus/alerts.yml', 'utf8'),
        ) ?? [];
      expect('503').toMatch(new RegExp(`^(?:${alerted})$`));
      expect('not_configured').not.toMatch(new RegExp(`^(?:${alerted})$`));
    } finally {
      await service.stop();
    }
  });
});

describe('X-Forwarded-For from an address that is not trusted', () => {
  it('is told once, and no more', async () => {
    const service = await startLoneService({
      NODE_ENV: 'test',
      DATABASE_URL: database.url,
      LOG_LEVEL: 'warn',
    });
    try {
      const ask = async (headers: Record<string, string>): Promise<void> => {
        await fetch(`${service.baseUrl}/v1/pricing`, { headers });
      };
      const told = (): number => service.output().split('ignored X-Forwarded-For from').length - 1;
      await ask({});
      expect(told()).toBe(0);
      for (let n = 0; n < 3; n += 1) await ask({ 'x-forwarded-for': '203.0.113.7' });
      expect(service.output()).toContain('the address 127.0.0.1 that is not in TRUSTED_PROXIES');
      expect(told()).toBe(1);
      expect(service.output()).not.toContain('203.0.113.7');
    } finally {
      await service.stop();
    }
  });

  it('is not told where the proxy is trusted', async () => {
    const service = await startLoneService({
      NODE_ENV: 'test',
      DATABASE_URL: database.url,
      LOG_LEVEL: 'warn',
      TRUSTED_PROXIES: '127.0.0.1',
    });
    try {
      await fetch(`${service.baseUrl}/v1/pricing`, { headers: { 'x-forwarded-for': '203.0.113.7' } });
      expect(service.output()).not.toContain('X-Forwarded-For');
    } finally {
      await service.stop();
    }
  });
});
