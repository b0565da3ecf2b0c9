import { createHmac } from 'node:crypto';
import { namedKey } from '../../outbox/domain/ordering-key.js';
import { type BackOff, backOffMs } from '../../time/back-off.js';
import type { MailTemplate } from './mail-values.js';
import { normalizedMailbox } from './mailbox.js';

/**
 * Outbox topics of mails. Each has its own slots in a worker, so that links do not wait for
 * notices.
 */
export const MAIL_SEND = 'mail.send';
/** One-time links that a user has requested and is waiting for. */
const MAIL_LINK = 'mail.link';
/** Links that anyone can request for any address: sign-ups and invitations. */
const MAIL_INVITE = 'mail.invite';
export const MAIL_TOPICS = [MAIL_LINK, MAIL_INVITE, MAIL_SEND];

const LINKS: Partial<Record<MailTemplate, string>> = {
  reset_password: MAIL_LINK,
  confirm_email_change: MAIL_LINK,
  confirm_sign_up: MAIL_INVITE,
  // Same topic as a sign-up without an account, so that the delivery time reveals nothing.
  account_exists: MAIL_INVITE,
  invitation: MAIL_INVITE,
  organization_invitation: MAIL_INVITE,
};

/** The topic of a mail. */
export function topicOf(template: MailTemplate): string {
  return LINKS[template] ?? MAIL_SEND;
}

/**
 * The ordering key of one project's mails, or else one mailbox's, for fairness. Derived with
 * `secret`, because an ordering key is stored in plain text and must not reveal an address.
 */
export function mailOrderingKey(
  { projectId, to }: { projectId: string | null; to: string },
  secret: Buffer,
): string {
  const subject = projectId === null ? `mailbox ${normalizedMailbox(to)}` : `project ${projectId}`;
  return namedKey(`mail ${createHmac('sha256', secret).update(subject).digest('hex')}`);
}

/**
 * A mail in the outbox: recipient and text are encrypted, because it may contain a one-time link.
 */
export interface MailPayload extends Record<string, unknown> {
  template: string;
  /**
   * Base64 of the encrypted `{ to, values, language }`; mails of earlier versions have no language.
   */
  sealed: string;
  keyId: string;
  /** ISO 8601; the mail is not sent after this time. Absent: no limit. */
  until?: string;
}

/**
 * Retries while the mail server is unavailable: after five seconds, then twice as long each time,
 * at most half an hour.
 */
const RETRY: BackOff = { baseMs: 5_000, factor: 2, longestMs: 30 * 60_000 };
/** Six hours in total; after that an operator must act. */
export const MAIL_ATTEMPTS_MAX = 20;

export function mailRetryDelayMs(failures: number): number {
  return backOffMs(failures, RETRY);
}
