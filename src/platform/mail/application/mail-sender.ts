import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import type {
  Attempt,
  AttemptResult,
  Failure,
  OutboxMessage,
  RetrySchedule,
  Settled,
} from '../../outbox/domain/outbox-message.js';
import type { OutboxHandler } from '../../outbox/outbox.handler.js';
import { OutboxService } from '../../outbox/outbox.service.js';
import { type OutboxSettings, outboxSettings } from '../../outbox/outbox.settings.js';
import { InjectSettings } from '../../settings/inject-settings.js';
import { type SecretSettings, secretSettings } from '../../settings/secret-keys.settings.js';
import { SecretVault } from '../../secrets/secret-vault.js';
import { type ServiceSettings, serviceSettings } from '../../settings/service.settings.js';
import { resolveBaseUrl } from '../../network/base-url.js';
import { renderLetter } from '../domain/letter.js';
import { mailLanguage } from '../domain/mail-language.js';
import {
  MAIL_ATTEMPTS_MAX,
  MAIL_TOPICS,
  type MailPayload,
  mailRetryDelayMs,
} from '../domain/mail-message.js';
import { fillTemplate } from '../domain/mail-templates.js';
import { MailMetrics } from '../infrastructure/mail.metrics.js';
import { createMailer } from '../infrastructure/mailer.js';
import type { Mailer } from '../infrastructure/smtp-mailer.js';
import { type MailSettings, mailSettings } from '../mail.settings.js';

/**
 * Concurrent mails of one topic in one worker: mail servers refuse clients that open many
 * connections.
 */
const SLOTS = 3;
/** For one project or mailbox; the other slots stay free for others, even if its mails are slow. */
const SLOTS_PER_KEY = 1;
/**
 * Includes connecting, greeting, signing in and sending, so it also limits a server that responds
 * byte by byte.
 */
const ATTEMPT_MAX_MS = 30_000;
/**
 * A worker that dies while it sends mail probably died of something else, so the mail is retried
 * like any other.
 */
const ABANDONED_ATTEMPTS_MAX = 5;

type MailOutcome = 'sent' | 'expired';

/**
 * Sends mails to the mail server: the outbox handler of the mail topics. Neither recipient nor
 * content is logged.
 */
@Injectable()
export class MailSender implements OutboxHandler<MailOutcome>, OnModuleInit {
  readonly topics = MAIL_TOPICS;
  readonly slotsMax = SLOTS;
  readonly slotsPerKeyMax = SLOTS_PER_KEY;
  readonly attemptMaxMs: number;
  readonly retry: RetrySchedule = {
    failuresMax: MAIL_ATTEMPTS_MAX,
    abandonedAttemptsMax: ABANDONED_ATTEMPTS_MAX,
    delayMs: mailRetryDelayMs,
  };
  private readonly logger = new Logger(MailSender.name);
  private readonly vault: SecretVault;
  private readonly mailer: Mailer | null;
  private readonly from: string;
  private readonly baseUrl: string;

  constructor(
    private readonly outbox: OutboxService,
    private readonly metrics: MailMetrics,
    @InjectSettings(secretSettings) { secretKeys }: SecretSettings,
    @InjectSettings(mailSettings) mail: MailSettings,
    @InjectSettings(serviceSettings) service: ServiceSettings,
    @InjectSettings(outboxSettings) { leaseMs }: OutboxSettings,
  ) {
    this.vault = new SecretVault(secretKeys);
    this.mailer = createMailer(mail, service);
    this.from = mail.mailFrom;
    this.baseUrl = resolveBaseUrl(service);
    // After its lease another worker may send the mail too.
    this.attemptMaxMs = Math.min(ATTEMPT_MAX_MS, leaseMs / 2);
    if (!this.mailer)
      this.logger.warn(
        'MAIL_URL is not set: no email is sent, and requests that need it are refused (docs/accounts.md)',
      );
  }

  onModuleInit(): void {
    this.outbox.register(this);
  }

  prepare(messages: OutboxMessage[]): Promise<Attempt<MailOutcome>[]> {
    return Promise.resolve(messages.map((message) => (signal) => this.attempt(message, signal)));
  }

  settle(_tx: EntityManager, settled: Settled<MailOutcome>[]): Promise<void> {
    for (const { message, outcome } of settled) {
      this.metrics.count(outcome);
      if (outcome === 'expired')
        this.logger.warn({ mailId: message.subjectId }, 'discarded an email whose link has expired');
    }
    return Promise.resolve();
  }

  discard(): AttemptResult<MailOutcome> {
    return { kind: 'dead', error: 'The service was interrupted on every attempt to send the email.' };
  }

  failed(_tx: EntityManager, message: OutboxMessage, { kind, error }: Failure<MailOutcome>): Promise<void> {
    const about = { mailId: message.subjectId, template: message.payload?.['template'], error };
    this.metrics.count(kind === 'retry' ? 'retried' : 'dead');
    if (kind === 'retry') this.logger.warn(about, 'retrying an email');
    else this.logger.error(about, 'dead-lettered an email');
    return Promise.resolve();
  }

  private async attempt(message: OutboxMessage, stopped: AbortSignal): Promise<AttemptResult<MailOutcome>> {
    const { template, sealed, keyId, until } = message.payload as MailPayload;
    if (until !== undefined && new Date(until) <= new Date())
      return { kind: 'settled', outcome: 'expired', healthy: true };
    if (!this.mailer) return this.again(message, 'MAIL_URL is not set.');
    const ciphertext = Buffer.from(sealed, 'base64');
    const opened = this.vault.open(`mail/${message.subjectId}`, { ciphertext, keyId });
    if (opened === null)
      return { kind: 'dead', error: 'SECRET_KEYS does not contain the key that encrypts this email.' };
    const { to, values, ...rest } = JSON.parse(opened) as { to: string; values: unknown; language?: string };
    const language = mailLanguage(rest.language);
    const context = { baseUrl: this.baseUrl, projectId: message.projectId };
    const letter = fillTemplate({ template, values, language }, context);
    if (!letter) return { kind: 'dead', error: `The template ${template} no longer exists.` };
    const verdict = await this.mailer(
      { id: message.subjectId, from: this.from, to, ...renderLetter(letter, language) },
      AbortSignal.any([stopped, AbortSignal.timeout(this.attemptMaxMs)]),
    );
    switch (verdict.kind) {
      case 'accepted':
        return { kind: 'settled', outcome: 'sent', healthy: true };
      case 'refused':
        return { kind: 'dead', error: verdict.sentence };
      case 'retry':
        return this.again(message, verdict.sentence);
    }
  }

  /**
   * The result for a mail that cannot be sent now: retried later, or a dead letter after the last
   * attempt.
   */
  private again({ failures }: OutboxMessage, error: string): AttemptResult<MailOutcome> {
    const attempts = failures + 1;
    if (attempts >= MAIL_ATTEMPTS_MAX) return { kind: 'dead', error };
    return { kind: 'retry', afterMs: mailRetryDelayMs(attempts), error };
  }
}
