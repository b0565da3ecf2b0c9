import { Injectable } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { writeSecurityEvent } from '../../audit/audit.log.js';
import { truncatedNetwork } from '../../audit/domain/network.js';
import { ProjectService } from '../../projects/project.service.js';
import { DomainError, fieldErrors } from '../../../platform/errors/domain-error.js';
import { InjectSettings } from '../../../platform/settings/inject-settings.js';
import { type AccessSettings, accessSettings } from '../access.settings.js';
import { hashOfToken, linkEnded } from '../domain/account-link.js';
import type { SignInClient } from '../domain/client.js';
import type { Role } from '../domain/role.js';
import { Passwords } from '../infrastructure/passwords.js';
import { confirmAddress, findUser, insertUser } from '../infrastructure/user.rows.js';
import { AccountLimits } from './account-limits.js';
import { findInvitation, type InvitationClaim, JoinProject } from './join-project.js';
import { type SignedInUser, type SignIn, SignInService } from './sign-in.service.js';

/** An invitation as shown on its page. */
export interface ShownInvitation {
  projectName: string;
  email: string;
  role: Role;
  /** false: the person chooses a password on accepting. */
  accountExists: boolean;
  expiresAt: Date;
}

export interface Accepted {
  projectId: string;
  role: Role;
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
    const { projectId, email, role, expiresAt } = await findInvitation(em, toClaim(token));
    const project = await this.projects.find(projectId);
    const accountExists = (await findUser(em, email)) !== null;
    return { projectName: project?.name ?? '', email, role, accountExists, expiresAt };
  }

  /**
   * Makes the invited person a member: the user signed in with that address, or, if it has no
   * account, a new user with the given password. A member gets the offered role if it is higher.
   *
   * @throws DomainError `link_ended`, `invitation_for_another`, `authentication_required`,
   * `sign_up_closed`, `validation_failed`, `too_many_requests`, and as `JoinProject`.
   */
  async accept(
    fields: { token: string; name?: string | undefined; password?: string | undefined },
    signedIn: SignedInUser | null,
    client: SignInClient,
  ): Promise<Accepted> {
    const { address } = client;
    await this.limits.followLink(address);
    const { email } = await findInvitation(this.em.fork(), toClaim(fields.token));
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
    const membership = await this.em.fork().transactional((tx) =>
      this.joining.join(tx, {
        claim: toClaim(fields.token),
        identify: (now) => identify(tx, { person, signedIn, network }, now),
        network,
      }),
    );
    const { password } = fields;
    const signIn = person && password ? await this.signIns.signInNew({ email, password }, client) : null;
    return { ...membership, signIn };
  }

  private async newPerson(
    email: string,
    { name, password }: { name?: string | undefined; password?: string | undefined },
  ): Promise<Person> {
    if (this.settings.signUp === 'closed') {
      throw new DomainError('sign_up_closed', 'Accounts are created by the operator of this service.');
    }
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

/**
 * The user who accepts; creates the account of a new person. The token proves the address in both
 * cases.
 */
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
