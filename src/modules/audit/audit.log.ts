import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { newId, uuidLowerBound } from '../../platform/identity/ids.js';
import {
  type AuditAction,
  type AuditedState,
  boundedState,
  type SecurityAction,
} from './domain/audit-event.js';
import type { Author } from './domain/author.js';
import { AuditEventSchema, SecurityEventSchema } from './infrastructure/audit.entities.js';

/** Largest difference between the service's clock, in ids of events, and the database's, in their times. */
const CLOCK_ERROR_MS = 60 * 60_000;

/** The project id of events that belong to no single project. */
export const WHOLE_SERVICE = '00000000-0000-0000-0000-000000000000';

export interface Change {
  /** Or the id of an organization. Absent: the service as a whole, e.g. by an operator command. */
  projectId?: string;
  action: AuditAction;
  /**
   * The changed object: an id or another short name; absent: the project as a whole. No visitor's
   * identifier.
   */
  target?: string;
  /** The states before and after, as in the API; never a secret. Absent: nothing. */
  before?: AuditedState;
  after?: AuditedState;
}

/**
 * The public interface of the audit log: records a change in the transaction that makes it, so that either both or
 * neither exist. The caller names the author. An irreversible action (a request to an external server) is recorded
 * before it happens.
 */
export async function writeAudit(tx: EntityManager, author: Author, change: Change): Promise<void> {
  if (!tx.isInTransaction()) throw new Error('A change must be recorded inside its transaction.');
  const { projectId = WHOLE_SERVICE, action, target = null } = change;
  const actorId = 'id' in author ? author.id : null;
  const network = 'network' in author ? author.network : null;
  const [before, after] = [boundedState(change.before), boundedState(change.after)];
  const event = { projectId, id: newId(), actorKind: author.kind, actorId, network };
  await tx.insert(AuditEventSchema, { ...event, action, target, before, after });
}

/** The targets among these that an event of the action since an instant names. */
export async function findAuditedTargets(
  em: EntityManager,
  {
    projectId,
    action,
    targets,
    since,
  }: { projectId: string; action: AuditAction; targets: readonly string[]; since: Date },
): Promise<Set<string>> {
  const { rows } = await sql<{ target: string }>`
    select target from audit_event
    where project_id = ${projectId} and id >= ${uuidLowerBound(since)}::uuid and action = ${action}
      and target = any(${targets}::text[])
  `.execute(em.getKysely());
  return new Set(rows.map(({ target }) => target));
}

/** The number of records erased in an hour by events without a target. */
export async function sumAuditedErasures(
  em: EntityManager,
  { projectId, from, to }: { projectId: string; from: Date; to: Date },
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select coalesce(sum(coalesce((after->>'records')::int, (after->>'erasures')::int)), 0)::float8 as count
    from audit_event
    where project_id = ${projectId} and id >= ${uuidLowerBound(new Date(from.getTime() - CLOCK_ERROR_MS))}::uuid
      and action in ('consent.erase', 'visitor.erase') and target is null
      and coalesce((after->>'from')::timestamptz, at) >= ${from} and coalesce((after->>'from')::timestamptz, at) < ${to}
  `.execute(em.getKysely());
  return rows[0]?.count ?? 0;
}

/**
 * Writes a line into a user's own log (`GET /v1/me/security-log`), in the transaction of `em`, if
 * any. `network` is `truncatedNetwork(request.ip)`. There is no field for details, so no email
 * address, password, code or token can be logged. The account must exist, and its log is deleted
 * with it.
 */
export async function writeSecurityEvent(
  em: EntityManager,
  { userId, action, network }: { userId: string; action: SecurityAction; network: string | null },
): Promise<void> {
  await em.insert(SecurityEventSchema, { userId, id: newId(), action, network });
}
