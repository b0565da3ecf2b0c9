import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ScheduledScans } from '../../src/modules/scans/application/scan-schedule.service.js';
import type { Json } from '../support/people/json.js';
import { createTestProject, type TestProject } from '../support/people/project.js';
import { reportTestScanner } from '../support/programs/scanner.js';
import { startTestService, type TestService } from '../support/programs/service.js';

let service: TestService;
let project: TestProject;

beforeAll(async () => {
  service = await startTestService({ SCANNER_EXCLUDED_HOSTS: 'never.example.com' });
});
afterAll(() => service.close());

beforeEach(async () => {
  await service.database.query('delete from scanner', []);
  await reportTestScanner(service);
  project = await createTestProject(service, { domains: ['example.com', 'shop.example.org'] });
});

async function json(response: Response): Promise<Json> {
  return (await response.json()) as Json;
}

async function request(body: unknown = {}): Promise<{ status: number; body: Json; headers: Headers }> {
  const response = await project.request('editor', 'POST', '/scans', body);
  return { status: response.status, body: await json(response), headers: response.headers };
}

/** As a scanner would end it. */
async function end(id: unknown, status = 'completed'): Promise<void> {
  await service.database.query(
    'update scan set status = $2, started_at = now(), ended_at = now() where id = $1',
    [id, status],
  );
}

async function insertPages(scanId: unknown, count: number): Promise<void> {
  await service.database.query(
    `insert into scan_page (project_id, scan_id, number, url, host, depth, status, visited_at)
     select $1, $2, n, 'https://example.com/' || n, 'example.com', 0, 'visited', now() from generate_series(1, $3::int) n`,
    [project.id, scanId, count],
  );
}

async function insertItems(scanId: unknown, count: number): Promise<void> {
  await service.database.query(
    `insert into scan_item (project_id, scan_id, page, number, kind, name, host, third_party, details)
     select $1, $2, 1 + n % 2, n, case when n % 3 = 0 then 'cookie' else 'request' end, 'item ' || n, 't.example',
            true, '{"valueLength": 4, "valueHash": "ba7816bf"}' from generate_series(1, $3::int) n`,
    [project.id, scanId, count],
  );
}

