import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { sql, type RawBuilder } from 'kysely';
import { boundedScan, toScannedPage, type ScannedPage } from '../../../platform/database/bounded-scan.js';
import { ProjectReads } from '../../../platform/database/project-reads.js';
import { readCursor } from '../../../platform/export/page.js';
import { isUuid, uuidLowerBound } from '../../../platform/identity/ids.js';
import { WHOLE_SERVICE } from '../audit.log.js';
import type { AuditAction, AuditEvent, SecurityEvent } from '../domain/audit-event.js';
import type { AuthorKind } from '../domain/author.js';

/** Filters events; absent members match all. `from` is inclusive, `to` exclusive. */
export interface AuditFilter {
  from?: Date;
  to?: Date;
  action?: AuditAction;
  actorKind?: AuthorKind;
  actorId?: string;
}

/** The columns of an `AuditEvent`, of `audit_event c`. */
const COLUMNS = sql`
  c.id, c.project_id as "projectId", c.actor_kind as "actorKind", c.actor_id as "actorId", c.network, c.action,
  c.target, c.before, c.after, c.at
`;

/** Reads the audit log. */
@Injectable()
export class AuditReader {
  constructor(
    private readonly em: EntityManager,
    private readonly reads: ProjectReads,
  ) {}

  /**
   * The events of a project, newest first, by keyset on the id; a filter that matches few reads a
   * bounded number of events, and returns the position that it reached. Also of a deleted project.
   * @throws DomainError as `ProjectReads.list`, and `validation_failed` for an invalid cursor
   */
  async list(
    projectId: string,
    filter: AuditFilter & { limit: number; cursor?: string },
    gone: AbortSignal,
  ): Promise<ScannedPage<AuditEvent>> {
    const before = readCursor(filter.cursor, isUuid);
    const range: RawBuilder<unknown>[] = [sql`c.project_id = ${projectId}`];
    if (filter.from) range.push(sql`c.id >= ${uuidLowerBound(filter.from)}::uuid`);
    if (filter.to) range.push(sql`c.id < ${uuidLowerBound(filter.to)}::uuid`);
    if (before !== null) range.push(sql`c.id < ${before}::uuid`);
    const { limit } = filter;
    const query = boundedScan<AuditEvent>({
      table: 'audit_event',
      columns: COLUMNS,
      limit,
      range,
      filters: toConditions(filter),
    });
    return toScannedPage(await this.reads.list(projectId, query, gone), limit, (event) => event);
  }

  /** At most `limit` lines of a user's own log, newest first, after the id `after`, if given. */
  async securityLog(
    userId: string,
    { after, limit }: { after: string | null; limit: number },
  ): Promise<SecurityEvent[]> {
    const { rows } = await sql<SecurityEvent>`
      select id, action, network, at from security_event
      where user_id = ${userId} and (${after}::uuid is null or id < ${after}::uuid)
      order by id desc limit ${limit}
    `.execute(this.em.fork().getKysely());
    return rows;
  }
}

function toConditions({ action, actorKind, actorId }: AuditFilter): RawBuilder<unknown>[] {
  const conditions: RawBuilder<unknown>[] = [];
  if (action !== undefined) conditions.push(sql`c.action = ${action}`);
  if (actorKind !== undefined) conditions.push(sql`c.actor_kind = ${actorKind}`);
  if (actorId !== undefined) conditions.push(sql`c.actor_id = ${actorId}`);
  return conditions;
}

/** The newest events of a project, or of the service as a whole (null), optionally before an instant. */
export async function newestEvents(
  em: EntityManager,
  projectId: string | null,
  { before, limit }: { before: Date | null; limit: number },
): Promise<AuditEvent[]> {
  const bound = before && uuidLowerBound(before);
  const { rows } = await sql<AuditEvent>`
    select ${COLUMNS} from audit_event c
    where c.project_id = ${projectId ?? WHOLE_SERVICE} and (${bound}::uuid is null or c.id < ${bound}::uuid)
    order by c.id desc limit ${limit}
  `.execute(em.fork().getKysely());
  return rows;
}
