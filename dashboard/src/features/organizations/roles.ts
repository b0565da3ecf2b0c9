import type { OrganizationRolesBody } from '../../client/types.gen';
import type { Role } from '../../shared/access';

/** The roles of a person in an organization. Only the role `member` has a role on all projects beside it. */
export interface Roles {
  role: OrganizationRolesBody['role'];
  /** null: no access to the projects by the organization. */
  projectRole: Role | null;
}

/** From the lowest to the highest. */
export const PROJECT_ROLES = ['viewer', 'editor', 'owner'] as const;

/** The roles after a change of one of them. */
export function rolesWith(roles: Roles, change: Partial<Roles>): Roles {
  const { role, projectRole } = { ...roles, ...change };
  return { role, projectRole: role === 'member' ? projectRole : null };
}

/** Whether the next roles take permissions away. */
export function isLower(next: Roles, current: Roles): boolean {
  if (next.role === 'admin') return false;
  if (current.role !== 'member') return current.role !== next.role;
  return rank(next) < rank(current);
}

const rank = ({ projectRole }: Roles): number =>
  projectRole === null ? -1 : PROJECT_ROLES.indexOf(projectRole);
