import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { lockProject } from '../../src/modules/projects/project.rows.js';
import { TIER_SWEEP_BATCH_MAX, TierSweeper } from '../../src/modules/licensing/application/tier-sweeper.js';
import { newId } from '../../src/platform/identity/ids.js';
import { createTestProject } from '../support/people/project.js';
import { startTestService, type TestService } from '../support/programs/service.js';
import { writeSubscription } from '../support/people/subscription.js';

const DAY_MS = 86_400_000;
const OVERDUE_SINCE = new Date('2026-11-01T00:00:00.000Z');
const GRACE_END = new Date(OVERDUE_SINCE.getTime() + 14 * DAY_MS);

let service: TestService;
let sweeper: TierSweeper;
beforeAll(async () => {
  service = await startTestService();
  sweeper = service.app.get(TierSweeper, { strict: false });
});
beforeEach(() => service.database.query('delete from project'));
afterAll(() => service.close());

/** Projects on grace until `GRACE_END`, straight in the database. */
async function projectsOnGrace(count: number): Promise<void> {
  const ids = Array.from({ length: count }, () => newId());
  await service.database.query(
    `insert into project (id, name, tier, tier_reason, tier_valid_until)
     select id, 'A project', 'pro', 'grace_past_due', $2 from unnest($1::uuid[]) id`,
    [ids, GRACE_END],
  );
  await service.database.query(
    `insert into subscription (project_id, id, provider, external_id, tier, status, known_status, status_since, past_due_since)
     select id, id, 'stripe', id, 'pro', 'past_due', 'past_due', $2, $2 from unnest($1::uuid[]) id`,
    [ids, OVERDUE_SINCE],
  );
}

const counts = async (): Promise<unknown> =>
  service.database.query(
    `select tier, tier_reason, tier_version, tier_valid_until is null as final, count(*)::int
     from project group by 1, 2, 3, 4`,
  );

describe(TierSweeper.name, () => {
  it('takes a tier away when its grace ends, and not a millisecond before', async () => {
    const project = await createTestProject(service);
    const subscriptionId = await writeSubscription(
      service,
      project.id,
      { status: 'past_due', pastDueSince: OVERDUE_SINCE },
      OVERDUE_SINCE,
    );
    expect(await sweeper.sweep(new Date(GRACE_END.getTime() - 1))).toBe(0);
    expect(await counts()).toMatchObject([{ tier: 'pro', tier_version: '1', final: false }]);
    expect(await sweeper.sweep(GRACE_END)).toBe(1);
    expect(await counts()).toMatchObject([
      { tier: 'lite', tier_reason: 'grace_expired', tier_version: '2', final: true },
    ]);
    expect(await sweeper.sweep(GRACE_END)).toBe(0);
    const changes = await service.database.query(
      'select from_tier, to_tier, reason, tier_reason, subscription_id, event_id, actor, at from tier_change order by id',
    );
    expect(changes).toEqual([
      {
        from_tier: 'lite',
        to_tier: 'pro',
        reason: 'test',
        tier_reason: 'grace_past_due',
        subscription_id: subscriptionId,
        event_id: null,
        actor: null,
        at: OVERDUE_SINCE,
      },
      {
        from_tier: 'pro',
        to_tier: 'lite',
        reason: 'sweep',
        tier_reason: 'grace_expired',
        subscription_id: null,
        event_id: null,
        actor: null,
        at: GRACE_END,
      },
    ]);
  });

  it('goes on to the next bound where another subscription still counts', async () => {
    const project = await createTestProject(service);
    const write = (fields: object): Promise<string> =>
      writeSubscription(service, project.id, fields, OVERDUE_SINCE);
    const grant = { provider: 'manual', tier: 'business', reason: 'contract 7', grantedBy: 'an operator' };
    await write({ ...grant, expiresAt: new Date(OVERDUE_SINCE.getTime() + DAY_MS) });
    await write({ status: 'past_due', pastDueSince: OVERDUE_SINCE });
    expect(await sweeper.sweep(new Date(OVERDUE_SINCE.getTime() + DAY_MS))).toBe(1);
    expect(await counts()).toMatchObject([{ tier: 'pro', tier_reason: 'grace_past_due', final: false }]);
    expect(await sweeper.sweep(GRACE_END)).toBe(1);
    expect(await counts()).toMatchObject([{ tier: 'lite', tier_reason: 'grace_expired' }]);
  });

  it('goes on to the next batch in one sweep, until none is left', async () => {
    await projectsOnGrace(2 * TIER_SWEEP_BATCH_MAX + 1);
    expect(await sweeper.sweep(GRACE_END)).toBe(2 * TIER_SWEEP_BATCH_MAX + 1);
    expect(await counts()).toMatchObject([{ tier: 'lite', count: 2 * TIER_SWEEP_BATCH_MAX + 1 }]);
  });

  it('does each project once with several workers at once, over several batches', async () => {
    const projects = 2 * TIER_SWEEP_BATCH_MAX + 7;
    await projectsOnGrace(projects);
    const swept = await Promise.all([1, 2, 3].map(() => sweeper.sweep(GRACE_END)));
    expect(swept.reduce((sum, count) => sum + count, 0)).toBe(projects);
    expect(await counts()).toEqual([
      { tier: 'lite', tier_reason: 'grace_expired', tier_version: '1', final: true, count: projects },
    ]);
    expect(await service.database.query('select count(*)::int from tier_change')).toEqual([
      { count: projects },
    ]);
  });

  it('passes by a project that somebody is writing, and leaves it to them', async () => {
    await projectsOnGrace(1);
    const [project] = await service.database.query<{ id: string }>('select id from project');
    await service.database.orm.em.fork().transactional(async (tx) => {
      await lockProject(tx, String(project?.id));
      expect(await sweeper.sweep(GRACE_END)).toBe(0);
    });
    expect(await sweeper.sweep(GRACE_END)).toBe(1);
  });
});
