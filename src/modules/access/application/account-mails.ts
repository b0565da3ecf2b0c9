import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { newId } from '../../../platform/identity/ids.js';
import { mailLanguage, type MailLanguage } from '../../../platform/mail/domain/mail-language.js';
import { MailService } from '../../../platform/mail/mail.service.js';
import { resolveBaseUrl } from '../../../platform/network/base-url.js';
import { namedKey } from '../../../platform/outbox/domain/ordering-key.js';
import {
  BUG_SCHEDULE,
  type Attempt,
  type AttemptResult,
  type OutboxMessage,
  type Settled,
} from '../../../platform/outbox/domain/outbox-message.js';
import type { OutboxHandler } from '../../../platform/outbox/outbox.handler.js';
import { OutboxService } from '../../../platform/outbox/outbox.service.js';
import { SecretVault } from '../../../platform/secrets/secret-vault.js';
import { InjectSettings } from '../../../platform/settings/inject-settings.js';
import { secretSettings, type SecretSettings } from '../../../platform/settings/secret-keys.settings.js';
import { serviceSettings, type ServiceSettings } from '../../../platform/settings/service.settings.js';
import { writeSecurityEvent } from '../../audit/audit.log.js';
import type { SecurityAction } from '../../audit/domain/audit-event.js';
import { LINK_PAGES, linkTo } from '../domain/account-link.js';
import { type AccountLink, mintLink } from '../infrastructure/account-links.js';
import { findLanguage, findUser, lockUser, type UserRow } from '../infrastructure/user.rows.js';

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

  async personalTokenCreated(tx: EntityManager, email: string, device: string): Promise<void> {
    await this.mails.send({ to: email, template: 'personal_token_created', values: { device } }, tx);
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

/** Outbox topic of requests about an address that may have an account. */
const ACCOUNT_REQUESTED = 'account.requested';
const ORDERING_KEY = namedKey('accounts');
/** An attempt only decrypts the request. */
const ATTEMPT_MAX_MS = 1_000;

/** A request about an address, in lower case, that may have an account. */
type AccountRequest =
  | {
      kind: 'sign_up';
      email: string;
      name: string;
      passwordHash: string;
      /** The language of the request; absent in requests of earlier versions. */
      language?: MailLanguage | null;
    }
  | { kind: 'forgot_password'; email: string; network: string | null }
  | { kind: 'change_email'; userId: string; email: string; network: string | null };

/**
 * Mails people who request an account or a new password. The HTTP request only queues the request.
 * Whether the address has an account is checked here, after the response, so neither its body nor
 * its duration can reveal it (ADR 29). Queued requests are encrypted, because they contain an
 * address and the hash of a password.
 */
@Injectable()
export class AccountRequests implements OutboxHandler<AccountRequest>, OnModuleInit {
  readonly topics = [ACCOUNT_REQUESTED];
  readonly retry = BUG_SCHEDULE;
  readonly attemptMaxMs = ATTEMPT_MAX_MS;
  private readonly vault: SecretVault;

  constructor(
    private readonly em: EntityManager,
    private readonly outbox: OutboxService,
    private readonly mails: AccountMails,
    @InjectSettings(secretSettings) { secretKeys }: SecretSettings,
  ) {
    this.vault = new SecretVault(secretKeys);
  }

  onModuleInit(): void {
    this.outbox.register(this);
  }

  /** Queues a request; a worker sends the mail. The work is the same for every address. */
  async note(request: AccountRequest): Promise<void> {
    const id = newId();
    const { ciphertext, keyId } = this.vault.seal(boundTo(id), JSON.stringify(request));
    const payload = { sealed: ciphertext.toString('base64'), keyId };
    await this.em.fork().transactional((tx) =>
      this.outbox.append(tx, {
        orderingKey: ORDERING_KEY,
        projectId: null,
        topic: ACCOUNT_REQUESTED,
        subjectId: id,
        payload,
      }),
    );
  }

  prepare(messages: OutboxMessage[]): Promise<Attempt<AccountRequest>[]> {
    return Promise.resolve(messages.map((message) => () => Promise.resolve(this.opened(message))));
  }

  /** In the transaction that deletes the message: each request is processed once. */
  async settle(tx: EntityManager, settled: Settled<AccountRequest>[]): Promise<void> {
    for (const { outcome } of settled) await this.answer(tx, outcome, new Date());
  }

  discard(): AttemptResult<AccountRequest> {
    return { kind: 'dead', error: 'The service was interrupted on every attempt.' };
  }

  private opened({ subjectId, payload }: OutboxMessage): AttemptResult<AccountRequest> {
    const { sealed, keyId } = payload as { sealed: string; keyId: string };
    const ciphertext = Buffer.from(sealed, 'base64');
    const request = this.vault.open(boundTo(subjectId), { ciphertext, keyId });
    if (request === null)
      return { kind: 'dead', error: 'SECRET_KEYS does not contain the key that encrypts this request.' };
    return { kind: 'settled', outcome: JSON.parse(request) as AccountRequest, healthy: true };
  }

  private async answer(tx: EntityManager, request: AccountRequest, now: Date): Promise<void> {
    const user = await findUser(tx, request.email);
    switch (request.kind) {
      case 'sign_up':
        if (user) await this.mails.accountExists(tx, user, now);
        else await this.mails.confirmSignUp(tx, request, now);
        return;
      case 'forgot_password':
        if (!user) return;
        await writeSecurityEvent(tx, {
          userId: user.id,
          action: 'password_reset_requested',
          network: request.network ?? null,
        });
        await this.mails.resetPassword(tx, user, now);
        return;
      case 'change_email': {
        const requester = await lockUser(tx, request.userId);
        if (!requester) return;
        const { userId, email, network } = request;
        await writeSecurityEvent(tx, { userId, action: 'email_change_requested', network });
        await this.mails.emailChangeRequested(tx, { former: requester.email, email });
        if (user) await this.mails.addressInUse(tx, email);
        else await this.mails.confirmEmailChange(tx, { userId, email, former: requester.email }, now);
        return;
      }
    }
  }
}

function boundTo(id: string): string {
  return `account-request/${id}`;
}
