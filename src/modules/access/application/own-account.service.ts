import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { DomainError } from '../../../platform/errors/domain-error.js';
import { writeAudit, writeSecurityEvent } from '../../audit/audit.log.js';
import {
  endOrganizationMembership,
  isLastAdmin,
  listMembershipsOf,
  tryLockOrganization,
  withdrawInvitationsTo,
} from '../../organizations/organization-memberships.js';
import { findProject, lockProjects, projectIdsOf } from '../../projects/project.rows.js';
import { toAuthor, type UserActor } from '../domain/actor.js';
import { ProjectInvitation } from '../infrastructure/project-invitation.entity.js';
import { ProjectMember } from '../infrastructure/project-member.entity.js';
import {
  changeName,
  deleteUser,
  endSession,
  endSessions,
  findSessions,
  lockUser,
  type SessionRow,
} from '../infrastructure/user.rows.js';
import { AccountMails } from './account-mails.js';
import { isLastOwner, MembershipRevocation, withdrawAll } from './membership.service.js';
import { CurrentPassword } from './password.service.js';

/** Projects or organizations listed in an error; a user with more finds them in their list. */
const NAMES_LISTED_MAX = 5;
/** Retries if the user is added to projects while their account is being deleted. */
const LOCK_TRIES_MAX = 3;

/** Users' changes to their own account. */
@Injectable()
export class OwnAccountService {
  constructor(
    private readonly em: EntityManager,
    private readonly mails: AccountMails,
    private readonly password: CurrentPassword,
    private readonly revocation: MembershipRevocation,
  ) {}

  /** Changes the name that other members see. */
  async rename({ userId, network }: UserActor, name: string): Promise<void> {
    await this.em.fork().transactional(async (tx) => {
      await changeName(tx, { id: userId, name }, new Date());
      await writeSecurityEvent(tx, { userId, action: 'name_changed', network });
    });
  }

  /**
   * Deletes the caller's account in one transaction: memberships of projects and organizations with the keys and invitations they
   * created, invitations to their address, sessions, second factor, links, and their security log.
   * Events in the audit logs of projects stay, without a name; each project's audit log gets an
   * event that they left.
   * @throws DomainError `invalid_credentials`, `last_owner` with the names of the projects,
   * `last_admin` with those of the organizations, `too_many_requests`, `temporarily_unavailable`.
   */
  async delete(user: UserActor, password: string): Promise<void> {
    await this.password.require(user.userId, password);
    for (let tries = 0; tries < LOCK_TRIES_MAX; tries++)
      if (await this.em.fork().transactional((tx) => this.deleteIn(tx, user))) return;
    throw new DomainError('temporarily_unavailable', 'You are being added to projects. Try again.');
  }

  /**
   * Returns false and changes nothing if the user was added to a project or an organization while
   * the known ones were being locked.
   */
  private async deleteIn(tx: EntityManager, user: UserActor): Promise<boolean> {
    const { userId } = user;
    // Organizations before projects, these before the user, as when members are added, and always
    // in the same order.
    const organizations = await listMembershipsOf(tx, userId);
    const organizationIds = organizations.map(({ organizationId }) => organizationId);
    for (const organizationId of organizationIds) await tryLockOrganization(tx, organizationId);
    const known = await this.placesOf(tx, userId);
    await lockProjects(tx, [...known, ...(await projectIdsOf(tx, organizationIds))]);
    const account = await lockUser(tx, userId);
    if (!account)
      throw new DomainError('authentication_required', 'This account was deleted during the request.');
    const members = await tx.find(ProjectMember, { userId }, { orderBy: { projectId: 'asc' } });
    if (members.some(({ projectId }) => !known.includes(projectId))) return false;
    const joined = await listMembershipsOf(tx, userId);
    if (joined.some(({ organizationId }) => !organizationIds.includes(organizationId))) return false;
    await refuseLastOwner(tx, members);
    await refuseLastAdmin(tx, joined);
    const author = toAuthor(user);
    for (const member of members) await this.revocation.end(tx, member, { author, action: 'member.leave' });
    await tx.flush();
    for (const { organizationId } of joined) {
      const end = { author, action: 'organization_member.leave' } as const;
      const projectIds = await endOrganizationMembership(tx, { organizationId, userId }, end);
      await this.revocation.revokeBeyondRoles(tx, { projectIds, userId }, author);
    }
    const { email } = account;
    await withdrawAll(tx, await tx.find(ProjectInvitation, { email }), author);
    await withdrawInvitationsTo(tx, email, author);
    await writeAudit(tx, author, { action: 'account.delete', target: userId });
    await this.mails.accountDeleted(tx, email);
    await tx.flush();
    await deleteUser(tx, userId);
    return true;
  }

  private async placesOf(tx: EntityManager, userId: string): Promise<string[]> {
    const members = await tx
      .fork({ keepTransactionContext: true })
      .find(ProjectMember, { userId }, { orderBy: { projectId: 'asc' } });
    return members.map(({ projectId }) => projectId);
  }
}

/** @throws DomainError `last_owner`. */
async function refuseLastOwner(tx: EntityManager, members: ProjectMember[]): Promise<void> {
  const names: string[] = [];
  for (const member of members)
    if (await isLastOwner(tx, member)) names.push((await findProject(tx, member.projectId))?.name ?? '');
  if (names.length === 0) return;
  throw new DomainError(
    'last_owner',
    `You are the only owner of ${listNames(names)}. Transfer ownership or delete the project first.`,
    { members: { projects: names } },
  );
}

/** @throws DomainError `last_admin`. */
async function refuseLastAdmin(
  tx: EntityManager,
  joined: Awaited<ReturnType<typeof listMembershipsOf>>,
): Promise<void> {
  const names: string[] = [];
  for (const membership of joined) if (await isLastAdmin(tx, membership)) names.push(membership.name);
  if (names.length === 0) return;
  throw new DomainError(
    'last_admin',
    `You are the only admin of ${listNames(names)}. Make another member an admin or delete the organization first.`,
    { members: { organizations: names } },
  );
}

function listNames(names: string[]): string {
  const shown = names.slice(0, NAMES_LISTED_MAX).map((name) => `"${name}"`);
  const more = names.length - shown.length;
  return [...shown, ...(more > 0 ? [`${more} more`] : [])].join(', ');
}

/** A user's own sessions. */
@Injectable()
export class SessionService {
  constructor(private readonly em: EntityManager) {}

  /** The caller's valid sessions, newest first; at most `SESSIONS_PER_USER_MAX`. */
  async list({ userId, sessionId }: UserActor): Promise<(SessionRow & { current: boolean })[]> {
    const sessions = await findSessions(this.em.fork(), userId, new Date());
    return sessions.map((session) => ({ ...session, current: session.id === sessionId }));
  }

  /** Ends one of the caller's sessions at once. @throws DomainError `session_not_found`. */
  async end({ userId, network }: UserActor, id: string): Promise<void> {
    await this.em.fork().transactional(async (tx) => {
      if (!(await endSession(tx, { userId, id }))) throw sessionNotFound();
      await writeSecurityEvent(tx, { userId, action: 'sign_out', network });
    });
  }

  /** Ends all of the caller's sessions except the current one. */
  async endOthers({ userId, sessionId, network }: UserActor): Promise<void> {
    await this.em.fork().transactional(async (tx) => {
      if ((await endSessions(tx, userId, sessionId)) === 0) return;
      await writeSecurityEvent(tx, { userId, action: 'sessions_ended', network });
    });
  }
}

export function sessionNotFound(): DomainError {
  return new DomainError('session_not_found', 'Session not found, or already signed out.');
}
