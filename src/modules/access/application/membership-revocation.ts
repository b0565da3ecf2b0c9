import { Injectable } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { writeAudit } from '../../audit/audit.log.js';
import type { Author } from '../../audit/domain/author.js';
import { ProjectEvents } from '../../projects/projects.events.js';
import { DomainError } from '../../../platform/errors/domain-error.js';
import { ApiKeyService } from '../api-key.service.js';
import { type Role, roleCovers } from '../domain/role.js';
import { ProjectInvitation } from '../infrastructure/project-invitation.entity.js';
import { ProjectMember } from '../infrastructure/project-member.entity.js';
import { findUserById } from '../infrastructure/user.rows.js';

interface MemberRef {
  projectId: string;
  userId: string;
}

/**
 * Removes the keys and invitations that depend on a membership. All methods run in the caller's
 * transaction, which holds the project's row lock.
 */
@Injectable()
export class MembershipRevocation {
  constructor(
    private readonly apiKeys: ApiKeyService,
    private readonly events: ProjectEvents,
  ) {}

  /**
   * Ends a membership, and revokes every key and invitation that the member created on the project (ADR 14).
   * @throws DomainError `last_owner`.
   */
  async end(
    tx: EntityManager,
    member: ProjectMember,
    { author, action }: { author: Author; action: 'member.remove' | 'member.leave' },
  ): Promise<void> {
    await keepAnOwner(tx, member);
    await this.revokeGrants(tx, member, { role: null, author });
    const { projectId, userId: target, role } = member;
    await writeAudit(tx, author, { projectId, action, target, before: { role } });
    tx.remove(member);
    if (role === 'owner') await this.events.emit('ownersChanged', tx, projectId);
  }

  /**
   * Revokes the keys and invitations that a member created with a higher role than `role`, and
   * invitations of the member to such a role; null: all.
   */
  async revokeGrants(
    tx: EntityManager,
    { projectId, userId }: MemberRef,
    { role, author }: { role: Role | null; author: Author },
  ): Promise<void> {
    await this.apiKeys.revokeMadeBy(tx, { projectId, userId }, { role, author });
    const user = await findUserById(tx, userId);
    const invited = await tx.find(
      ProjectInvitation,
      { projectId, $or: [{ invitedBy: userId }, ...(user ? [{ email: user.email }] : [])] },
      { orderBy: { id: 'asc' } },
    );
    const beyond = invited.filter((invitation) => role === null || !roleCovers(role, invitation.role));
    await withdrawAll(tx, beyond, author);
  }
}

/** Withdraws invitations in the caller's transaction: their links expire at once. */
export async function withdrawAll(
  tx: EntityManager,
  invitations: ProjectInvitation[],
  author: Author,
): Promise<void> {
  for (const invitation of invitations) {
    const { projectId, id: target, role } = invitation;
    await writeAudit(tx, author, { projectId, action: 'invitation.withdraw', target, before: { role } });
    tx.remove(invitation);
  }
}

/** A project that had an owner keeps one. @throws DomainError `last_owner`. */
export async function keepAnOwner(tx: EntityManager, leaving: ProjectMember): Promise<void> {
  if (!(await isLastOwner(tx, leaving))) return;
  throw new DomainError(
    'last_owner',
    'A project needs at least one owner. Make another member an owner first.',
  );
}

export async function isLastOwner(tx: EntityManager, { role, projectId }: ProjectMember): Promise<boolean> {
  return role === 'owner' && (await tx.count(ProjectMember, { projectId, role: 'owner' })) === 1;
}
