import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { newId } from '../shared/ids.js';
import { type AuditAction, type AuditedState, boundedState } from './domain/audit-event.js';
import type { Author } from './domain/author.js';
import type { SecurityAction } from './domain/security-event.js';

/** The project id of events that belong to no single project. */
export const WHOLE_SERVICE = '00000000-0000-0000-0000-000000000000';

/** A change to be written down. */
export interface Change {
  /** Absent: the service as a whole, as some commands of the operator's. */
  projectId?: string;
  action: AuditAction;
  /** What it was done to: an id or another short name; absent: the project as a whole. No visitor's identifier. */
  target?: string;
  /** What was there, and what is there now, as the API shows it; never a secret. Absent: nothing. */
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
  await sql`
    insert into audit_event (project_id, id, actor_kind, actor_id, network, action, target, before, after)
    values (${projectId}, ${newId()}, ${author.kind}, ${actorId}, ${network}, ${action}, ${target},
            ${before && JSON.stringify(before)}::jsonb, ${after && JSON.stringify(after)}::jsonb)
  `.execute(tx.getKysely());
}

/**
 * Writes a line into a person's own log (`GET /v1/me/security-log`), in the transaction of `em` where it has one.
 * `network` is `truncatedNetwork(request.ip)`. There is no room for details: neither an address of mail nor a
 * password, code or token can get in. The account must exist, and its log goes with it.
 */
export async function writeSecurityEvent(
  em: EntityManager,
  { userId, action, network }: { userId: string; action: SecurityAction; network: string | null },
): Promise<void> {
  await sql`
    insert into security_event (user_id, id, action, network) values (${userId}, ${newId()}, ${action}, ${network})
  `.execute(em.getKysely());
}
