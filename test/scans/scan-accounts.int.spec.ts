import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ScanBudget } from '../../src/scanner/run/scan-budget.js';
import { ScheduledScans } from '../../src/modules/scans/application/scan-schedule.service.js';
import {
  ACCOUNT_QUEUED_MAX,
  ACCOUNT_WORK_MS_PER_DAY,
  TURN_MS,
} from '../../src/modules/scans/domain/scan-limits.js';
import { SCAN_LEASE_MS } from '../../src/modules/scans/domain/scanner.js';
import {
  type ClaimedScan,
  claimScan,
  storeWork,
} from '../../src/modules/scans/infrastructure/frontier.rows.js';
import type { GuardedProxy } from '../../src/scanner/browser/guarded-proxy.js';
import { type ScanSettings, scanSettings } from '../../src/modules/scans/scans.settings.js';
import { settingsToken } from '../../src/platform/settings/inject-settings.js';
import { newId } from '../../src/platform/identity/ids.js';
import type { Json } from '../support/people/json.js';
import { createTestProject, type TestProject } from '../support/people/project.js';
import { reportTestScanner } from '../support/programs/scanner.js';
import { startTestService, type TestService } from '../support/programs/service.js';
import { insertAccount } from '../support/people/user.js';

const HOUR_MS = 3_600_000;

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

beforeEach(async () => {
  for (const table of ['scan', 'scan_account_hour', 'scanner']) await query(`delete from ${table}`);
  await reportTestScanner(service);
});

const em = () => service.database.orm.em.fork();
const query = <Row extends Record<string, unknown>>(
  text: string,
  parameters: unknown[] = [],
): Promise<Row[]> => service.database.query<Row>(text, parameters);

const createAccount = (): Promise<string> => insertAccount(query, { email: `${newId()}@example.com` });

async function createOwned(account: string): Promise<TestProject> {
  const project = await createTestProject(service, { domains: ['example.com'] });
  await query("insert into project_member (project_id, user_id, role) values ($1, $2, 'owner')", [
    project.id,
    account,
  ]);
  return project;
}

/** Queues a scan in each of as many new projects, a second after the one before; the last one now. */
async function queueScans(account: string, count: number): Promise<void> {
  await query(
    `with projects as (
       insert into project (id, name) select gen_random_uuid(), 'Queued' from generate_series(1, $2::int) returning id
     )
     insert into scan (account_id, project_id, id, urls, domains, pages_max, created_at)
     select $1, id, gen_random_uuid(), '{https://example.com/}', '{example.com}', 30,
            now() - ($2 - row_number() over ()) * interval '1 second' from projects`,
    [account, count],
  );
}

async function request(project: TestProject): Promise<{ status: number; body: Json; headers: Headers }> {
  const response = await project.request('editor', 'POST', '/scans', {});
  return { status: response.status, body: (await response.json()) as Json, headers: response.headers };
}

async function claim(): Promise<ClaimedScan | null> {
  const options = { claimId: newId(), leaseMs: SCAN_LEASE_MS, browser: 'Chromium 1.0', region: null };
  return claimScan(em(), options);
}

/** Claims scans one after the other; each ends. Returns their accounts. */
async function turns(count: number): Promise<(string | undefined)[]> {
  const accounts: (string | undefined)[] = [];
  for (let turn = 0; turn < count; turn += 1) {
    const scan = await claim();
    accounts.push(scan?.accountId);
    await query(
      "update scan set status = 'completed', ended_at = now(), worked_ms = 60000, leased_until = null where id = $1",
      [scan?.id],
    );
  }
  return accounts;
}

const release = (scan: ClaimedScan | null, work = { workedMs: 0, receivedBytes: 0 }): Promise<boolean> => {
  if (!scan) throw new Error('no scan was claimed');
  return storeWork(em(), scan, { ...work, leaseMs: null });
};

