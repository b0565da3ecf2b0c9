import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { writeEvents } from '../../events/event.log.js';
import { DomainError, fieldErrors } from '../../../platform/errors/domain-error.js';
import { MailService } from '../../../platform/mail/mail.service.js';
import { InjectSettings } from '../../../platform/settings/inject-settings.js';
import { writeAudit, writeSecurityEvent } from '../../audit/audit.log.js';
import { type Author, truncatedNetwork } from '../../audit/domain/author.js';
import type { OrganizationRole } from '../../organizations/domain/organization.js';
import {
  declineOrganizationInvitation,
  findOrganizationInvitation,
  findOrganizationName,
  joinOrganization,
  listInvitationsTo,
  tryLockOrganization,
} from '../../organizations/organization-memberships.js';
import { findProject } from '../../projects/project.rows.js';
import { ProjectService } from '../../projects/project.service.js';
import { ProjectEvents } from '../../projects/projects.events.js';
import { accessSettings, type AccessSettings } from '../access.settings.js';
import { hashOfToken, linkEnded, ownInvitationNotFound } from '../domain/account-link.js';
import { emailNotConfirmed, toAuthor, type UserActor } from '../domain/actor.js';
import { type Role, roleAfterAccepting } from '../domain/role.js';
import type { SignInClient } from '../domain/session.js';
import { Passwords } from '../infrastructure/passwords.js';
import { ProjectInvitation } from '../infrastructure/project-invitation.entity.js';
import { ProjectMember } from '../infrastructure/project-member.entity.js';
import { confirmAddress, findUser, findUserById, insertUser } from '../infrastructure/user.rows.js';
import { AccountLimits } from './account-limits.js';
import {
  memberLimitReached,
  MEMBERS_PER_PROJECT_MAX,
  MembershipRevocation,
  type PageRequest,
  refuseTooManyOwned,
} from './membership.service.js';
import { type SignedInUser, type SignIn, SignInService } from './sign-in.service.js';

/**
 * Proof that an invitation belongs to the caller: the token of its newest mail, or a session of its
 * address.
 */
