import { Injectable } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { writeAudit, writeSecurityEvent } from '../../audit/audit.log.js';
import { truncatedNetwork } from '../../audit/domain/network.js';
import { ProjectService } from '../../projects/project.service.js';
import { DomainError, fieldErrors } from '../../shared/domain-error.js';
import { SettingsFrom } from '../../shared/inject-settings.js';
import { type AccessSettings, accessSettings } from '../access.settings.js';
import { hashOfToken, linkEnded } from '../domain/account-link.js';
import type { Client } from '../domain/client.js';
import type { Role } from '../domain/role.js';
import { Passwords } from '../infrastructure/passwords.js';
import { ProjectInvitation } from '../infrastructure/project-invitation.entity.js';
import { ProjectMember } from '../infrastructure/project-member.entity.js';
import { confirmAddress, findUser, insertUser } from '../infrastructure/user.rows.js';
import { AccountLimits } from './account-limits.js';
import { memberLimitReached, MEMBERS_PER_PROJECT_MAX } from './membership.service.js';
import { type SignedInUser, type SignIn, SignInService } from './sign-in.service.js';

/** What the page of an invitation shows. */
export interface ShownInvitation {
  projectName: string;
  email: string;
  role: Role;
  /** false: who takes it up chooses a password. */
  accountExists: boolean;
  expiresAt: Date;
}

export interface Accepted {
  projectId: string;
  role: Role;
  /** The session that was opened for a new account; null for who was signed in. */
  signIn: SignIn | null;
}

/**
 * Taking up an invitation. The token proves the mailbox; that the person is the one of the account which the address
 * has, only her session proves.
 */
@Injectable()
export class AcceptInvitation {
  constructor(
    private readonly em: EntityManager,
    private readonly projects: ProjectService,
    private readonly limits: AccountLimits,
    private readonly passwords: Passwords,
    private readonly signIns: SignInService,
    @SettingsFrom(accessSettings) private readonly settings: AccessSettings,
  ) {}

  /** @throws DomainError `link_ended`, `too_many_requests`. */
  async look(token: string, address: string): Promise<ShownInvitation> {
    await this.limits.followLink(address);
    const em = this.em.fork();
    const { projectId, email, role, expiresAt } = await findInvitation(em, token);
    const project = await this.projects.find(projectId);
    const accountExists = (await findUser(em, email)) !== null;
    return { projectName: project?.name ?? '', email, role, accountExists, expiresAt };
  }

  /**
   * Makes the invited person a member: who is signed in with that address, or, where it has no account, who chooses a
   * password now. Who is a member already keeps her role.
   * @throws DomainError `link_ended`, `invitation_for_another`, `authentication_required`, `sign_up_closed`,
   * `validation_failed`, `member_limit_reached`, `too_many_requests`.
   */
  async accept(
    fields: { token: string; name?: string | undefined; password?: string | undefined },
    signedIn: SignedInUser | null,
    client: Client,
  ): Promise<Accepted> {
    const { address } = client;
    await this.limits.followLink(address);
    const { email } = await findInvitation(this.em.fork(), fields.token);
    const isNew = !signedIn && !(await findUser(this.em.fork(), email));
    if (signedIn && signedIn.email !== email) {
      throw new DomainError(
        'invitation_for_another',
        'This invitation is for another address than yours. Sign in with that one.',
      );
    }
    if (!signedIn && !isNew) {
      throw new DomainError(
        'authentication_required',
        'The invited address has an account. Sign in with it, and open the link again.',
      );
    }
    const person = isNew ? await this.newPerson(email, fields) : null;
    const network = truncatedNetwork(address);
    const place = await this.em
      .fork()
      .transactional((tx) => this.enter(tx, { token: fields.token, person, signedIn, network }));
    const { password } = fields;
    const signIn = person && password ? await this.signIns.signInNew({ email, password }, client) : null;
    return { ...place, signIn };
  }

  private async newPerson(
    email: string,
    { name, password }: { name?: string | undefined; password?: string | undefined },
  ): Promise<{ name: string; email: string; passwordHash: string }> {
    if (this.settings.signUp === 'closed') {
      throw new DomainError('sign_up_closed', 'Accounts are made by the operator of this service.');
    }
    if (password === undefined) {
      throw fieldErrors([
        { field: 'password', message: 'Choose a password: the address has no account yet.' },
      ]);
    }
    const passwordHash = await this.passwords.hash(password);
    return { email, name: name ?? email.slice(0, email.lastIndexOf('@')), passwordHash };
  }

  private async enter(
    tx: EntityManager,
    given: {
      token: string;
      person: { name: string; email: string; passwordHash: string } | null;
      signedIn: SignedInUser | null;
      network: string | null;
    },
  ): Promise<{ projectId: string; role: Role }> {
    const { token, person, signedIn, network } = given;
    // Read apart, so that it is read anew under the lock, and on this connection: the others may be waiting for it.
    const { projectId } = await findInvitation(tx.fork({ keepTransactionContext: true }), token);
    await this.projects.lock(tx, projectId);
    // Whoever held the lock before may have withdrawn it, or taken it up.
    const invitation = await findInvitation(tx, token);
    const now = new Date();
    const userId = signedIn ? signedIn.id : person && (await insertUser(tx, person, now));
    if (!userId) throw linkEnded();
    if (signedIn && !signedIn.emailVerified) await confirmAddress(tx, signedIn, now);
    if (person) await writeSecurityEvent(tx, { userId, action: 'sign_up', network });
    const member = await tx.findOne(ProjectMember, { projectId, userId });
    const { role } = invitation;
    tx.remove(invitation);
    if (!member) {
      if ((await tx.count(ProjectMember, { projectId })) >= MEMBERS_PER_PROJECT_MAX)
        throw memberLimitReached();
      tx.create(ProjectMember, { projectId, userId, role, createdAt: now });
    }
    await writeAudit(
      tx,
      { kind: 'user', id: userId, network },
      {
        ...{ projectId, action: 'invitation.accept', target: invitation.id },
        after: { role: member?.role ?? role },
      },
    );
    return { projectId, role: member?.role ?? role };
  }
}

/** @throws DomainError `link_ended`. */
async function findInvitation(em: EntityManager, token: string): Promise<ProjectInvitation> {
  const invitation = await em.findOne(ProjectInvitation, { tokenHash: hashOfToken(token) });
  if (!invitation || invitation.expiresAt <= new Date()) throw linkEnded();
  return invitation;
}
