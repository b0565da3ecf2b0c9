import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { ConsentRollup } from '../src/consent/consent.rollup.js';
import { createTestProject, type TestProject } from './support/project.js';
import { startTestService, type TestService } from './support/service.js';

const ALL = {
  analytics: true,
  marketing: true,
  preferences: true,
  action: 'accept_all',
  hostname: 'a.example',
};
const NONE = {
  analytics: false,
  marketing: false,
  preferences: false,
  action: 'reject_all',
  hostname: 'b.example',
};
const SOME = {
  analytics: true,
  marketing: false,
  preferences: false,
  action: 'custom',
  hostname: 'a.example',
};
const WITHDRAWN = { ...NONE, action: 'withdraw', hostname: undefined };

interface Answer {
  totals: Record<string, number> & { rates: Record<string, number | null> };
  series: { at: string; records: number }[];
  byAction: { action: string; records: number }[];
  byHostname: { hostname: string | null; records: number }[];
}

describe('consent analytics (spec §8: consent and site analytics)', () => {
  let service: TestService;
  let rollup: ConsentRollup;

  beforeAll(async () => {
    service = await startTestService();
    rollup = service.app.get(ConsentRollup, { strict: false });
  });
  afterAll(() => service.close());

  const post = async (project: TestProject, choices: object[]): Promise<void> => {
    for (const choice of choices) {
      const response = await fetch(`${service.baseUrl}/v1/projects/${project.id}/consents`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(choice),
      });
      expect(response.status).toBe(201);
    }
  };
  const ask = async (project: TestProject, query = ''): Promise<Answer> => {
    const response = await project.request('viewer', 'GET', `/analytics/consents${query}`);
    expect(response.status).toBe(200);
    return (await response.json()) as Answer;
  };
  /** Makes what was received so far old enough for the rollups, as if `seconds` had passed. */
  const age = async (project: TestProject, seconds: number): Promise<void> => {
    await service.database.query(
      `update consent_record set received_at = received_at - make_interval(secs => $2) where project_id = $1`,
      [project.id, seconds],
    );
  };
  const moveMarkBack = (hours: number): Promise<unknown> =>
    service.database.query(
      'update consent_rollup_state set done_until = now() - make_interval(hours => $1)',
      [hours],
    );
  const rolledUp = async (project: TestProject): Promise<number> => {
    const [row] = await service.database.query<{ n: string }>(
      'select coalesce(sum(records), 0) as n from consent_rollup_hour where project_id = $1',
      [project.id],
    );
    return Number(row?.n);
  };

  it('counts by category, action and hostname, with rates of all records', async () => {
    const project = await createTestProject(service, { tier: 'business' });
    await post(project, [ALL, ALL, NONE, SOME, WITHDRAWN]);
    const answer = await ask(project);
    expect(answer.totals).toEqual({
      records: 5,
      analytics: 3,
      marketing: 2,
      preferences: 2,
      fullAccept: 2,
      rejection: 1,
      withdrawal: 1,
      rates: {
        analytics: 0.6,
        marketing: 0.4,
        preferences: 0.4,
        fullAccept: 0.4,
        rejection: 0.2,
        withdrawal: 0.2,
      },
    });
    expect(answer.byAction.map(({ action, records }) => [action, records])).toEqual(
      expect.arrayContaining([
        ['accept_all', 2],
        ['reject_all', 1],
        ['custom', 1],
        ['withdraw', 1],
      ]),
    );
    expect(answer.byHostname[0]).toMatchObject({ hostname: 'a.example', records: 3 });
    expect(answer.byHostname.find(({ hostname }) => hostname === null)).toMatchObject({ records: 1 });
    expect(answer.series.at(-1)).toMatchObject({ records: 5 });
    expect(answer.series).toHaveLength(31);
  });

  it('counts as a full accept what accepted all that was offered, and nothing that gives nothing', async () => {
    const project = await createTestProject(service, { tier: 'business' });
    await post(project, [{ ...SOME, action: 'accept_all' }, { ...NONE, action: 'accept_all' }, SOME]);
    expect((await ask(project)).totals).toMatchObject({ records: 3, fullAccept: 1, rejection: 1 });
    await age(project, 60);
    await moveMarkBack(2);
    await rollup.advance();
    expect(await rolledUp(project)).toBe(3);
    expect((await ask(project)).totals).toMatchObject({ records: 3, fullAccept: 1, rejection: 1 });
  });

  it('gives the same answer before and after the records are in the rollups', async () => {
    const project = await createTestProject(service, { tier: 'business' });
    await post(project, [ALL, NONE, SOME, SOME]);
    await age(project, 60);
    await moveMarkBack(2);
    const before = await ask(
      project,
      '?interval=hour&from=2026-11-01&to=2026-11-22'
        .replace('2026-11-01', daysAgo(20))
        .replace('2026-11-22', daysAgo(-1)),
    );
    await rollup.advance();
    expect(await rolledUp(project)).toBe(4);
    const after = await ask(project, `?interval=hour&from=${daysAgo(20)}&to=${daysAgo(-1)}`);
    expect(after).toEqual(before);
  });

  it('adds every record up once, however often and by however many workers it is done', async () => {
    const project = await createTestProject(service, { tier: 'business' });
    await post(project, [ALL, NONE, SOME]);
    await age(project, 3 * 3600);
    await moveMarkBack(6);
    await Promise.all(Array.from({ length: 4 }, () => rollup.advance()));
    await rollup.advance();
    expect(await rolledUp(project)).toBe(3);
  });

  it('does not pass a transaction that is still open, whose record turns up late', async () => {
    const project = await createTestProject(service, { tier: 'business' });
    const slow = new Client({ connectionString: service.database.url });
    await slow.connect();
    await slow.query('begin');
    await slow.query(
      `insert into consent_record (project_id, id, analytics, marketing, preferences, action, received_at)
       values ($1, $2, true, true, true, 'accept_all', now())`,
      [project.id, (await import('uuid')).v7()],
    );
    await rollup.advance();
    const [state] = await service.database.query<{ behind: boolean }>(
      `select done_until <= (select min(xact_start) from pg_stat_activity where pid = $1) as behind from consent_rollup_state`,
      [(await slow.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]?.pid],
    );
    expect(state?.behind).toBe(true);
    await slow.query('commit');
    await slow.end();
    expect((await ask(project)).totals.records).toBe(1);
  });

  it('has a row of zeros for each day without records, and null rates', async () => {
    const project = await createTestProject(service, { tier: 'enterprise' });
    const answer = await ask(project, '?from=2025-01-01&to=2025-01-08');
    expect(answer.series.map(({ at }) => at.slice(0, 10))).toEqual(
      ['01', '02', '03', '04', '05', '06', '07'].map((day) => `2025-01-${day}`),
    );
    expect(answer.totals.rates.analytics).toBeNull();
    expect([answer.byAction, answer.byHostname]).toEqual([[], []]);
  });

  it.each([
    'interval=minute',
    'from=2026-01-02&to=2026-01-01',
    'from=2020-01-01&to=2026-01-01',
    'interval=hour&from=2026-01-01&to=2026-03-01',
    'to=x',
    'y=1',
  ])('refuses the query %s with 422', async (query) => {
    const project = await createTestProject(service, { tier: 'business' });
    expect((await project.request('viewer', 'GET', `/analytics/consents?${query}`)).status).toBe(422);
  });

  it.each([
    ['lite', 403],
    ['pro', 403],
    ['business', 200],
    ['enterprise', 200],
  ])('tier %s is answered %i', async (tier, status) => {
    const project = await createTestProject(service, { tier });
    expect((await project.request('viewer', 'GET', '/analytics/consents')).status).toBe(status);
  });
});

function daysAgo(days: number): string {
  return new Date(Date.now() - days * 24 * 60 * 60 * 1000).toISOString().slice(0, 10);
}
