import type { EntityManager } from '@mikro-orm/postgresql';
import { type RawBuilder, sql } from 'kysely';
import type { OrganizationRole } from '../../organizations/domain/organization.js';
import {
  organizationGrant,
  organizationMembers,
  organizationPeople,
  organizationPlaces,
} from '../../organizations/organization-roles.js';
import type { ProjectPlace, ProjectStanding } from '../domain/role.js';

/**
 * Roles on projects: the higher one of the project's own membership and of its organization. Only
 * this file combines them.
 */

/** Position of a role in `ROLES`, from 1; null: no role. */
const roleRankOf = (role: RawBuilder<unknown>): RawBuilder<number> =>
  sql<number>`array_position(array['viewer', 'editor', 'owner'], ${role}::text)`;

/** The role of a rank. */
const roleOfRank = (rank: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`(array['viewer', 'editor', 'owner'])[${rank}]`;

/**
 * A user's permissions on a project; null: neither a role on it nor billing. One statement of four
 * lookups by primary key. It is read for each request, so a removed member loses access at once.
 */
export async function findStanding(
  em: EntityManager,
  { projectId, userId }: { projectId: string; userId: string },
): Promise<ProjectStanding | null> {
  const [project, user] = [sql`${projectId}::uuid`, sql`${userId}::uuid`];
  const { rows } = await sql<ProjectStanding>`
    select ${roleOfRank(sql`greatest(${roleRankOf(sql`m.role`)}, ${roleRankOf(sql`g.project_role`)})`)} as role,
      coalesce(g.organization_role in ('admin', 'billing'), false) as "managesBilling",
      coalesce(p.second_factor_required, false) as "needsSecondFactor"
    from (select 1) one
    left join project_member m on m.project_id = ${project} and m.user_id = ${user}
    left join lateral ${organizationGrant(project, user)} g on true
    left join project_sign_in_policy p on p.project_id = ${project}
    where m.role is not null or g.project_role is not null or g.organization_role = 'billing'
  `.execute(em.getKysely());
  return rows[0] ?? null;
}

/** At most `limit` projects of a user, newest first, after the project id `after`, if given. */
export async function listPlaces(
  em: EntityManager,
  userId: string,
  { after, limit }: { after: string | null; limit: number },
): Promise<ProjectPlace[]> {
  const user = sql`${userId}::uuid`;
  const { rows } = await sql<ProjectPlace>`
    select place.project_id as "projectId", ${roleOfRank(sql`max(${roleRankOf(sql`place.role`)})`)} as role,
      coalesce(bool_or(p.second_factor_required), false) as "needsSecondFactor"
    from (
      select m.project_id, m.role from project_member m where m.user_id = ${user}
      union all ${organizationPlaces(user)}
    ) place
    left join project_sign_in_policy p on p.project_id = place.project_id
    where ${after}::uuid is null or place.project_id < ${after}::uuid
    group by place.project_id order by place.project_id desc limit ${limit}
  `.execute(em.getKysely());
  return rows;
}

/** A person with a role on a project. */
export interface ProjectPerson {
  userId: string;
  role: ProjectPlace['role'];
  email: string;
  emailConfirmed: boolean;
  /**
   * Whether the project's mails to this role are for them: members of the project, and the people
   * of its organization if it has no other owner.
   */
  isContact: boolean;
}

/** Everybody with a role on a project, in the order in which they signed up. */
export async function listPeople(em: EntityManager, projectId: string): Promise<ProjectPerson[]> {
  const project = sql`${projectId}::uuid`;
  const { rows } = await sql<ProjectPerson>`
    select u.id as "userId", ${roleOfRank(sql`max(${roleRankOf(sql`person.role`)})`)} as role, u.email,
      u.email_verified as "emailConfirmed",
      bool_or(person.own) or not exists (
        select from project_member m where m.project_id = ${project} and m.role = 'owner'
      ) as "isContact"
    from (
      select m.user_id, m.role, true as own from project_member m where m.project_id = ${project}
      union all
      select o.user_id, o.role, false from (${organizationPeople(project)}) o
    ) person join app_user u on u.id = person.user_id
    group by u.id order by u.id
  `.execute(em.getKysely());
  return rows;
}

/**
 * The role in an organization of the user with an address; null: no member. One query, so that the
 * response time does not reveal whether a non-member's address has an account.
 */
export async function findRoleOfAddress(
  em: EntityManager,
  { organizationId, email }: { organizationId: string; email: string },
): Promise<OrganizationRole | null> {
  const { rows } = await sql<{ role: OrganizationRole }>`
    select m.role from ${organizationMembers(organizationId)} m join app_user u on u.id = m.user_id
    where u.email = ${email}
  `.execute(em.getKysely());
  return rows[0]?.role ?? null;
}

/** The users who created keys or invitations on these projects, each once per project. */
export async function listGrantors(
  em: EntityManager,
  { projectIds, userId }: { projectIds: readonly string[]; userId: string | null },
): Promise<{ projectId: string; userId: string }[]> {
  const { rows } = await sql<{ projectId: string; userId: string }>`
    select project_id as "projectId", user_id as "userId" from (
      select project_id, created_by as user_id from api_key where revoked_at is null
      union select project_id, former_created_by from api_key where revoked_at is null
      union select project_id, invited_by from project_invitation
    ) granted
    where project_id = any(${projectIds}::uuid[]) and user_id is not null
      and (${userId}::uuid is null or user_id = ${userId}::uuid)
    order by project_id, user_id
  `.execute(em.getKysely());
  return rows;
}
