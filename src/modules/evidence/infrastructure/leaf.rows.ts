import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { sql } from 'kysely';
import { listLiteral, type ListValue } from '../../../platform/database/list-literal.js';
import { ensurePartitions, type PartitionedTable } from '../../../platform/database/partitions.js';
import { monthStart } from '../../../platform/time/instant.js';
import { evidenceTables } from './evidence.tables.js';

const DELETE_BATCH_MAX = 10_000;

/** The leaf of a record, or of its erasure. */
export interface Leaf {
  /** Epoch of the log that contains it. */
  epoch: number;
  index: number;
  /** Salt of an erasure; null for a record. */
  salt: Buffer | null;
}

/** A leaf with its consent id. */
export interface ConsentLeaf extends Leaf {
  consentId: string;
}

/** A leaf with its record or erasure. */
export interface NewLeaf extends ConsentLeaf {
  projectId: string;
}

/** Inserts leaves. The leaf of an erasure or of a record that was stored again replaces the former one. */
export async function insertLeaves(tx: EntityManager, leaves: readonly NewLeaf[]): Promise<void> {
  const list = (type: string, valueOf: (leaf: NewLeaf) => ListValue): string =>
    listLiteral(type, leaves.map(valueOf));
  await sql`
    insert into evidence_leaf (project_id, consent_id, leaf_index, epoch, salt)
    select * from unnest(
      ${list('uuid', ({ projectId }) => projectId)}::uuid[], ${list('uuid', ({ consentId }) => consentId)}::uuid[],
      ${list('bigint', ({ index }) => index)}::bigint[], ${list('int', ({ epoch }) => epoch)}::int[],
      ${list('bytea', ({ salt }) => salt && `\\x${salt.toString('hex')}`)}::bytea[]
    )
    on conflict (project_id, consent_id) do update set leaf_index = excluded.leaf_index, epoch = excluded.epoch, salt = excluded.salt
  `.execute(tx.getKysely());
}

/** The positions in the list of the records and erasures that have a leaf. */
export async function findSequenced(
  tx: EntityManager,
  stored: readonly { projectId: string; id: string; isErasure: boolean }[],
): Promise<Set<number>> {
  const projectIds = stored.map(({ projectId }) => projectId);
  const ids = stored.map(({ id }) => id);
  const erasures = stored.map(({ isErasure }) => (isErasure ? 1 : 0));
  // One lookup each: a planner that expects few leaves would hash all of them.
  const { rows } = await sql<{ at: number }>`
    select given.position::int - 1 as at
    from unnest(${listLiteral('uuid', projectIds)}::uuid[], ${listLiteral('uuid', ids)}::uuid[],
                ${listLiteral('int', erasures)}::int[])
           with ordinality as given (project_id, id, is_erasure, position)
    cross join lateral (
      select l.salt from evidence_leaf l where l.project_id = given.project_id and l.consent_id = given.id offset 0
    ) leaf
    where (leaf.salt is not null) = (given.is_erasure = 1)
  `.execute(tx.getKysely());
  return new Set(rows.map(({ at }) => at));
}

/** The leaves of records, by consent id; records without a leaf are missing. */
export async function findLeaves(
  em: EntityManager,
  projectId: string,
  consentIds: readonly string[],
): Promise<Map<string, Leaf>> {
  const { rows } = await sql<ConsentLeaf>`
    select consent_id as "consentId", epoch, leaf_index as index, salt from evidence_leaf
    where project_id = ${projectId} and consent_id = any(${consentIds}::uuid[])
  `.execute(em.getKysely());
  return new Map(rows.map(({ consentId, ...leaf }) => [consentId, leaf]));
}

/** A page of a project's leaves, by consent id. */
export function listLeavesAfter(
  tx: EntityManager,
  { projectId, afterId, limit }: { projectId: string; afterId: string; limit: number },
): Promise<ConsentLeaf[]> {
  return evidenceTables(tx)
    .selectFrom('evidence_leaf')
    .select(['consentId', 'epoch', 'leafIndex as index', 'salt'])
    .where('projectId', '=', projectId)
    .where('consentId', '>', afterId)
    .orderBy('consentId')
    .limit(limit)
    .execute();
}

/** Deletes the leaves of erased records. Their commitments stay in the logs; without the salts they reveal nothing. */
export async function deleteLeaves(
  tx: EntityManager,
  { projectId, consentIds }: { projectId: string; consentIds: readonly string[] },
): Promise<void> {
  await sql`
    delete from evidence_leaf where project_id = ${projectId} and consent_id = any(${consentIds}::uuid[])
  `.execute(tx.getKysely());
}

/** Deletes all leaves of a project, in batches with a transaction each. */
export async function deleteProjectLeaves(em: EntityManager, projectId: string): Promise<void> {
  let deleted: number;
  do {
    const { numAffectedRows } = await sql`
      with batch as (
        select project_id, consent_id from evidence_leaf where project_id = ${projectId}
        order by consent_id limit ${DELETE_BATCH_MAX}
      )
      delete from evidence_leaf l using batch
      where l.project_id = batch.project_id and l.consent_id = batch.consent_id
    `.execute(em.getKysely());
    deleted = Number(numAffectedRows ?? 0);
  } while (deleted === DELETE_BATCH_MAX);
}

/** Its months start and end with those of the records. */
export const EVIDENCE_LEAVES: PartitionedTable = { name: 'evidence_leaf', period: 'month' };

/** Creates partitions of `evidence_leaf` on demand, because a backfill may reach months before the last one. */
@Injectable()
export class LeafPartitions {
  /** Start of the last month whose partition exists; older ones are checked each time, because they get dropped. */
  private readonly existing = new Set<number>();

  constructor(private readonly em: EntityManager) {}

  /** Creates the missing partitions of these months, each in its own transaction. */
  async ensure(months: readonly Date[]): Promise<void> {
    const neverDropped = monthStart(new Date(), -1);
    for (const month of months) {
      if (this.existing.has(month.getTime())) continue;
      await ensurePartitions(this.em, EVIDENCE_LEAVES, { from: month, to: month });
      if (month >= neverDropped) this.existing.add(month.getTime());
    }
  }
}
