import { Agent, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { HostList } from '../../src/modules/domains/application/host-list.js';
import { AskServer } from '../../src/modules/domains/http/ask-server.js';
import { type DomainWorld, startDomainWorld } from '../support/people/custom-domain.js';
import { createTestProject, type TestProject } from '../support/people/project.js';
import { until } from '../support/until.js';

const HOSTS = 10_000;

let world: DomainWorld;
let project: TestProject;
let port: number;
const agent = new Agent({ keepAlive: true, maxSockets: 1 });

beforeAll(async () => {
  world = await startDomainWorld();
  project = await createTestProject(world.service, { domains: ['shop.example'] });
  const { server } = world.service.app.get(AskServer, { strict: false });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
  await insert('active', 'h', HOSTS);
  await refresh();
});
afterAll(async () => {
  agent.destroy();
  await world.service.app.get(AskServer, { strict: false }).close();
  await world.close();
});

const refresh = (): Promise<void> => world.service.app.get(HostList, { strict: false }).refresh();

/** Inserts `count` domains `<prefix><n>.shop.example`. */
async function insert(state: string, prefix: string, count: number, goodAt = 'now()'): Promise<void> {
  await world.service.database.query(
    `insert into custom_domain (id, project_id, hostname, token, state, state_since, created_at, next_check_at, good_at)
     select gen_random_uuid(), $1, $2 || n || '.shop.example', '', $3, now(), now(), now() + interval '1 day',
            ${goodAt} from generate_series(1, $4) n`,
    [project.id, prefix, state, count],
  );
}

const asking = (path: string, method = 'GET'): Promise<number> =>
  new Promise((resolve, reject) => {
    request({ agent, port, method, path }, (response) => {
      response.resume();
      response.once('end', () => resolve(response.statusCode ?? 0));
    })
      .once('error', reject)
      .end();
  });
const ask = (name: string): Promise<number> =>
  asking(`/api/internal/custom-domains/allowed?domain=${encodeURIComponent(name)}`);

/** Names that must never get a certificate, similar to valid ones. */
function hostileNames(): string[] {
  const bend: ((name: string) => string)[] = [
    (name) => `${name}.`,
    (name) => `x.${name}`,
    (name) => `${name}.evil.example`,
    (name) => `x${name}`,
    (name) => name.replace('.', '-'),
    (name) => name.replace('shop', 'shор'),
    (name) => `${name}\0`,
    (name) => `${name} `,
    (name) => `*.${name.slice(name.indexOf('.') + 1)}`,
    (name) => `${name}' or '1'='1`,
    (name) => `${name}:443`,
    (name) => `${name}/../h1.shop.example`,
    (name) => `${name}&domain=h1.shop.example`,
    (name) => `__proto__.${name}`,
    (name) => `${'a'.repeat(300)}.${name}`,
    () => `192.0.2.${Math.floor(Math.random() * 256)}`,
  ];
  return Array.from({ length: HOSTS }, (_, n) => bend[n % bend.length]!(`h${n + 1}.shop.example`));
}

/** Asks one after another. Returns the number of wrong answers. */
async function countWrong(names: string[], expected: number): Promise<number> {
  let wrong = 0;
  for (const name of names) if ((await ask(name)) !== expected) wrong += 1;
  return wrong;
}

const known = Array.from({ length: HOSTS }, (_, n) => `h${n + 1}.shop.example`);

/** The value of a metric by its name and labels; 0 without one. */
async function metric(name: string): Promise<number> {
  const text = await (await fetch(`${world.service.baseUrl}/metrics`)).text();
  const line = text.split('\n').find((found) => found.startsWith(`${name} `));
  return Number(line?.slice(name.length) ?? 0);
}
const countAnswers = (): Promise<number[]> =>
  Promise.all([200, 404].map((status) => metric(`custom_domain_ask_seconds_count{status="${status}"}`)));
const answerSeconds = (): Promise<number> => metric('custom_domain_ask_seconds_sum{status="200"}');

async function expectRightAnswers(): Promise<void> {
  expect(await countWrong(known, 200)).toBe(0);
  expect(await countWrong(hostileNames(), 404)).toBe(0);
}

describe('a question of the edge', () => {
  it('is answered right for 10,000 hosts and 10,000 hostile names, and is measured', async () => {
    const [before, secondsBefore] = [await countAnswers(), await answerSeconds()];
    const startedMs = performance.now();
    await expectRightAnswers();
    expect(await countAnswers()).toEqual(before.map((count) => count + HOSTS));
    const passedSeconds = (performance.now() - startedMs) / 1000;
    expect((await answerSeconds()) - secondsBefore).toBeLessThan(passedSeconds);
  });

  it.each([
    ['verified', "now() - interval '23 hours 59 minutes'", 200],
    ['failing', "now() - interval '23 hours 59 minutes'", 200],
    ['active', "now() - interval '24 hours'", 404],
    ['suspended', 'now()', 404],
    ['pending', 'null', 404],
  ])('about a host that is %s, last good %s, gets %d', async (state, goodAt, status) => {
    const prefix = `${state}-${status}-`;
    await insert(state, prefix, 1, goodAt);
    await refresh();
    expect(await ask(`${prefix}1.shop.example`)).toBe(status);
  });

  it('is a GET of this path alone', async () => {
    const path = '/api/internal/custom-domains/allowed?domain=h1.shop.example';
    expect(await asking(path)).toBe(200);
    expect(await asking(path, 'POST')).toBe(404);
    for (const other of [
      '/',
      '/health/live',
      '/v1/projects',
      path.replace('?domain=', '?name='),
      `${path}${'&'.repeat(1000)}`,
    ])
      expect(await asking(other)).toBe(404);
  });

  it('notes when a certificate was allowed', async () => {
    await insert('verified', 'asked', 1);
    await refresh();
    await ask('asked1.shop.example');
    await until('the time is stored', async () => {
      const [row] = await world.service.database.query<{ at: Date | null }>(
        `select certificate_asked_at as at from custom_domain where hostname = 'asked1.shop.example'`,
      );
      return row?.at ?? null;
    });
  });

  it('is not on the port of the API', async () => {
    const response = await fetch(
      `${world.service.baseUrl}/api/internal/custom-domains/allowed?domain=h1.shop.example`,
    );
    expect(response.status).toBe(404);
  });

  it('reaches a new host and forgets a removed one within seconds, by itself', async () => {
    await insert('verified', 'soon', 1);
    await until('it is allowed', async () => ((await ask('soon1.shop.example')) === 200 ? true : null));
    await world.service.database.query(`delete from custom_domain where hostname = 'soon1.shop.example'`);
    await until('it is forgotten', async () => ((await ask('soon1.shop.example')) === 404 ? true : null));
  });
});

it('the metrics show the age of the oldest good check of verified and active hosts alone', async () => {
  await insert('active', 'late', 1, "now() - interval '25 hours'");
  await insert('suspended', 'gone', 1, "now() - interval '3 days'");
  const [row] = await world.service.database.query<{ suspended: number }>(
    `select count(*)::int as suspended from custom_domain where state = 'suspended'`,
  );
  await until(
    'both are counted',
    async () => (await metric('custom_domains{state="suspended"}')) === row?.suspended,
  );
  const hours = (await metric('custom_domains_oldest_good_check_age_seconds')) / 3600;
  expect(hours).toBeGreaterThanOrEqual(25);
  expect(hours).toBeLessThan(48);
});

describe('while PostgreSQL is away', () => {
  it('all answers stay right, and new hosts follow once it is back', async () => {
    const { database } = world.service;
    const [row] = await database.query<{ name: string }>('select current_database() as name');
    const { name } = row!;
    await database.query(`revoke connect on database ${name} from public`);
    await database.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    );
    try {
      await refresh();
      await expectRightAnswers();
      expect((await fetch(`${world.service.baseUrl}/health/ready`)).status).toBe(503);
    } finally {
      await database.query(`grant connect on database ${name} to public`);
    }
    await insert('verified', 'back', 1);
    await until('it is allowed', async () => ((await ask('back1.shop.example')) === 200 ? true : null));
  });
});
