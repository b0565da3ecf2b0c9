import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { SecurityAction } from '../../audit/domain/security-event.js';
import { type MailLanguage, mailLanguage } from '../../../platform/mail/domain/mail-language.js';
import { MailService } from '../../../platform/mail/mail.service.js';
import { resolveBaseUrl } from '../../../platform/network/base-url.js';
import { InjectSettings } from '../../../platform/settings/inject-settings.js';
import { type ServiceSettings, serviceSettings } from '../../../platform/settings/service.settings.js';
import { LINK_PAGES, linkTo } from '../domain/account-link.js';
import { type AccountLink, mintLink } from '../infrastructure/account-links.js';
import { findLanguage, type UserRow } from '../infrastructure/user.rows.js';

const SECOND_FACTOR_CHANGES: Partial<Record<SecurityAction, string>> = {
  second_factor_enabled: 'Two-factor authentication was turned on',
  second_factor_disabled: 'Two-factor authentication was turned off',
  recovery_codes_replaced: 'Your recovery codes were replaced',
};

/** The mails of accounts with their links, in the caller's transaction. */
@Injectable()
export class AccountMails implements OnModuleInit {
  private readonly baseUrl: string;

  constructor(
    private readonly mails: MailService,
    @InjectSettings(serviceSettings) service: ServiceSettings,
  ) {
    this.baseUrl = resolveBaseUrl(service);
  }

  onModuleInit(): void {
    this.mails.useAccountLanguage(findLanguage);
  }

  /** @throws DomainError `mail_not_configured`. */
  requireMail(): void {
    this.mails.requireMail();
  }

  async confirmSignUp(
    tx: EntityManager,
    request: { email: string; name: string; passwordHash: string; language?: MailLanguage | null },
    now: Date,
  ): Promise<void> {
    const { email, name, passwordHash, language = null } = request;
    const { link, until } = await this.mint(
      tx,
      { kind: 'sign_up', userId: null, email, name, passwordHash },
      now,
    );
    const values = { name, link };
    await this.mails.send({ to: email, template: 'confirm_sign_up', values, until, language }, tx);
  }

  async accountExists(tx: EntityManager, { id, email }: UserRow, now: Date): Promise<void> {
    const { link, until } = await this.mint(tx, resetLink(id, email), now);
    await this.mails.send({ to: email, template: 'account_exists', values: { link }, until }, tx);
  }

  async resetPassword(tx: EntityManager, { id, email }: UserRow, now: Date): Promise<void> {
    const { link, until } = await this.mint(tx, resetLink(id, email), now);
    await this.mails.send({ to: email, template: 'reset_password', values: { link }, until }, tx);
  }

  /** To the current address. */
  async emailChangeRequested(
    tx: EntityManager,
    { former, email }: { former: string; email: string },
  ): Promise<void> {
    await this.mails.send({ to: former, template: 'email_change_asked', values: { email } }, tx);
  }

  async confirmEmailChange(
    tx: EntityManager,
    { userId, email, former }: { userId: string; email: string; former: string },
    now: Date,
  ): Promise<void> {
    const requested = { kind: 'change_email', userId, email, name: null, passwordHash: null } as const;
    const { link, until } = await this.mint(tx, requested, now);
    const language = mailLanguage(await findLanguage(tx, former));
    await this.mails.send(
      { to: email, template: 'confirm_email_change', values: { link }, until, language },
      tx,
    );
  }

  /** To an address that a user wanted to change to and that already has an account. */
  async addressInUse(tx: EntityManager, email: string): Promise<void> {
    await this.mails.send({ to: email, template: 'address_taken', values: {} }, tx);
  }

  /** To both addresses. */
  async emailChanged(tx: EntityManager, { former, email }: { former: string; email: string }): Promise<void> {
    for (const to of [former, email])
      await this.mails.send({ to, template: 'email_changed', values: { former, email } }, tx);
  }

  async accountDeleted(tx: EntityManager, email: string): Promise<void> {
    await this.mails.send({ to: email, template: 'account_deleted', values: {} }, tx);
  }

  async passwordChanged(tx: EntityManager, email: string): Promise<void> {
    await this.mails.send({ to: email, template: 'password_changed', values: {} }, tx);
  }

  async secondFactorChanged(tx: EntityManager, email: string, action: SecurityAction): Promise<void> {
    const what = SECOND_FACTOR_CHANGES[action];
    if (what) await this.mails.send({ to: email, template: 'second_factor_changed', values: { what } }, tx);
  }

  private async mint(
    tx: EntityManager,
    requested: Omit<AccountLink, 'id'>,
    now: Date,
  ): Promise<{ link: string; until: Date }> {
    const { token, expiresAt } = await mintLink(tx, requested, now);
    return { link: linkTo(this.baseUrl, LINK_PAGES[requested.kind], token), until: expiresAt };
  }
}

function resetLink(userId: string, email: string): Omit<AccountLink, 'id'> {
  return { kind: 'reset_password', userId, email, name: null, passwordHash: null };
}
