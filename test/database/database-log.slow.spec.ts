import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MikroORM } from '@mikro-orm/postgresql';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { Client } from 'pg';
import { migrate } from '../../src/platform/database/migrate.js';
import { ormOptions } from '../../src/programs/orm-options.js';
import { createHttpApp } from '../../src/programs/http-app.js';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/standalone/embedded-postgres.js';
import type { Settings } from '../../src/programs/settings.js';
import { linkIn, mailTo } from '../support/fakes/mails.js';
import { Processes } from '../support/programs/processes.js';
import { closeApp, testSettings } from '../support/programs/service.js';
import { until } from '../support/until.js';

const EMAIL = 'somebody.in.particular@example.com';
const PASSWORD = 'correct horse battery staple';
const PROJECT_NAME = 'A name that nobody else has';

const processes = new Processes();
let folder: string;
let postgres: EmbeddedPostgres;
let app: NestExpressApplication;
let baseUrl: string;
let settings: Settings;

const serverLog = (): string => readFileSync(join(folder, 'server.log'), 'utf8');

beforeAll(async () => {
  folder = join(processes.dataFolder(), 'postgres');
  // As an administrator sets it who looks for slow statements: everything.
  postgres = await startEmbeddedPostgres(folder, { log_statement: 'all', log_min_duration_statement: '0' });
  const orm = await MikroORM.init(ormOptions(postgres.ownerUrl));
  await migrate(orm, { ownerUrl: postgres.ownerUrl, runtimeUrl: postgres.databaseUrl });
  await orm.close();
  settings = testSettings(postgres.databaseUrl, { DATA_DIR: processes.folder() });
  app = await createHttpApp(settings);
  await app.listen(0, '127.0.0.1');
  baseUrl = await app.getUrl();
});

afterAll(async () => {
  await closeApp(app);
  await postgres.stop();
  await processes.close();
});

describe("PostgreSQL's log, which tells every statement", () => {
  it('has no hash of a key, no e-mail, no password and no session of those who use the service', async () => {
    const request = async (
      path: string,
      body: unknown,
      headers: Record<string, string>,
    ): Promise<Response> => {
      const response = await fetch(`${baseUrl}/v1${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: baseUrl, ...headers },
        body: JSON.stringify(body),
      });
      expect(response.status).toBeLessThan(300);
      return response;
    };
    await request('/auth/sign-up/email', { email: EMAIL, password: PASSWORD }, {});
    const { token } = linkIn(await mailTo({ app, settings }, EMAIL));
    const confirmed = await request('/auth/confirm-email', { token, password: PASSWORD }, {});
    const cookie = confirmed.headers
      .getSetCookie()
      .map((line) => line.split(';')[0])
      .join('; ');
    const project = (await (
      await request('/projects', { name: PROJECT_NAME, domains: [] }, { cookie })
    ).json()) as {
      id: string;
    };
    const { key } = (await (
      await request(`/projects/${project.id}/api-keys`, { name: 'A key', role: 'owner' }, { cookie })
    ).json()) as { key: string };
    const seen = await fetch(`${baseUrl}/v1/projects/${project.id}`, {
      headers: { authorization: `Bearer ${key}` },
    });
    expect(seen.status).toBe(200);
    await request('/auth/sign-in/email', { email: EMAIL, password: PASSWORD }, {});

    // What PostgreSQL says of a unique index that refuses a value, it says with the value.
    const client = new Client(postgres.databaseUrl);
    await client.connect();
    const twice = client.query("insert into app_user (id, name, email) values (gen_random_uuid(), '', $1)", [
      EMAIL,
    ]);
    await expect(twice).rejects.toThrow('duplicate key');
    await client.end();

    // The look-up by the hash, with a place for it.
    await until('the statement is in the log', () => /"key_hash" = \$\d/.test(serverLog()));
    const session = decodeURIComponent(cookie.split('=')[1] ?? '').split('.')[0] ?? '';
    expect(session.length).toBeGreaterThan(16);
    const secrets = {
      hash: createHash('sha256').update(key).digest('hex'),
      key,
      token,
      EMAIL,
      PASSWORD,
      session,
      PROJECT_NAME,
    };
    const log = serverLog();
    expect(Object.entries(secrets).filter(([, value]) => log.includes(value))).toEqual([]);
  });
});
