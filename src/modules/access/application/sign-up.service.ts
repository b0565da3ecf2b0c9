import { Injectable } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { writeSecurityEvent } from '../../audit/audit.log.js';
import { truncatedNetwork } from '../../audit/domain/author.js';
import { DomainError } from '../../../platform/errors/domain-error.js';
import { InjectSettings } from '../../../platform/settings/inject-settings.js';
import { type AccessSettings, accessSettings } from '../access.settings.js';
import { linkEnded } from '../domain/account-link.js';
import type { SignInClient } from '../domain/session.js';
import { accessTables } from '../infrastructure/access.tables.js';
import { findLink, lockSignUps, redeemLink } from '../infrastructure/account-links.js';
import { Passwords } from '../infrastructure/passwords.js';
import { insertUser } from '../infrastructure/user.rows.js';
import { AccountLimits } from './account-limits.js';
import { AccountMails, AccountRequests } from './account-mails.js';
import { type SignIn, SignInService } from './sign-in.service.js';
import { StrangerPasswords } from './password-attempts.js';

/**
 * Creates accounts. A user exists only after they have confirmed their address; until then there is
 * a link, and no row that a project could refer to. So registering a colleague's address gains
 * nothing (ADR 29).
 */
@Injectable()
export class SignUpService {
  constructor(
    private readonly em: EntityManager,
    private readonly limits: AccountLimits,
    private readonly requests: AccountRequests,
    private readonly mails: AccountMails,
    private readonly passwords: Passwords,
    private readonly signIns: SignInService,
    private readonly strangers: StrangerPasswords,
    @InjectSettings(accessSettings) private readonly settings: AccessSettings,
  ) {}

  /**
   * Records a sign-up and mails the address: a link that confirms it, or a notice if it already has
   * an account.
   * @throws DomainError `sign_up_closed`, `mail_not_configured`, `too_many_requests`.
   */
  async request(
    fields: { email: string; password: string; name: string },
    { address, language }: Pick<SignInClient, 'address' | 'language'>,
  ): Promise<void> {
    this.requireOpen();
    this.mails.requireMail();
    const email = fields.email.toLowerCase();
    await this.limits.requestMail('sign_up', email, address);
    const passwordHash = await this.strangers.run(() => this.passwords.hash(fields.password));
    await this.requests.note({ kind: 'sign_up', email, name: fields.name, passwordHash, language });
  }

  /**
   * Creates the account of a link and opens a session. Requires the password of that sign-up:
   * following a link that an attacker requested must not create an account that the attacker can
   * use.
   * @throws DomainError `sign_up_closed`, `link_ended`, `invalid_credentials`, `too_many_requests`.
   */
  async confirm(
    fields: { token: string; password: string; rememberMe?: boolean | undefined },
    client: SignInClient,
  ): Promise<SignIn> {
    const { address } = client;
    this.requireOpen();
    await this.limits.followLink(address);
    const link = await findLink(this.em.fork(), 'sign_up', fields.token, new Date());
    if (!link?.passwordHash) throw linkEnded();
    const attempt = await this.signIns.countPassword(link.id);
    if (!(await this.passwords.matches(fields.password, link.passwordHash))) {
      throw new DomainError(
        'invalid_credentials',
        'This is not the password chosen at sign-up. If it wasn’t you who signed up, sign up again yourself.',
      );
    }
    await attempt.refund();
    const network = truncatedNetwork(address);
    const { email } = link;
    await this.em.fork().transactional(async (tx) => {
      await lockSignUps(tx, email);
      await createUser(tx, { token: fields.token, network }, new Date());
    });
    return this.signIns.signInNew({ ...fields, email }, client);
  }

  private requireOpen(): void {
    if (this.settings.signUp === 'open') return;
    throw new DomainError(
      'sign_up_closed',
      this.settings.signUp === 'invited'
        ? 'Accounts are created by invitation. Open your invitation link, or ask a project owner to invite you.'
        : 'Accounts are created by the operator of this service.',
    );
  }
}

async function createUser(
  tx: EntityManager,
  { token, network }: { token: string; network: string | null },
  now: Date,
): Promise<void> {
  const link = await redeemLink(tx, 'sign_up', token, now);
  if (!link) throw linkEnded();
  const { email, name, passwordHash } = link;
  // If the same address is confirmed twice at once, the first request creates the account.
  const userId = await insertUser(tx, { email, name: name ?? '', passwordHash }, now);
  if (!userId) throw linkEnded();
  await writeSecurityEvent(tx, { userId, action: 'sign_up', network });
  await accessTables(tx)
    .deleteFrom('account_link')
    .where('kind', '=', 'sign_up')
    .where('email', '=', email)
    .execute();
}
