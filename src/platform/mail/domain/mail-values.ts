import type { translator } from '../../messages/messages.js';
import type { Letter } from './letter.js';
import type { MailLanguage } from './mail-language.js';

/** Values of the templates, stored as JSON in the outbox. */
interface MailValuesByTemplate {
  /** `npm run ops -- mail test`. */
  test: Record<string, never>;
  confirm_sign_up: { name: string; link: string };
  /** Sent when someone signs up with the address of an existing account. */
  account_exists: { link: string };
  reset_password: { link: string };
  invitation: { project: string; role: string; link: string };
  organization_invitation: { organization: string; link: string };
  ownership_offered: { project: string; link: string };
  ownership_received: { project: string };
  ownership_given: { project: string };
  second_factor_changed: { what: string };
  email_change_asked: { email: string };
  confirm_email_change: { link: string };
  /** Sent to the existing account when another account requests its address. */
  address_taken: Record<string, never>;
  /** Sent to both addresses. */
  email_changed: { former: string; email: string };
  account_deleted: Record<string, never>;
  password_changed: Record<string, never>;
  /** A machine got a personal token (docs/accounts.md). */
  personal_token_created: { device: string };
  /** Sent after one and three days without a success, and after five, when it is disabled (docs/events.md). */
  event_endpoint_failing: { project: string; host: string; since: string };
  event_endpoint_disabled: { project: string; host: string; since: string };
  /** Sent five minutes after a hold starts (docs/forwarding.md). */
  receiver_away: { project: string; since: string; reason: string; lost: number };
  /** Sent at most once a day while attempts fail. */
  records_undelivered: { project: string; records: number; more: boolean };
  /** Sent after the hold, when all queued records have been delivered. */
  receiver_back: { project: string; since: string; until: string; lost: number; sent: number };
  /** Sent once for each scan that found something new; `token` turns these mails off. */
  scan_alert: {
    project: string;
    scanId: string;
    newItems: { count: number; names: string[] };
    beforeConsent: { count: number; names: string[] };
    loaderGone: string[];
    token: string;
  };
  /** A state change of a custom domain because its DNS records are wrong (docs/first-party.md). */
  custom_domain: {
    project: string;
    hostname: string;
    event: 'failing' | 'suspending' | 'releasing' | 'moved';
    /** One of these records is required. */
    dnsRecords: string[];
    /** When it happens; null: now. */
    at: string | null;
  };
}

/** Targets of a mail's links that are not among its values. */
export interface MailContext {
  baseUrl: string;
  /** The project that the mail is about. */
  projectId: string | null;
}

export type MailTemplate = keyof MailValuesByTemplate;
export type MailValues<Name extends MailTemplate> = MailValuesByTemplate[Name];

/** What templates write with: messages, instants as people write them, and the targets of links. */
export interface MailWords {
  language: MailLanguage;
  context: MailContext;
  t: ReturnType<typeof translator<'mails'>>;
  at: (iso: string) => string;
}

/**
 * All mails, by template name. A template returns the subject and the paragraphs; text and HTML are rendered
 * from them. User-supplied names go through `nameInMail`. To remove a template or change its values, add a new one
 * under a new name: queued mails still use the old one. The only secret a mail may contain is a one-time link
 * (docs/accounts.md).
 */
export type MailTemplates = {
  [Name in MailTemplate]: (values: MailValuesByTemplate[Name], words: MailWords) => Letter;
};
