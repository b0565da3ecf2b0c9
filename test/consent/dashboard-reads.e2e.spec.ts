import type { Server } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { SCANNED_ROWS_MAX } from '../../src/platform/database/bounded-scan.js';
import { newId, uuidLowerBound } from '../../src/platform/identity/ids.js';
import { storeConsent } from '../support/people/consent.js';
import { createTestProject, type TestProject } from '../support/people/project.js';
import { startTestService, type TestService } from '../support/programs/service.js';
import { until } from '../support/until.js';

/** Less than the statement timeout of a list, 5 s. */
const CANCELED_MAX_MS = 4_000;

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(async () => {
  // Connections for requests that were aborted are not closed by anyone, and may still be opening.
  const server = service.app.getHttpServer() as Server;
  const closing = setInterval(() => server.closeAllConnections(), 100);
  await service.close();
  clearInterval(closing);
});

interface Page {
  items: { id: string; action: string }[];
  nextCursor: string | null;
  searchedTo: string | null;
}

/** Records of one millisecond, `hoursAgo`, straight in the database. */
const many = (projectId: string, count: number, hoursAgo = 0): Promise<unknown> =>
  service.database.query(
    `insert into consent_record (project_id, id, analytics, marketing, preferences, action)
     select $1, (substr($2::text, 1, 24) || lpad(to_hex(n), 12, '0'))::uuid, true, true, false, 'accept_all'
     from generate_series(1, $3::int) n`,
    [projectId, uuidLowerBound(new Date(Date.now() - hoursAgo * 3_600_000)), count],
  );

describe('a filter that matches few of many records', () => {
  let project: TestProject;
  let needle: string;

  beforeAll(async () => {
    project = await createTestProject(service);
    needle = await storeConsent(service, project.id, { action: 'needle', id: newId() });
    await many(project.id, SCANNED_ROWS_MAX + 5_000, 1);
    await service.database.query(`update consent_record set id = $2 where project_id = $1 and id = $3`, [
      project.id,
      `${uuidLowerBound(new Date(Date.now() - 7_200_000)).slice(0, 14)}7000-8000-000000000001`,
      needle,
    ]);
  });

  const list = async (query: string): Promise<Page> => {
    const response = await project.request('viewer', 'GET', `/consents?${query}`);
    expect(response.status).toBe(200);
    return (await response.json()) as Page;
  };

  it('looks at a bounded number of them, says how far back, and goes on from there', async () => {
    const first = await list('action=needle');
    expect(first.items).toEqual([]);
    expect(first.nextCursor).not.toBeNull();
    const searchedTo = new Date(first.searchedTo ?? '');
    expect(first.searchedTo).toBe(searchedTo.toISOString());
    expect(Date.now() - searchedTo.getTime()).toBeGreaterThan(3_500_000);
    const second = await list(`action=needle&cursor=${first.nextCursor}`);
    expect(second.items.map(({ action }) => action)).toEqual(['needle']);
    expect([second.nextCursor, second.searchedTo]).toEqual([null, null]);
  });

  it('goes through all of them once, page by page, whatever the filter', async () => {
    const seen: string[] = [];
    let cursor: string | null = '';
    let pages = 0;
    while (cursor !== null && pages < 200) {
      const page: Page = await list(`preferences=false&limit=200${cursor && `&cursor=${cursor}`}`);
      seen.push(...page.items.map(({ id }) => id));
      cursor = page.nextCursor;
      pages += 1;
    }
    expect(seen).toHaveLength(SCANNED_ROWS_MAX + 5_000);
    expect(new Set(seen).size).toBe(seen.length);
  });

  it('tells the last one shown where a page is full', async () => {
    const page = await list('limit=1');
    expect(page.items).toHaveLength(1);
    expect(page.searchedTo).not.toBeNull();
  });
});

