import type { EntityManager } from '@mikro-orm/postgresql';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { type TablesOf, typedTables } from '../../platform/database/tables.js';
import type { Reads } from '../../platform/database/prepared-reads.js';
import type { Project, DataController } from './domain/project.js';
import { ProjectEntity, type ProjectSchema } from './infrastructure/project.entity.js';

/**
 * Reads and writes of a project's row for other modules, in their transactions. Only this file and
 * `ProjectService` name the table `project` in SQL; a module that must read it in the same round
 * trip uses a fragment.
 */

type ProjectTables = TablesOf<typeof ProjectSchema>;
const projectTables = (em: EntityManager): Kysely<ProjectTables> => typedTables<ProjectTables>(em);

/** The current rows of these projects, in any order; unknown ones are missing. */
export async function readProjects(em: EntityManager, ids: readonly string[]): Promise<Project[]> {
  // Bypasses the identity map: a locked read must not see an older copy.
  const found = await em.find(ProjectEntity, { id: { $in: [...ids] } }, { disableIdentityMap: true });
  return found.map(toProject);
}

/** The columns of a project's row that determine its tier. */
export type LicensedProject = Pick<Project, 'id' | 'domains' | 'tier' | 'tierReason' | 'tierValidUntil'>;

/**
 * These columns of the projects, in any order, without entities: read for each batch of forwarded
 * records.
 */
export async function readLicensedProjects(reads: Reads, ids: readonly string[]): Promise<LicensedProject[]> {
  return reads.rows(LICENSED_PROJECTS, [ids]);
}

const LICENSED_PROJECTS = {
  name: 'licensed-projects',
  text: `
    select id, domains, tier, tier_reason as "tierReason", tier_valid_until as "tierValidUntil"
    from project where id = any($1::uuid[])`,
};

/** A project's current controller; null members if not given, or the project is deleted. */
export async function readController(reads: Reads, id: string): Promise<DataController> {
  const [found] = await reads.rows<DataController>(CONTROLLER, [id]);
  return found ?? { name: null, contact: null };
}

const CONTROLLER = {
  name: 'project-controller',
  text: 'select controller_name as name, controller_contact as contact from project where id = $1::uuid',
};

/** The current row of the project; null: none. */
export async function findProject(em: EntityManager, id: string): Promise<Project | null> {
  const found = await em.findOne(ProjectEntity, { id }, { disableIdentityMap: true });
  return found && toProject(found);
}

/** At most `limit` ids after `after`, in order. */
export async function projectIdsAfter(em: EntityManager, after: string, limit: number): Promise<string[]> {
  const found = await em.find(
    ProjectEntity,
    { id: { $gt: after } },
    { fields: ['id'], orderBy: { id: 'asc' }, limit, disableIdentityMap: true },
  );
  return found.map(({ id }) => id);
}

/**
 * Locks the project's row until the caller's transaction ends, so that rules over its rows (the
 * last owner, the number of keys, the subscriptions) are checked by one request at a time. It
 * neither waits for, nor delays, inserts of rows that refer to the project. Returns false if the
 * project is deleted.
 */
export async function lockProject(tx: EntityManager, id: string): Promise<boolean> {
  if (!tx.isInTransaction()) throw new Error('A project must be locked inside a transaction.');
  const found = await projectTables(tx)
    .selectFrom('project')
    .select('id')
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst();
  return found !== undefined;
}

/** Like `lockProject`, of several projects in the order of their ids. */
export async function lockProjects(tx: EntityManager, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await projectTables(tx)
    .selectFrom('project')
    .select('id')
    .where('id', 'in', [...ids])
    .orderBy('id')
    .forNoKeyUpdate()
    .execute();
}

export async function projectIdsOf(em: EntityManager, organizationIds: readonly string[]): Promise<string[]> {
  const organizationId = { $in: [...organizationIds] };
  const found = await em.find(
    ProjectEntity,
    { organizationId },
    { fields: ['id'], disableIdentityMap: true },
  );
  return found.map(({ id }) => id);
}

/**
 * Locks the rows of an organization's projects like `lockProject`, and returns their ids. The
 * caller's transaction holds the organization's row lock, so none is added until it ends.
 */
export async function lockProjectsOf(tx: EntityManager, organizationId: string): Promise<string[]> {
  const locked = await projectTables(tx)
    .selectFrom('project')
    .select('id')
    .where('organizationId', '=', organizationId)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute();
  return locked.map(({ id }) => id);
}

