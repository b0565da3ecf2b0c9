import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { ConsentRollup } from '../../src/modules/consent/application/consent.rollup.js';
import { overviewPeriods } from '../../src/modules/consent/domain/overview-periods.js';
import { LISTED_UNDELIVERED_MAX } from '../../src/modules/forwarding/forwarding-status.js';
import { uuidLowerBound } from '../../src/platform/identity/ids.js';
import { messageAbout, storeConsent } from '../support/people/consent.js';
import { resendOne, startForwarding } from '../support/people/forwarding.js';
import { createTestProject, type TestProject } from '../support/people/project.js';
import { signUp, type TestUser } from '../support/people/user.js';

interface Status {
  id: string;
  name: string;
  role: string;
  recordsToday: number;
  endpoint: { state: string; since: string | null };
}

interface Page {
  items: Status[];
  nextCursor: string | null;
}

const forwarding = await startForwarding({ worker: false });
const { forward, forwardingProject, service, sharedReceiver } = forwarding;

afterEach(forwarding.resetReceivers);
afterAll(forwarding.close);

const read = async (project: TestProject, timeZone = 'Europe/Berlin'): Promise<Status> => {
  const response = await fetch(`${service.baseUrl}/v1/project-statuses?timeZone=${timeZone}`, {
    headers: { authorization: `Bearer ${project.keys.viewer}` },
  });
  expect(response.status).toBe(200);
  const { items, nextCursor } = (await response.json()) as Page;
  expect([items.length, nextCursor]).toEqual([1, null]);
  return items[0]!;
};

/** Stores a record and attempts it once. */
const attempt = async (project: TestProject, status: number): Promise<string> => {
  const id = await storeConsent(service, project.id);
  await service.database.query('delete from outbox_message where ordering_key = $1', [project.id]);
  sharedReceiver.behave({ kind: 'answer', status });
  await forward([messageAbout(project.id, id)]);
  return id;
};

const join = (user: TestUser, projectIds: string[]): Promise<unknown> =>
  service.database.query(
    `insert into project_member (project_id, user_id, role) select id, $2, 'editor' from unnest($1::uuid[]) id`,
    [projectIds, user.id],
  );

