import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { createHttpApp } from '../../src/programs/http-app.js';
import { siteOrderingKey } from '../../src/modules/licensing/licensing.events.js';
import { newId } from '../../src/platform/identity/ids.js';
import { createTestProject, type TestProject } from '../support/people/project.js';
import { CREDENTIALS, type S3Request, startS3, type TestS3 } from '../support/fakes/s3.js';
import { startTestService, type TestService, testSettings } from '../support/programs/service.js';
import { until as untilDeadline } from '../support/until.js';

/** Writes are cut off after a tenth of it. */
const LEASE_MS = 20_000;
const DEADLINE_MS = 40_000;

const WORKER = {
  RUN_WORKER: 'true',
  OUTBOX_POLL_MS: '50',
  OUTBOX_LEASE_MS: String(LEASE_MS),
  FORWARDING_TIMEOUT_MS: '500',
};

const until = <T>(what: string, probe: () => T | Promise<T>): Promise<NonNullable<T>> =>
  untilDeadline(what, probe, DEADLINE_MS);

let s3: TestS3;
let service: TestService;

beforeAll(async () => {
  Object.assign(process.env, CREDENTIALS);
  s3 = await startS3();
});
afterAll(async () => {
  for (const name of Object.keys(CREDENTIALS)) delete process.env[name];
  await s3.close();
});
beforeEach(async () => {
  s3.behave(() => ({ kind: 'pass' }));
  s3.requests.length = 0;
  service = await startTestService({ ...WORKER, STORAGE_URL: s3.url });
});
afterEach(() => service.close());

const simulate = async (project: TestProject, tier: string): Promise<void> => {
  expect((await project.request('editor', 'POST', '/tier/simulate', { tier })).status).toBe(200);
};
/** null: there is no such object, or the test server is just writing it, which it does in the open. */
const tierIn = async (project: TestProject): Promise<string | null> => {
  try {
    const object = await s3.read(`${project.id}/config.json`);
    return object && (JSON.parse(object.body) as { tier: string }).tier;
  } catch {
    return null;
  }
};
const isPointer = ({ method, key }: S3Request): boolean => method === 'PUT' && key.endsWith('/config.json');
const tierOf = ({ body }: S3Request): string => (JSON.parse(body.toString()) as { tier: string }).tier;
const metric = async (name: string): Promise<number> => {
  const text = await (await fetch(`${service.baseUrl}/metrics`)).text();
  return Number(new RegExp(`^${name} (.*)$`, 'm').exec(text)?.[1]);
};
const messages = (project: TestProject): Promise<Record<string, unknown>[]> =>
  service.database.query('select failures, last_error, payload from outbox_message where ordering_key = $1', [
    siteOrderingKey(project.id),
  ]);

