import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { copyDatabase, DemoMemberError } from '../../src/platform/database/copy.js';
import { newId } from '../../src/platform/identity/ids.js';
import { createTestDatabase, type TestDatabase } from '../support/database/database.js';

const DEMO = { ownerEmail: 'demo@example.com', pricePrefix: 'price_demo_' };

let source: TestDatabase;
let target: TestDatabase;
let clients: [Client, Client];
const shop = newId();
const demo = newId();
const owner = newId();
const demoOwner = newId();

beforeAll(async () => {
  source = await createTestDatabase();
  for (const [id, isDemo] of [
    [shop, false],
    [demo, true],
  ])
    await source.query(`insert into project (id, name, demo) values ($1, 'Shop', $2)`, [id, isDemo]);
  for (const [id, email] of [
    [owner, 'owner@example.com'],
    [demoOwner, DEMO.ownerEmail],
  ]) {
    await source.query(`insert into app_user (id, name, email) values ($1, 'Ada', $2)`, [id, email]);
    await source.query(
      `insert into user_session (id, user_id, token, expires_at) values ($1, $2, $3, now() + interval '1 day')`,
      [newId(), id, newId()],
    );
    await source.query(
      `insert into user_network (user_id, network_hash, seen_at) values ($1, '\\x01', now())`,
      [id],
    );
  }
  for (const [project, user] of [
    [shop, owner],
    [demo, demoOwner],
  ])
    await source.query(`insert into project_member (project_id, user_id, role) values ($1, $2, 'owner')`, [
      project,
      user,
    ]);
  for (const price of ['price_demo_pro_month', 'price_shop_pro_month']) {
    await source.query(`insert into billing_price (price_id, tier, "interval") values ($1, 'pro', 'month')`, [
      price,
    ]);
    await source.query(
      `insert into subscription (id, project_id, provider, external_id, price_id, status, status_since)
       values ($1, $2, 'stripe', $3, $3, 'active', now())`,
      [newId(), shop, price],
    );
  }
  // The account of the demo was a member once, and made a secret that a rotation has replaced.
  await source.query(
    `insert into api_key (project_id, id, name, role, key_hash, prefix, created_by, former_created_by)
     values ($1, $2, 'Reports', 'viewer', '\\x01', 'sk_1', $3, $4)`,
    [shop, newId(), owner, demoOwner],
  );
  for (const key of [shop, demo])
    await source.query(
      `insert into claim_throttle (ordering_key, topic, next_claim_at, batch_limit) values ($1, 'consent.recorded', now(), 1)`,
      [key],
    );
});
afterAll(() => source.close());

beforeEach(async () => {
  target = await createTestDatabase();
  clients = [
    new Client({ connectionString: source.ownerUrl }),
    new Client({ connectionString: target.ownerUrl }),
  ];
  for (const client of clients) await client.connect();
});
afterEach(async () => {
  for (const client of clients) await client.end();
  await target.close();
});

describe('database copy', () => {
  it('leaves out the account of the demo, its prices and subscriptions, and every session', async () => {
    await copyDatabase(...clients, DEMO);
    const copied = async (sql: string): Promise<unknown[]> =>
      (await target.query(sql)).map((row) => row['v']);
    expect(await copied('select id as v from project')).toEqual([shop]);
    expect(await copied('select email as v from app_user')).toEqual(['owner@example.com']);
    expect(await copied('select user_id as v from project_member')).toEqual([owner]);
    expect(await copied('select user_id as v from user_network')).toEqual([owner]);
    expect(await copied('select token as v from user_session')).toEqual([]);
    expect(await copied('select price_id as v from billing_price')).toEqual(['price_shop_pro_month']);
    expect(await copied('select price_id as v from subscription')).toEqual(['price_shop_pro_month']);
    expect(await copied('select ordering_key as v from claim_throttle')).toEqual([shop]);
    expect(await target.query('select created_by, former_created_by from api_key')).toEqual([
      { created_by: owner, former_created_by: null },
    ]);
  });

  it('copies nothing while the account of the demo is a member of another project', async () => {
    await source.query(`insert into project_member (project_id, user_id, role) values ($1, $2, 'viewer')`, [
      shop,
      demoOwner,
    ]);
    try {
      await expect(copyDatabase(...clients, DEMO)).rejects.toEqual(new DemoMemberError([shop]));
      expect(await target.query('select from project')).toEqual([]);
    } finally {
      await source.query('delete from project_member where project_id = $1 and user_id = $2', [
        shop,
        demoOwner,
      ]);
    }
  });

  it('copies organizations, unless the account of the demo is a member of one with projects', async () => {
    const organization = newId();
    await source.query("insert into organization (id, name) values ($1, 'Agency')", [organization]);
    await source.query('update project set organization_id = $2 where id = $1', [shop, organization]);
    const join = "insert into organization_member (organization_id, user_id, role) values ($1, $2, 'admin')";
    for (const user of [owner, demoOwner]) await source.query(join, [organization, user]);
    try {
      await expect(copyDatabase(...clients, DEMO)).rejects.toEqual(new DemoMemberError([shop]));
      await source.query('delete from organization_member where user_id = $1', [demoOwner]);
      await copyDatabase(...clients, DEMO);
      expect(await target.query('select organization_id from project')).toEqual([
        { organization_id: organization },
      ]);
      expect(await target.query('select user_id, role from organization_member')).toEqual([
        { user_id: owner, role: 'admin' },
      ]);
    } finally {
      await source.query('update project set organization_id = null');
      await source.query('delete from organization');
    }
  });

  it('leaves an open partition in the target that exists', async () => {
    await source.query('select outbox_open(9)');
    await copyDatabase(...clients, DEMO);
    const open = await target.query<{ part: number }>('select part from outbox_opening');
    expect(open).toHaveLength(1);
    await target.query(
      `insert into outbox_message (part, ordering_key, topic, subject_id) values ($1, $2, 'test', $2)`,
      [open[0]?.part, newId()],
    );
  });
});
