import type { EntityManager } from '@mikro-orm/postgresql';
import type { UserActor } from '../../access/domain/actor.js';
import {
  type Organization,
  organizationNotFound,
  organizationRoleRequired,
  type OrganizationRoles,
} from '../domain/organization.js';
import { findOrganizationOf } from '../organization-roles.js';

/**
 * Checks again whether the caller is an admin, while the transaction holds the organization's row
 * lock: they may have been removed since the guard's check.
 * @throws DomainError `organization_not_found`, `role_required`.
 */
export async function requireAdmin(
  tx: EntityManager,
  { userId }: UserActor,
  organizationId: string,
): Promise<Organization & OrganizationRoles> {
  const organization = await findOrganizationOf(tx, { organizationId, userId });
  if (!organization) throw organizationNotFound();
  if (organization.role !== 'admin') throw organizationRoleRequired(organization.role);
  return organization;
}
