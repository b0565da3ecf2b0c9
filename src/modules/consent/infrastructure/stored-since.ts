import type { EntityManager } from '@mikro-orm/postgresql';
import { type RawBuilder, sql } from 'kysely';
import { joinProject } from '../../projects/project.rows.js';
import type { ConsentRecorded } from '../domain/consent-recorded.js';
import { columnsWithoutRecord, RECORD_COLUMNS, RECORD_MEMBERS } from './record.rows.js';

/**
 * A position in the sequence of records and erasures: ordered by the transaction that wrote them.
 * No clock is involved, so nothing is missed when a clock steps back.
 */
export interface RecordPosition {
  /** Id of the transaction, a decimal number of 64 bits. */
  xid: string;
  projectId: string;
  id: string;
  isErasure: boolean;
}

/** A stored record, or the erasure of one. */
export interface StoredEvent extends RecordPosition {
  /** When it was received or erased by the database's clock, to the millisecond. */
  instant: Date;
  /** null for an erasure. */
  record: ConsentRecorded | null;
}

/** A range of the sequence. */
export interface StoredSlice {
  /** The position to begin after. */
  after: RecordPosition;
  /** Transactions before this one; no later than `committedHorizon`. */
  before: string;
  limit: number;
  pageSize: number;
}

/** A page of one project's records and erasures, by id. */
export interface StoredProjectPage {
  projectId: string;
  afterId: string;
  /** Lower bound of the time of receipt or erasure. */
  since: Date;
  limit: number;
}

/** The end of the complete part of the sequence. */
export interface Horizon {
  /** All transactions before this one have ended, and none can begin. */
  xid: string;
  /** When the oldest writing transaction began, or now without one; to the millisecond. */
  at: string;
  /** The server that assigns the transaction ids; null if the role may not read it. */
  cluster: string | null;
}

/**
 * The transaction before which nothing can appear: the oldest one in progress that writes.
 * PostgreSQL assigns ids in the order in which transactions first write, and a snapshot lists the
 * open ones.
 */
export async function committedHorizon(tx: EntityManager): Promise<Horizon> {
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

type StoredRow = ConsentRecorded & Pick<RecordPosition, 'xid' | 'isErasure'>;

const MEMBERS = sql`xid, "isErasure", ${RECORD_MEMBERS}`;
const RECORD = sql`c.stored_xid::text as xid, false as "isErasure", ${RECORD_COLUMNS}`;
const ERASURE_COLUMNS = columnsWithoutRecord({
  id: sql.ref('e.consent_id'),
  projectId: sql.ref('e.project_id'),
  receivedAt: sql.ref('e.erased_at'),
});
const ERASURE = sql`e.stored_xid::text, true, ${ERASURE_COLUMNS}`;

/**
 * Pages of the records and erasures after a position, in order, at most `limit` in all; skips
 * deleted projects. One cursor reads all pages: the BRIN index only narrows a transaction to
 * blocks, and does not cover the newest blocks yet, so a query per page would read all of those
 * each time. The records are looked up by transaction before their projects (`offset 0`): without
 * statistics, as in a new month, the planner read a week of the primary key project by project
 * (202,000 pages for nothing new).
 */
export async function* storedSince(
  tx: EntityManager,
  { after, before, limit, pageSize }: StoredSlice,
): AsyncGenerator<StoredEvent[]> {
  const kysely = tx.getKysely();
  const position = sql`(${after.xid}::bigint, ${after.projectId}::uuid, ${after.id}::uuid, ${after.isErasure}::boolean)`;
  const within = (column: RawBuilder<unknown>): RawBuilder<unknown> =>
    sql`${column} >= ${after.xid}::bigint and ${column} < ${before}::bigint`;
  await sql`
    declare stored_event no scroll cursor for select ${MEMBERS} from (
      (select ${RECORD}, c.stored_xid as n
       from (select * from consent_record c where ${within(sql`c.stored_xid`)} offset 0) c
            ${joinProject(sql.ref('c.project_id'))}
       where (c.stored_xid, c.project_id, c.id, false) > ${position}
       order by c.stored_xid, c.project_id, c.id limit ${limit})
      union all
      (select ${ERASURE}, e.stored_xid
       from erased_record e
       where ${within(sql`e.stored_xid`)} and (e.stored_xid, e.project_id, e.consent_id, true) > ${position}
       order by e.stored_xid, e.project_id, e.consent_id limit ${limit})
    ) stored
    order by n, "projectId", id, "isErasure" limit ${limit}
  `.execute(kysely);
  for (;;) {
    const { rows } = await sql<StoredRow>`fetch ${sql.lit(pageSize)} from stored_event`.execute(kysely);
    if (rows.length > 0) yield rows.map(eventFrom);
    if (rows.length < pageSize) break;
  }
  await sql`close stored_event`.execute(kysely);
}

/** Records of a project after an id, and erasures of records that were not stored again, by id. */
export async function storedOfProject(
  tx: EntityManager,
  { projectId, afterId, since, limit }: StoredProjectPage,
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
  return rows.map(eventFrom);
}

function eventFrom({ xid, isErasure, ...record }: StoredRow): StoredEvent {
  const { id, projectId, receivedAt: instant } = record;
  return { xid, projectId, id, isErasure, instant, record: isErasure ? null : record };
}

/** Stores the salts of records that were stored without one. */
export async function issueSalts(tx: EntityManager, records: readonly ConsentRecorded[]): Promise<void> {
  await sql`
    update consent_record c set salt = given.salt
    from unnest(${records.map(({ projectId }) => projectId)}::uuid[], ${records.map(({ id }) => id)}::uuid[],
                ${records.map(({ salt }) => salt)}::bytea[]) as given (project_id, id, salt)
    where c.project_id = given.project_id and c.id = given.id and c.salt is null
  `.execute(tx.getKysely());
}
