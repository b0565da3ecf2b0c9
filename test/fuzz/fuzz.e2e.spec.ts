import { randomBytes, randomInt } from 'node:crypto';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../support/database/database.js';
import { readOperations } from '../support/rules/openapi.js';
import { type LoneService, startLoneService } from '../support/programs/processes.js';
import { RawClient, type RawRequest } from '../support/fakes/raw-request.js';
import {
  makeTestAuthority,
  type Receiver,
  startReceiver,
  type TestAuthority,
} from '../support/fakes/receiver.js';
import { until } from '../support/until.js';
import { BEHIND_LOOPBACK_PROXY } from '../support/people/user.js';
import { Refusals } from './refusals.js';
import { type FuzzRequest, requestsTo } from './requests.js';
import { Tally } from './tally.js';
import { VISITOR } from './values.js';
import { complaintAbout, SecretWatch } from './watch.js';
import { call, signUp, type Surroundings, World } from './world.js';

/** `npm run fuzz` sets both. */
const REQUESTS = Number(process.env['FUZZ_REQUESTS'] ?? 3000);
const SEED =
  process.env['FUZZ_SEED'] === 'random' ? randomInt(2 ** 31) : Number(process.env['FUZZ_SEED'] ?? 5);

/** Requests to one project; each new project starts complete. */
const PER_WORLD = 750;
const CONCURRENCY = 8;
/** The most extra requests for a route that none has entered yet; about one in ten passes the guards. */
const LATE_PER_ROUTE = 200;
/** A net, not a measure. */
const ANSWER_MAX_MS = 120_000;
const COMPLAINTS_MAX = 20;
const REFUSALS_KEPT_MAX = 2500;
const MS_PER_REQUEST_MAX = 20;
const REST_MAX_MS = 180_000;
/** Twice the time in which the service promises it. */
const SEALED_DEADLINE_MS = 120_000;
/** Beyond that the limits, and not the routes, have been tested. */
const TOO_MANY_SHARE_MAX = 0.02;
const ERROR_LEVEL = 50;
/** Causes for an alert in a signed event: it names something unknown, or a second subscription. */
const BILLING_ALERT = /_(unknown|mismatch)$|^second_live_subscription$/;

const ENCRYPTION_KEY = randomBytes(32).toString('base64');
const AUTH_SECRET = `auth${randomBytes(32).toString('hex')}`;
const WEBHOOK_SECRET = `whsec_${randomBytes(24).toString('hex')}`;

let authority: TestAuthority;
let database: TestDatabase;
let receiver: Receiver;
let service: LoneService;
let client: RawClient;
let around: Surroundings;
let watch: SecretWatch;
let worlds = 0;
const tally = new Tally();
const refusals = new Refusals(REFUSALS_KEPT_MAX);
const complaints: string[] = [];

beforeAll(async () => {
  authority = await makeTestAuthority();
  database = await createTestDatabase();
  receiver = await startReceiver(authority.authority);
  service = await startLoneService({
    ...BEHIND_LOOPBACK_PROXY,
    LOG_LEVEL: 'debug',
    NODE_ENV: 'development',
    DATABASE_URL: database.url,
    RUN_WORKER: 'true',
    INGEST_RATE_PER_MINUTE: '0',
    SECRET_KEYS: `k1:${ENCRYPTION_KEY}`,
    AUTH_SECRET,
    STRIPE_WEBHOOK_SECRETS: WEBHOOK_SECRET,
    FORWARDING_ALLOWED_PRIVATE_TARGETS: `127.0.0.1:${receiver.port}`,
    FORWARDING_EXTRA_CA_FILE: authority.caFile,
    FORWARDING_CONNECT_TIMEOUT_MS: '300',
    FORWARDING_TIMEOUT_MS: '1000',
    CUSTOM_DOMAIN_TARGET: 'edge.service.test',
    // Nothing answers: a check is unclear, at once.
    CUSTOM_DOMAIN_RESOLVERS: '127.0.0.1:9',
  });
  client = new RawClient(service.baseUrl, { connectionsMax: CONCURRENCY, timeoutMs: ANSWER_MAX_MS });
  watch = new SecretWatch([
    ['AUTH_SECRET', AUTH_SECRET],
    ['the encryption key', ENCRYPTION_KEY],
    ['the webhook secret', WEBHOOK_SECRET],
    ['a visitor’s key', VISITOR.visitorKey],
    ["the database's password", decodeURIComponent(new URL(database.url).password)],
  ]);
  around = await surroundings();
});

