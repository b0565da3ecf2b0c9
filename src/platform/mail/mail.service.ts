import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { OutboxService } from '../outbox/outbox.service.js';
import { DomainError } from '../errors/domain-error.js';
import { newId } from '../identity/ids.js';
import { InjectSettings } from '../settings/inject-settings.js';
import { type SecretSettings, secretSettings } from '../settings/secret-keys.settings.js';
import { SecretVault } from '../secrets/secret-vault.js';
import { type ServiceSettings, serviceSettings } from '../settings/service.settings.js';
import { MAIL_TOPICS, mailOrderingKey, type MailPayload, topicOf } from './domain/mail-message.js';
import { type MailLanguage, mailLanguage } from './domain/mail-language.js';
import type { MailTemplate, MailValues } from './domain/mail-values.js';
import { createMailer } from './infrastructure/mailer.js';
import { type MailSettings, mailSettings } from './mail.settings.js';

/** A mail to send. */
export interface NewMail<Name extends MailTemplate> {
  /** One address. */
  to: string;
  /** A template of `domain/mail-templates.ts`; its docstring explains how to add one. */
  template: Name;
  values: MailValues<Name>;
  /**
   * For an address without an account, e.g. the language of the request; an account has its own.
   */
  language?: MailLanguage | null;
  /** The project of the mail; if it is deleted, an unsent mail is too. */
  projectId?: string;
  /** When the mail becomes useless, e.g. because its link expires. */
  until?: Date;
}

/** The language of the account with an address; null: no account, or unknown. */
type AccountLanguage = (tx: EntityManager, email: string) => Promise<string | null>;

/** The entry point for mails: appends a template and a recipient in the caller's transaction. */
@Injectable()
export class MailService implements OnModuleInit {
  /** Whether mail can be sent; false in production without MAIL_URL. */
  readonly isConfigured: boolean;
  private readonly vault: SecretVault;
  private readonly turnSecret: Buffer;
  private accountLanguage: AccountLanguage = () => Promise.resolve(null);

  constructor(
    private readonly outbox: OutboxService,
    @InjectSettings(secretSettings) { secretKeys }: SecretSettings,
    @InjectSettings(mailSettings) mail: MailSettings,
    @InjectSettings(serviceSettings) service: ServiceSettings,
  ) {
    this.vault = new SecretVault(secretKeys);
    // Without a key nothing is sent: the vault refuses.
    this.turnSecret = secretKeys[0]?.key ?? Buffer.alloc(0);
    this.isConfigured = createMailer(mail, service) !== null;
  }

  onModuleInit(): void {
    for (const topic of MAIL_TOPICS) this.outbox.announce(topic);
  }

  /** Called at the start by the module of the accounts. */
  useAccountLanguage(lookUp: AccountLanguage): void {
    this.accountLanguage = lookUp;
  }

  /**
   * Sends a mail if the transaction commits: a worker passes it to the mail server soon after, and
   * retries while the server is unavailable, for six hours at most; then it is a dead letter. It
   * may be sent twice if a worker dies in between. Recipient and values are stored encrypted, so
   * they may contain a one-time link. If no mail server is configured, nothing is sent and no error
   * is thrown: call `requireMail` first if that matters.
   */
  async send<Name extends MailTemplate>(mail: NewMail<Name>, tx: EntityManager): Promise<void> {
    if (!this.isConfigured) return;
    const { to, template, values, projectId = null, until } = mail;
    const language = mailLanguage((await this.accountLanguage(tx, to)) ?? mail.language);
    const id = newId();
    const { ciphertext, keyId } = this.vault.seal(`mail/${id}`, JSON.stringify({ to, values, language }));
    const payload: MailPayload = {
      template,
      sealed: ciphertext.toString('base64'),
      keyId,
      ...(until && { until: until.toISOString() }),
    };
    await this.outbox.append(tx, {
      orderingKey: mailOrderingKey({ projectId, to }, this.turnSecret),
      projectId,
      topic: topicOf(template),
      subjectId: id,
      payload,
    });
  }

  /** @throws DomainError `mail_not_configured` (503) without a mail server. */
  requireMail(): void {
    if (this.isConfigured) return;
    throw new DomainError(
      'mail_not_configured',
      'This service cannot send email. The operator must set MAIL_URL and MAIL_FROM.',
    );
  }
}
