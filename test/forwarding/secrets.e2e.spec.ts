import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../support/database/database.js';
import type { Json } from '../support/people/json.js';
import { CHOICE } from '../support/programs/pipeline.js';
import { type LoneService, startLoneService } from '../support/programs/processes.js';
import {
  makeTestAuthority,
  type Receiver,
  startReceiver,
  type TestAuthority,
} from '../support/fakes/receiver.js';
import { until } from '../support/until.js';
import { insertAccount } from '../support/people/user.js';

const TOKEN = `token-${randomBytes(32).toString('hex')}`;
const PASSWORD = `password-${randomBytes(16).toString('hex')}`;
const AUTH_SECRET = `auth-${randomBytes(32).toString('hex')}`;
const ENCRYPTION_KEY = randomBytes(32).toString('base64');
const PATH_SECRET = `path-${randomBytes(16).toString('hex')}`;
const VISITOR_FIELD = `visitor-${randomBytes(16).toString('hex')}`;

/** The whole service at its highest log level, in a separate process: its output is the complete log. */
describe('secrets (spec §5.2, §5.3)', () => {
  let authority: TestAuthority;
  let database: TestDatabase;
  let receiver: Receiver;
  let service: LoneService;
  let cookie = '';
  let apiKey = '';
  let projectId = '';
  /** Every answer but the two that exist to hand a secret over, once. */
  const answers: string[] = [];

  beforeAll(async () => {
    authority = await makeTestAuthority();
    database = await createTestDatabase();
    receiver = await startReceiver(authority.authority, {
      behaviour: { kind: 'answer', status: 401, body: `{"error":"wrong token ${TOKEN}"}` },
    });
    service = await startLoneService({
      LOG_LEVEL: 'trace',
      NODE_ENV: 'development',
      DATABASE_URL: database.url,
      RUN_WORKER: 'true',
      OUTBOX_POLL_MS: '100',
      SECRET_KEYS: `k1:${ENCRYPTION_KEY}`,
      AUTH_SECRET,
      FORWARDING_ALLOWED_PRIVATE_TARGETS: `127.0.0.1:${receiver.port}`,
      FORWARDING_EXTRA_CA_FILE: authority.caFile,
    });
    await useEverything();
  });

  afterAll(async () => {
    await service.stop();
    await receiver.close();
    await database.close();
    authority.remove();
  });

  async function call(
    method: string,
    path: string,
    body?: unknown,
    { keep = true, headers = {} }: { keep?: boolean; headers?: Record<string, string> } = {},
  ): Promise<{ response: Response; body: Json }> {
    const response = await fetch(`${service.baseUrl}/v1${path}`, {
      method,
      headers: {
        ...(apiKey ? { authorization: `Bearer ${apiKey}` } : cookie && { cookie }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const told = [...response.headers].filter(([name]) => name !== 'set-cookie');
    if (keep) answers.push(`${method} ${path} ${response.status} ${JSON.stringify(told)} ${text}`);
    return { response, body: (text.startsWith('{') ? JSON.parse(text) : {}) as Json };
  }

  /** Signs up, sets forwarding up, fails to deliver, asks for everything, and asks wrongly. */
  async function useEverything(): Promise<void> {
    const email = 'owner@example.com';
    await call('POST', '/auth/sign-up/email', {
      email: 'other@example.com',
      password: PASSWORD,
      name: 'Other',
    });
    await insertAccount((sql, parameters) => database.query(sql, parameters), { email, password: PASSWORD });
    const signedIn = await call('POST', '/auth/sign-in/email', { email, password: PASSWORD });
    cookie = signedIn.response.headers
      .getSetCookie()
      .map((line) => line.split(';')[0])
      .join('; ');
    await call('POST', '/auth/sign-in/email', { email: 'owner@example.com', password: `${PASSWORD}x` });
    projectId = String((await call('POST', '/projects', { name: 'Shop' })).body['id']);
    const keyed = await call(
      'POST',
      `/projects/${projectId}/api-keys`,
      { name: 'k', role: 'owner' },
      {
        keep: false,
      },
    );
    const key = String(keyed.body['key']);
    expect(key.length).toBeGreaterThan(20);
    await call('GET', '/me');
    apiKey = key;
    const settings = { enabled: true, endpointUrl: `${receiver.url}?key=${PATH_SECRET}`, authMode: 'bearer' };
    const at = `/projects/${projectId}`;
    await call('POST', `${at}/tier/simulate`, { tier: 'business' });
    await call('PUT', `${at}/forwarding`, {
      ...settings,
      endpointUrl: 'http://x.example.com',
      bearerToken: TOKEN,
    });
    await call('PUT', `${at}/forwarding`, { ...settings, authMode: TOKEN, bearerToken: TOKEN });
    await call(
      'PUT',
      `${at}/forwarding`,
      { ...settings, [TOKEN]: 1, bearerToken: `${TOKEN}\n` },
      { keep: false },
    );
    await call('PUT', `${at}/forwarding`, `{"bearerToken":"${TOKEN}"`);
    const { response } = await call(
      'PUT',
      `${at}/forwarding`,
      { ...settings, bearerToken: TOKEN },
      { keep: false },
    );
    expect(response.status).toBe(200);
    await call('POST', `${at}/forwarding/test`);
    await call('POST', `${at}/consents`, { ...CHOICE, note: VISITOR_FIELD }, { keep: false });
    await call('POST', `${at}/consents`, { ...CHOICE, action: 7, note: VISITOR_FIELD });
    await until('a failed delivery', async () => {
      const { body } = await call('GET', at);
      return body['lastFailureReason'];
    });
    // A stored token that cannot be opened, and a handler that meets a broken row, are errors that are logged.
    await database.query(`update forwarding_settings set token_ciphertext = '\\x00'`);
    await call('POST', `${at}/consents`, CHOICE);
    await until('the second failed delivery', async () => {
      const { body } = await call('GET', `${at}/forwarding/deliveries`);
      return (body['items'] as Json[]).length === 2;
    });
    for (const path of ['', '/members', '/api-keys', '/forwarding/deliveries', '/tier'])
      await call('GET', `${at}${path}`);
    await call('GET', `${at}/forwarding?bearerToken=${TOKEN}`, undefined, { keep: false });
    await call('GET', '/me', undefined, { headers: { authorization: `Bearer ${apiKey}x` } });
    // The database goes away under a request: drivers like to tell of their connection then.
    await database.query('alter table forwarding_settings rename to gone');
    try {
      expect((await call('GET', `${at}/forwarding`)).response.status).toBe(500);
    } finally {
      await database.query('alter table gone rename to forwarding_settings');
    }
  }

  /** The database holds it bare; only with the signature behind it, which is made of AUTH_SECRET, it opens. */
  const sessionToken = (): string => decodeURIComponent(cookie.split('=')[1] ?? '').split('.')[0] ?? '';

  const secrets = (): [string, string][] => [
    ['the bearer token', TOKEN],
    ['the API key', apiKey],
    ['the password', PASSWORD],
    ['the session', sessionToken()],
    ['AUTH_SECRET', AUTH_SECRET],
    ['the encryption key', ENCRYPTION_KEY],
    ["the database's password", decodeURIComponent(new URL(database.url).password)],
  ];

  it('are in no line of the log, at its most talkative', async () => {
    // The answer may be here before the line is.
    await until('the failure is logged', () => service.output().includes('"level":50'));
    const log = service.output();
    expect(log).toContain(projectId);
    expect(log.split('\n').length).toBeGreaterThan(20);
    for (const [what, secret] of [...secrets(), ["the endpoint's query", PATH_SECRET] as const]) {
      expect(secret.length).toBeGreaterThan(8);
      expect({ what, found: log.includes(secret) }).toEqual({ what, found: false });
    }
  });

  it('nor is anything that visitors sent, or where they came from', () => {
    expect(service.output()).not.toContain(VISITOR_FIELD);
    expect(service.output()).not.toMatch(/"remoteAddress"|"ip"/);
  });

  it('are in no answer', () => {
    expect(answers.length).toBeGreaterThan(15);
    for (const [what, secret] of secrets()) {
      const found = answers.filter((answer) => answer.includes(secret));
      expect({ what, found }).toEqual({ what, found: [] });
    }
  });

  it('are in the database only encrypted or hashed', async () => {
    const tables = await database.query<{ name: string }>(
      `select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`,
    );
    const dump: string[] = [];
    for (const { name } of tables) {
      const rows = await database.query<{ row: string }>(`select t::text as row from "${name}" t`);
      dump.push(...rows.map(({ row }) => row));
    }
    const text = dump.join('\n');
    expect(text).toContain('owner@example.com');
    const bare = await fetch(`${service.baseUrl}/v1/me`, {
      headers: { cookie: `${cookie.split('=')[0]}=${sessionToken()}` },
    });
    expect(bare.status).toBe(401);
    for (const [what, secret] of secrets().filter(([, secret]) => secret !== sessionToken())) {
      expect({ what, found: text.includes(secret) }).toEqual({ what, found: false });
    }
  });
});
