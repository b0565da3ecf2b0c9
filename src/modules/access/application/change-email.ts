import { Injectable } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { writeSecurityEvent } from '../../audit/audit.log.js';
import { truncatedNetwork } from '../../audit/domain/author.js';
import { fieldErrors } from '../../../platform/errors/domain-error.js';
import { linkEnded } from '../domain/account-link.js';
import { emailNotConfirmed, type UserActor } from '../domain/actor.js';
import type { SignInClient } from '../domain/session.js';
import { dropLinks, findLink, lockSignUps, redeemLink } from '../infrastructure/account-links.js';
import { deleteTokens } from '../infrastructure/personal-token.rows.js';
import { changeAddress, endSessions, lockUser } from '../infrastructure/user.rows.js';
import { AccountLimits } from './account-limits.js';
import { AccountMails, AccountRequests } from './account-mails.js';
import { CurrentPassword } from './password.service.js';
import { SignInService } from './sign-in.service.js';

/** Changes the email address of an account, once the user has followed the link mailed to the new one (ADR 33). */
@Injectable()
export class ChangeEmail {
  constructor(
    private readonly em: EntityManager,
    private readonly limits: AccountLimits,
    private readonly requests: AccountRequests,
    private readonly mails: AccountMails,
    private readonly password: CurrentPassword,
    private readonly signIns: SignInService,
  ) {}

  /**
   * Queues a request for another address, which mails both addresses. Only the mail to the new one shows whether it has
   * an account.
   * @throws DomainError `email_not_confirmed`, `validation_failed`, `invalid_credentials`, `mail_not_configured`,
   * `too_many_requests`.
   */
  async request(
    user: UserActor,
    fields: { newEmail: string; password: string },
    address: string,
  ): Promise<void> {
    this.mails.requireMail();
    // An unconfirmed user must not confirm another address and then use grants made to the first one.
    if (!user.emailConfirmed) throw emailNotConfirmed();
    const email = fields.newEmail.toLowerCase();
    if (email === user.email)
      throw fieldErrors([
        {
          field: 'newEmail',
          message: 'This is already the email address of your account.',
          code: 'same_email',
        },
      ]);
    await this.password.require(user.userId, fields.password);
    await this.limits.changeEmail(user.userId, email, address);
    const network = truncatedNetwork(address);
    await this.requests.note({ kind: 'change_email', userId: user.userId, email, network });
  }

  /**
   * Changes the address of a link's account, ends its other links and all sessions except the one
   * that follows the link, and notifies both addresses, all in one transaction. The password is
   * required because the link may have been mailed to the wrong person through a typing error.
   * @throws DomainError `link_ended`, also if another account has taken the address;
   * `invalid_credentials`, `too_many_requests`.
   */
  async confirm(
    { token, password }: { token: string; password: string },
    client: SignInClient,
  ): Promise<void> {
    await this.limits.followLink(client.address);
    const link = await findLink(this.em.fork(), 'change_email', token, new Date());
    if (!link?.userId) throw linkEnded();
    const { email } = link;
    // Counted per link, so that another person's guesses don't lock the user out of their settings.
    await this.password.require(link.userId, password, link.id);
    const signedIn = await this.signIns.find(client.cookie);
    const kept = signedIn?.id === link.userId ? signedIn.sessionId : undefined;
    const network = truncatedNetwork(client.address);
    await this.em.fork().transactional(async (tx) => {
      await lockSignUps(tx, email);
      await this.change(tx, { token, kept, network }, new Date());
    });
  }

  private async change(
    tx: EntityManager,
    { token, kept, network }: { token: string; kept: string | undefined; network: string | null },
    now: Date,
  ): Promise<void> {
    const link = await redeemLink(tx, 'change_email', token, now);
    const user = link?.userId ? await lockUser(tx, link.userId) : null;
    if (!link || !user) throw linkEnded();
    const { id: userId, email: former } = user;
    await changeAddress(tx, { id: userId, email: link.email }, now);
    await dropLinks(tx, { userId, email: link.email });
    await endSessions(tx, userId, kept);
    await deleteTokens(tx, userId);
    await writeSecurityEvent(tx, { userId, action: 'email_changed', network });
    await this.mails.emailChanged(tx, { former, email: link.email });
  }
}
