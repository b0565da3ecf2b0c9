import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { evidenceTables } from './evidence.tables.js';

/** An entry that another module adds to a project's log. */
export interface NewEntry {
  projectId: string;
  id: string;
  /** SHA-256 over a salt and the committed content. */
  commitment: Buffer;
}

/** An entry with its leaf; null: it is not sequenced yet. */
export interface StoredEntry {
  leaf: { epoch: number; index: number } | null;
}

export interface EntryLeaf {
  projectId: string;
  id: string;
  epoch: number;
  index: number;
}

/** Stores an entry that the sequencer adds to the log. Does nothing if the id is stored already. */
export async function insertEntry(tx: EntityManager, entry: NewEntry): Promise<void> {
  await sql`
    insert into evidence_entry (project_id, id, commitment)
    values (${entry.projectId}, ${entry.id}, ${entry.commitment}) on conflict (project_id, id) do nothing
  `.execute(tx.getKysely());
}

/** null: there is no such entry. */
export async function findEntry(
  em: EntityManager,
  { projectId, id }: Pick<NewEntry, 'projectId' | 'id'>,
): Promise<StoredEntry | null> {
  const row = await evidenceTables(em)
    .selectFrom('evidence_entry')
    .select(['epoch', 'leafIndex'])
    .where('projectId', '=', projectId)
    .where('id', '=', id)
    .executeTakeFirst();
  if (!row) return null;
  const { epoch, leafIndex: index } = row;
  return { leaf: epoch !== null && index !== null ? { epoch, index } : null };
}

/** Locks entries without a leaf, in the order in which they were stored; without those that are being deleted. */
export async function lockUnsequenced(tx: EntityManager, limit: number): Promise<NewEntry[]> {
  const { rows } = await sql<NewEntry>`
    select project_id as "projectId", id, commitment from evidence_entry where leaf_index is null
    order by stored_at, id limit ${limit} for update skip locked
  `.execute(tx.getKysely());
  return rows;
}

/** Entries with a leaf, in the order of their ids. */
export async function listSequenced(
  em: EntityManager,
  { projectId, afterId, limit }: { projectId: string; afterId: string | null; limit: number },
): Promise<(Omit<EntryLeaf, 'projectId'> & { commitment: Buffer })[]> {
  const { rows } = await sql<Omit<EntryLeaf, 'projectId'> & { commitment: Buffer }>`
    select id, commitment, epoch, leaf_index::float8 as index from evidence_entry
    where project_id = ${projectId} and leaf_index is not null and (${afterId}::uuid is null or id > ${afterId})
    order by id limit ${limit}
  `.execute(em.getKysely());
  return rows;
}

export async function saveEntryLeaves(tx: EntityManager, leaves: readonly EntryLeaf[]): Promise<void> {
  await sql`
    update evidence_entry e set epoch = leaf.epoch, leaf_index = leaf.leaf_index
    from unnest(
      ${leaves.map(({ projectId }) => projectId)}::uuid[], ${leaves.map(({ id }) => id)}::uuid[],
      ${leaves.map(({ epoch }) => epoch)}::int[], ${leaves.map(({ index }) => index)}::bigint[]
    ) as leaf (project_id, id, epoch, leaf_index)
    where e.project_id = leaf.project_id and e.id = leaf.id
  `.execute(tx.getKysely());
}

/** Deletes entries whose content was deleted. The log keeps the commitments. */
export async function deleteEntries(
  tx: EntityManager,
  { projectId, ids }: { projectId: string; ids: readonly string[] },
): Promise<void> {
  await sql`
    delete from evidence_entry where project_id = ${projectId} and id = any(${ids}::uuid[])
  `.execute(tx.getKysely());
}