export async function countProjectsOf(em: EntityManager, organizationId: string): Promise<number> {
  return em.count(ProjectEntity, { organizationId });
}

/** At most `limit` projects of an organization, newest first, after the id `after`, if given. */
export async function listProjectsOf(
  em: EntityManager,
  organizationId: string,
  { after, limit }: { after: string | null; limit: number },
): Promise<Project[]> {
  const behind = after === null ? {} : { id: { $lt: after } };
  const found = await em.find(
    ProjectEntity,
    { organizationId, ...behind },
    { orderBy: { id: 'desc' }, limit, disableIdentityMap: true },
  );
  return found.map(toProject);
}

/** Writes the organization of a project whose row the caller's transaction has locked. */
export async function writeOrganization(
  tx: EntityManager,
  id: string,
  organizationId: string | null,
): Promise<void> {
  await projectTables(tx).updateTable('project').set({ organizationId }).where('id', '=', id).execute();
}

/** The tier columns of a project's row. */
export interface CachedTier {
  tier: string;
  reason: string;
  validUntil: Date | null;
  /** Whether the tier differs from before: its version is incremented. */
  changed: boolean;
}

/** Writes the cached tier of a project whose row the caller's transaction has locked. */
export async function writeTier(
  tx: EntityManager,
  id: string,
  { tier, reason, validUntil, changed }: CachedTier,
): Promise<void> {
  await projectTables(tx)
    .updateTable('project')
    .set((project) => ({
      tier,
      tierReason: reason,
      tierValidUntil: validUntil,
      tierVersion: project('tierVersion', '+', changed ? 1 : 0),
    }))
    .where('id', '=', id)
    .execute();
}

/**
 * Locks the rows of at most `limit` projects whose cached tier expired at or before `now`, except
 * those locked by others.
 */
export async function lockExpiredTiers(
  tx: EntityManager,
  { now, limit }: { now: Date; limit: number },
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from project where tier_valid_until <= ${now}
    order by tier_valid_until limit ${limit}
    for no key update skip locked
  `.execute(tx.getKysely());
  return rows.map(({ id }) => id);
}

/** A fragment for another module's statement: joins the project as `p`, with `id`, `domains` and `tier`. */
export function joinProject(id: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`join project p on p.id = ${id}`;
}

/**
 * Like `joinProject`, with nulls where the project is deleted. Always one primary-key lookup per
 * row, independent of the planner's statistics.
 */
export function lookUpProject(id: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`left join lateral (select * from project where id = ${id} limit 1) p on true`;
}

/** A fragment for another module's statement: the organization of a project; null: none. */
export function organizationIdOf(id: RawBuilder<unknown>): RawBuilder<string | null> {
  return sql<string | null>`(select organization_id from project where id = ${id})`;
}

/** A fragment for another module's statement: joins the projects of an organization as `p`. */
export function joinProjectsOf(organizationId: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`join project p on p.organization_id = ${organizationId}`;
}

/**
 * A fragment for another module's insert: a query of the project's id, with no row if the project
 * is deleted.
 */
export function existingProject(id: string): RawBuilder<unknown> {
  return sql`(select id from project where id = ${id})`;
}

/** The project of the standalone demo, which production refuses to start with; null: none. */
export async function findDemoProject(em: EntityManager): Promise<string | null> {
  // Without entities, which are not discovered yet at this point of the start.
  const [found] = await em.execute<{ id: string }[]>('select id from project where demo limit 1');
  return found?.id ?? null;
}

export async function insertDemoProject(tx: EntityManager, id: string): Promise<void> {
  await tx.insert(ProjectEntity, { id, name: 'Demo project', demo: true });
}

/**
 * Sets the domains of a project without domains. Without an event: for the demo, whose banner does
 * not change.
 */
export async function nameDomains(tx: EntityManager, id: string, domains: string[]): Promise<void> {
  await sql`update project set domains = ${domains} where id = ${id} and domains = '{}'`.execute(
    tx.getKysely(),
  );
}

export function toProject(row: ProjectEntity): Project {
  const { id, name, domains, tier, tierReason, createdAt } = row;
  return {
    id,
    name,
    domains,
    tier,
    tierReason,
    createdAt,
    // The ORM's types allow undefined instead of null.
    controllerName: row.controllerName ?? null,
    controllerContact: row.controllerContact ?? null,
    organizationId: row.organizationId ?? null,
    tierValidUntil: row.tierValidUntil ?? null,
  };
}
