import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DomainError } from '../../../platform/errors/domain-error.js';
import { writeAudit } from '../../audit/audit.log.js';
import { writeEvents } from '../../events/event.log.js';
import type { Author } from '../../audit/domain/author.js';
import { findProject } from '../../projects/project.rows.js';
import { ProjectService } from '../../projects/project.service.js';
import { type ProjectCreated, ProjectEvents } from '../../projects/projects.events.js';
import { ApiKeyService, type MadeSecret, type MemberRef } from '../api-key.service.js';
import { type Actor, emailNotConfirmed, toAuthor, type UserActor } from '../domain/actor.js';
import { type Role, roleCovers } from '../domain/role.js';
import { accessTables } from '../infrastructure/access.tables.js';
import { findStanding, listGrantors } from '../infrastructure/membership.rows.js';
import { ProjectInvitation } from '../infrastructure/project-invitation.entity.js';
import { ProjectMember } from '../infrastructure/project-member.entity.js';
import { findUserById } from '../infrastructure/user.rows.js';
import { requireManager } from './require-manager.js';

export const PROJECTS_OWNED_MAX = 100;
export const MEMBERS_PER_PROJECT_MAX = 1000;

/** A user's membership in a project, as shown to other members. */
export interface Member {
  userId: string;
  email: string;
  name: string;
  role: Role;
  createdAt: Date;
  /** Whether their account has a second factor. */
  secondFactor: boolean;
}