describe('requesting a scan', () => {
  it('queues the home pages of the domains, and says where the scan is', async () => {
    const { status, body, headers } = await request();
    expect(status).toBe(201);
    expect(headers.get('location')).toBe(`/v1/projects/${project.id}/scans/${String(body['id'])}`);
    expect(body).toMatchObject({
      status: 'queued',
      urls: ['https://example.com/', 'https://shop.example.org/'],
      pagesMax: 30,
      pages: { visited: 0, failed: 0, skipped: 0, open: 0 },
      pageList: [],
    });
  });

  it('takes addresses below the domains, each once and in its normal form', async () => {
    const { body } = await request({
      urls: [
        'https://www.example.com/a#part',
        'https://www.example.com/a?utm_source=x',
        'http://EXAMPLE.com',
      ],
    });
    expect(body['urls']).toEqual(['https://www.example.com/a', 'http://example.com/']);
  });

  it.each([
    ['https://example.org/', 'scan_url_outside'],
    ['https://evil-example.com/', 'scan_url_outside'],
    ['https://169.254.169.254/latest', 'scan_url_outside'],
    ['http://127.0.0.1:5432/', 'scan_url_port'],
    ['https://example.com:8443/', 'scan_url_port'],
    ['file:///etc/passwd', 'scan_url_malformed'],
    ['example.com', 'scan_url_malformed'],
  ])('refuses %s', async (url, code) => {
    const { status, body } = await request({ urls: ['https://example.com/', url] });
    expect(status).toBe(422);
    expect(body['errors']).toEqual([expect.objectContaining({ field: 'urls.1', code })]);
  });

  it('refuses a project without domains and addresses', async () => {
    project = await createTestProject(service);
    const { status, body } = await request();
    expect(status).toBe(422);
    expect(body['errors']).toEqual([expect.objectContaining({ field: 'urls', code: 'scan_urls_missing' })]);
  });

  it('ignores robots.txt on verified hosts alone, and the audit log has it', async () => {
    const urls = ['https://example.com/', 'https://www.example.com/'];
    const given = { urls, ignoreRobots: true };
    const refused = { field: 'ignoreRobots', code: 'scan_robots_unverified' };
    expect(await request(given)).toMatchObject({ status: 422, body: { errors: [refused] } });
    const { body: first } = await request({ urls });
    expect(first).toMatchObject({ ignoreRobots: false });
    await insertPages(first['id'], 1);
    await service.database.query('update scan_page set loader_found = true where scan_id = $1', [
      first['id'],
    ]);
    await end(first['id']);
    await project.request('editor', 'POST', '/tier/simulate', { tier: 'pro' });
    // One of the two hosts is verified now.
    const second = await request(given);
    expect(second).toMatchObject({ status: 422, body: { errors: [refused] } });
    expect(JSON.stringify(second.body)).toContain('www.example.com.');
    const third = await request({ urls: urls.slice(0, 1), ignoreRobots: true });
    expect(third).toMatchObject({ status: 201, body: { ignoreRobots: true } });
    const log = await json(await project.request('owner', 'GET', '/audit?limit=50'));
    expect(log['items']).toContainEqual(
      expect.objectContaining({
        action: 'scan.request',
        target: third.body['id'],
        after: expect.objectContaining({ ignoreRobots: true }),
      }),
    );
    // The verification lasts 7 days.
    await end(third.body['id']);
    await service.database.query("update scan_page set visited_at = now() - interval '8 days'", []);
    expect(await request({ urls: urls.slice(0, 1), ignoreRobots: true })).toMatchObject({ status: 422 });
  });

  it.each([['yes'], [1], [null]])('refuses ignoreRobots: %j', async (ignoreRobots) => {
    const { status, body } = await request({ ignoreRobots });
    expect([status, body['errors']]).toEqual([422, [expect.objectContaining({ field: 'ignoreRobots' })]]);
  });

  it('takes 20 addresses and not one more', async () => {
    const urls = Array.from({ length: 20 }, (_, index) => `https://example.com/${index}`);
    expect((await request({ urls: [...urls, 'https://example.com/x'] })).status).toBe(422);
    expect((await request({ urls })).status).toBe(201);
  });

  it('names the package to install where no scanner is running', async () => {
    await service.database.query("update scanner set seen_at = now() - interval '1 minute'", []);
    const { status, body } = await request();
    expect([status, body['code']]).toEqual([503, 'scanner_unavailable']);
    expect(body['detail']).toContain('apt-get install chromium');
  });

  it('refuses hosts that the operator excluded, and hosts below them', async () => {
    const urls = ['https://never.example.com/', 'https://a.never.example.com/', 'https://example.com/'];
    const { status, body } = await request({ urls });
    expect(status).toBe(422);
    expect(body['errors']).toEqual(
      ['urls.0', 'urls.1'].map((field) => expect.objectContaining({ field, code: 'scan_url_excluded' })),
    );
  });

  it('refuses a host that had its scans of the day from other projects', async () => {
    const scanned = (host: string, count: number): Promise<unknown> =>
      service.database.query(
        `with host as (insert into scan_host (host) values ($1) returning host)
         insert into scan_host_scan (host, scan_id) select host, gen_random_uuid() from host, generate_series(1, $2::int)`,
        [host, count],
      );
    const [first, second] = ['a', 'b'].map((name) => `${name}.example.com`);
    await scanned(first ?? '', 50);
    await scanned(second ?? '', 49);
    const refused = await request({ urls: [`https://${first}/`] });
    expect([refused.status, refused.body['code']]).toEqual([429, 'too_many_requests']);
    expect(refused.body['detail']).toContain('a.example.com had 50 scans');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(86_000);
    expect((await request({ urls: [`https://${first}/`, `https://${second}/`] })).status).toBe(201);
  });

  it('runs one scan of a project at a time', async () => {
    const first = await request();
    expect(await request()).toMatchObject({ status: 409, body: { code: 'scan_running' } });
    await end(first.body['id']);
    await project.request('editor', 'POST', '/tier/simulate', { tier: 'pro' });
    expect((await request()).status).toBe(201);
  });

  it('runs one of many that are requested at once', async () => {
    await project.request('editor', 'POST', '/tier/simulate', { tier: 'business' });
    const answers = await Promise.all(Array.from({ length: 5 }, () => request()));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409, 409]);
  });

  it.each([
    ['lite', 1, 30],
    ['pro', 5, 100],
    ['business', 20, 350],
  ])('allows a project on %s %d scans in 24 hours, of %d pages each', async (tier, scans, pages) => {
    if (tier !== 'lite') await project.request('editor', 'POST', '/tier/simulate', { tier });
    for (let count = 0; count < scans; count++) {
      const { status, body } = await request();
      expect([status, body['pagesMax']]).toEqual([201, pages]);
      await end(body['id']);
    }
    const refused = await request();
    expect([refused.status, refused.body['code']]).toEqual([429, 'too_many_requests']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(86_000);
    await service.database.query(
      "update scan set created_at = created_at - interval '24 hours' where project_id = $1",
      [project.id],
    );
    expect((await request()).status).toBe(201);
  });

  it('keeps the last 50 scans', async () => {
    await service.database.query(
      `insert into scan (project_id, id, status, urls, domains, pages_max, created_at)
       select $1, gen_random_uuid(), 'completed', '{}', '{}', 30, now() - interval '2 days' from generate_series(1, 60)`,
      [project.id],
    );
    await request();
    const [{ count } = { count: 0 }] = await service.database.query<{ count: number }>(
      'select count(*)::int as count from scan where project_id = $1',
      [project.id],
    );
    expect(count).toBe(50);
  });
});

