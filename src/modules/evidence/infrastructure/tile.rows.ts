import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { Tile } from '../domain/tile.js';
import { evidenceTables } from './evidence.tables.js';

/** Tiles that one statement inserts. Their parameters take four times their 8 KiB each while it runs. */
const INSERT_BATCH_MAX = 32;

/** Inserts full tiles that are not in the storage yet. */
export async function insertTiles(
  tx: EntityManager,
  tiles: readonly (Tile & { log: string })[],
): Promise<void> {
  for (let at = 0; at < tiles.length; at += INSERT_BATCH_MAX)
    await insertTileBatch(tx, tiles.slice(at, at + INSERT_BATCH_MAX));
}

async function insertTileBatch(tx: EntityManager, tiles: readonly (Tile & { log: string })[]): Promise<void> {
  await sql`
    insert into evidence_tile (log, level, index, width, bytes)
    select * from unnest(${tiles.map(({ log }) => log)}::uuid[], ${tiles.map(({ level }) => level)}::smallint[],
                         ${tiles.map(({ index }) => index)}::bigint[], ${tiles.map(({ width }) => width)}::smallint[],
                         ${tiles.map(({ bytes }) => bytes)}::bytea[])
  `.execute(tx.getKysely());
}

/** At most `limit` full tiles of a log that are not in the storage yet. */
export function listUnstoredTiles(em: EntityManager, log: string, limit: number): Promise<Tile[]> {
  return evidenceTables(em)
    .selectFrom('evidence_tile')
    .select(['level', 'index', 'width', 'bytes'])
    .where('log', '=', log)
    .orderBy('level')
    .orderBy('index')
    .limit(limit)
    .execute();
}

/** The bytes of a full tile that is not in the storage yet; null if there is no such tile. */
export async function findUnstoredTile(
  em: EntityManager,
  log: string,
  { level, index }: Pick<Tile, 'level' | 'index'>,
): Promise<Buffer | null> {
  const row = await evidenceTables(em)
    .selectFrom('evidence_tile')
    .select('bytes')
    .where('log', '=', log)
    .where('level', '=', level)
    .where('index', '=', index)
    .executeTakeFirst();
  return row?.bytes ?? null;
}

/** Deletes tiles that are in the storage now. */
export async function deleteTiles(em: EntityManager, log: string, tiles: readonly Tile[]): Promise<void> {
  await sql`
    delete from evidence_tile t
    using unnest(${tiles.map(({ level }) => level)}::smallint[], ${tiles.map(({ index }) => index)}::bigint[],
                 ${tiles.map(({ width }) => width)}::smallint[]) as stored (level, index, width)
    where t.log = ${log} and t.level = stored.level and t.index = stored.index and t.width = stored.width
  `.execute(em.getKysely());
}
