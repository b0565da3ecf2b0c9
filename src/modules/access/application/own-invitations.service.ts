import { Injectable } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { writeAudit } from '../../audit/audit.log.js';
import { ProjectService } from '../../projects/project.service.js';
import { type Actor, toAuthor, emailNotConfirmed } from '../domain/actor.js';
import type { Role } from '../domain/role.js';
import { ProjectInvitation } from '../infrastructure/project-invitation.entity.js';
import { findInvitation, JoinProject } from './join-project.js';
import type { PageRequest } from './membership.service.js';

type User = Actor & { kind: 'user' };

/** An invitation, for the invited person. */
export interface OwnInvitation {
  id: string;
  projectId: string;
  projectName: string;
  role: Role;
  transfersOwnership: boolean;
  createdAt: Date;
  expiresAt: Date;
}

/** Invitations to the confirmed address of a user's account, without the mailed link. */
@Injectable()
export class OwnInvitations {
  constructor(
    private readonly em: EntityManager,
    private readonly projects: ProjectService,
    private readonly joining: JoinProject,
  ) {}

  /**
   * At most `limit` invitations that can be accepted, newest first, after the id `after`, if given.
   *
   * @throws DomainError `email_not_confirmed`.
   */
  async list(user: User, { after, limit }: PageRequest): Promise<OwnInvitation[]> {
    requireConfirmed(user);
    const open = { email: user.email, expiresAt: { $gt: new Date() } };
    const behind = after === null ? {} : { id: { $lt: after } };
    const invitations = await this.em
      .fork()
      .find(ProjectInvitation, { ...open, ...behind }, { orderBy: { id: 'desc' }, limit });
    const projects = await this.projects.read([...new Set(invitations.map(({ projectId }) => projectId))]);
    const names = new Map(projects.map(({ id, name }) => [id, name]));
    return invitations.map(({ id, projectId, role, transfersOwnership, createdAt, expiresAt }) => ({
      id,
      projectId,
      projectName: names.get(projectId) ?? '',
      role,
      transfersOwnership,
      createdAt,
      expiresAt,
    }));
  }

  /**
   * Makes the caller a member, or gives a member the offered role.
   * @throws DomainError `email_not_confirmed`, `invitation_not_found`, `member_limit_reached`, `project_limit_reached`.
   */
  async accept(user: User, id: string): Promise<{ projectId: string; role: Role }> {
    requireConfirmed(user);
    const { userId, email, network } = user;
    const identify = (): Promise<string> => Promise.resolve(userId);
    return this.em
      .fork()
      .transactional((tx) => this.joining.join(tx, { claim: { id, email }, identify, network }));
  }

  /**
   * Its link expires at once. @throws DomainError `email_not_confirmed`, `invitation_not_found`.
   */
  async decline(user: User, id: string): Promise<void> {
    requireConfirmed(user);
    const claim = { id, email: user.email };
    await this.em.fork().transactional(async (tx) => {
      const known = await findInvitation(tx.fork({ keepTransactionContext: true }), claim);
      await this.projects.lock(tx, known.projectId);
      const invitation = await findInvitation(tx, claim);
      const { projectId, id: target, role } = invitation;
      await writeAudit(tx, toAuthor(user), {
        projectId,
        action: 'invitation.decline',
        target,
        before: { role },
      });
      tx.remove(invitation);
    });
  }
}

/** Invitations are for addresses, so only an account with a confirmed address has any. */
function requireConfirmed(user: User): void {
  if (!user.emailConfirmed) throw emailNotConfirmed();
}
