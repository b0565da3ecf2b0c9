import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';

/** The state of sequencing and signing. */
export interface EvidenceStatus {
  sequencedUntil: Date;
  logs: number;
  unsigned: number;
  refused: number;
}

export async function findStatus(em: EntityManager): Promise<EvidenceStatus> {
  const { rows } = await sql<EvidenceStatus>`
    select (select at from sequencer_cursor) as "sequencedUntil", count(*)::int as logs,
           (count(*) filter (where checkpoint_size < size))::int as unsigned, count(refusal)::int as refused
    from evidence_log
  `.execute(em.getKysely());
  const [status] = rows;
  if (!status) throw new Error('a count has one row');
  return status;
}

/** A log that is not signed, and why. */
export interface RefusedLog {
  log: string;
  refusal: string;
  refusedAt: Date;
}

/** The logs that are not signed, those with the oldest refusal first. */
export async function listRefused(em: EntityManager, limit: number): Promise<RefusedLog[]> {
  const { rows } = await sql<RefusedLog>`
    select log, refusal, refused_at as "refusedAt" from evidence_log where refusal is not null
    order by refused_at limit ${limit}
  `.execute(em.getKysely());
  return rows;
}

/** Age of the oldest record that is not sequenced, in seconds. */
export async function findLagSeconds(em: EntityManager): Promise<number> {
  const { rows } = await sql<{ lagSeconds: number }>`
    select greatest(0, extract(epoch from now() - at))::float8 as "lagSeconds" from sequencer_cursor
  `.execute(em.getKysely());
  return rows[0]?.lagSeconds ?? 0;
}
