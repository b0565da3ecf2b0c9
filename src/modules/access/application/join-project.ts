import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { writeAudit } from '../../audit/audit.log.js';
import type { Author } from '../../audit/domain/author.js';
import { MailService } from '../../../platform/mail/mail.service.js';
import { findProject } from '../../projects/project.rows.js';
import { ProjectEvents } from '../../projects/projects.events.js';
import { ProjectService } from '../../projects/project.service.js';
import { DomainError } from '../../../platform/errors/domain-error.js';
import { linkEnded } from '../domain/account-link.js';
import { ownInvitationNotFound } from '../domain/invitation.js';
import { type Role, roleAfterAccepting } from '../domain/role.js';
import { ProjectInvitation } from '../infrastructure/project-invitation.entity.js';
import { ProjectMember } from '../infrastructure/project-member.entity.js';
import { findUserById } from '../infrastructure/user.rows.js';
import { memberLimitReached, MEMBERS_PER_PROJECT_MAX, refuseTooManyOwned } from './membership.service.js';
import { MembershipRevocation } from './membership-revocation.js';

/**
 * Proof that an invitation belongs to the caller: the token of its newest mail, or a session of its
 * address.
 */
export type InvitationClaim = { tokenHash: Buffer } | { id: string; email: string };

/**
 * Accepts an invitation: the only way to become a member of another person's project, or an owner
 * of it (ADR 51). All in the caller's transaction.
 */
@Injectable()
export class JoinProject {
  constructor(
    private readonly projects: ProjectService,
    private readonly revocation: MembershipRevocation,
    private readonly mails: MailService,
    private readonly events: ProjectEvents,
  ) {}

  /**
   * Gives the invited role to the user that `identify` returns or creates; a member never loses a role.
   * @throws DomainError `link_ended` or `invitation_not_found`, `member_limit_reached`, `project_limit_reached`.
   */
  async join(
    tx: EntityManager,
    given: {
      claim: InvitationClaim;
      identify: (now: Date) => Promise<string>;
      network: string | null;
    },
  ): Promise<{ projectId: string; role: Role }> {
    const { claim, identify, network } = given;
    // Read in a fork, so that it is read again under the lock, and on this connection: the others
    // may be waiting for it.
    const { projectId } = await findInvitation(tx.fork({ keepTransactionContext: true }), claim);
    await this.projects.lock(tx, projectId);
    // The lock's previous holder may have withdrawn or accepted it.
    const invitation = await findInvitation(tx, claim);
    const now = new Date();
    const userId = await identify(now);
    const author: Author = { kind: 'user', id: userId, network };
    const member = await tx.findOne(ProjectMember, { projectId, userId });
    // The ownership was offered to a member who has left since.
    if (invitation.transfersOwnership && !member) throw gone(claim);
    const former = member?.role ?? null;
    const role = roleAfterAccepting(former, invitation.role);
    if (role === 'owner' && former !== 'owner') await refuseTooManyOwned(tx, userId);
    tx.remove(invitation);
    if (member) member.role = role;
    else await addMember(tx, { projectId, userId, role, createdAt: now });
    await writeAudit(tx, author, {
      projectId,
      action: 'invitation.accept',
      target: invitation.id,
      after: { role },
    });
    await tx.flush();
    if (role !== former && role === 'owner') await this.events.emit('ownersChanged', tx, projectId);
    if (invitation.transfersOwnership) await this.stepDown(tx, invitation, { userId, former, author });
    return { projectId, role };
  }

  /** Makes the owner who offered the ownership an editor, and mails both. */
  private async stepDown(
    tx: EntityManager,
    { projectId, invitedBy = null }: ProjectInvitation,
    { userId, former, author }: { userId: string; former: Role | null; author: Author },
  ): Promise<void> {
    const giver =
      invitedBy === null ? null : await tx.findOne(ProjectMember, { projectId, userId: invitedBy });
    if (giver?.role !== 'owner' || giver.userId === userId) return;
    await writeAudit(tx, author, {
      projectId,
      action: 'ownership.transfer',
      target: userId,
      before: { role: former },
      after: { role: 'owner' },
    });
    await this.revocation.revokeGrants(tx, giver, { role: 'editor', author });
    giver.role = 'editor';
    const values = { project: (await findProject(tx, projectId))?.name ?? '' };
    const [receiver, owner] = [await findUserById(tx, userId), await findUserById(tx, giver.userId)];
    if (receiver)
      await this.mails.send({ to: receiver.email, template: 'ownership_received', values, projectId }, tx);
    if (owner) await this.mails.send({ to: owner.email, template: 'ownership_given', values, projectId }, tx);
  }
}

/** The invitation of a claim, unless it has expired. @throws DomainError `link_ended` or `invitation_not_found`. */
export async function findInvitation(em: EntityManager, claim: InvitationClaim): Promise<ProjectInvitation> {
  const invitation = await em.findOne(ProjectInvitation, claim);
  if (!invitation || invitation.expiresAt <= new Date()) throw gone(claim);
  return invitation;
}

function gone(claim: InvitationClaim): DomainError {
  return 'tokenHash' in claim ? linkEnded() : ownInvitationNotFound();
}

async function addMember(
  tx: EntityManager,
  member: { projectId: string; userId: string; role: Role; createdAt: Date },
): Promise<void> {
  const { projectId } = member;
  if ((await tx.count(ProjectMember, { projectId })) >= MEMBERS_PER_PROJECT_MAX) throw memberLimitReached();
  tx.create(ProjectMember, member);
}
