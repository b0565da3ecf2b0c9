import { Injectable } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import type { Author } from '../audit/domain/author.js';
import { type MailLanguage, mailLanguage } from '../../platform/mail/domain/mail-language.js';
import { AccountLimits } from './application/account-limits.js';
import { addOwner, MembershipRevocation } from './application/membership.service.js';
import { requireManager } from './application/require-manager.js';
import { RecentSignIn } from './application/recent-sign-in.js';
import type { UserActor } from './domain/actor.js';
import type { OrganizationRole } from '../organizations/domain/organization.js';
import { findRoleOfAddress } from './infrastructure/membership.rows.js';
import { findLanguage, findUserById, findUsers, type UserSummary } from './infrastructure/user.rows.js';

/** People, and the roles that they have on projects, for organizations. */
@Injectable()
export class PeopleService {
  constructor(
    private readonly em: EntityManager,
    private readonly limits: AccountLimits,
    private readonly recentSignIn: RecentSignIn,
    private readonly revocation: MembershipRevocation,
  ) {}

  /** The visible part of these users, by id; deleted ones are missing. */
  async read(userIds: readonly string[]): Promise<Map<string, UserSummary>> {
    const users = await findUsers(this.em.fork(), userIds);
    return new Map(users.map((user) => [user.id, user]));
  }

  /** @throws DomainError as `RecentSignIn.require`. */
  requireRecentSignIn(user: UserActor, password: string | undefined): Promise<void> {
    return this.recentSignIn.require(user, password);
  }

  /** Counts the mail of an invitation; organizations count like projects. @throws DomainError `too_many_requests`. */
  countInvitation({ userId }: UserActor, invitation: { to: string; organizationId: string }): Promise<void> {
    const { to: email, organizationId: projectId } = invitation;
    return this.limits.invite({ sender: userId, projectId, email });
  }

  /** The role in an organization of the user with an address; null: no member. */
  roleOfAddress(tx: EntityManager, organizationId: string, email: string): Promise<OrganizationRole | null> {
    return findRoleOfAddress(tx, { organizationId, email });
  }

  /** The language of a user, for mails that they send to people without an account. */
  async languageOf(tx: EntityManager, userId: string | null): Promise<MailLanguage> {
    const user = userId === null ? null : await findUserById(tx, userId);
    return mailLanguage(user && (await findLanguage(tx, user.email)));
  }

  /** @throws DomainError `project_not_found`, `role_required`, as in `requireManager`. */
  async requireOwner(tx: EntityManager, user: UserActor, projectId: string): Promise<void> {
    await requireManager(tx, user, projectId);
  }

  /**
   * Makes a user an owner of a project whose row is locked, with a membership of their own.
   * @throws DomainError `project_limit_reached`.
   */
  addOwner(tx: EntityManager, ref: { projectId: string; userId: string }): Promise<void> {
    return addOwner(tx, ref);
  }

  /** As `MembershipRevocation.revokeBeyondRoles`; the rows of the projects are locked. */
  revokeBeyondRoles(
    tx: EntityManager,
    scope: { projectIds: readonly string[]; userId: string | null },
    author: Author,
  ): Promise<void> {
    return this.revocation.revokeBeyondRoles(tx, scope, author);
  }
}