async function useUp(account: string, hoursAgo = 0): Promise<void> {
  await query(
    `insert into scan_account_hour (account_id, hour, worked_ms)
     values ($1, date_trunc('hour', now()) - $2 * interval '1 hour', $3)`,
    [account, hoursAgo, ACCOUNT_WORK_MS_PER_DAY],
  );
}

describe('turns of accounts', () => {
  it('claims the scan of another account second, behind 100 queued scans of one account', async () => {
    const [many, one] = [await createAccount(), await createAccount()];
    await queueScans(many, 100);
    const project = await createOwned(one);
    const { status, body } = await request(project);
    expect([status, body['status'], body['queue']]).toEqual([
      201,
      'queued',
      { position: 2, startsInSeconds: null },
    ]);
    expect(await turns(4)).toEqual([many, one, many, many]);
  });

  it('alternate between accounts with many scans, each from its oldest', async () => {
    const accounts = [await createAccount(), await createAccount(), await createAccount()];
    for (const [index, account] of accounts.entries()) {
      await queueScans(account, 3);
      await query("update scan set created_at = created_at - $2 * interval '1 hour' where account_id = $1", [
        account,
        index,
      ]);
    }
    const claimed = await turns(9);
    for (const round of [0, 3, 6])
      expect(claimed.slice(round, round + 3).toSorted()).toEqual(accounts.toSorted());
  });

  it('count for an account whose projects were deleted', async () => {
    const [many, one] = [await createAccount(), await createAccount()];
    await queueScans(many, 1);
    expect(await turns(1)).toEqual([many]);
    await query("delete from project where name = 'Queued'");
    await queueScans(many, 1);
    await queueScans(one, 1);
    await query("update scan set created_at = now() + interval '1 second' where account_id = $1", [one]);
    expect(await turns(2)).toEqual([one, many]);
  });

  it('resume a scan that yielded before the next one of its account', async () => {
    const [many, one] = [await createAccount(), await createAccount()];
    await queueScans(many, 2);
    const first = await claim();
    await queueScans(one, 1);
    const work = { workedMs: 121_000, receivedBytes: 5_000 };
    expect(await release(first, work)).toBe(true);
    expect((await claim())?.accountId).toBe(one);
    expect(await claim()).toMatchObject({ id: first?.id, ...work });
    const [{ interruptions } = {}] = await query<{ interruptions: number }>(
      'select interruptions from scan where id = $1',
      [first?.id],
    );
    expect(interruptions).toBe(0);
  });

  it('end after two minutes of work, while another account waits', async () => {
    const [many, one] = [await createAccount(), await createAccount()];
    await queueScans(many, 2);
    const scan = await claim();
    if (!scan) throw new Error('no scan was claimed');
    const settings = service.app.get<ScanSettings>(settingsToken(scanSettings), { strict: false });
    const { now } = performance;
    let clockMs = 1_000_000;
    performance.now = () => clockMs;
    try {
      const proxy = { bytes: 0 } as GuardedProxy;
      const budget = new ScanBudget({ em: em(), scan, settings, proxy });
      clockMs += TURN_MS + 1;
      expect(await budget.isTurnOver()).toBe(false);
      await queueScans(one, 1);
      expect(await budget.isTurnOver()).toBe(true);
      clockMs -= 1;
      expect(await budget.isTurnOver()).toBe(false);
    } finally {
      performance.now = now;
    }
  });
});