type InvitationClaim = { tokenHash: Buffer } | { id: string; email: string };

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
    given: { claim: InvitationClaim; identify: (now: Date) => Promise<string>; network: string | null },
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
    if (!member) await writeEvents(tx, projectId, [{ type: 'member.joined', id: userId, data: { role } }]);
    if (role !== former && role === 'owner') await this.events.emit('ownersChanged', tx, projectId);
    if (invitation.transfersOwnership) await this.stepDown(tx, invitation, { userId, former, author });
    return { projectId, role };
  }

  /** Like `join`, or the same for an organization. */
  async joinEither(
    tx: EntityManager,
    given: { claim: InvitationClaim; identify: (now: Date) => Promise<string>; network: string | null },
  ): Promise<Joined> {
    const joined = await joinOrganizationBy(tx, given);
    return joined ?? { ...(await this.join(tx, given)), organizationId: null, projectRole: null };
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

/**
 * Accepts an invitation to an organization, in the caller's transaction. Null: the claim is for no
 * such invitation.
 * @throws DomainError `link_ended` or `invitation_not_found`, `member_limit_reached`, `organization_limit_reached`.
 */
async function joinOrganizationBy(
  tx: EntityManager,
  given: { claim: InvitationClaim; identify: (now: Date) => Promise<string>; network: string | null },
): Promise<Joined | null> {
  const { claim, identify, network } = given;
  const known = await findOrganizationInvitation(tx, claim);
  if (!known) return null;
  const { organizationId } = known;
  if (!(await tryLockOrganization(tx, organizationId))) throw gone(claim);
  // The lock's previous holder may have withdrawn or accepted it.
  const invitation = await findOrganizationInvitation(tx, claim);
  if (!invitation) throw gone(claim);
  const userId = await identify(new Date());
  const author: Author = { kind: 'user', id: userId, network };
  const { role, projectRole } = await joinOrganization(tx, invitation, { userId, author });
  return { projectId: null, organizationId, role, projectRole };
}

/** The project or organization that a person joined, and their roles there. */
export interface Joined {
  /** null: an organization. */
  projectId: string | null;
  organizationId: string | null;
  role: Role | OrganizationRole;
  /** Role on all projects of the organization; null: none, an admin, or a single project. */
  projectRole: Role | null;
}

/** An invitation as shown on its page. */
export interface ShownInvitation {
  /** null: it is to an organization. */
  projectName: string | null;
  organizationName: string | null;
  email: string;
  role: Role | OrganizationRole;
  projectRole: Role | null;
  /** false: the person chooses a password on accepting. */
  accountExists: boolean;
  expiresAt: Date;
}

export interface Accepted extends Joined {
  /** The session that was opened for a new account; null if the user was signed in. */
  signIn: SignIn | null;
}

/**
 * Accepts invitations. The token proves access to the mailbox. If the address has an account, only
 * a session of that account proves that the person is its user.
 */
@Injectable()
export class AcceptInvitation {
  constructor(
    private readonly em: EntityManager,
    private readonly projects: ProjectService,
    private readonly joining: JoinProject,
    private readonly limits: AccountLimits,
    private readonly passwords: Passwords,
    private readonly signIns: SignInService,
    @InjectSettings(accessSettings) private readonly settings: AccessSettings,
  ) {}

  /** @throws DomainError `link_ended`, `too_many_requests`. */
  async look(token: string, address: string): Promise<ShownInvitation> {
    await this.limits.followLink(address);
    const em = this.em.fork();
    const claim = toClaim(token);
    const toOrganization = await findOrganizationInvitation(em, claim);
    if (toOrganization) {
      const { organizationId, email, role, projectRole, expiresAt } = toOrganization;
      const organizationName = await findOrganizationName(em, organizationId);
      const accountExists = (await findUser(em, email)) !== null;
      return { projectName: null, organizationName, email, role, projectRole, accountExists, expiresAt };
    }
    const { projectId, email, role, expiresAt } = await findInvitation(em, claim);
    const projectName = (await this.projects.find(projectId))?.name ?? '';
    const accountExists = (await findUser(em, email)) !== null;
    return {
      projectName,
      organizationName: null,
      email,
      role,
      projectRole: null,
      accountExists,
      expiresAt,
    };
  }

  /**
   * Makes the invited person a member: the user signed in with that address, or, if it has no
   * account, a new user with the given password. A member gets the offered role if it is higher.
   * @throws DomainError `link_ended`, `invitation_for_another`, `authentication_required`,
   * `sign_up_closed`, `validation_failed`, `too_many_requests`, `organization_limit_reached`, and as
   * `JoinProject`.
   */
  async accept(
    fields: { token: string; name?: string | undefined; password?: string | undefined },
    signedIn: SignedInUser | null,
    client: SignInClient,
  ): Promise<Accepted> {
    const { address } = client;
    await this.limits.followLink(address);
    const claim = toClaim(fields.token);
    const { email } =
      (await findOrganizationInvitation(this.em.fork(), claim)) ??
      (await findInvitation(this.em.fork(), claim));
    const isNew = !signedIn && !(await findUser(this.em.fork(), email));
    if (signedIn && signedIn.email !== email) {
      throw new DomainError(
        'invitation_for_another',
        'This invitation is for a different email address. Sign in with that address.',
      );
    }
    if (!signedIn && !isNew) {
      throw new DomainError(
        'authentication_required',
        'The invited address already has an account. Sign in with it and open the link again.',
      );
    }
    const person = isNew ? await this.newPerson(email, fields) : null;
    const network = truncatedNetwork(address);
    const joined = await this.em.fork().transactional((tx) =>
      this.joining.joinEither(tx, {
        claim,
        identify: (now) => identify(tx, { person, signedIn, network }, now),
        network,
      }),
    );
    const { password } = fields;
    const signIn = person && password ? await this.signIns.signInNew({ email, password }, client) : null;
    return { ...joined, signIn };
  }

  private async newPerson(
    email: string,
    { name, password }: { name?: string | undefined; password?: string | undefined },
  ): Promise<Person> {
    if (this.settings.signUp === 'closed')
      throw new DomainError('sign_up_closed', 'Accounts are created by the operator of this service.');
    if (password === undefined) {
      throw fieldErrors([
        { field: 'password', message: 'Choose a password. The address has no account yet.' },
      ]);
    }
    const passwordHash = await this.passwords.hash(password);
    return { email, name: name ?? email.slice(0, email.lastIndexOf('@')), passwordHash };
  }
}

interface Person {
  name: string;
  email: string;
  passwordHash: string;
}

const toClaim = (token: string): InvitationClaim => ({ tokenHash: hashOfToken(token) });

/** The user who accepts; creates the account of a new person. The token proves the address in both cases. */
async function identify(
  tx: EntityManager,
  given: { person: Person | null; signedIn: SignedInUser | null; network: string | null },
  now: Date,
): Promise<string> {
  const { person, signedIn, network } = given;
  if (signedIn) {
    if (!signedIn.emailVerified) await confirmAddress(tx, signedIn, now);
    return signedIn.id;
  }
  const userId = person && (await insertUser(tx, person, now));
  if (!userId) throw linkEnded();
  await writeSecurityEvent(tx, { userId, action: 'sign_up', network });
  return userId;
}

/** The invitation of a claim, unless it has expired. @throws DomainError `link_ended` or `invitation_not_found`. */
async function findInvitation(em: EntityManager, claim: InvitationClaim): Promise<ProjectInvitation> {
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

/** An invitation, for the invited person. */
interface OwnInvitation extends Joined {
  id: string;
  projectName: string | null;
  organizationName: string | null;
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
   * @throws DomainError `email_not_confirmed`.
   */
  async list(user: UserActor, { after, limit }: PageRequest): Promise<OwnInvitation[]> {
    requireConfirmed(user);
    const open = { email: user.email, expiresAt: { $gt: new Date() } };
    const behind = after === null ? {} : { id: { $lt: after } };
    const em = this.em.fork();
    const page = { orderBy: { id: 'desc' }, limit } as const;
    const [toProjects, toOrganizations] = [
      await em.find(ProjectInvitation, { ...open, ...behind }, page),
      await listInvitationsTo(em, user.email, { after, limit }),
    ];
    const projects = await this.projects.read([...new Set(toProjects.map(({ projectId }) => projectId))]);
    const names = new Map(projects.map(({ id, name }) => [id, name]));
    const own = [
      ...toProjects.map(({ id, projectId, role, transfersOwnership, createdAt, expiresAt }) => ({
        id,
        projectId,
        projectName: names.get(projectId) ?? '',
        organizationId: null,
        organizationName: null,
        role,
        projectRole: null,
        transfersOwnership,
        createdAt,
        expiresAt,
      })),
      ...toOrganizations.map(
        ({ id, organizationId, organizationName, role, projectRole, createdAt, expiresAt }) => ({
          id,
          projectId: null,
          projectName: null,
          organizationId,
          organizationName,
          role,
          projectRole,
          transfersOwnership: false,
          createdAt,
          expiresAt,
        }),
      ),
    ];
    return own.toSorted((one, other) => (one.id < other.id ? 1 : -1)).slice(0, limit);
  }

  /**
   * Makes the caller a member, or gives a member the offered role.
   * @throws DomainError `email_not_confirmed`, `invitation_not_found`, `member_limit_reached`,
   * `project_limit_reached`, `organization_limit_reached`.
   */
  async accept(user: UserActor, id: string): Promise<Joined> {
    requireConfirmed(user);
    const { userId, email, network } = user;
    const identify = (): Promise<string> => Promise.resolve(userId);
    return this.em
      .fork()
      .transactional((tx) => this.joining.joinEither(tx, { claim: { id, email }, identify, network }));
  }

  /** Its link expires at once. @throws DomainError `email_not_confirmed`, `invitation_not_found`. */
  async decline(user: UserActor, id: string): Promise<void> {
    requireConfirmed(user);
    const claim = { id, email: user.email };
    await this.em.fork().transactional(async (tx) => {
      const toOrganization = await findOrganizationInvitation(tx, claim);
      if (toOrganization) {
        if (!(await tryLockOrganization(tx, toOrganization.organizationId))) throw gone(claim);
        if (!(await findOrganizationInvitation(tx, claim))) throw gone(claim);
        await declineOrganizationInvitation(tx, toOrganization, toAuthor(user));
        return;
      }
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
function requireConfirmed(user: UserActor): void {
  if (!user.emailConfirmed) throw emailNotConfirmed();
}
