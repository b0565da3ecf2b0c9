import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { uuidLowerBound } from '../../../platform/identity/ids.js';
import { WHOLE_SERVICE } from '../audit.log.js';
import type { AuditEvent } from '../domain/audit-event.js';

/**
 * The newest events of a project, or of the service as a whole (null), optionally before an
 * instant.
 */
export async function newestEvents(
  em: EntityManager,
  projectId: string | null,
  { before, limit }: { before: Date | null; limit: number },
): Promise<AuditEvent[]> {
  const bound = before && uuidLowerBound(before);
  const { rows } = await sql<AuditEvent>`
    select id, project_id as "projectId", actor_kind as "actorKind", actor_id as "actorId", network, action, target,
           before, after, at
    from audit_event
    where project_id = ${projectId ?? WHOLE_SERVICE} and (${bound}::uuid is null or id < ${bound}::uuid)
    order by id desc limit ${limit}
  `.execute(em.fork().getKysely());
  return rows;
}
