import { DomainError } from '../../../platform/errors/domain-error.js';
import { type Role, roleCovers } from '../../access/domain/role.js';

/**
 * Roles in an organization. `admin`: everything, and owner of all projects. `billing`: plans and
 * invoices of all projects, no records. `member`: only a role on all projects, or none.
 */
export const ORGANIZATION_ROLES = ['admin', 'billing', 'member'] as const;
export type OrganizationRole = (typeof ORGANIZATION_ROLES)[number];

export const ORGANIZATION_NAME_CHARACTERS_MAX = 120;
/** Organizations in which one person is an admin. */
export const ORGANIZATIONS_PER_ADMIN_MAX = 10;
export const PROJECTS_PER_ORGANIZATION_MAX = 500;
export const MEMBERS_PER_ORGANIZATION_MAX = 1000;
/** Pending invitations of an organization; each costs a mail. */
export const INVITATIONS_PER_ORGANIZATION_MAX = 100;

/** A person's roles in an organization. `projectRole` is null for admins, billing, and members without one. */
export interface OrganizationRoles {
  role: OrganizationRole;
  projectRole: Role | null;
}

export interface Organization {
  id: string;
  name: string;
  createdAt: Date;
}

/** The role on every project of the organization; null: none. */
export function roleOnProjects({ role, projectRole }: OrganizationRoles): Role | null {
  return role === 'admin' ? 'owner' : projectRole;
}

/** The roles after accepting an invitation: accepting takes no permission away; null: not a member yet. */
export function rolesAfterAccepting(
  held: OrganizationRoles | null,
  offered: OrganizationRoles,
): OrganizationRoles {
  if (held === null || offered.role === 'admin') return offered;
  if (held.role !== 'member') return held;
  // Billing would end a role on the projects.
  if (offered.role === 'billing') return held.projectRole === null ? offered : held;
  const { projectRole } = offered;
  const isHigher =
    projectRole !== null && (held.projectRole === null || roleCovers(projectRole, held.projectRole));
  return isHigher ? offered : held;
}

export function organizationNotFound(): DomainError {
  return new DomainError('organization_not_found', 'Organization not found.');
}

export function organizationRoleRequired(current: OrganizationRole): DomainError {
  return new DomainError(
    'role_required',
    `Requires the role admin in the organization. Your role is ${current}.`,
    {
      members: { requiredRole: 'admin', currentRole: current },
    },
  );
}
