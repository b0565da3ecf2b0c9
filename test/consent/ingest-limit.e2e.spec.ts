import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { NETWORKS_PER_SITE } from '../../src/platform/network/client-network.js';
import { CHOICE } from '../support/programs/pipeline.js';
import { createTestProject } from '../support/people/project.js';
import { startTestService, type TestService } from '../support/programs/service.js';
import { until } from '../support/until.js';

describe('rate limit of the ingest', () => {
  it('answers 429 with Retry-After, per project', async () => {
    const service = await startTestService({ INGEST_RATE_PER_MINUTE: '3' });
    const [one, other] = [await createTestProject(service), await createTestProject(service)];
    const post = (projectId: string): Promise<Response> =>
      fetch(`${service.baseUrl}/v1/projects/${projectId}/consents`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(CHOICE),
      });
    for (let i = 0; i < 3; i++) expect((await post(one.id)).status).toBe(201);
    const refused = await post(one.id);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await refused.json()).toMatchObject({ code: 'too_many_requests' });
    expect((await post(other.id)).status).toBe(201);
    await service.close();
  });

  it.each([
    ['a trusted proxy', '127.0.0.1', [201, 429, 201]],
    ['nobody in particular', '', [201, 429, 429]],
  ])(
    'counts the address that X-Forwarded-For names where it comes from %s',
    async (_name, proxies, statuses) => {
      const service = await startTestService({ INGEST_RATE_PER_MINUTE: '1', TRUSTED_PROXIES: proxies });
      const project = await createTestProject(service);
      const answers = [];
      for (const address of ['203.0.113.1', '198.51.100.7, 203.0.113.1', '203.0.113.2'])
        answers.push(
          await fetch(`${service.baseUrl}/v1/projects/${project.id}/consents`, {
            method: 'POST',
            headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
            body: JSON.stringify(CHOICE),
          }),
        );
      expect(answers.map(({ status }) => status)).toEqual(statuses);
      await service.close();
    },
  );
});

describe('whoever wants to get around the rate limit', () => {
  const PER_PROJECT = 20;
  const PER_NETWORK = 200;
  let service: TestService;

  beforeAll(async () => {
    service = await startTestService({
      INGEST_RATE_PER_MINUTE: String(PER_PROJECT),
      INGEST_NETWORK_RATE_PER_MINUTE: String(PER_NETWORK),
      TRUSTED_PROXIES: '127.0.0.1',
    });
  });
  afterAll(() => service.close());

  const post = async (projectId: string, address: string): Promise<number> => {
    const response = await fetch(`${service.baseUrl}/v1/projects/${projectId}/consents`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
      body: JSON.stringify(CHOICE),
    });
    await response.arrayBuffer();
    return response.status;
  };
  const tally = (statuses: number[]): Record<number, number> =>
    Object.fromEntries(
      [...Map.groupBy(statuses, (status) => status)].map(([status, all]) => [status, all.length]),
    );

  it('has one counter however the project id is spelt', async () => {
    // With letters enough to be spelt in 64 ways.
    const id = 'abcdefab-cdef-7abc-8def-abcdefabcdef';
    await service.database.query(`insert into project (id, name) values ($1, 'A project')`, [id]);
    const letters = [...id].flatMap((character, at) => (/[a-f]/.test(character) ? [at] : []));
    const spelling = (n: number): string =>
      [...id]
        .map((c, at) => ((n >> letters.indexOf(at)) & 1 && letters.includes(at) ? c.toUpperCase() : c))
        .join('');
    const spellings = [...new Set(Array.from({ length: 64 }, (_, n) => spelling(n)))];
    expect(spellings).toHaveLength(64);
    const statuses = await Promise.all(spellings.map((spelt) => post(spelt, '203.0.113.10')));
    expect(tally(statuses)).toEqual({ 201: PER_PROJECT, 429: spellings.length - PER_PROJECT });
  });

  it('has one counter over all projects, in which one that does not exist counts tenfold', async () => {
    const statuses: number[] = [];
    for (let n = 0; n < 30; n++) statuses.push(await post(randomUUID(), '203.0.113.20'));
    expect(tally(statuses)).toEqual({ 404: PER_NETWORK / 10, 429: 30 - PER_NETWORK / 10 });
    expect(statuses.lastIndexOf(404)).toBeLessThan(statuses.indexOf(429));
    const { id } = await createTestProject(service);
    expect([await post(id, '203.0.113.20'), await post(id, '203.0.113.21')]).toEqual([429, 201]);
    // The guesses of a whole IPv6 /64 count together.
    const guesses: number[] = [];
    for (let n = 0; n < 30; n++) guesses.push(await post(randomUUID(), `2001:db8:2:2:${n}::1`));
    expect(tally(guesses)).toEqual({ 404: PER_NETWORK / 10, 429: 30 - PER_NETWORK / 10 });
  });

  it('is one network in the whole of an IPv6 /64, and another one beside it', async () => {
    const { id } = await createTestProject(service);
    const from = (host: string): Promise<number> => post(id, `2001:db8:1:2:${host}`);
    for (let n = 0; n < PER_PROJECT; n++) expect(await from(`${n + 1}::1`)).toBe(201);
    expect(await from('ffff::1')).toBe(429);
    expect(await post(id, '2001:db8:1:3::1')).toBe(201);
  });

  it('has one counter for an IPv6 /48, of which one client may hold all networks', async () => {
    const { id } = await createTestProject(service);
    const from = (network: number, site = 9): Promise<number> =>
      post(id, `2001:db8:${site}:${network.toString(16)}::1`);
    const sent: number[] = [];
    for (let n = 0; n < PER_NETWORK * NETWORKS_PER_SITE + 20; n += 20)
      sent.push(...(await Promise.all(Array.from({ length: 20 }, (_, at) => from(n + at)))));
    expect(tally(sent)).toEqual({ 201: PER_NETWORK * NETWORKS_PER_SITE, 429: 20 });
    expect([await from(0x10_00), await from(0, 10)]).toEqual([429, 201]);
    expect(await post(id, '203.0.113.40')).toBe(201);
  });

  it('does not reach the database with the same unknown project again, for some seconds', async () => {
    const id = randomUUID();
    expect(await post(id, '203.0.113.30')).toBe(404);
    // Would be found if it were looked for.
    await service.database.query(`insert into project (id, name) values ($1, 'A project')`, [id]);
    expect(await post(id, '203.0.113.31')).toBe(404);
    await until(
      'it is looked for again',
      async () => (await post(id, `203.0.113.${32 + Math.floor(Math.random() * 200)}`)) === 201,
    );
  });
});