export interface PageRequest {
  /** Key of the last row of the previous page; null for the first page. */
  after: string | null;
  limit: number;
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
    await writeEvents(tx, projectId, [{ type: 'member.left', id: target, data: {} }]);
    tx.remove(member);
    await this.events.emit('membersLeft', tx, { userId: target, projectIds: [projectId] });
    if (role === 'owner') await this.events.emit('ownersChanged', tx, projectId);
  }

  /**
   * Revokes the keys and invitations on these projects that exceed the present role of the user who
   * created them, after a change that concerns many projects or people; `userId` null: of everybody.
   */
  async revokeBeyondRoles(
    tx: EntityManager,
    scope: { projectIds: readonly string[]; userId: string | null },
    author: Author,
  ): Promise<void> {
    for (const ref of await listGrantors(tx, scope)) {
      const role = (await findStanding(tx, ref))?.role ?? null;
      await this.apiKeys.revokeMadeBy(tx, ref, { role, author });
      const { projectId, userId: invitedBy } = ref;
      const sent = await tx.find(ProjectInvitation, { projectId, invitedBy }, { orderBy: { id: 'asc' } });
      const beyond = sent.filter((invitation) => role === null || !roleCovers(role, invitation.role));
      await withdrawAll(tx, beyond, author);
    }
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

/**
 * The members of projects. A project that had an owner always keeps one. The caller's permission to
 * change members is checked again in the transaction (`requireManager`), so that a removed member
 * cannot act. New members join by invitation (`JoinProject`).
 */
@Injectable()
export class MembershipService implements OnModuleInit {
  constructor(
    private readonly em: EntityManager,
    private readonly projects: ProjectService,
    private readonly events: ProjectEvents,
    private readonly apiKeys: ApiKeyService,
    private readonly revocation: MembershipRevocation,
  ) {}

  /** The user who creates a project becomes its owner. */
  onModuleInit(): void {
    this.events.listen({ created: (tx, created) => this.addFirstOwner(tx, created) });
  }

  /** At most `limit` members, in the order in which they signed up, after the user id `after`, if given. */
  async members(projectId: string, { after, limit }: PageRequest): Promise<Member[]> {
    const page = selectMembers(this.em.fork(), projectId).orderBy('m.userId').limit(limit);
    return (after === null ? page : page.where('m.userId', '>', after)).execute();
  }

  /**
   * Changes the role of a member, except to owner, which requires their acceptance (ADR 51).
   * Revokes keys and invitations of the member that exceed the new role, and the offer of a higher
   * role.
   * @throws DomainError `member_not_found`, `acceptance_required`, `last_owner`, and as
   * `requireManager`.
   */
  async changeRole(ref: MemberRef, role: Role, actor: Actor): Promise<Member> {
    await this.em.fork().transactional(async (tx) => {
      const member = await this.memberLocked(tx, ref, actor);
      if (role === 'owner' && member.role !== 'owner') throw acceptanceRequired();
      if (role !== 'owner') await keepAnOwner(tx, member);
      const author = toAuthor(actor);
      await this.revocation.revokeGrants(tx, ref, { role, author });
      if (member.role === role) return;
      const { projectId, userId: target } = ref;
      await writeAudit(tx, author, {
        projectId,
        action: 'member.change_role',
        target,
        before: { role: member.role },
        after: { role },
      });
      if (member.role === 'owner') await this.events.emit('ownersChanged', tx, projectId);
      member.role = role;
    });
    return this.read(ref);
  }

  /** @throws DomainError `member_not_found`. */
  async read({ projectId, userId }: MemberRef): Promise<Member> {
    const member = await selectMembers(this.em.fork(), projectId)
      .where('m.userId', '=', userId)
      .executeTakeFirst();
    return member ?? memberNotFound();
  }

  /**
   * Removes a member, and revokes the keys and invitations that they created on the project.
   * @throws DomainError `member_not_found`, `last_owner`, and as `requireManager`.
   */
  async remove(ref: MemberRef, actor: Actor): Promise<void> {
    await this.em.fork().transactional(async (tx) => {
      const member = await this.memberLocked(tx, ref, actor);
      await this.revocation.end(tx, member, { author: toAuthor(actor), action: 'member.remove' });
    });
  }

  /** Ends the caller's own membership. @throws DomainError `last_owner`. */
  async leave(projectId: string, actor: UserActor): Promise<void> {
    await this.em.fork().transactional(async (tx) => {
      await this.projects.lock(tx, projectId);
      const ref = { projectId, userId: actor.userId };
      const member = (await tx.findOne(ProjectMember, ref)) ?? memberNotFound();
      await this.revocation.end(tx, member, { author: toAuthor(actor), action: 'member.leave' });
    });
  }

  /** The secrets of API keys that removing a member revokes. @throws DomainError `member_not_found`. */
  async keysOf(ref: MemberRef): Promise<MadeSecret[]> {
    const em = this.em.fork();
    if (!(await em.findOne(ProjectMember, ref))) memberNotFound();
    return this.apiKeys.madeBy(em, ref);
  }

  /**
   * Makes the user the owner of a project created in this transaction.
   * @throws DomainError `email_not_confirmed`, `project_limit_reached`, which roll back the
   * creation.
   */
  private async addFirstOwner(
    tx: EntityManager,
    { projectId, userId, organizationId }: ProjectCreated,
  ): Promise<void> {
    const user = await accessTables(tx)
      .selectFrom('app_user')
      .select('emailVerified')
      .where('id', '=', userId)
      .executeTakeFirst();
    if (!user?.emailVerified) throw emailNotConfirmed();
    // Its owners are the admins of the organization.
    if (organizationId !== null) return;
    await refuseTooManyOwned(tx, userId);
    tx.create(ProjectMember, { projectId, userId, role: 'owner', createdAt: new Date() });
  }

  /** Reads a member under the project's row lock, so that two owners cannot leave at the same time. */
  private async memberLocked(tx: EntityManager, ref: MemberRef, actor: Actor): Promise<ProjectMember> {
    await this.projects.lock(tx, ref.projectId);
    await requireManager(tx, actor, ref.projectId);
    return (await tx.findOne(ProjectMember, ref)) ?? memberNotFound();
  }
}

/** The members of a project, with the visible part of the user. */
function selectMembers(em: EntityManager, projectId: string) {
  return accessTables(em)
    .selectFrom('project_member as m')
    .innerJoin('app_user as u', 'u.id', 'm.userId')
    .select([
      'u.id as userId',
      'u.email',
      'u.name',
      'm.role',
      'm.createdAt',
      'u.twoFactorEnabled as secondFactor',
    ])
    .where('m.projectId', '=', projectId);
}

/**
 * Checks that a user, whose row is locked so that simultaneous requests count one after the other, may own one more
 * project.
 * @throws DomainError `project_limit_reached`.
 */
export async function refuseTooManyOwned(tx: EntityManager, userId: string): Promise<void> {
  await accessTables(tx)
    .selectFrom('app_user')
    .select('id')
    .where('id', '=', userId)
    .forNoKeyUpdate()
    .execute();
  const owned = await tx.count(ProjectMember, { userId, role: 'owner' });
  if (owned < PROJECTS_OWNED_MAX) return;
  throw new DomainError(
    'project_limit_reached',
    `You own ${owned} projects, and the limit is ${PROJECTS_OWNED_MAX}. Delete one first.`,
  );
}

/** Makes a user an owner, as a member of the project. @throws DomainError `project_limit_reached`. */
export async function addOwner(tx: EntityManager, { projectId, userId }: MemberRef): Promise<void> {
  const member = await tx.findOne(ProjectMember, { projectId, userId });
  if (member?.role === 'owner') return;
  await refuseTooManyOwned(tx, userId);
  if (member) member.role = 'owner';
  else tx.create(ProjectMember, { projectId, userId, role: 'owner', createdAt: new Date() });
}

export function memberLimitReached(): DomainError {
  return new DomainError(
    'member_limit_reached',
    `A project can have up to ${MEMBERS_PER_PROJECT_MAX} members. Remove one first.`,
  );
}

function acceptanceRequired(): DomainError {
  return new DomainError(
    'acceptance_required',
    'Members become owners by accepting an invitation. Invite their address with the role owner (POST …/members), or transfer ownership (POST …/ownership).',
  );
}

function memberNotFound(): never {
  throw new DomainError('member_not_found', 'Member not found in this project.');
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
async function keepAnOwner(tx: EntityManager, leaving: ProjectMember): Promise<void> {
  if (!(await isLastOwner(tx, leaving))) return;
  throw new DomainError(
    'last_owner',
    'A project needs at least one owner. Make another member an owner first.',
  );
}

/** The admins of an organization own its projects, so these need no other owner. */
export async function isLastOwner(tx: EntityManager, { role, projectId }: ProjectMember): Promise<boolean> {
  if (role !== 'owner' || (await tx.count(ProjectMember, { projectId, role: 'owner' })) !== 1) return false;
  return !(await findProject(tx, projectId))?.organizationId;
}
