import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { VisitCounter, VisitRetention } from '../../src/modules/visits/application/visit-counter.js';
import { Metrics } from '../../src/platform/operations/metrics.js';
import { newId } from '../../src/platform/identity/ids.js';
import type { Json } from '../support/people/json.js';
import { createTestProject, type TestProject } from '../support/people/project.js';
import { startTestService, type TestService } from '../support/programs/service.js';
import { writeSubscription } from '../support/people/subscription.js';

const PHONE = 'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1 Mobile/15E148';
const DESKTOP = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36';
/** As documented, and not as the source has it: a write of more rows takes several statements. */
const ROWS_PER_STATEMENT = 1_000;
const NONE = { visits: 0, shown: 0, chosen: 0, ignored: 0, interactionRate: null };

interface Sent {
  origin?: string | null;
  body?: unknown;
  headers?: Record<string, string>;
}

describe('site analytics (spec §8)', () => {
  let service: TestService;
  let project: TestProject;
  beforeAll(async () => {
    service = await startTestService({ VISIT_RATE_PER_MINUTE: '40', TRUSTED_PROXIES: '127.0.0.1' });
    project = await createTestProject(service, { domains: ['example.com'] });
    await writeSubscription(service, project.id, { tier: 'business' });
  });
  afterAll(() => service.close());

  const visit = (to: { id: string }, { origin = 'https://www.example.com', body = {}, headers }: Sent = {}) =>
    fetch(`${service.baseUrl}/v1/projects/${to.id}/visits`, {
      method: 'POST',
      headers: {
        'content-type': 'text/plain;charset=UTF-8',
        'user-agent': DESKTOP,
        'accept-language': 'fr-FR,fr;q=0.9',
        ...(origin !== null && { origin }),
        ...headers,
      },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  const flush = (): Promise<void> => service.app.get(VisitCounter, { strict: false }).flush();
  const hostsOf = (of: { id: string }) =>
    service.database.query(
      `select name, visits::int from site_visit where dimension = 'hostname' and project_id = $1 order by name`,
      [of.id],
    );
  const site = async (query = ''): Promise<Json> =>
    (await project.request('viewer', 'GET', `/analytics/site${query}`)).json() as Promise<Json>;

  it('counts views by host, country, language and device, and what became of the banner', async () => {
    const answers = [
      await visit(project, { body: { region: 'FR' } }),
      await visit(project, { body: { banner: 'chosen', region: 'US-CA' }, headers: { 'user-agent': PHONE } }),
      await visit(project, { body: { banner: 'ignored', region: 'FR' }, origin: 'https://example.com' }),
      await visit(project, { body: { banner: 'ignored', region: 'nowhere' } }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([204, 204, 204, 204]);
    expect(answers[0]?.headers.get('access-control-allow-origin')).toBe('*');
    await flush();
    const counts = { visits: 4, shown: 3, chosen: 1, ignored: 2, interactionRate: 0.3333 };
    const answer = await site();
    expect(answer.totals).toEqual(counts);
    expect((answer.series as Json[]).filter(({ visits }) => visits !== 0)).toEqual([
      expect.objectContaining(counts),
    ]);
    const names = (by: string): unknown => (answer[by] as Json[]).map(({ name, visits }) => [name, visits]);
    expect(names('byHostname')).toEqual([
      ['www.example.com', 3],
      ['example.com', 1],
    ]);
    expect(names('byRegion')).toEqual([
      ['FR', 2],
      ['US', 1],
      [null, 1],
    ]);
    expect(names('byLanguage')).toEqual([['fr', 4]]);
    expect(names('byDevice')).toEqual([
      ['desktop', 3],
      ['phone', 1],
    ]);

    await visit(project, { body: { banner: 'chosen' } });
    await flush();
    expect((await site('?interval=hour')).totals).toMatchObject({ visits: 5, chosen: 2, ignored: 2 });
    expect((await site('?from=2026-01-01&to=2026-01-03')).series).toEqual([
      { at: '2026-01-01T00:00:00.000Z', ...NONE },
      { at: '2026-01-02T00:00:00.000Z', ...NONE },
    ]);
  });

  it('counts a period up to the hour of its end, and not the rest of its last day', async () => {
    const other = await createTestProject(service, { tier: 'business' });
    for (const hour of ['03', '04', '05'])
      await service.database.query(
        `insert into site_visit (project_id, at, dimension, name, visits, chosen, ignored, last_seen_at)
         values ($1, $2, 'device', 'phone', 1, 0, 0, $2)`,
        [other.id, `2026-01-02T${hour}:00:00Z`],
      );
    for (const [to, visits, end] of [
      ['04:00:00.000', 1, '04:00:00.000'],
      ['04:00:00.001', 2, '05:00:00.000'],
      ['05:00:00.000', 2, '05:00:00.000'],
      ['05:00:00.001', 3, '06:00:00.000'],
    ] as const)
      for (const interval of ['day', 'hour']) {
        const answer = await other.request(
          ...(['viewer', 'GET'] as const),
          `/analytics/site?from=2026-01-01&to=2026-01-02T${to}Z&interval=${interval}`,
        );
        expect(await answer.json()).toMatchObject({
          to: `2026-01-02T${end}Z`,
          totals: { visits },
          byDevice: [{ name: 'phone', visits }],
        });
      }
  });

  it('keeps nothing that tells visitors apart', async () => {
    const columns = await service.database.query(
      `select column_name from information_schema.columns where table_name = 'site_visit'`,
    );
    expect(columns.map(({ column_name: name }) => name).toSorted()).toEqual(
      ['at', 'chosen', 'dimension', 'ignored', 'last_seen_at', 'name', 'project_id', 'visits'].toSorted(),
    );
    const [{ rows } = {}] = await service.database.query(
      `select count(distinct (dimension, name))::int as rows from site_visit where project_id = $1`,
      [project.id],
    );
    // Two hosts, three countries, a language, two devices: no combination of them.
    expect(rows).toBe(8);
  });

  it('tells every tier where the loader was seen last', async () => {
    const lite = await createTestProject(service);
    const seen = async (): Promise<Json> =>
      (await lite.request('viewer', 'GET', '/analytics/last-seen')).json() as Promise<Json>;
    expect(await seen()).toEqual({ items: [] });
    const before = new Date();
    await visit(lite, { origin: 'https://one.example' });
    // Instants have millisecond resolution, so the next one must be in a later millisecond.
    await new Promise((wake) => setTimeout(wake, 5));
    await visit(lite, { origin: 'https://two.example' });
    await visit(lite, { origin: 'null' });
    await flush();
    const { items } = (await seen()) as { items: { hostname: string; lastSeenAt: string }[] };
    expect(items.map(({ hostname }) => hostname)).toEqual(['two.example', 'one.example']);
    for (const { lastSeenAt } of items) expect(new Date(lastSeenAt) >= before).toBe(true);
    const refused = await lite.request('viewer', 'GET', '/analytics/site');
    expect([refused.status, await refused.json()]).toMatchObject([403, { code: 'tier_required' }]);
  });

  it.each<[string, Sent, number, string]>([
    ['another site', { origin: 'https://evil.test' }, 403, 'origin_not_allowed'],
    ['no page at all', { origin: null }, 403, 'origin_not_allowed'],
    ['no JSON', { body: '{' }, 400, 'body_not_json'],
    ['an empty body', { body: '' }, 400, 'body_not_json'],
    ['a word that is none of ours', { body: { banner: 'seen' } }, 422, 'validation_failed'],
    ['a list', { body: '[]' }, 422, 'validation_failed'],
    ['a long body', { body: { region: 'x'.repeat(600) } }, 413, 'payload_too_large'],
    ['a form', { headers: { 'content-type': 'text/html' } }, 415, 'unsupported_media_type'],
  ])('refuses %s', async (_, sent, status, code) => {
    const refused = await visit(project, sent);
    expect([refused.status, await refused.json()]).toMatchObject([status, { code }]);
    expect(refused.headers.get('access-control-allow-origin')).toBe('*');
  });

  it('refuses a project that does not exist, and writes the others where one goes meanwhile', async () => {
    const unknown = await visit({ id: newId() });
    expect([unknown.status, await unknown.json()]).toMatchObject([404, { code: 'project_not_found' }]);
    const leaving = await createTestProject(service);
    const staying = await createTestProject(service);
    for (const each of [leaving, staying]) expect((await visit(each)).status).toBe(204);
    await service.database.query('delete from project where id = $1', [leaving.id]);
    await flush();
    const left = await service.database.query(
      `select project_id from site_visit where dimension = 'device' and project_id = any($1)`,
      [[leaving.id, staying.id]],
    );
    expect(left).toEqual([{ project_id: staying.id }]);
  });

  it('keeps what it counted while the database takes nothing, and writes it at the end of the process', async () => {
    const counted = await createTestProject(service);
    await service.database.query('alter table site_visit rename to site_visit_away');
    try {
      await visit(counted);
      await flush();
    } finally {
      await service.database.query('alter table site_visit_away rename to site_visit');
    }
    await visit(counted);
    await service.app.get(VisitCounter, { strict: false }).beforeApplicationShutdown();
    const [row] = await service.database.query(
      `select visits::int from site_visit where dimension = 'device' and project_id = $1`,
      [counted.id],
    );
    expect(row).toEqual({ visits: 2 });
  });

  it('counts nothing twice where a later statement of a write failed', async () => {
    const projects = Array.from({ length: ROWS_PER_STATEMENT / 4 + 1 }, newId).toSorted();
    const last = projects.at(-1);
    await service.database.query(
      `insert into project (id, name) select id, 'A project' from unnest($1::uuid[]) id`,
      [projects],
    );
    const counter = service.app.get(VisitCounter, { strict: false });
    const body = { region: 'FR' };
    const request = { body, origin: 'https://one.example', userAgent: DESKTOP, acceptLanguage: 'fr' };
    await Promise.all(projects.map((projectId) => counter.count({ projectId, ...request }, new Date())));
    await service.database.query(
      `create function away() returns trigger language plpgsql as
         $$ begin raise 'the database is shutting down' using errcode = '57P01'; end $$;
       create trigger away before insert on site_visit for each row
         when (new.project_id = '${last}') execute function away()`,
    );
    try {
      await flush();
    } finally {
      await service.database.query('drop function away cascade');
    }
    const stored = (): Promise<{ visits: number; rows: number }[]> =>
      service.database.query(
        `select visits::int, count(*)::int as rows from site_visit where project_id = any($1) group by 1`,
        [projects],
      );
    expect(await stored()).toEqual([{ visits: 1, rows: ROWS_PER_STATEMENT }]);
    await flush();
    expect(await stored()).toEqual([{ visits: 1, rows: 4 * projects.length }]);
  });

  it('refuses a host that is longer than a DNS name, and writes the visits beside it', async () => {
    const counted = await createTestProject(service, { domains: ['example.com'] });
    const refused = await visit(counted, { origin: `http://${'a'.repeat(4000)}.example.com` });
    expect([refused.status, await refused.json()]).toMatchObject([403, { code: 'origin_not_allowed' }]);
    const longest = `${'a'.repeat(241)}.example.com`;
    expect((await visit(counted, { origin: `https://${longest}` })).status).toBe(204);
    await flush();
    expect(await hostsOf(counted)).toEqual([{ name: longest, visits: 1 }]);
  });

  it('drops and counts a row that the database refuses, and writes the rows beside it', async () => {
    const counted = await createTestProject(service);
    await service.database.query(
      `alter table site_visit add constraint poison check (name <> 'poison.example') not valid`,
    );
    try {
      for (const host of ['a.example', 'poison.example', 'b.example', 'poison.example'])
        expect((await visit(counted, { origin: `https://${host}` })).status).toBe(204);
      await flush();
      expect(await hostsOf(counted)).toEqual([
        { name: 'a.example', visits: 1 },
        { name: 'b.example', visits: 1 },
      ]);
      const metrics = await service.app.get(Metrics, { strict: false }).registry.metrics();
      expect(metrics).toContain('site_visits_dropped_total{reason="refused"} 2');
    } finally {
      await service.database.query('alter table site_visit drop constraint poison');
    }
    await visit(counted, { origin: 'https://a.example' });
    await flush();
    expect(await hostsOf(counted)).toContainEqual({ name: 'a.example', visits: 2 });
  });

  it('limits a network, an IPv6 /64 as one, with an error that a page does not see', async () => {
    const busy = await createTestProject(service);
    const from = (address: string) => visit(busy, { headers: { 'x-forwarded-for': address } });
    const hosts = Array.from({ length: 42 }, (_, host) => `2001:db8:1:2:${host}::1`);
    const statuses = await Promise.all(hosts.map((host) => from(host).then((r) => r.status)));
    expect(statuses.filter((status) => status === 204)).toHaveLength(40);
    const refused = await from('2001:db8:1:2:ffff::1');
    expect([refused.status, await refused.json()]).toMatchObject([429, { code: 'too_many_requests' }]);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await from('2001:db8:1:3::1')).status).toBe(204);
  });

  it('counts a project that does not exist tenfold, over all addresses of an IPv6 /64', async () => {
    const statuses: number[] = [];
    for (let host = 0; host < 42; host += 1) {
      const headers = { 'x-forwarded-for': `2001:db8:2:2:${host}::1` };
      statuses.push((await visit({ id: newId() }, { headers })).status);
    }
    expect(statuses).toEqual([...Array(40).fill(404), 429, 429]);
  });

  it('forgets counts that are too old, and no others', async () => {
    const old = await createTestProject(service);
    await service.database.query(
      `insert into site_visit
       select $1, 'device', now() - age, 'desktop', 1, 0, 0, now() - age
       from unnest(array['25 months 1 hour', '25 months -1 hour']::interval[]) as age`,
      [old.id],
    );
    expect(await service.app.get(VisitRetention, { strict: false }).forget(new Date())).toBe(1);
    const [{ left } = {}] = await service.database.query(
      'select count(*)::int as left from site_visit where project_id = $1',
      [old.id],
    );
    expect(left).toBe(1);
  });
});

it('counts nothing where the operator has turned it off', async () => {
  const service = await startTestService({ SITE_ANALYTICS: 'false' });
  try {
    const project = await createTestProject(service);
    const refused = await fetch(`${service.baseUrl}/v1/projects/${project.id}/visits`, {
      method: 'POST',
      headers: { origin: 'https://www.example.com', 'content-type': 'text/plain' },
      body: '{}',
    });
    expect([refused.status, await refused.json()]).toMatchObject([404, { code: 'not_found' }]);
  } finally {
    await service.close();
  }
});