describe('reading scans', () => {
  it('lists them newest first, page by page, with what may be scanned', async () => {
    await project.request('editor', 'POST', '/tier/simulate', { tier: 'pro' });
    const ids: unknown[] = [];
    for (let count = 0; count < 3; count++) {
      const { body } = await request();
      ids.unshift(body['id']);
      await end(body['id']);
    }
    await insertPages(ids[0], 1);
    await service.database.query('update scan_page set loader_found = true where scan_id = $1', [ids[0]]);
    const first = await json(await project.request('viewer', 'GET', '/scans?limit=2'));
    expect((first['items'] as Json[]).map(({ id }) => id)).toEqual(ids.slice(0, 2));
    expect(first['allowance']).toEqual({
      scannerAvailable: true,
      defaultUrls: ['https://example.com/', 'https://shop.example.org/'],
      hosts: 2,
      verifiedHosts: 1,
      pagesMax: 100,
      scansPerDay: 5,
      scansLeft: 2,
    });
    const cursor = String(first['nextCursor']);
    const second = await json(await project.request('viewer', 'GET', `/scans?limit=2&cursor=${cursor}`));
    expect((second['items'] as Json[]).map(({ id }) => id)).toEqual(ids.slice(2));
    expect(second['nextCursor']).toBeNull();
  });

  it('shows the progress and the pages of a running scan', async () => {
    const { body } = await request();
    await insertPages(body['id'], 3);
    await service.database.query(
      "update scan_page set status = 'failed', reason = 'http_error', http_status = 404 where scan_id = $1 and number = 2",
      [body['id']],
    );
    const scan = await json(await project.request('viewer', 'GET', `/scans/${String(body['id'])}`));
    expect(scan['pages']).toEqual({ visited: 2, failed: 1, skipped: 0, open: 0 });
    expect((scan['pageList'] as Json[])[1]).toMatchObject({
      number: 2,
      url: 'https://example.com/2',
      reason: { code: 'http_error', message: 'The server returned an error.' },
      httpStatus: 404,
    });
  });

  it('lists items by page and kind, and counts them', async () => {
    const { body } = await request();
    const path = `/scans/${String(body['id'])}`;
    await insertPages(body['id'], 2);
    await insertItems(body['id'], 9);
    const seen: unknown[] = [];
    let cursor = '';
    do {
      const page = await json(await project.request('viewer', 'GET', `${path}/items?limit=4${cursor}`));
      seen.push(...(page['items'] as Json[]).map((item) => [item['page'], item['number']]));
      cursor = page['nextCursor'] === null ? '' : `&cursor=${String(page['nextCursor'])}`;
    } while (cursor !== '');
    expect(seen).toEqual([
      ...[2, 4, 6, 8].map((number) => [1, number]),
      ...[1, 3, 5, 7, 9].map((number) => [2, number]),
    ]);
    const cookies = await json(await project.request('viewer', 'GET', `${path}/items?group=cookie&page=2`));
    expect((cookies['items'] as Json[]).map(({ name }) => name)).toEqual(['item 3', 'item 9']);
    expect((await json(await project.request('viewer', 'GET', path)))['figures']).toEqual({
      cookies: 3,
      thirdPartyCookies: 3,
      storageEntries: 0,
      requests: 6,
      thirdPartyHosts: 1,
    });
  });

  it('does not find scans of other projects', async () => {
    const { body } = await request();
    const other = await createTestProject(service);
    for (const path of ['', '/items'])
      expect((await other.request('owner', 'GET', `/scans/${String(body['id'])}${path}`)).status).toBe(404);
    expect((await other.request('owner', 'POST', `/scans/${String(body['id'])}/cancel`)).status).toBe(404);
    expect((await project.request('owner', 'GET', '/scans/none')).status).toBe(404);
  });
});

describe('canceling a scan', () => {
  it('ends it once, and frees the next', async () => {
    const { body } = await request();
    const cancel = (): Promise<Response> =>
      project.request('editor', 'POST', `/scans/${String(body['id'])}/cancel`);
    expect(await json(await cancel())).toMatchObject({ status: 'canceled' });
    expect(await json(await cancel())).toMatchObject({ code: 'scan_ended' });
    // It never began, so it does not count as the day's scan.
    expect((await request()).status).toBe(201);
  });
});

