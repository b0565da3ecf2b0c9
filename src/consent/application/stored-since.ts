import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { joinProject } from '../../projects/project.rows.js';
import type { ConsentRecorded } from '../domain/consent-recorded.js';
import { idsOfReceived } from '../infrastructure/counts-sql.js';

/** A transaction tells when it began a moment after it looked at the clock; this is far more than that moment. */
const LAG = '5 seconds';

/** A place in the order of what is stored and erased: everything up to it was seen. */
export interface StoredPlace {
  /** An instant as PostgreSQL writes it, to the microsecond. */
  at: string;
  projectId: string;
  id: string;
  isErasure: boolean;
}

/** A record that was stored, or that one was erased. */
export interface StoredEvent extends StoredPlace {
  /** When it was received or erased, to the millisecond. */
  instant: Date;
  /** null of an erasure. */
  record: ConsentRecorded | null;
}

/** What to read. */
export interface StoredSlice {
  /** What lies behind it. */
  after: StoredPlace;
  /** What was stored before it, an instant as PostgreSQL writes it; no later than `completeUntil`. */
  before: string;
  limit: number;
}

/**
 * The instant before which nothing can turn up any more: a record's instant of receipt, and that of an erasure, is the
 * begin of its transaction, so it never passes the oldest open one.
 */
export async function completeUntil(tx: EntityManager): Promise<string> {
  const { rows } = await sql<{ until: string }>`
    select date_trunc('milliseconds', least(
      now() - ${LAG}::interval,
      (select min(xact_start) from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend')
    ))::text as until
  `.execute(tx.getKysely());
  return rows[0]?.until ?? '';
}

/**
 * What was stored and erased behind a place and before an instant, in its order, which is that of receipt; at most
 * `limit`. Nothing of projects that are gone. The records are looked up by their receipt before their projects (`offset 0`):
 * a planner that knows little of them, as in a new month, went from project to project through a week of the primary key
 * (202,000 pages for nothing new among 200,000 records).
 */
export async function storedSince(
  tx: EntityManager,
  { after, before, limit }: StoredSlice,
): Promise<StoredEvent[]> {
  const place = sql`(${after.at}::timestamptz, ${after.projectId}::uuid, ${after.id}::uuid, ${after.isErasure}::boolean)`;
  const ids = idsOfReceived({ from: new Date(after.at), to: new Date(before) });
  type Rest = Omit<ConsentRecorded, 'id' | 'projectId' | 'receivedAt'>;
  const { rows } = await sql<StoredPlace & { instant: Date } & Rest>`
    select * from (
      (select c.received_at::text as at, c.received_at as "instant", c.project_id as "projectId", c.id,
              false as "isErasure", c.analytics, c.marketing, c.preferences, c.action, c.hostname,
              c.custom_endpoint as "customEndpoint", c.config_hash as "configHash", c.language, c.surface, c.extra,
              c.unannounced, c.salt
       from (
         select * from consent_record c
         where c.received_at >= ${after.at}::timestamptz and c.received_at < ${before}::timestamptz and ${ids}
         offset 0
       ) c ${sql.raw(joinProject('c.project_id'))}
       where (c.received_at, c.project_id, c.id, false) > ${place}
       order by c.received_at, c.project_id, c.id limit ${limit})
      union all
      (select e.erased_at::text, e.erased_at, e.project_id, e.consent_id, true,
              null, null, null, null, null, null, null, null, null, null, null, null
       from erased_record e
       where e.erased_at >= ${after.at}::timestamptz and e.erased_at < ${before}::timestamptz
         and (e.erased_at, e.project_id, e.consent_id, true) > ${place}
       order by e.erased_at, e.project_id, e.consent_id limit ${limit})
    ) stored
    order by "instant", "projectId", id, "isErasure" limit ${limit}
  `.execute(tx.getKysely());
  return rows.map(({ at, projectId, id, isErasure, instant, ...rest }) => ({
    ...{ at, projectId, id, isErasure, instant },
    record: isErasure ? null : { ...rest, id, projectId, receivedAt: instant },
  }));
}

/** Gives records that were stored without one their salts. */
export async function giveSalts(tx: EntityManager, records: readonly ConsentRecorded[]): Promise<void> {
  await sql`
    update consent_record c set salt = given.salt
    from unnest(${records.map(({ projectId }) => projectId)}::uuid[], ${records.map(({ id }) => id)}::uuid[],
                ${records.map(({ salt }) => salt)}::bytea[]) as given (project_id, id, salt)
    where c.project_id = given.project_id and c.id = given.id and c.salt is null
  `.execute(tx.getKysely());
}
