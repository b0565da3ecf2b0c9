import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { addUpAudience } from '../../src/consent/application/audience.rollup.js';
import { storedSince } from '../../src/consent/infrastructure/stored-since.js';
import { newId } from '../../src/shared/ids.js';
import { startTestService, type TestService } from '../support/service.js';

/** Stored over the last week; what a step looks for came after all of them. */
const OLDER = 20_000;
const NEW = 10;
const PROJECTS = 20;
const LIMIT = 1_000;
/** The transaction of the new ones, behind those of the others. */
const XID = 1_000_000;
const NOWHERE = '00000000-0000-0000-0000-000000000000';

/**
 * What workers read again and again is the newest of all projects. Its place in the primary key, which begins with the
 * project, may be anywhere in the last week (ids are made by browsers), so a plan that looks there reads that week each time.
 */
describe('reading what was received last', () => {
  let service: TestService;
  let from: Date;
  let to: Date;

  beforeAll(async () => {
    service = await startTestService();
    const { database } = service;
    for (const { partition } of await database.query<{ partition: string }>(
      `select inhrelid::regclass::text as partition from pg_inherits where inhparent = 'consent_record'::regclass`,
    ))
      await database.query(`alter table ${partition} set (autovacuum_enabled = off)`);
    const projectIds = Array.from({ length: PROJECTS }, () => newId());
    await database.query(
      `insert into project (id, name, tier, tier_reason)
       select id, 'A project', 'pro', 'subscription' from unnest($1::uuid[]) as p (id)`,
      [projectIds],
    );
    await database.query(
      `insert into consent_record (project_id, id, analytics, marketing, preferences, action, received_at, stored_xid)
       select ($1::uuid[])[1 + n % ${PROJECTS}],
              (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7000' || '8000' || lpad(to_hex(n), 12, '0'))::uuid,
              true, false, true, 'custom', at, case when n > ${OLDER} then ${XID} else n / 10 end
       from (select n, case when n > ${OLDER} then now() else now() - '10 minutes'::interval - n * '30 seconds'::interval end as at
             from generate_series(1, ${OLDER + NEW}) n) s`,
      [projectIds],
    );
    const [range] = await database.query<{ from: Date; to: Date }>(
      `select max(received_at) - interval '1 minute' as "from", max(received_at) + interval '1 minute' as "to" from consent_record`,
    );
    if (!range) throw new Error('nothing is stored');
    ({ from, to } = range);
  });
  afterAll(() => service.close());

  /** Runs a step, and counts the entries that it reads of the indexes that lead to records by project and id. */
  async function entriesReadBy<Result>(
    step: (tx: EntityManager) => Promise<Result>,
  ): Promise<{ result: Result; entries: number }> {
    const em = service.app.get(EntityManager, { strict: false });
    return em.fork().transactional(async (tx) => {
      const result = await step(tx);
      const { rows } = await sql<{ entries: number }>`
        select coalesce(sum(pg_stat_get_xact_tuples_returned(i.inhrelid)), 0)::int as entries
        from pg_inherits i where i.inhparent = 'consent_record_pkey'::regclass
      `.execute(tx.getKysely());
      return { result, entries: rows[0]?.entries ?? NaN };
    });
  }

  describe.each([
    ['nothing is known of the tables yet', null],
    ['they are analysed', 'analyze consent_record'],
    ['they are vacuumed', 'vacuum consent_record'],
  ])('while %s', (_, first) => {
    beforeAll(async () => {
      if (first !== null) await service.database.query(first);
    });

    it('leaves the week of the primary key alone where records are sealed', async () => {
      const after = { xid: String(XID), projectId: NOWHERE, id: NOWHERE, isErasure: false };
      const { result, entries } = await entriesReadBy((tx) =>
        storedSince(tx, { after, before: String(XID + 1), limit: LIMIT }),
      );
      expect(result).toHaveLength(NEW);
      expect(entries).toBe(0);
    });

    it('and where they are counted', async () => {
      const { entries } = await entriesReadBy((tx) => addUpAudience(tx, { from, to }));
      expect(entries).toBe(0);
    });
  });
});