describe('the status of projects', () => {
  it('is empty for a new project', async () => {
    const project = await createTestProject(service, { name: 'New', domains: ['new.example'] });
    expect(await read(project)).toEqual({
      id: project.id,
      name: 'New',
      domains: ['new.example'],
      tier: 'lite',
      role: 'viewer',
      recordsToday: 0,
      optInRateToday: null,
      undelivered: { records: 0, more: false },
      endpoint: { state: 'off', since: null },
      publishedAt: null,
      draftSavedAt: null,
      lastSeenAt: null,
    });
  });

  it('shows what arrived, what failed, what was published and where the loader was seen', async () => {
    const project = await forwardingProject();
    expect((await read(project)).endpoint).toEqual({ state: 'unused', since: null });
    await attempt(project, 204);
    expect((await read(project)).endpoint).toEqual({ state: 'healthy', since: null });
    const failed = await attempt(project, 400);
    const failing = await read(project);
    expect(failing).toMatchObject({
      recordsToday: 2,
      optInRateToday: 1,
      undelivered: { records: 1, more: false },
      endpoint: { state: 'failing' },
    });
    expect(Date.now() - Date.parse(failing.endpoint.since ?? '')).toBeLessThan(60_000);
    // Queued again, so it is not counted.
    await resendOne(project, failed);
    expect(await read(project)).toMatchObject({ undelivered: { records: 0 } });
    // Published for a plan change, by a person, and again for a plan change.
    await service.database.query(
      `insert into publication
         (project_id, version, configuration_version, configuration, tier, content_hash, region_rules_left_out, in_force_from)
       values ($1, 1, 0, '{}', 'pro', 'a', false, '2026-01-01'), ($1, 2, 1, '{}', 'pro', 'b', false, '2026-01-02'),
              ($1, 3, 1, '{}', 'business', 'c', false, '2026-01-03')`,
      [project.id],
    );
    await service.database.query(
      `insert into site_visit values
         ($1, 'hostname', date_trunc('hour', now()), 'a.example', 1, 0, 0, '2026-01-02T03:04:05Z'),
         ($1, 'hostname', date_trunc('hour', now()), 'b.example', 1, 0, 0, '2026-01-02T03:04:06Z'),
         ($1, 'hostname', date_trunc('hour', now() - interval '1 hour'), 'a.example', 1, 0, 0, '2026-01-01')`,
      [project.id],
    );
    expect(await read(project)).toMatchObject({
      publishedAt: '2026-01-02T00:00:00.000Z',
      lastSeenAt: '2026-01-02T03:04:06.000Z',
    });
  });

  it('shows since when a draft waits to be published', async () => {
    const project = await createTestProject(service);
    await service.database.query(
      `insert into configuration_draft (project_id, version, configuration, based_on, updated_at)
       values ($1, 1, '{}', 0, '2026-01-02T03:04:05Z')`,
      [project.id],
    );
    expect(await read(project)).toMatchObject({ draftSavedAt: '2026-01-02T03:04:05.000Z' });
    // Discarded: the row stays.
    await service.database.query(
      'update configuration_draft set configuration = null where project_id = $1',
      [project.id],
    );
    expect(await read(project)).toMatchObject({ draftSavedAt: null });
  });

  it('counts each record of today once, in and before the rollups, also where a day begins within an hour', async () => {
    const rollup = service.app.get(ConsentRollup, { strict: false });
    const project = await createTestProject(service);
    // Half an hour apart from UTC. In the first hour of its day, take the one whose day is older.
    const hourIn = (timeZone: string): number =>
      Number(new Date().toLocaleString('en', { timeZone, hour: 'numeric', hourCycle: 'h23' }));
    const timeZone = hourIn('Asia/Kolkata') === 0 ? 'Australia/Darwin' : 'Asia/Kolkata';
    const { from } = overviewPeriods(new Date(), timeZone).today.now;
    const [early, late] = [new Date(from.getTime() + 600_000), new Date(from.getTime() + 1_200_000)];
    for (const at of [early, late]) {
      const id = await storeConsent(service, project.id, { id: uuidLowerBound(at).replace(/.$/, '1') });
      await service.database.query('update consent_record set received_at = $2 where id = $1', [id, at]);
    }
    await service.database.query('update consent_rollup_state set done_until = $1', [
      new Date(from.getTime() - 3_600_000),
    ]);
    for (const isRolledUp of [false, true]) {
      if (isRolledUp) await rollup.advance();
      const rows = await service.database.query('select from consent_rollup_hour where project_id = $1', [
        project.id,
      ]);
      expect(rows).toHaveLength(isRolledUp ? 1 : 0);
      expect((await read(project, timeZone)).recordsToday).toBe(2);
    }
  });

  it('shows a held endpoint, and one of a tier without forwarding as off', async () => {
    const project = await forwardingProject();
    await service.database.query(
      `insert into forwarding_hold (project_id, phase, held_since) values ($1, 'open', '2026-01-02T03:04:05Z')`,
      [project.id],
    );
    const held = { state: 'held', since: '2026-01-02T03:04:05.000Z' };
    expect((await read(project)).endpoint).toEqual(held);
    await service.database.query(`update project set tier = 'lite' where id = $1`, [project.id]);
    expect((await read(project)).endpoint).toEqual({ state: 'off', since: null });
  });

  it('is listed by pages for a member, of their projects alone, and counts up to a limit', async () => {
    const user = await signUp(service);
    const stranger = await createTestProject(service);
    const rows = await service.database.query<{ id: string }>(
      `with made as (
           insert into project (id, name, tier, tier_reason) select uuidv7(), 'Site ' || n, 'pro', 'test'
           from generate_series(1, 101) n returning id
         ), settings as (
           insert into forwarding_settings (project_id, enabled, endpoint_url, last_delivered_at)
           select id, true, 'https://a.example', now() - interval '1 day' from made
         ), records as (
           insert into consent_record (project_id, id, analytics, marketing, preferences, action)
           select id, uuidv7(), true, true, true, 'accept_all' from made, generate_series(1, $1::int)
           returning project_id, id
         ), failures as (
           insert into delivery (project_id, id, consent_id, outcome, category, duration_ms, attempted_at)
           select project_id, uuidv7(), id, 'failed', 'timeout', 1, now() from records
         )
         select id from made`,
      [LISTED_UNDELIVERED_MAX + 1],
    );
    const ids = rows.map(({ id }) => id);
    await join(user, ids);
    const list = async (query: string): Promise<Page> => {
      const response = await user.request('GET', `/v1/project-statuses${query}`);
      expect(response.status).toBe(200);
      return (await response.json()) as Page;
    };
    const first = await list('');
    const second = await list(`?cursor=${first.nextCursor}`);
    expect([first.items.length, second.items.length, second.nextCursor]).toEqual([100, 1, null]);
    const listed = [...first.items, ...second.items];
    expect(listed.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
    expect(listed.map(({ id }) => id)).not.toContain(stranger.id);
    for (const item of listed)
      expect(item).toMatchObject({
        role: 'editor',
        recordsToday: LISTED_UNDELIVERED_MAX + 1,
        endpoint: { state: 'healthy' },
        undelivered: { records: LISTED_UNDELIVERED_MAX, more: true },
      });
  });

  it.each(['limit=101', 'limit=0', 'cursor=x', 'timeZone=Middle-earth', 'unknown=1'])(
    'refuses the query %s',
    async (query) => {
      const project = await createTestProject(service);
      const response = await fetch(`${service.baseUrl}/v1/project-statuses?${query}`, {
        headers: { authorization: `Bearer ${project.keys.viewer}` },
      });
      expect(response.status).toBe(422);
    },
  );
});