afterAll(async () => {
  client.close();
  await service.stop();
  await receiver.close();
  await database.close();
  authority.remove();
});

async function surroundings(): Promise<Surroundings> {
  const { baseUrl } = service;
  const query = (sql: string, parameters: unknown[]): Promise<unknown> => database.query(sql, parameters);
  const [stranger, gone] = await Promise.all([signUp({ baseUrl, query }), signUp({ baseUrl, query })]);
  const headers = { cookie: stranger.cookie };
  const project = await call(baseUrl, {
    method: 'POST',
    path: '/v1/projects',
    headers,
    body: { name: 'Other' },
  });
  const keys = `/v1/projects/${String(project['id'])}/api-keys`;
  const makeKey = () =>
    call(baseUrl, { method: 'POST', path: keys, headers, body: { name: 'k', role: 'owner' } });
  const [key, revoked] = await Promise.all([makeKey(), makeKey()]);
  await call(baseUrl, { method: 'DELETE', path: `${keys}/${String(revoked['id'])}`, headers });
  await database.query(`update user_session set expires_at = now() - interval '1 hour' where user_id = $1`, [
    gone.id,
  ]);
  return {
    baseUrl,
    query,
    endpointUrl: receiver.url,
    webhookSecret: WEBHOOK_SECRET,
    strangerKey: String(key['key']),
    revokedKey: String(revoked['key']),
    expiredCookie: gone.cookie,
  };
}

async function judge(request: FuzzRequest, sent: RawRequest): Promise<void> {
  const startedMs = performance.now();
  const answer = await client.send(sent).catch((error: Error) => `no answer: ${error.message}`);
  tally.tookMs(performance.now() - startedMs);
  let complaint: string | null;
  if (typeof answer === 'string') complaint = answer;
  else {
    const { status, text } = answer;
    tally.count(request, answer);
    if (status >= 400 && status < 500) {
      const code = /"code":"(\w+)"/.exec(text)?.[1] ?? '';
      refusals.add([request.method, request.operation.path, request.actor, status, code].join(' '), sent);
    }
    complaint = complaintAbout(request, answer, watch);
  }
  if (complaint && complaints.length < COMPLAINTS_MAX) complaints.push(described(sent, complaint));
}

function described({ method, path, headers, body }: RawRequest, complaint: string): string {
  const shown = [method, path, JSON.stringify(headers), String(body)].map((part) => part.slice(0, 300));
  return `${shown.join(' ')} => ${complaint.slice(0, 500)}`;
}

async function makeWorld(): Promise<World> {
  const world = await World.make(around);
  worlds += 1;
  for (const cookie of world.cookies) watch.addSession(cookie);
  return world;
}

async function fuzz(): Promise<void> {
  const arbitrary = requestsTo(readOperations(), receiver.url);
  for (let at = 0; at < REQUESTS; at += PER_WORLD) {
    const queue = fc.sample(arbitrary, { seed: SEED + at, numRuns: Math.min(PER_WORLD, REQUESTS - at) });
    const world = await makeWorld();
    const work = async (): Promise<void> => {
      for (let request = queue.pop(); request; request = queue.pop())
        await judge(request, world.resolve(request));
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, work));
    if (complaints.length === COMPLAINTS_MAX) return;
  }
}

/** Continues with the routes that were never entered, each in a fresh world. */
async function fuzzLeftOut(): Promise<void> {
  for (const operation of tally.neverPassed()) {
    const world = await makeWorld();
    const left = fc.sample(requestsTo([operation], receiver.url), { seed: SEED, numRuns: LATE_PER_ROUTE });
    for (const request of left) {
      await judge(request, world.resolve(request));
      if (tally.hasPassed(operation)) break;
    }
  }
}

/**
 * Lines of the log that tell of a failure of ours. A 503 that a route is documented with is none, nor is the alarm
 * about what a signed event says.
 */
function failuresIn(log: string): string[] {
  return log.split('\n').filter((line) => {
    if (!line.startsWith('{')) return /^\s+at |Error/.test(line);
    const { level, res, code } = JSON.parse(line) as {
      level: number;
      res?: { statusCode: number };
      code?: string;
    };
    return level >= ERROR_LEVEL && res?.statusCode !== 503 && !BILLING_ALERT.test(code ?? '');
  });
}

