import { createHmac } from 'node:crypto';
import { namedKey } from '../../outbox/domain/ordering-key.js';
import { type BackOff, backOffMs } from '../../shared/back-off.js';
import type { MailTemplate } from './mail-values.js';
import { normalizedMailbox } from './mailbox.js';

/** Topics of the outbox for mails. Each has slots in a worker, so that links do not wait for notices. */
export const MAIL_SEND = 'mail.send';
/** One-time links that a person has requested and is waiting for. */
const MAIL_LINK = 'mail.link';
/** Links that anybody can have sent to any address: sign-ups and invitations. */
const MAIL_INVITE = 'mail.invite';
export const MAIL_TOPICS = [MAIL_LINK, MAIL_INVITE, MAIL_SEND];

const LINKS: Partial<Record<MailTemplate, string>> = {
  reset_password: MAIL_LINK,
  confirm_email_change: MAIL_LINK,
  confirm_sign_up: MAIL_INVITE,
  // As the mail of a sign-up without an account, so that its time reveals nothing.
  account_exists: MAIL_INVITE,
  invitation: MAIL_INVITE,
};

/** The topic of a mail. */
export function topicOf(template: MailTemplate): string {
  return LINKS[template] ?? MAIL_SEND;
}

/**
 * Mails of one project, or else to one mailbox, take turns with those of others. Keyed by `secret`, because an ordering key
 * is stored in clear and must not lead to an address.
 */
export function mailOrderingKey(
  { projectId, to }: { projectId: string | null; to: string },
  secret: Buffer,
): string {
  const subject = projectId === null ? `mailbox ${normalizedMailbox(to)}` : `project ${projectId}`;
  return namedKey(`mail ${createHmac('sha256', secret).update(subject).digest('hex')}`);
}

/** A mail in the outbox: recipient and text are encrypted, because it may contain a one-time link. */
export interface MailPayload extends Record<string, unknown> {
  template: string;
  /** Base64 of what opens as `{ to, values, language }`; mails of earlier versions have no language. */
  sealed: string;
  keyId: string;
  /** ISO 8601; what is not sent by then is not sent any more. Absent: it is of use whenever it comes. */
  until?: string;
}

/** A mail server that is away is waited for: five seconds, twice as long each time, half an hour at most. */
const RETRY: BackOff = { baseMs: 5_000, factor: 2, longestMs: 30 * 60_000 };
/** Six hours in all; after that an operator must act. */
export const MAIL_ATTEMPTS_MAX = 20;

export function mailRetryDelayMs(failures: number): number {
  return backOffMs(failures, RETRY);
}
