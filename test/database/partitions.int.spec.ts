import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CONSENT_RECORDS } from '../../src/modules/consent/infrastructure/consent-writer.js';
import {
  dropPartitionsBefore,
  ensurePartitions,
  PartitionMaintenance,
} from '../../src/platform/database/partitions.js';
import {
  DELIVERY_PARTITIONS,
  deliveriesKeptSince,
} from '../../src/modules/forwarding/infrastructure/delivery.rows.js';
import { uuidLowerBound } from '../../src/platform/identity/ids.js';
import { Maintenance } from '../../src/platform/operations/maintenance.js';
import { createTestDatabase, type TestDatabase } from '../support/database/database.js';

const DAY_MS = 24 * 60 * 60 * 1000;
/** Long ago: partitions within the minimum retention cannot be dropped, with any argument. */
const NOW = new Date('2026-01-20T12:00:00Z');
const after = (days: number) => new Date(NOW.getTime() + days * DAY_MS);

let database: TestDatabase;
let partitions: PartitionMaintenance;

beforeAll(async () => {
  database = await createTestDatabase();
  partitions = new PartitionMaintenance(database.orm.em, new Maintenance());
});

afterAll(() => database.close());

const createMissing = async () =>
  (await Promise.all(DELIVERY_PARTITIONS.map((table) => partitions.createMissing(table, NOW)))).flat();

const dropExpired = async (now: Date) => {
  const dropped: string[] = [];
  for (const table of DELIVERY_PARTITIONS)
    dropped.push(...(await dropPartitionsBefore(database.orm.em, table, deliveriesKeptSince(now, table))));
  return dropped;
};

const namesOf = async (parent: string) =>
  (
    await database.query<{ name: string }>(
      `select inhrelid::regclass::text as name from pg_inherits where inhparent = $1::regclass order by 1`,
      [parent],
    )
  ).map(({ name }) => name);

describe('partitions of deliveries', () => {
  it('makes yesterday to three days ahead once, also when several processes start together', async () => {
    const made = await Promise.all(Array.from({ length: 4 }, createMissing));
    expect(made.flat()).toHaveLength(10);
    expect(await createMissing()).toEqual([]);
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
    expect(await dropExpired(after(29))).toEqual([]);
    expect(await dropExpired(after(30))).toEqual(['delivery_settled_20260119']);
    expect(await dropExpired(after(89))).toEqual(
      ['20260120', '20260121', '20260122', '20260123'].map((day) => `delivery_settled_${day}`),
    );
    expect(await dropExpired(after(90))).toEqual(['delivery_failed_20260119']);
  });
});

describe('ensurePartitions', () => {
  const january = { from: NOW, to: NOW };
  const february = { from: new Date('2026-02-01'), to: new Date('2026-02-28') };

  it('does not wait for an insert that is under way', async () => {
    const { em } = database.orm;
    await ensurePartitions(em, CONSENT_RECORDS, january);
    await database.query('begin');
    try {
      await database.query(
        `insert into consent_record (project_id, id, analytics, marketing, preferences, action)
         values ($1, $1, true, true, true, 'custom')`,
        [uuidLowerBound(NOW)],
      );
      expect(await ensurePartitions(em, CONSENT_RECORDS, february)).toEqual([february.from]);
      // Dropping needs a lock on the parent; the partition is left for the next run.
      expect(await dropPartitionsBefore(em, CONSENT_RECORDS, february.from)).toEqual([]);
    } finally {
      await database.query('rollback');
    }
    expect(await dropPartitionsBefore(em, CONSENT_RECORDS, february.from)).toEqual(['consent_record_202601']);
  });
});