describe(`${REQUESTS} requests made of the OpenAPI document, seed ${SEED}`, () => {
  it(
    'are each answered in time, as the document and the contract say, and with no secret',
    async () => {
      process.stdout.write(`fuzz: ${REQUESTS} requests, seed ${SEED}\n`);
      await fuzz();
      expect(tally.total).toBe(REQUESTS);
      await fuzzLeftOut();
      process.stdout.write(`fuzz: ${tally.report()}\n`);
      expect(complaints).toEqual([]);
    },
    REQUESTS * MS_PER_REQUEST_MAX + REST_MAX_MS,
  );

  it('get past every guard: each route has succeeded, or refused for what it does', () => {
    expect(tally.neverPassed().map(({ method, path }) => `${method} ${path}`)).toEqual([]);
    expect(tally.shareOf(429)).toBeLessThan(TOO_MANY_SHARE_MAX);
    expect(tally.shareOf(200) + tally.shareOf(201)).toBeGreaterThan(0.1);
    expect(watch.sessionCount).toBeGreaterThan(5);
  });

  it('leave as many rows as successes, and no others', async () => {
    const [rows] = await database.query<Record<string, string>>(
      `select (select count(*) from consent_record) as consents, (select count(*) from project) as projects,
         (select count(*) from app_user) as users, (select count(*) from user_account) as accounts,
         (select count(*) from api_key) as keys, (select count(*) from erased_record) as erased`,
    );
    // A sign-up creates no user before its link is followed.
    const users = 2 + 3 * worlds;
    const { erased, ...left } = rows ?? {};
    expect(left).toEqual({
      consents: String(worlds + tally.made('consents') + tally.made('withdrawals') - Number(erased)),
      projects: String(1 + 2 * worlds + tally.made('projects') - tally.deletedProjects),
      users: String(users),
      accounts: String(users),
      keys: String(2 + 4 * worlds + tally.made('api-keys')),
    });
  });

  it(
    'change nothing where they are refused',
    async () => {
      // Events of unknown projects wait minutes for their next try, which would then be what changes something.
      await database.query(`update billing_event set status = 'dead' where status = 'pending'`);
      await database.query(`delete from outbox_message where topic = 'billing.event'`);
      await until(
        'all records are sealed',
        async () => {
          const [unsealed] = await database.query<{ count: string }>(
            `select (select count(*) from consent_record r where salt is not null and not exists (
                       select from evidence_leaf l where l.project_id = r.project_id and l.consent_id = r.id))
                  + (select count(*) from evidence_log where checkpoint_size < size) as count`,
          );
          return unsealed?.count === '0';
        },
        SEALED_DEADLINE_MS,
      );
      await until('the outbox is empty', async () => {
        const [waiting] = await database.query<{ count: string }>('select count(*) from outbox_message');
        return waiting?.count === '0';
      });
      const { changed, compared } = await refusals.sendAgain(client, database);
      process.stdout.write(`fuzz: ${refusals.kinds} kinds of refusal, ${compared} sent again\n`);
      expect(changed).toEqual([]);
      expect(compared).toBeGreaterThan(200);
    },
    REST_MAX_MS,
  );

  it('bring neither an error nor a secret into the log, at the level debug', async () => {
    expect((await fetch(`${service.baseUrl}/health/ready`)).status).toBe(200);
    const log = service.output();
    expect(log.split('\n').length).toBeGreaterThan(REQUESTS / 2);
    expect(failuresIn(log).slice(0, COMPLAINTS_MAX)).toEqual([]);
    const telling = log.split('\n').filter((line) => watch.findIn(line).length > 0);
    expect(telling.slice(0, COMPLAINTS_MAX)).toEqual([]);
  });

  it('and the watch would find every kind of secret', () => {
    watch.addSession(`auth.session_token=${'s'.repeat(32)}.signature; Path=/`);
    const planted = [
      ENCRYPTION_KEY,
      AUTH_SECRET,
      WEBHOOK_SECRET,
      VISITOR.visitorKey,
      around.strangerKey,
      's'.repeat(32),
    ];
    for (const secret of planted) expect(watch.findIn(`{"message":"no ${secret}."}`)).toHaveLength(1);
    expect(watch.findIn('{"message":"nothing"}')).toEqual([]);
    expect(failuresIn('{"level":50}\n    at file.js:1\n{"level":30}')).toHaveLength(2);
  });
});
