import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { joinProject } from '../../projects/project.rows.js';
import { rowOf } from '../../../platform/database/tables.js';
import type { Hold } from '../../../platform/delivery/domain/hold.js';
import { ForwardingHold } from './forwarding.entities.js';

/** A stored hold; a project without a row has none. */
export interface HoldRow extends Hold {
  projectId: string;
}

/** State of a project's receiver; null if it is healthy. */
export async function readHold(em: EntityManager, projectId: string): Promise<HoldRow | null> {
  const hold = await em.findOne(ForwardingHold, { projectId }, { disableIdentityMap: true });
  return hold && rowOf(hold);
}

/**
 * Creates missing rows and locks the rows of all projects until the caller's transaction ends, in the order
 * of project ids, so that two batches cannot deadlock. `at` is the database's now. Skips deleted projects.
 */
export async function lockHolds(
  tx: EntityManager,
  { known, failing }: { known: readonly string[]; failing: readonly string[] },
): Promise<{ at: Date; holds: HoldRow[] }> {
  if (failing.length > 0)
    await sql`
      insert into forwarding_hold (project_id)
      select p.id from unnest(${failing}::uuid[]) as given (id) ${joinProject(sql.ref('given.id'))}
      order by p.id
      on conflict do nothing
    `.execute(tx.getKysely());
  const { rows } = await sql<HoldRow & { at: Date }>`
    select h.project_id as "projectId", h.phase, h.failures, h.failing_since as "failingSince",
           h.held_since as "heldSince", h.held_reason as "heldReason", h.ended_at as "endedAt",
           h.notified_at as "notifiedAt", h.probes, h.batch_limit as "batchLimit",
           h.answered_probe as "answeredProbe", h.lost, h.sent, now() as at
    from forwarding_hold h
    where h.project_id = any(${[...new Set([...known, ...failing])]}::uuid[])
    order by h.project_id
    for no key update of h
  `.execute(tx.getKysely());
  return { at: rows[0]?.at ?? new Date(0), holds: rows };
}

/** Writes holds whose rows the caller's transaction has locked. */
export async function writeHolds(tx: EntityManager, holds: readonly HoldRow[]): Promise<void> {
  await sql`
    update forwarding_hold h
    set phase = n.phase, failures = n.failures, failing_since = n.failing_since, held_since = n.held_since,
        held_reason = n.held_reason, ended_at = n.ended_at, notified_at = n.notified_at, probes = n.probes, batch_limit = n.batch_limit,
        answered_probe = n.answered_probe, lost = n.lost, sent = n.sent
    from unnest(
      ${holds.map(({ projectId }) => projectId)}::uuid[], ${holds.map(({ phase }) => phase)}::text[],
      ${holds.map(({ failures }) => failures)}::int[], ${holds.map(({ failingSince }) => failingSince)}::timestamptz[],
      ${holds.map(({ heldSince }) => heldSince)}::timestamptz[], ${holds.map(({ heldReason }) => heldReason)}::text[],
      ${holds.map(({ endedAt }) => endedAt)}::timestamptz[], ${holds.map(({ notifiedAt }) => notifiedAt)}::timestamptz[],
      ${holds.map(({ probes }) => probes)}::int[], ${holds.map(({ batchLimit }) => batchLimit)}::int[],
      ${holds.map(({ answeredProbe }) => answeredProbe)}::int[], ${holds.map(({ lost }) => lost)}::int[],
      ${holds.map(({ sent }) => sent)}::int[]
    ) as n (project_id, phase, failures, failing_since, held_since, held_reason, ended_at, notified_at, probes, batch_limit,
            answered_probe, lost, sent)
    where h.project_id = n.project_id
  `.execute(tx.getKysely());
}

/** Deletes holds whose rows the caller has locked. */
export async function deleteHolds(tx: EntityManager, projectIds: readonly string[]): Promise<void> {
  await tx.nativeDelete(ForwardingHold, { projectId: { $in: [...projectIds] } });
}

/** Deletes all holds, in the caller's transaction; returns their projects. */
export async function forgetAllHolds(tx: EntityManager): Promise<string[]> {
  const { rows } = await sql<{ projectId: string }>`
    with locked as materialized (
      select project_id from forwarding_hold order by project_id for update
    )
    delete from forwarding_hold h using locked where h.project_id = locked.project_id
    returning h.project_id as "projectId"
  `.execute(tx.getKysely());
  return rows.map(({ projectId }) => projectId);
}

/** Resets the back-off of a held project, in the caller's transaction; returns whether it is held. */
export async function forgetProbes(tx: EntityManager, projectId: string): Promise<boolean> {
  return (await tx.nativeUpdate(ForwardingHold, { projectId, phase: 'open' }, { probes: 0 })) > 0;
}

/** The time of the database, which holds use. */
export async function databaseNow(em: EntityManager): Promise<Date> {
  const { rows } = await sql<{ at: Date }>`select now() as at`.execute(em.getKysely());
  return rows[0]?.at ?? new Date();
}

/** How many projects are held. */
export function countHeld(em: EntityManager): Promise<number> {
  return em.count(ForwardingHold, { phase: 'open' });
}