describe('the schedule of scans', () => {
  const put = async (frequency: string): Promise<{ status: number; body: Json }> => {
    const response = await project.request('editor', 'PUT', '/scan-schedule', { frequency });
    return { status: response.status, body: await json(response) };
  };
  const get = async (): Promise<Json> => json(await project.request('viewer', 'GET', '/scan-schedule'));
  const simulate = (tier: string): Promise<Response> =>
    project.request('editor', 'POST', '/tier/simulate', { tier });
  const start = (): Promise<number> => service.app.get(ScheduledScans).start();
  const due = (interval = '1 minute'): Promise<unknown> =>
    service.database.query('update scan_schedule set next_at = now() - $2::interval where project_id = $1', [
      project.id,
      interval,
    ]);
  const scans = async (): Promise<Json[]> =>
    (await json(await project.request('viewer', 'GET', '/scans')))['items'] as Json[];

  beforeEach(() => service.database.query('delete from scan_schedule', []));

  it('is off until a member turns it on, and then starts within 24 hours', async () => {
    await simulate('business');
    expect(await get()).toEqual({ frequency: 'off', active: false, inactiveReason: null, nextAt: null });
    const { status, body } = await put('weekly');
    expect([status, body['frequency'], body['active']]).toEqual([200, 'weekly', true]);
    const inMs = Date.parse(String(body['nextAt'])) - Date.now();
    expect(inMs).toBeGreaterThan(0);
    expect(inMs).toBeLessThanOrEqual(86_400_000);
    expect((await put('weekly')).body).toEqual(body);
    expect((await put('daily')).status).toBe(422);
    expect((await put('off')).body).toMatchObject({ frequency: 'off', active: false, nextAt: null });
  });

  it('requests one scan however often it was missed, beside the scans on demand', async () => {
    await simulate('business');
    await put('weekly');
    expect(await start()).toBe(0);
    await due('40 days');
    expect(await Promise.all([start(), start()]).then(([one, other]) => one + other)).toBe(1);
    expect(await scans()).toEqual([expect.objectContaining({ origin: 'schedule', status: 'queued' })]);
    const { nextAt } = (await get()) as { nextAt: string };
    const inMs = Date.parse(nextAt) - Date.now();
    expect(inMs).toBeGreaterThan(0);
    expect(inMs).toBeLessThan(7 * 86_400_000);
    await end((await scans())[0]?.['id']);
    expect(await start()).toBe(0);
    const list = await json(await project.request('viewer', 'GET', '/scans'));
    expect(list['allowance']).toMatchObject({ scansLeft: 20 });
    const [event] = await service.database.query<{ actor_kind: string }>(
      "select actor_kind from audit_event where project_id = $1 and action = 'scan.request'",
      [project.id],
    );
    expect(event).toEqual({ actor_kind: 'system' });
  });

  it('waits for a running scan and for a scanner', async () => {
    await simulate('business');
    await put('monthly');
    const { body } = await request();
    await due();
    expect(await start()).toBe(0);
    await end(body['id']);
    await service.database.query("update scanner set seen_at = now() - interval '1 minute'", []);
    expect(await start()).toBe(0);
    await service.database.query('update scanner set seen_at = now()', []);
    expect(await start()).toBe(1);
  });

  it('stays with a project that loses the tier, starts nothing, and can be turned off', async () => {
    await simulate('business');
    await put('weekly');
    await due();
    await simulate('pro');
    expect(await start()).toBe(0);
    expect(await scans()).toEqual([]);
    expect(await get()).toMatchObject({
      frequency: 'weekly',
      active: false,
      nextAt: null,
      inactiveReason: { code: 'tier' },
    });
    expect(await put('monthly')).toMatchObject({ status: 403, body: { code: 'tier_required' } });
    await simulate('business');
    expect(await get()).toMatchObject({ frequency: 'weekly', active: true, nextAt: expect.any(String) });
    await simulate('lite');
    expect((await put('off')).status).toBe(200);
  });

  it('says that a project without domains has nothing to scan', async () => {
    project = await createTestProject(service);
    await simulate('business');
    await put('weekly');
    await due();
    expect(await start()).toBe(0);
    expect(await get()).toMatchObject({ active: false, inactiveReason: { code: 'no_address' } });
  });

  it('is deleted with its project', async () => {
    await simulate('business');
    await put('weekly');
    expect((await project.request('owner', 'DELETE', '')).status).toBe(204);
    expect(await service.database.query('select from scan_schedule', [])).toEqual([]);
  });
});

it('deletes scans with their project', async () => {
  const { body } = await request();
  await insertPages(body['id'], 2);
  await insertItems(body['id'], 3);
  expect((await project.request('owner', 'DELETE', '')).status).toBe(204);
  for (const table of ['scan', 'scan_page', 'scan_item'])
    expect(await service.database.query(`select from ${table} where project_id = $1`, [project.id])).toEqual(
      [],
    );
});