describe('publishing to S3', () => {
  it('spec §2.6: writes the immutable object first and the newest last, with the tier as metadata', async () => {
    const project = await createTestProject(service);
    await simulate(project, 'pro');
    await until('published', async () => (await tierIn(project)) === 'pro');
    const puts = s3.requests.filter(({ method }) => method === 'PUT');
    const hash = (JSON.parse(puts[0]?.body.toString() ?? '') as { configHash: string }).configHash;
    // A slow machine repeats a write whose response was late.
    expect([...new Set(puts.map(({ key }) => key))]).toEqual([
      `prefix/${project.id}/${hash}.json`,
      `prefix/${project.id}/loader.js`,
      `prefix/${project.id}/blocker.js`,
      `prefix/${project.id}/declaration.js`,
      `prefix/${project.id}/declaration.html`,
      `prefix/${project.id}/config.json`,
    ]);
    const newest = await s3.read(`${project.id}/config.json`);
    expect(Object.fromEntries(newest?.headers ?? [])).toMatchObject({
      'x-amz-meta-tier': 'pro',
      'content-type': 'application/json; charset=utf-8',
      'cache-control': expect.stringMatching(
        /^public, max-age=60, stale-while-revalidate=\d+, stale-if-error=\d+$/,
      ),
    });
    const immutable = await s3.read(`${project.id}/${hash}.json`);
    expect(Object.fromEntries(immutable?.headers ?? [])).toMatchObject({
      'x-amz-meta-tier': 'pro',
      'cache-control': 'public, max-age=31536000, immutable',
    });
    expect(immutable?.body).toBe(newest?.body);
    const loader = await s3.read(`${project.id}/loader.js`);
    expect(loader?.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
  });

  /** Holds the first write of an immutable object until `release`. */
  const holdFirstObject = (): { held: () => boolean; release: () => void } => {
    let holding = false;
    let release = (): void => {};
    const until = new Promise<void>((resolve) => (release = resolve));
    s3.behave((request) => {
      if (holding || request.method !== 'PUT') return { kind: 'pass' };
      holding = true;
      return { kind: 'late', until };
    });
    return { held: () => holding, release };
  };

  it('points at what holds when it is written, not at what held when its first object was', async () => {
    const project = await createTestProject(service);
    const { held, release } = holdFirstObject();
    await simulate(project, 'pro');
    await until('held', held);
    await simulate(project, 'business');
    release();
    await until('published', async () => (await tierIn(project)) === 'business');
    await until('settled', async () => (await messages(project)).length === 0);
    expect(new Set(s3.requests.filter(isPointer).map(tierOf))).toEqual(new Set(['business']));
  });

  it('writes no pointer once its lock is lost; the next attempt does', async () => {
    const project = await createTestProject(service);
    const { held, release } = holdFirstObject();
    await simulate(project, 'pro');
    await until('held', held);
    const holders = `select pid from pg_locks where locktype = 'advisory' and granted and classid = 7201128
      and database = (select oid from pg_database where datname = current_database())`;
    const ended = await service.database.query(
      `select pg_terminate_backend(pid) as ended from (${holders}) l`,
    );
    expect(ended).toEqual([{ ended: true }]);
    await until('the lock is gone', async () => (await service.database.query(holders)).length === 0);
    release();
    await until('published', async () => (await tierIn(project)) === 'pro');
    const puts = s3.requests.filter(({ method }) => method === 'PUT').map(({ key }) => key);
    const [first = ''] = puts;
    expect(
      puts
        .slice(
          0,
          puts.findIndex((key) => key.endsWith('/config.json')),
        )
        .filter((key) => key === first),
    ).toHaveLength(2);
  });

  it('serves what is in the bucket, as the origin of a CDN', async () => {
    const project = await createTestProject(service);
    const read = async (): Promise<unknown> =>
      (await fetch(`${service.baseUrl}/cdn/${project.id}/config.json`)).json();
    expect(await read()).toMatchObject({ tier: 'lite' });
    await simulate(project, 'pro');
    await until('published', async () => (await tierIn(project)) === 'pro');
    expect(await read()).toMatchObject({ tier: 'pro', region: 'XX' });
    expect((await fetch(`${service.baseUrl}/cdn/${newId()}/config.json`)).status).toBe(404);
  });

  it('removes the objects of a deleted project', async () => {
    const project = await createTestProject(service);
    const other = await createTestProject(service);
    for (const each of [project, other]) await simulate(each, 'pro');
    await until('published', async () => (await tierIn(project)) && (await tierIn(other)));
    expect((await project.request('owner', 'DELETE', '')).status).toBe(204);
    await until('removed', async () => (await tierIn(project)) === null);
    expect(await s3.read(`${project.id}/loader.js`)).toBeNull();
    expect(await tierIn(other)).toBe('pro');
  });

  it.each([
    ['503s', (): ReturnType<Parameters<TestS3['behave']>[0]> => ({ kind: 'answer', status: 503 })],
    ['403s', (): ReturnType<Parameters<TestS3['behave']>[0]> => ({ kind: 'answer', status: 403 })],
    ['silence', (): ReturnType<Parameters<TestS3['behave']>[0]> => ({ kind: 'hang' })],
  ])('tries as long as it takes through %s, and says so', async (_, behaviour) => {
    s3.behave(behaviour);
    const project = await createTestProject(service);
    await simulate(project, 'pro');
    await until('a failure', async () => Number((await messages(project))[0]?.failures) >= 1);
    expect((await messages(project))[0]?.last_error).toMatch(/^Object storage /);
    expect(await metric('publishing_storage_up')).toBe(0);
    expect(await metric('publishing_storage_failures_total')).toBeGreaterThanOrEqual(1);
    expect(await metric('publishing_waiting_changes')).toBe(1);
    expect(await metric('publishing_oldest_age_seconds')).toBeGreaterThan(0);
    // The rest of the service does not notice.
    expect((await fetch(`${service.baseUrl}/health/ready`)).status).toBe(200);
    await simulate(project, 'business');
    s3.behave(() => ({ kind: 'pass' }));
    await until('published', async () => (await tierIn(project)) === 'business');
    await until('up again', async () => (await metric('publishing_storage_up')) === 1);
  });

  it('keeps no more than a few attempts waiting on a storage that hangs', async () => {
    s3.behave(() => ({ kind: 'hang' }));
    const projects = await Promise.all(Array.from({ length: 12 }, () => createTestProject(service)));
    await Promise.all(projects.map((project) => simulate(project, 'pro')));
    await until('failures', async () => (await metric('publishing_storage_failures_total')) >= 1);
    await until('few in flight', async () => (await metric('outbox_in_flight')) <= 4);
    s3.behave(() => ({ kind: 'pass' }));
    await until('all published', async () =>
      (await Promise.all(projects.map(tierIn))).every((tier) => tier === 'pro'),
    );
  });

  it('does not write with wrong credentials', async () => {
    process.env.AWS_ACCESS_KEY_ID = 'WRONG';
    const other = await startTestService({ ...WORKER, STORAGE_URL: s3.url });
    try {
      const project = await createTestProject(other);
      await simulate(project, 'pro');
      await until('refused', async () => {
        const text = await (await fetch(`${other.baseUrl}/metrics`)).text();
        return /^publishing_storage_failures_total [1-9]/m.test(text);
      });
      expect(await tierIn(project)).toBeNull();
      const [row] = await other.database.query('select last_error from outbox_message');
      expect(row?.last_error).toMatch(/InvalidAccessKeyId/);
    } finally {
      Object.assign(process.env, CREDENTIALS);
      await other.close();
    }
  });
});

describe('two workers', () => {
  let second: NestExpressApplication;
  beforeEach(async () => {
    second = await createHttpApp(testSettings(service.database.url, { ...WORKER, STORAGE_URL: s3.url }));
    await second.init();
  });
  afterEach(() => second.close());

  it('never write an older version over a newer one, with a delayed storage', async () => {
    const project = await createTestProject(service);
    let release = (): void => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    let holding = false;
    s3.behave((request) => {
      if (holding || !isPointer(request)) return { kind: 'pass' };
      holding = true;
      return { kind: 'late', until: held };
    });
    await simulate(project, 'pro');
    await until('held', () => holding);
    await simulate(project, 'business');
    await until('the newer one waits for the lock, or has been written past it', async () => {
      const waiting = await service.database.query(
        `select from pg_locks where locktype = 'advisory' and not granted
           and database = (select oid from pg_database where datname = current_database())`,
      );
      return waiting.length > 0 || s3.requests.filter(isPointer).length > 1;
    });
    expect(s3.requests.filter(isPointer).map(tierOf)).toEqual(['pro']);
    release();
    await until('business', async () => (await tierIn(project)) === 'business');
    await until('settled', async () => (await messages(project)).length === 0);
    expect(await tierIn(project)).toBe('business');
    expect(s3.requests.filter(isPointer).map(tierOf).at(-1)).toBe('business');
  });

  it('put right what a write did that was given up and was carried out all the same', async () => {
    const project = await createTestProject(service);
    let release = (): void => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    let holding = false;
    s3.behave((request) => {
      if (holding || !isPointer(request)) return { kind: 'pass' };
      holding = true;
      return { kind: 'late', until: held };
    });
    await simulate(project, 'pro');
    await until('held', () => holding);
    await simulate(project, 'business');
    await until('business', async () => (await tierIn(project)) === 'business');
    const waiting = await until('only a recheck waits', async () => {
      const rows = await messages(project);
      return rows.every(({ payload, failures }) => payload !== null && failures === 1) ? rows : null;
    });
    expect(waiting).toHaveLength(1);
    release();
    await until('the old one landed', async () => (await tierIn(project)) === 'pro');
    await service.database.query('update outbox_message set available_at = now()');
    await until('business again', async () => (await tierIn(project)) === 'business');
  });

  it('end with the newest of many changes, written in order', async () => {
    const projects = await Promise.all(Array.from({ length: 5 }, () => createTestProject(service)));
    const tiers = ['pro', 'business', 'lite', 'enterprise', 'pro', 'lite', 'business'];
    s3.behave(() => ({ kind: 'late', until: new Promise((done) => setTimeout(done, Math.random() * 20)) }));
    await Promise.all(
      projects.map(async (project) => {
        for (const tier of tiers) await simulate(project, tier);
      }),
    );
    await until(
      'settled',
      async () => (await service.database.query('select from outbox_message')).length === 0,
    );
    for (const project of projects) {
      expect(await tierIn(project)).toBe('business');
      const published = await service.database.query<{ tier: string }>(
        'select tier from publication where project_id = $1 order by version',
        [project.id],
      );
      // A subsequence of the changes, in their order.
      let position = -1;
      for (const { tier } of published) {
        position = tiers.indexOf(tier, position + 1);
        expect(position).toBeGreaterThanOrEqual(0);
      }
    }
  });
});
