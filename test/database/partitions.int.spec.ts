import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DeliveryPartitions } from '../../src/forwarding/application/delivery-partitions.js';
import { uuidLowerBound } from '../../src/shared/ids.js';
import { dropPartitionsBefore, ensurePartition } from '../../src/database/partitions.js';
import { Maintenance } from '../../src/shared/maintenance.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';

const DAY_MS = 24 * 60 * 60 * 1000;
/** Long ago: what is younger than it must be kept cannot be dropped, whatever the caller says. */
const NOW = new Date('2026-01-20T12:00:00Z');
const after = (days: number) => new Date(NOW.getTime() + days * DAY_MS);

let database: TestDatabase;
let partitions: DeliveryPartitions;

beforeAll(async () => {
  database = await createTestDatabase();
  partitions = new DeliveryPartitions(database.orm.em, new Maintenance());
});

afterAll(() => database.close());

const namesOf = async (parent: string) =>
  (
    await database.query<{ name: string }>(
      `select inhrelid::regclass::text as name from pg_inherits where inhparent = $1::regclass order by 1`,
      [parent],
    )
  ).map(({ name }) => name);

describe(DeliveryPartitions.name, () => {
  it('makes yesterday to three days ahead once, also when several processes start together', async () => {
    const made = await Promise.all(Array.from({ length: 4 }, () => partitions.ensure(NOW)));
    expect(made.flat()).toHaveLength(10);
    expect(await partitions.ensure(NOW)).toEqual([]);
    expect(await namesOf('delivery_failed')).toEqual([
      'delivery_failed_20260119',
      'delivery_failed_20260120',
      'delivery_failed_20260121',
      'delivery_failed_20260122',
      'delivery_failed_20260123',
    ]);
  });

  it('files each outcome under its day, with the keys of the parent', async () => {
    const insert = (outcome: string, at: Date) =>
      database.query<{ name: string }>(
        `insert into delivery (project_id, id, consent_id, outcome, duration_ms, attempted_at)
         values ($1, $1, $1, $2, 1, now()) returning tableoid::regclass::text as name`,
        [uuidLowerBound(at), outcome],
      );
    const midnight = new Date('2026-01-21T00:00:00Z');
    expect(await insert('skipped', NOW)).toEqual([{ name: 'delivery_settled_20260120' }]);
    expect(await insert('failed', new Date(midnight.getTime() - 1))).toEqual([
      { name: 'delivery_failed_20260120' },
    ]);
    expect(await insert('failed', midnight)).toEqual([{ name: 'delivery_failed_20260121' }]);
    await expect(insert('failed', midnight)).rejects.toThrow('duplicate key');
    await expect(insert('pending', NOW)).rejects.toThrow('no partition');
  });

  it('keeps delivered ones 30 days and failed ones 90', async () => {
    // The partition of 19 January ends with that day; noon of 18 February is 29.5 days later.
    expect(await partitions.dropExpired(after(29))).toEqual([]);
    expect(await partitions.dropExpired(after(30))).toEqual(['delivery_settled_20260119']);
    expect(await partitions.dropExpired(after(89))).toEqual(
      ['20260120', '20260121', '20260122', '20260123'].map((day) => `delivery_settled_${day}`),
    );
    expect(await partitions.dropExpired(after(90))).toEqual(['delivery_failed_20260119']);
  });
});

describe('ensurePartition', () => {
  const january = new Date('2026-01-01');
  const february = new Date('2026-02-01');

  it('does not wait for an insert that is under way', async () => {
    await ensurePartition(database.orm.em, 'consent_record', january);
    await database.query('begin');
    try {
      await database.query(
        `insert into consent_record (project_id, id, analytics, marketing, preferences, action)
         values ($1, $1, true, true, true, 'custom')`,
        [uuidLowerBound(NOW)],
      );
      expect(await ensurePartition(database.orm.em, 'consent_record', february)).toBe(true);
      // Dropping needs the parent to itself; it is left for the next time.
      expect(await dropPartitionsBefore(database.orm.em, 'consent_record', uuidLowerBound(february))).toEqual(
        [],
      );
    } finally {
      await database.query('rollback');
    }
    expect(await dropPartitionsBefore(database.orm.em, 'consent_record', uuidLowerBound(february))).toEqual([
      'consent_record_202601',
    ]);
  });
});