describe('scanner time', () => {
  it('is counted for the scan and once for its account', async () => {
    const account = await createAccount();
    await queueScans(account, 1);
    const scan = await claim();
    if (!scan) throw new Error('no scan was claimed');
    for (const workedMs of [1_000, 3_000, 3_000])
      expect(await storeWork(em(), scan, { workedMs, receivedBytes: 7, leaseMs: SCAN_LEASE_MS })).toBe(true);
    const [row] = await query<Json>(
      `select s.worked_ms::int as scan, s.received_bytes::int as bytes, (select sum(h.worked_ms)::int from scan_account_hour h
         where h.account_id = s.account_id) as account from scan s where id = $1`,
      [scan.id],
    );
    expect(row).toEqual({ scan: 3_000, bytes: 7, account: 3_000 });
    await query("update scan set status = 'canceled' where id = $1", [scan.id]);
    expect(await storeWork(em(), scan, { workedMs: 9, receivedBytes: 7, leaseMs: SCAN_LEASE_MS })).toBe(
      false,
    );
  });

  it('of 240 minutes in 24 hours ends what an account may request, over all of its projects', async () => {
    const [account, other] = [await createAccount(), await createAccount()];
    await useUp(account, 20);
    const refused = await request(await createOwned(account));
    expect([refused.status, refused.body['code']]).toEqual([429, 'too_many_requests']);
    expect(refused.body['detail']).toContain('240 minutes');
    const waitMs = Number(refused.headers.get('retry-after')) * 1_000;
    expect(waitMs).toBeGreaterThan(2 * HOUR_MS);
    expect(waitMs).toBeLessThanOrEqual(4 * HOUR_MS);
    expect((await request(await createOwned(other))).status).toBe(201);
  });

  it('returns after 24 hours', async () => {
    const account = await createAccount();
    await useUp(account, 24);
    expect((await request(await createOwned(account))).status).toBe(201);
  });

  it('that is used up starts no queued scan, and finishes the one that has begun', async () => {
    const account = await createAccount();
    await queueScans(account, 2);
    const begun = await claim();
    await release(begun);
    await query('update scan_account_hour set worked_ms = $1', [ACCOUNT_WORK_MS_PER_DAY]);
    expect((await claim())?.id).toBe(begun?.id);
    expect(await claim()).toBeNull();
  });
});

describe('queued scans of an account', () => {
  it('are at most 20, over all of its projects', async () => {
    const account = await createAccount();
    await queueScans(account, ACCOUNT_QUEUED_MAX - 1);
    const projects = await Promise.all(Array.from({ length: 4 }, () => createOwned(account)));
    const answers = await Promise.all(projects.map(request));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409]);
    const refused = answers.findIndex(({ status }) => status === 409);
    expect(answers[refused]?.body).toMatchObject({
      code: 'scan_queue_full',
      detail: expect.stringContaining('20'),
    });
    // One that has begun makes room.
    await claim();
    const project = projects[refused];
    if (!project) throw new Error('no request was refused');
    expect((await request(project)).status).toBe(201);
  });

  it('hold scheduled scans back until there is room', async () => {
    const account = await createAccount();
    const project = await createOwned(account);
    await project.request('editor', 'POST', '/tier/simulate', { tier: 'business' });
    await query("insert into scan_schedule (project_id, frequency, next_at) values ($1, 'weekly', now())", [
      project.id,
    ]);
    await queueScans(account, ACCOUNT_QUEUED_MAX);
    const scheduled = service.app.get(ScheduledScans, { strict: false });
    expect(await scheduled.start()).toBe(0);
    await claim();
    expect(await scheduled.start()).toBe(1);
  });
});

it('shows the place of a waiting scan, and when it may start, from what scans took', async () => {
  const [many, one] = [await createAccount(), await createAccount()];
  await queueScans(many, 3);
  await turns(1);
  const project = await createOwned(one);
  const { body } = await request(project);
  const queueOf = async (): Promise<unknown> => {
    const read = (await (
      await project.request('viewer', 'GET', `/scans/${String(body['id'])}`)
    ).json()) as Json;
    const list = (await (await project.request('viewer', 'GET', '/scans')).json()) as { items: Json[] };
    expect(list.items[0]?.['queue']).toEqual(read['queue']);
    return read['queue'];
  };
  expect(await queueOf()).toEqual({ position: 1, startsInSeconds: 0 });
  const other = await createOwned(await createAccount());
  const { body: second } = await request(other);
  expect(second['queue']).toEqual({ position: 2, startsInSeconds: 60 });
  const own = await claim();
  expect(own?.id).toBe(body['id']);
  expect(await queueOf()).toBeNull();
  // It yields.
  await release(own);
  expect(await queueOf()).toEqual({ position: 3, startsInSeconds: 120 });
});
