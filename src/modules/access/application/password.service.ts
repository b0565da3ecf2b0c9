import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { DomainError } from '../../../platform/errors/domain-error.js';
import { writeSecurityEvent } from '../../audit/audit.log.js';
import { truncatedNetwork } from '../../audit/domain/author.js';
import { linkEnded } from '../domain/account-link.js';
import type { UserActor } from '../domain/actor.js';
import { dropLinks, findLink, redeemLink } from '../infrastructure/account-links.js';
import { deleteTokens } from '../infrastructure/personal-token.rows.js';
import { Passwords } from '../infrastructure/passwords.js';
import {
  confirmAddress,
  endSessions,
  findPasswordHash,
  setPasswordHash,
} from '../infrastructure/user.rows.js';
import { AccountLimits } from './account-limits.js';
import { AccountMails, AccountRequests } from './account-mails.js';
import { SignInService } from './sign-in.service.js';

/** Requires the account's password again for actions that a stolen session must not allow. */
@Injectable()
export class CurrentPassword {
  constructor(
    private readonly em: EntityManager,
    private readonly passwords: Passwords,
    private readonly signIns: SignInService,
  ) {}

  /**
   * Counts failures for `subject`, by default the user.
   * @throws DomainError `invalid_credentials`, `too_many_requests`.
   */
  async require(userId: string, password: string, subject = userId): Promise<void> {
    const attempt = await this.signIns.countPassword(subject);
    const hash = await findPasswordHash(this.em.fork(), userId);
    if (hash === null || !(await this.passwords.matches(password, hash)))
      throw new DomainError('invalid_credentials', 'The current password is incorrect.');
    await attempt.refund();
  }
}

/** Password resets by mail. */
@Injectable()
export class PasswordService {
  constructor(
    private readonly em: EntityManager,
    private readonly limits: AccountLimits,
    private readonly requests: AccountRequests,
    private readonly mails: AccountMails,
    private readonly passwords: Passwords,
  ) {}

  /**
   * Mails a link to the address if it has an account, without revealing whether it has. `address`
   * is the client's.
   * @throws DomainError `mail_not_configured`, `too_many_requests`.
   */
  async forgot(given: string, address: string): Promise<void> {
    this.mails.requireMail();
    const email = given.toLowerCase();
    await this.limits.requestMail('forgot_password', email, address);
    await this.requests.note({ kind: 'forgot_password', email, network: truncatedNetwork(address) });
  }

  /**
   * Sets the password of a link's user, ends all their sessions and links, and marks their address
   * as confirmed, all in one transaction. Opens no session: a second factor is still required.
   * @throws DomainError `link_ended`, `too_many_requests`.
   */
  async reset(
    { token, newPassword }: { token: string; newPassword: string },
    address: string,
  ): Promise<void> {
    await this.limits.followLink(address);
    // Checked before hashing, so that random tokens don't cause password hashing.
    if (!(await findLink(this.em.fork(), 'reset_password', token, new Date()))) throw linkEnded();
    const passwordHash = await this.passwords.hash(newPassword);
    await this.em.fork().transactional(async (tx) => {
      const now = new Date();
      const link = await redeemLink(tx, 'reset_password', token, now);
      if (!link?.userId) throw linkEnded();
      const { userId, email } = link;
      // A link mailed to an address that the account no longer has does not prove the current one.
      if (!(await confirmAddress(tx, { id: userId, email }, now))) throw linkEnded();
      await setPasswordHash(tx, userId, passwordHash, now);
      await endSessions(tx, userId);
      await deleteTokens(tx, userId);
      await dropLinks(tx, { userId, email });
      await writeSecurityEvent(tx, { userId, action: 'password_reset', network: truncatedNetwork(address) });
      await this.mails.passwordChanged(tx, email);
    });
  }

  /** Ends the tokens of a user, and notifies them that someone who knew the password changed it. */
  async tellChanged({ userId, email, network }: UserActor): Promise<void> {
    await this.em.fork().transactional(async (tx) => {
      await deleteTokens(tx, userId);
      await writeSecurityEvent(tx, { userId, action: 'password_changed', network });
      await this.mails.passwordChanged(tx, email);
    });
  }
}
