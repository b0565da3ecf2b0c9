import { BRAND } from '../../shared/brand.js';
import { type Letter, nameInMail } from './letter.js';

const NOT_YOU =
  'If you didn’t request this, you can ignore this email. Nothing changes unless the link is used.';

/**
 * All mails, by template name. A template is a function of its values that returns the subject and the paragraphs; text
 * and HTML are rendered from them. Values are stored as JSON in the outbox. User-supplied names go through `nameInMail`.
 * To remove a template or change its values, add a new one under a new name: queued mails still use the old one.
 * The only secret a mail may contain is a one-time link (docs/accounts.md).
 */
export const MAIL_TEMPLATES = {
  /** `npm run ops -- mail test`. */
  test: (): Letter => ({
    subject: `Test email from ${BRAND}`,
    paragraphs: ['An operator sent this email to check that email delivery works. It does.'],
  }),
  confirm_sign_up: ({ name, link }: { name: string; link: string }): Letter => ({
    subject: 'Confirm your email address',
    paragraphs: [
      `Hello "${nameInMail(name)}",`,
      'thanks for signing up. To activate your account, confirm your email address and enter the password you chose. The link works once and expires in 24 hours.',
      { label: 'Confirm email address', url: link },
      NOT_YOU,
    ],
  }),
  /** Sent when someone signs up with the address of an existing account. */
  account_exists: ({ link }: { link: string }): Letter => ({
    subject: 'You already have an account',
    paragraphs: [
      'Someone tried to sign up with this email address, which already has an account. If it was you, sign in with your password, or use this link to set a new one. The link works once and expires in one hour.',
      { label: 'Set a new password', url: link },
      NOT_YOU,
    ],
  }),
  reset_password: ({ link }: { link: string }): Letter => ({
    subject: 'Reset your password',
    paragraphs: [
      'We received a request to reset your password. The link works once and expires in one hour.',
      { label: 'Set a new password', url: link },
      NOT_YOU,
    ],
  }),
  invitation: ({ project, role, link }: { project: string; role: string; link: string }): Letter => ({
    subject: `You’re invited to "${nameInMail(project)}"`,
    paragraphs: [
      `You have been invited to join the project "${nameInMail(project)}". Your role: ${role}. The link works once and expires in seven days. Don’t forward this email.`,
      { label: 'Accept invitation', url: link },
      'If you don’t recognize the project, you can ignore this email.',
    ],
  }),
  ownership_offered: ({ project, link }: { project: string; link: string }): Letter => ({
    subject: `Accept ownership of "${nameInMail(project)}"`,
    paragraphs: [
      `The owner of the project "${nameInMail(project)}" wants to transfer ownership to you. Accept within seven days to become its owner.`,
      { label: 'Accept ownership', url: link },
      'If you don’t want to own the project, you can ignore this email.',
    ],
  }),
  ownership_received: ({ project }: { project: string }): Letter => ({
    subject: `You are now the owner of "${nameInMail(project)}"`,
    paragraphs: [`Ownership of the project "${nameInMail(project)}" was transferred to you.`],
  }),
  ownership_given: ({ project }: { project: string }): Letter => ({
    subject: `You transferred ownership of "${nameInMail(project)}"`,
    paragraphs: [
      `Ownership of the project "${nameInMail(project)}" was transferred from your account. You are now an editor of the project.`,
      'If this wasn’t you, contact the new owner and the operator of this service immediately.',
    ],
  }),
  second_factor_changed: ({ what }: { what: string }): Letter => ({
    subject: what,
    paragraphs: [
      `${what}.`,
      'If this wasn’t you, reset your password on the sign-in page immediately and contact the operator of this service.',
    ],
  }),
  email_change_asked: ({ email }: { email: string }): Letter => ({
    subject: 'Request to change your email address',
    paragraphs: [
      `Someone who knows your password requested to change the email address of your account to ${email}. The change takes effect when the link sent to that address is opened.`,
      'If this wasn’t you, reset your password on the sign-in page immediately. The link then stops working.',
    ],
  }),
  confirm_email_change: ({ link }: { link: string }): Letter => ({
    subject: 'Confirm your new email address',
    paragraphs: [
      'To use this email address for your account, confirm it and enter your account password. The link works once and expires in one hour.',
      { label: 'Confirm new address', url: link },
      NOT_YOU,
    ],
  }),
  /** Sent to the existing account when another account requests its address. */
  address_taken: (): Letter => ({
    subject: 'You already have an account',
    paragraphs: ['Someone tried to use this email address for another account. Nothing has changed.'],
  }),
  /** Sent to both addresses. */
  email_changed: ({ former, email }: { former: string; email: string }): Letter => ({
    subject: 'Your email address was changed',
    paragraphs: [
      `The email address of your account was changed from ${former} to ${email}, and all other sessions were signed out. Use the new address to sign in.`,
      'If this wasn’t you, contact the operator of this service immediately.',
    ],
  }),
  account_deleted: (): Letter => ({
    subject: 'Your account was deleted',
    paragraphs: [
      'Your account was deleted, along with your project memberships, the API keys you created, and your sessions.',
      'If this wasn’t you, contact the operator of this service and the owners of your projects immediately.',
    ],
  }),
  password_changed: (): Letter => ({
    subject: 'Your password was changed',
    paragraphs: [
      'The password of your account was changed, and all other sessions were signed out.',
      'If this wasn’t you, reset your password on the sign-in page immediately and contact the operator of this service.',
    ],
  }),
  /** Sent five minutes after a hold starts (docs/forwarding.md). */
  receiver_away: ({
    project,
    since,
    reason,
    lost,
  }: {
    project: string;
    since: string;
    reason: string;
    lost: number;
  }): Letter => ({
    subject: `Consent forwarding of "${nameInMail(project)}" is on hold`,
    paragraphs: [
      `The endpoint of "${nameInMail(project)}" has not accepted consent records since ${since}. Last error: ${reason}`,
      `Queued records are sent automatically when the endpoint recovers. Failed so far: ${lost}. Failed records must be resent; the delivery log lists them.`,
      'We retry the endpoint at regular intervals. To retry now, select “Try now” on the Deliveries page.',
    ],
  }),
  /** Sent after the hold, when all queued records have been delivered. */
  receiver_back: ({
    project,
    since,
    until,
    lost,
    sent,
  }: {
    project: string;
    since: string;
    until: string;
    lost: number;
    sent: number;
  }): Letter => ({
    subject: `Consent forwarding of "${nameInMail(project)}" has resumed`,
    paragraphs: [
      `The endpoint of "${nameInMail(project)}" was unavailable from ${since} to ${until}.`,
      `Queued records delivered: ${sent}. Failed records: ${lost}. You can resend failed records from the delivery log.`,
    ],
  }),
} as const;

export type MailTemplate = keyof typeof MAIL_TEMPLATES;
export type MailValues<Name extends MailTemplate> =
  Parameters<(typeof MAIL_TEMPLATES)[Name]> extends [infer Values] ? Values : Record<string, never>;

/** The letter of a stored mail, or null if its template no longer exists. */
export function fillTemplate(template: string, values: unknown): Letter | null {
  if (!Object.hasOwn(MAIL_TEMPLATES, template)) return null;
  const write = MAIL_TEMPLATES[template as MailTemplate] as (values: unknown) => Letter;
  return write(values);
}