describe('requests that the database cannot answer for long', () => {
  let busy: TestProject;
  let other: TestProject;
  let blocker: Client;

  beforeEach(async () => {
    [busy, other] = [
      await createTestProject(service, { tier: 'business' }),
      await createTestProject(service, { tier: 'business' }),
    ];
    blocker = new Client({ connectionString: service.database.url });
    await blocker.connect();
  });
  afterEach(() => blocker.end());

  const lock = (table: string): Promise<unknown> =>
    blocker.query(`begin; lock table ${table} in access exclusive mode`);
  const running = async (name: string): Promise<number> => {
    const [row] = await service.database.query<{ n: string }>(
      `select count(*) as n from pg_stat_activity
       where datname = current_database() and application_name = $1 and state = 'active'`,
      [`consent-service ${name}`],
    );
    return Number(row?.n);
  };
  const expectOthersWell = async (): Promise<void> => {
    const answers = await Promise.all([
      fetch(`${service.baseUrl}/health/ready`),
      other.request('viewer', 'GET', ''),
      other.request('viewer', 'GET', '/tier'),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  };

  it('end when their client hangs up', async () => {
    await lock('consent_record');
    const gone = new AbortController();
    const asked = fetch(`${service.baseUrl}/v1/projects/${busy.id}/consents`, {
      headers: { authorization: `Bearer ${busy.keys.viewer}` },
      signal: gone.signal,
    }).catch(() => null);
    await until('it waits in the database', async () => (await running('lists')) === 1);
    gone.abort();
    await asked;
    await until('nothing runs any more', async () => (await running('lists')) === 0, CANCELED_MAX_MS);
  });

  it('are given up after some seconds, with 503 and when to come again', async () => {
    await lock('consent_record');
    const response = await busy.request('viewer', 'GET', '/consents');
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '10']);
    expect(await response.json()).toMatchObject({ code: 'temporarily_unavailable' });
  });

  it.each([
    ['/consents?action=nothing', 'consent_record'],
    ['/forwarding/deliveries', 'delivery'],
    ['/analytics/consents', 'consent_rollup_state'],
  ])('of one project, 100 GET %s sent and hung up, leave the others alone', async (path, table) => {
    await lock(table);
    const gone = new AbortController();
    let refused = 0;
    const asked = Array.from({ length: 100 }, () =>
      fetch(`${service.baseUrl}/v1/projects/${busy.id}${path}`, {
        headers: { authorization: `Bearer ${busy.keys.viewer}` },
        signal: gone.signal,
      }).then(
        ({ status }) => {
          if (status === 429) refused += 1;
        },
        () => {},
      ),
    );
    // Some run, some wait, and the rest are refused, most of them before they are authenticated.
    await until('they are there', () => refused >= 100 - 2 - 20);
    expect(await running('lists')).toBeLessThanOrEqual(2);
    expect(await running('reports')).toBeLessThanOrEqual(1);
    await expectOthersWell();
    gone.abort();
    await Promise.all(asked);
    await expectOthersWell();
    await blocker.query('commit');
    expect((await other.request('viewer', 'GET', path)).status).toBe(200);
  });

  it('do not make the process look unready, even where they hold every connection of the ORM', async () => {
    await lock('forwarding_settings');
    const gone = new AbortController();
    const asked = Array.from({ length: 30 }, () =>
      fetch(`${service.baseUrl}/v1/projects/${busy.id}/forwarding`, {
        headers: { authorization: `Bearer ${busy.keys.viewer}` },
        signal: gone.signal,
      }).catch(() => null),
    );
    await until('they hold all', async () => {
      const [row] = await service.database.query<{ n: string }>(
        `select count(*) as n from pg_stat_activity
         where datname = current_database() and application_name = 'consent-service' and wait_event_type = 'Lock'`,
      );
      return Number(row?.n) >= 10;
    });
    expect((await fetch(`${service.baseUrl}/health/ready`)).status).toBe(200);
    gone.abort();
    await blocker.query('commit');
    await Promise.all(asked);
  });
});
