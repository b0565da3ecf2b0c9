import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../support/database/database.js';
import { callApi, CREDENTIALS, postConsent, signUpWithReceiver } from '../support/people/owner.js';
import { Processes } from '../support/programs/processes.js';
import {
  makeTestAuthority,
  type Receiver,
  startReceiver,
  type TestAuthority,
} from '../support/fakes/receiver.js';
import { until } from '../support/until.js';

const RECORDS = 5;
const SEALED_DEADLINE_MS = 60_000;
const TOKEN = randomBytes(32).toString('base64url');

const processes = new Processes();
let authority: TestAuthority;
let receiver: Receiver;
let target: TestDatabase;
let dataDir: string;

beforeAll(async () => {
  authority = await makeTestAuthority();
  receiver = await startReceiver(authority.authority);
  target = await createTestDatabase();
  dataDir = processes.dataFolder();
});

afterAll(async () => {
  await processes.close();
  await receiver.close();
  await target.close();
  authority.remove();
});

const receivers = (): Record<string, string> => ({
  FORWARDING_ALLOWED_PRIVATE_TARGETS: `127.0.0.1:${receiver.port}`,
  FORWARDING_EXTRA_CA_FILE: authority.caFile,
});

function ops(...args: string[]): Promise<{ code: number; text: string }> {
  const env = { PATH: process.env['PATH'] ?? '', DATA_DIR: dataDir };
  return new Promise((end) =>
    execFile(process.execPath, ['dist/ops.js', ...args], { env }, (error, stdout, stderr) =>
      end({ code: error ? Number(error.code) : 0, text: stdout + stderr }),
    ),
  );
}

describe('npm run ops -- database copy', () => {
  it('takes a project from one machine to many: its records, its people, its receiver', async () => {
    const api = await processes.startApi({ environment: { DATA_DIR: dataDir, ...receivers() } });
    await api.ready();
    const project = await signUpWithReceiver(api, {
      endpointUrl: receiver.url,
      bearerToken: TOKEN,
      createAccount: async (email) => (await ops('account', 'create', email)).text,
      grantPro: async (projectId) => {
        const grant = ['--until', '2100-01-01T00:00:00Z', '--reason', 'a test', '--by', 'somebody'];
        expect(await ops('billing', 'grant', projectId, 'pro', ...grant)).toMatchObject({ code: 0 });
      },
    });
    for (let n = 0; n < RECORDS; n++) await postConsent(api, project.id);
    await until('they are delivered', () => receiver.requests.length === RECORDS);

    const copy = ['database', 'copy', '--to', target.ownerUrl];
    const whileRunning = await ops(...copy);
    expect(whileRunning.code).toBe(1);
    expect(whileRunning.text).toContain('is in use by another instance');
    expect(await api.stop()).toEqual({ code: 0, signal: null });

    const { code, text } = await ops(...copy);
    expect({ code, text }).toMatchObject({ code: 0 });
    expect(text).toMatch(new RegExp(`^ +${RECORDS}  consent_record$`, 'm'));
    expect(text).toMatch(/^ +1 {2}project$/m);
    expect(await ops(...copy)).toEqual({
      code: 1,
      text: 'The target already contains projects, users, or records. Nothing was copied.\n',
    });

    const secrets = JSON.parse(readFileSync(join(dataDir, 'secrets.json'), 'utf8')) as Record<string, string>;
    const moved = await processes.startApi({
      environment: {
        NODE_ENV: 'test',
        DATABASE_URL: target.url,
        RUN_WORKER: 'true',
        SECRET_KEYS: `dev:${secrets['encryptionKey']}`,
        AUTH_SECRET: secrets['authSecret'] ?? '',
        DATA_DIR: processes.folder(),
        EVIDENCE_KEYS: `e1:${randomBytes(32).toString('base64')}`,
        EVIDENCE_SEAL_SECONDS: '1',
        ...receivers(),
      },
    });
    await moved.ready();
    const { cookie: session } = await callApi(moved, 'POST', '/auth/sign-in/email', CREDENTIALS);
    const { value: list } = await callApi<{ items: { additionalFields: unknown }[] }>(
      moved,
      'GET',
      `/projects/${project.id}/consents`,
      null,
      session,
    );
    expect(list.items).toHaveLength(RECORDS);
    await until(
      'they are sealed anew',
      async () => {
        const { value } = await callApi<{ size: number }>(
          moved,
          'GET',
          `/projects/${project.id}/log`,
          null,
          session,
        );
        // Before the records, the log states that no former checkpoint is known here.
        return value.size === RECORDS + 1;
      },
      SEALED_DEADLINE_MS,
    );
    expect(list.items[0]?.additionalFields).toEqual({
      policy: { version: '2026-11', notes: ['ünï', null, 1.5] },
    });
    const { value: fresh } = await postConsent(moved, project.id);
    const arrived = await until('it is delivered', () =>
      receiver.requests.find(({ headers }) => headers['webhook-id'] === fresh.id),
    );
    expect(arrived.headers['authorization']).toBe(`Bearer ${TOKEN}`);
    expect(await target.query('select from project where demo')).toEqual([]);
    expect(await target.query('select email from app_user')).toEqual([{ email: CREDENTIALS.email }]);
    const prices = await target.query<{ price_id: string }>('select price_id from billing_price');
    expect(prices.filter(({ price_id }) => price_id.startsWith('price_demo_'))).toEqual([]);
    expect(await moved.stop()).toEqual({ code: 0, signal: null });
  });

  it('wants a URL that is one, and a place where there is something to copy', async () => {
    expect(await ops('database', 'copy', '--to', 'db.example.com')).toMatchObject({ code: 2 });
    expect(await ops('database', 'copy')).toMatchObject({ code: 2 });
    dataDir = join(dataDir, 'nowhere');
    const { code, text } = await ops('database', 'copy', '--to', target.ownerUrl);
    expect({ code, text }).toEqual({ code: 1, text: `No database in ${dataDir}.\n` });
  });
});
