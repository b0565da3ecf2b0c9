import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { findAuditedTargets, sumAuditedErasures } from '../../audit/audit.log.js';
import { VISITOR_ERASURES_LISTED_PER_HOUR } from '../domain/erasure.js';

const HOUR_MS = 60 * 60_000;
/** Limit of the compared erasures per hour; an hour with more is skipped. */
const ERASURES_MAX = 20_000;

/** A stored erasure. */
export interface StoredErasure {
  id: string;
  erasedAt: Date;
}

/**
 * The stored erasures of a project that the audit log does not explain. It names most by their id;
 * of the others, an hour must not have more than requests, summaries and counters account for. In
 * an hour with too many, all unnamed erasures are returned, because the unexplained ones are
 * indistinguishable.
 */
export async function listUnexplained(
  em: EntityManager,
  projectId: string,
  erasures: readonly StoredErasure[],
): Promise<StoredErasure[]> {
  const unnamed = await withoutNamed(em, projectId, erasures);
  const byHour = Map.groupBy(unnamed, ({ erasedAt }) => Math.floor(erasedAt.getTime() / HOUR_MS));
  const unexplained: StoredErasure[] = [];
  for (const [hour, ofHour] of byHour) {
    const from = new Date(hour * HOUR_MS);
    const to = new Date((hour + 1) * HOUR_MS);
    const all = await listErasures(em, projectId, { from, to });
    if (all.length === ERASURES_MAX) continue;
    const count = (await withoutNamed(em, projectId, all)).length;
    if (count > (await countExplained(em, projectId, { from, to }))) unexplained.push(...ofHour);
  }
  return unexplained;
}

async function withoutNamed(
  em: EntityManager,
  projectId: string,
  erasures: readonly StoredErasure[],
): Promise<StoredErasure[]> {
  if (erasures.length === 0) return [];
  const since = new Date(Math.min(...erasures.map(({ erasedAt }) => erasedAt.getTime())) - HOUR_MS);
  const targets = erasures.map(({ id }) => id);
  const named = await findAuditedTargets(em, { projectId, action: 'consent.erase', targets, since });
  return erasures.filter(({ id }) => !named.has(id));
}

interface Hour {
  from: Date;
  to: Date;
}

async function listErasures(
  em: EntityManager,
  projectId: string,
  { from, to }: Hour,
): Promise<StoredErasure[]> {
  const { rows } = await sql<StoredErasure>`
    select consent_id as id, erased_at as "erasedAt" from erased_record
    where project_id = ${projectId} and erased_at >= ${from} and erased_at < ${to} limit ${ERASURES_MAX}
  `.execute(em.getKysely());
  return rows;
}

/**
 * The most records that requests, and erasures without individual events, may have erased in an
 * hour.
 */
async function countExplained(em: EntityManager, projectId: string, { from, to }: Hour): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select coalesce((
      select sum(erased) from erasure_request
      where project_id = ${projectId} and requested_at < ${to} and coalesce(finished_at, 'infinity') >= ${from}
    ), 0)::float8 + coalesce((
      select greatest(0, erasures - ${VISITOR_ERASURES_LISTED_PER_HOUR}) from visitor_erasure_hour
      where project_id = ${projectId} and at = ${from}
    ), 0)::float8 as count
  `.execute(em.getKysely());
  return (rows[0]?.count ?? 0) + (await sumAuditedErasures(em, { projectId, from, to }));
}
