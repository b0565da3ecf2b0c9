import type { EntityManager } from '@mikro-orm/postgresql';
import { type RawBuilder, sql } from 'kysely';
import { joinProject } from '../../projects/project.rows.js';
import type { ConsentRecorded } from '../domain/consent-recorded.js';

/**
 * A position in the order in which records and erasures are sequenced: by the transaction that wrote them. No clock is
 * involved, so a clock that steps back takes nothing behind a position that was passed.
 */
export interface StoredPlace {
  /** Id of the transaction, a decimal number of 64 bits. */
  xid: string;
  projectId: string;
  id: string;
  isErasure: boolean;
}

/** A record that was stored, or that one was erased. */
export interface StoredEvent extends StoredPlace {
  /** When it was received or erased by the database's clock, to the millisecond. */
  instant: Date;
  /** null of an erasure. */
  record: ConsentRecorded | null;
}

/** What to read. */
export interface StoredSlice {
  /** The position to begin behind. */
  after: StoredPlace;
  /** Transactions before this one; no later than `completeBelow`. */
  before: string;
  limit: number;
}

/** Where the order is complete. */
export interface Horizon {
  /** All transactions before this one have ended, and none can begin. */
  xid: string;
  /** When that was known, or the begin of the oldest transaction that still writes, to the millisecond. */
  at: string;
  /** Which server counts the transactions; null where that may not be read. */
  cluster: string | null;
}

/**
 * The transaction before which nothing can turn up any more: the oldest one in progress that writes. PostgreSQL gives
 * ids in the order in which transactions first write, and a snapshot lists those that have not ended.
 */
export async function completeBelow(tx: EntityManager): Promise<Horizon> {
  const kysely = tx.getKysely();
  const { rows } = await sql<Omit<Horizon, 'cluster'> & { isReadable: boolean }>`
    select pg_snapshot_xmin(pg_current_snapshot())::text as xid,
           date_trunc('milliseconds', least(clock_timestamp(), (
             select min(xact_start) from pg_stat_activity
             where datname = current_database() and pid <> pg_backend_pid() and backend_xid is not null
           )))::text as at,
           has_function_privilege('pg_control_system()', 'execute') as "isReadable"
  `.execute(kysely);
  const [horizon] = rows;
  if (!horizon) throw new Error('a snapshot has one row');
  const { xid, at, isReadable } = horizon;
  if (!isReadable) return { xid, at, cluster: null };
  const { rows: servers } = await sql<{ name: string }>`
    select system_identifier::text as name from pg_control_system()
  `.execute(kysely);
  return { xid, at, cluster: servers[0]?.name ?? null };
}

type Rest = Omit<ConsentRecorded, 'id' | 'projectId' | 'receivedAt'>;
type StoredRow = StoredPlace & { instant: Date } & Rest;

const RECORD = sql.raw(`
  c.stored_xid::text as xid, c.received_at as "instant", c.project_id as "projectId", c.id, false as "isErasure",
  c.analytics, c.marketing, c.preferences, c.action, c.hostname, c.custom_endpoint as "customEndpoint",
  c.config_hash as "configHash", c.language, c.surface, c.extra, c.unannounced, c.salt`);
const COLUMNS = sql.raw(`
  xid, "instant", "projectId", id, "isErasure", analytics, marketing, preferences, action, hostname, "customEndpoint",
  "configHash", language, surface, extra, unannounced, salt`);
const ERASURE = sql.raw(`
  e.stored_xid::text, e.erased_at, e.project_id, e.consent_id, true,
  null, null, null, null, null, null, null, null, null, null, null, null`);

/**
 * What was stored and erased behind a position, in its order; at most `limit`. Nothing of projects that are gone. The
 * records are looked up by their transaction before their projects (`offset 0`): a planner that knows little of them,
 * as in a new month, read a week of the primary key project by project (202,000 pages for nothing new).
 */
export async function storedSince(
  tx: EntityManager,
  { after, before, limit }: StoredSlice,
): Promise<StoredEvent[]> {
  const place = sql`(${after.xid}::bigint, ${after.projectId}::uuid, ${after.id}::uuid, ${after.isErasure}::boolean)`;
  const within = (column: RawBuilder<unknown>): RawBuilder<unknown> =>
    sql`${column} >= ${after.xid}::bigint and ${column} < ${before}::bigint`;
  const { rows } = await sql<StoredRow>`
    select ${COLUMNS} from (
      (select ${RECORD}, c.stored_xid as n
       from (select * from consent_record c where ${within(sql`c.stored_xid`)} offset 0) c
            ${sql.raw(joinProject('c.project_id'))}
       where (c.stored_xid, c.project_id, c.id, false) > ${place}
       order by c.stored_xid, c.project_id, c.id limit ${limit})
      union all
      (select ${ERASURE}, e.stored_xid
       from erased_record e
       where ${within(sql`e.stored_xid`)} and (e.stored_xid, e.project_id, e.consent_id, true) > ${place}
       order by e.stored_xid, e.project_id, e.consent_id limit ${limit})
    ) stored
    order by n, "projectId", id, "isErasure" limit ${limit}
  `.execute(tx.getKysely());
  return rows.map(eventOf);
}

/**
 * The records of a project behind an id, and the erasures of those that were not sent again, in the order of their ids;
 * at most `limit`. Nothing that was received before `since`.
 */
export async function storedOfProject(
  tx: EntityManager,
  { projectId, afterId, since, limit }: { projectId: string; afterId: string; since: Date; limit: number },
): Promise<StoredEvent[]> {
  const { rows } = await sql<StoredRow>`
    select stored.* from (
      (select ${RECORD} from consent_record c
       where c.project_id = ${projectId} and c.id > ${afterId} and c.received_at >= ${since} order by c.id limit ${limit})
      union all
      (select ${ERASURE} from erased_record e
       where e.project_id = ${projectId} and e.consent_id > ${afterId} and e.erased_at >= ${since}
         and not exists (select from consent_record c where c.project_id = e.project_id and c.id = e.consent_id)
       order by e.consent_id limit ${limit})
    ) stored order by id limit ${limit}
  `.execute(tx.getKysely());
  return rows.map(eventOf);
}

function eventOf({ xid, projectId, id, isErasure, instant, ...rest }: StoredRow): StoredEvent {
  return {
    ...{ xid, projectId, id, isErasure, instant },
    record: isErasure ? null : { ...rest, id, projectId, receivedAt: instant },
  };
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
