import type { EntityManager } from '@mikro-orm/postgresql';
import { type RawBuilder, sql } from 'kysely';
import type { Role } from '../access/domain/role.js';
import { joinProjectsOf, organizationIdOf } from '../projects/project.rows.js';
import type { Organization, OrganizationRoles } from './domain/organization.js';
import { organizationTables } from './infrastructure/organization.tables.js';

/**
 * The roles that people have through an organization: fragments for the statements of access, which
 * add them to the roles on single projects.
 */

/** `roleOnProjects` as an expression over `organization_member o`. */
const PROJECT_ROLE = sql<Role | null>`case when o.role = 'admin' then 'owner' else o.project_role end`;

/**
 * A subquery with at most one row: the roles of a user in the organization of a project, as
 * `organization_role` and `project_role`. Two lookups by primary key.
 */
export function organizationGrant(
  projectId: RawBuilder<unknown>,
  userId: RawBuilder<unknown>,
): RawBuilder<unknown> {
  return sql`(
    select o.role as organization_role, ${PROJECT_ROLE} as project_role from organization_member o
    where o.organization_id = ${organizationIdOf(projectId)} and o.user_id = ${userId}
  )`;
}

/** A query of the projects on which a user has a role through an organization: `project_id`, `role`. */
export function organizationPlaces(userId: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    select p.id as project_id, ${PROJECT_ROLE} as role
    from organization_member o ${joinProjectsOf(sql`o.organization_id`)}
    where o.user_id = ${userId} and (o.role = 'admin' or o.project_role is not null)`;
}

/** A query of the people who have a role on a project through its organization: `user_id`, `role`. */
export function organizationPeople(projectId: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    select o.user_id, ${PROJECT_ROLE} as role from organization_member o
    where o.organization_id = ${organizationIdOf(projectId)} and (o.role = 'admin' or o.project_role is not null)`;
}

/**
 * The longest-standing admin of a project's organization, as an expression; null: it has none. The
 * organization itself would give each person as many quotas as they can create organizations.
 */
export function firstAdminOf(projectId: RawBuilder<unknown>): RawBuilder<string | null> {
  return sql`(
    select o.user_id from organization_member o
    where o.organization_id = ${organizationIdOf(projectId)} and o.role = 'admin'
    order by o.created_at, o.user_id limit 1
  )`;
}

/** A subquery of the members of an organization: `user_id`, `role`. */
export function organizationMembers(organizationId: string): RawBuilder<unknown> {
  return sql`(select o.user_id, o.role from organization_member o where o.organization_id = ${organizationId}::uuid)`;
}

/** An organization and a member's roles in it; null for others, and if it does not exist. */
export async function findOrganizationOf(
  em: EntityManager,
  { organizationId, userId }: { organizationId: string; userId: string },
): Promise<(Organization & OrganizationRoles) | null> {
  const found = await organizationTables(em)
    .selectFrom('organization_member as m')
    .innerJoin('organization as o', 'o.id', 'm.organizationId')
    .select(['o.id', 'o.name', 'o.createdAt', 'm.role', 'm.projectRole'])
    .where('m.organizationId', '=', organizationId)
    .where('m.userId', '=', userId)
    .executeTakeFirst();
  return found ?? null;
}
