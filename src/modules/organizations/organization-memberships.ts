import type { EntityManager } from '@mikro-orm/postgresql';
import { DomainError } from '../../platform/errors/domain-error.js';
import { writeAudit } from '../audit/audit.log.js';
import type { Author } from '../audit/domain/author.js';
import { lockProjectsOf } from '../projects/project.rows.js';
import {
  MEMBERS_PER_ORGANIZATION_MAX,
  type OrganizationRole,
  type OrganizationRoles,
  organizationNotFound,
  ORGANIZATIONS_PER_ADMIN_MAX,
  rolesAfterAccepting,
} from './domain/organization.js';
import type { OrganizationInvitationRow } from './infrastructure/organization.rows.js';
import * as rows from './infrastructure/organization.rows.js';

/**
 * Joining and leaving organizations, in the caller's transaction. Locks are taken in one order
 * everywhere: organizations, their projects, the user.
 */

export {
  listInvitationsTo,
  listMembershipsOf,
  /** Like `lockOrganization`; false if the organization is deleted. */
  lockOrganizationRow as tryLockOrganization,
} from './infrastructure/organization.rows.js';

export interface OrganizationMemberRef {
  organizationId: string;
  userId: string;
}

/** Locks an organization's row, so that rules over its rows are checked by one request at a time. */
export async function lockOrganization(tx: EntityManager, id: string): Promise<void> {
  if (!(await rows.lockOrganizationRow(tx, id))) throw organizationNotFound();
}

/** The name of an organization; empty if it is deleted. */
export async function findOrganizationName(em: EntityManager, id: string): Promise<string> {
  return (await rows.findOrganization(em, id))?.name ?? '';
}

/** The invitation of a token or of an address; null: none, or it has expired. */
export async function findOrganizationInvitation(
  em: EntityManager,
  claim: { tokenHash: Buffer } | { id: string; email: string },
): Promise<OrganizationInvitationRow | null> {
  const found = await rows.findInvitationBy(em, claim);
  return found && found.expiresAt > new Date() ? found : null;
}

/**
 * Gives the offered roles to a user, whose organization's row is locked; a member never loses one.
 * @throws DomainError `member_limit_reached`, `organization_limit_reached`.
 */
export async function joinOrganization(
  tx: EntityManager,
  invitation: OrganizationInvitationRow,
  { userId, author }: { userId: string; author: Author },
): Promise<OrganizationRoles> {
  const { organizationId, id } = invitation;
  const held = await rows.findMember(tx, { organizationId, userId });
  const roles = rolesAfterAccepting(held, invitation);
  if (roles.role === 'admin' && held?.role !== 'admin') await refuseTooManyAdministered(tx, userId);
  if (!held && (await rows.countMembers(tx, organizationId)) >= MEMBERS_PER_ORGANIZATION_MAX) {
    throw new DomainError(
      'member_limit_reached',
      `An organization can have up to ${MEMBERS_PER_ORGANIZATION_MAX} members. Remove one first.`,
    );
  }
  await rows.deleteInvitation(tx, { organizationId, id });
  await rows.writeMember(tx, { organizationId, userId, ...roles });
  await writeAudit(tx, author, {
    projectId: organizationId,
    action: 'organization_invitation.accept',
    target: id,
    after: { ...roles },
  });
  return roles;
}

/** Makes a user an admin without their acceptance, for an operator; false if the organization does not exist. */
export async function makeOrganizationAdmin(
  tx: EntityManager,
  { organizationId, userId }: OrganizationMemberRef,
  author: Author,
): Promise<boolean> {
  if (!(await rows.lockOrganizationRow(tx, organizationId))) return false;
  const held = await rows.findMember(tx, { organizationId, userId });
  const after: OrganizationRoles = { role: 'admin', projectRole: null };
  await rows.writeMember(tx, { organizationId, userId, ...after });
  await writeAudit(tx, author, {
    projectId: organizationId,
    action: 'organization_member.change_role',
    target: userId,
    ...(held && { before: { role: held.role, projectRole: held.projectRole } }),
    after: { ...after },
  });
  return true;
}

/** Deletes an invitation, whose link expires at once. */
export async function declineOrganizationInvitation(
  tx: EntityManager,
  { organizationId, id, role, projectRole }: OrganizationInvitationRow,
  author: Author,
): Promise<void> {
  await rows.deleteInvitation(tx, { organizationId, id });
  await writeAudit(tx, author, {
    projectId: organizationId,
    action: 'organization_invitation.decline',
    target: id,
    before: { role, projectRole },
  });
}

/** Withdraws invitations: their links expire at once. */
export async function withdrawOrganizationInvitations(
  tx: EntityManager,
  invitations: OrganizationInvitationRow[],
  author: Author,
): Promise<void> {
  for (const { organizationId, id, role, projectRole } of invitations) {
    await rows.deleteInvitation(tx, { organizationId, id });
    await writeAudit(tx, author, {
      projectId: organizationId,
      action: 'organization_invitation.withdraw',
      target: id,
      before: { role, projectRole },
    });
  }
}

/** As `withdrawOrganizationInvitations`, of all invitations to an address. */
export async function withdrawInvitationsTo(tx: EntityManager, email: string, author: Author): Promise<void> {
  await withdrawOrganizationInvitations(tx, await rows.listAllInvitationsTo(tx, email), author);
}

/**
 * Ends a membership with the invitations that the member sent. Returns the projects on which it gave
 * a role, with their rows locked: the caller revokes what the member created there. The
 * organization's row is locked.
 * @throws DomainError `member_not_found`, `last_admin`.
 */
export async function endOrganizationMembership(
  tx: EntityManager,
  ref: OrganizationMemberRef,
  { author, action }: { author: Author; action: 'organization_member.remove' | 'organization_member.leave' },
): Promise<string[]> {
  const member = await rows.findMember(tx, ref);
  if (!member) throw organizationMemberNotFound();
  if (await isLastAdmin(tx, { ...ref, role: member.role })) throw lastAdmin();
  const { organizationId, userId: target } = ref;
  const projectIds = await lockProjectsOf(tx, organizationId);
  await rows.deleteMember(tx, ref);
  await withdrawOrganizationInvitations(tx, await rows.listInvitationsBy(tx, ref), author);
  const { role, projectRole } = member;
  await writeAudit(tx, author, {
    projectId: organizationId,
    action,
    target,
    before: { role, projectRole },
  });
  return projectIds;
}

/** An organization always keeps an admin. */
export async function isLastAdmin(
  tx: EntityManager,
  { organizationId, role }: { organizationId: string; role: OrganizationRole },
): Promise<boolean> {
  return role === 'admin' && (await rows.countAdmins(tx, organizationId)) === 1;
}

export function lastAdmin(): DomainError {
  return new DomainError(
    'last_admin',
    'An organization needs at least one admin. Make another member an admin first.',
  );
}

export function organizationMemberNotFound(): DomainError {
  return new DomainError('member_not_found', 'Member not found in this organization.');
}

/** @throws DomainError `organization_limit_reached`. */
export async function refuseTooManyAdministered(tx: EntityManager, userId: string): Promise<void> {
  const administered = await rows.countAdministered(tx, userId);
  if (administered < ORGANIZATIONS_PER_ADMIN_MAX) return;
  throw new DomainError(
    'organization_limit_reached',
    `You are an admin of ${administered} organizations, and the limit is ${ORGANIZATIONS_PER_ADMIN_MAX}.`,
  );
}
