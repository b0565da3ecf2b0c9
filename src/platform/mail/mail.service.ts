import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { OutboxService } from '../outbox/outbox.service.js';
import { DomainError } from '../shared/domain-error.js';
import { newId } from '../shared/ids.js';
import { InjectSettings } from '../settings/inject-settings.js';
import { type SecretSettings, secretSettings } from '../settings/secret-keys.settings.js';
import { SecretVault } from '../shared/secret-vault.js';
import { type ServiceSettings, serviceSettings } from '../settings/service.settings.js';
import { MAIL_TOPICS, mailOrderingKey, type MailPayload, topicOf } from './domain/mail-message.js';
import { type MailLanguage, mailLanguage } from './domain/mail-language.js';
import type { MailTemplate, MailValues } from './domain/mail-values.js';
import { createMailer } from './infrastructure/mailer.js';
import { type MailSettings, mailSettings } from './mail.settings.js';

/** A mail that is to be sent. */
export interface NewMail<Name extends MailTemplate> {
  /** One address. */
  to: string;
  /** A line of `domain/mail-templates.ts`, where the docstring says how to add one. */
  template: Name;
  values: MailValues<Name>;
  /** For an address without an account, e.g. that of the request; an account has its own. */
  language?: MailLanguage | null;
  /** The project that it is about, with which it goes if it has not been sent. */
  projectId?: string;
  /** When it is of no use any more, e.g. because its link ends. */
  until?: Date;
}

/** The language of the account with an address; null: no account, or not known. */
type AccountLanguage = (tx: EntityManager, email: string) => Promise<string | null>;

/** The entry point for mails: appends a template and a recipient in the caller's transaction. */
@Injectable()
export class MailService implements OnModuleInit {
  /** Whether there is anything that takes mail; never in production without MAIL_URL. */
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

  /** Called by the owner of the accounts when the process starts. */
  useAccountLanguage(lookUp: AccountLanguage): void {
    this.accountLanguage = lookUp;
  }

  /**
   * Has a mail sent exactly if the transaction commits: a worker hands it to the mail server soon after, again while the
   * server is away, for six hours at most; then it is a dead letter. It may come twice where a worker dies in between.
   * Addressee and values wait encrypted, so they may hold a one-time link.
   * Where nothing takes mail nothing is sent and no error is thrown: ask `requireMail` first where that matters.
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

  /** @throws DomainError `mail_not_configured` (503) where nothing takes mail. */
  requireMail(): void {
    if (this.isConfigured) return;
    throw new DomainError(
      'mail_not_configured',
      'This service cannot send email. The operator must set MAIL_URL and MAIL_FROM.',
    );
  }
}
