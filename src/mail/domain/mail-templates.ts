import { BRAND } from '../../shared/brand.js';
import { type Letter, nameInMail } from './letter.js';

const NOT_YOU =
  'If you did not ask for this, do nothing: without the link nothing changes, and nobody else has it.';

/**
 * Every mail that the service sends, by name. To add one, add a line: a function of its values (JSON: they wait in the
 * outbox) that returns subject and paragraphs; text and HTML are made of them. Names that people gave go through
 * `nameInMail`. A line that is taken away or whose values change leaves mails behind that wait: give it a new name.
 * No secret stands in a mail but a one-time link (docs/accounts.md).
 */
export const MAIL_TEMPLATES = {
  /** `npm run ops -- mail test`. */
  test: (): Letter => ({
    subject: `A test from ${BRAND}`,
    paragraphs: ['This mail was sent by an operator to see whether mail arrives. It does.'],
  }),
  confirm_sign_up: ({ name, link }: { name: string; link: string }): Letter => ({
    subject: 'Confirm your e-mail address',
    paragraphs: [
      `Hello "${nameInMail(name)}",`,
      'somebody, you we hope, has signed up with this address. Confirm that it is yours with the password that you chose; the link can be used once, within a day.',
      { label: 'Confirm the address', url: link },
      NOT_YOU,
    ],
  }),
  /** To who signs up with an address that has an account. */
  account_exists: ({ link }: { link: string }): Letter => ({
    subject: 'You have an account already',
    paragraphs: [
      'Somebody, you we hope, has signed up with this address, which has an account already. Sign in with your password; if you have forgotten it, this link sets another one. It can be used once, within an hour.',
      { label: 'Set a new password', url: link },
      NOT_YOU,
    ],
  }),
  reset_password: ({ link }: { link: string }): Letter => ({
    subject: 'Set a new password',
    paragraphs: [
      'Somebody, you we hope, has asked for a new password. The link can be used once, within an hour.',
      { label: 'Set a new password', url: link },
      NOT_YOU,
    ],
  }),
  invitation: ({ project, role, link }: { project: string; role: string; link: string }): Letter => ({
    subject: `Invitation to "${nameInMail(project)}"`,
    paragraphs: [
      `You are invited to the project "${nameInMail(project)}" as ${role}. The link can be used once, within seven days, by who reads this mailbox.`,
      { label: 'Take up the invitation', url: link },
      'If you do not know the project, do nothing.',
    ],
  }),
  ownership_offered: ({ project, link }: { project: string; link: string }): Letter => ({
    subject: `Ownership of "${nameInMail(project)}"`,
    paragraphs: [
      `The owner of the project "${nameInMail(project)}" wants to hand it over to you. You become its owner when you accept, within seven days.`,
      { label: 'Take the ownership', url: link },
      'If you do not want to own the project, do nothing.',
    ],
  }),
  ownership_received: ({ project }: { project: string }): Letter => ({
    subject: `You own "${nameInMail(project)}" now`,
    paragraphs: [`The project "${nameInMail(project)}" was handed over to you: you are its owner now.`],
  }),
  ownership_given: ({ project }: { project: string }): Letter => ({
    subject: `You have handed "${nameInMail(project)}" over`,
    paragraphs: [
      `The project "${nameInMail(project)}" was handed over from your account, which is editor of it now.`,
      'If it was not you, tell the new owner and the operator of this service at once.',
    ],
  }),
  second_factor_changed: ({ what }: { what: string }): Letter => ({
    subject: what,
    paragraphs: [
      `${what}.`,
      'If it was not you, ask for a new password on the sign-in page at once, and tell the operator of this service.',
    ],
  }),
  email_change_asked: ({ email }: { email: string }): Letter => ({
    subject: 'Your address is about to be changed',
    paragraphs: [
      `Somebody who knows your password has asked to change the address of your account to ${email}. It is changed once the link that was mailed to that address is followed.`,
      'If it was not you, ask for a new password on the sign-in page at once: the link opens nothing then.',
    ],
  }),
  confirm_email_change: ({ link }: { link: string }): Letter => ({
    subject: 'Confirm your new e-mail address',
    paragraphs: [
      'Somebody, you we hope, wants this to be the address of an account. Confirm it with the password of the account; the link can be used once, within an hour.',
      { label: 'Confirm the new address', url: link },
      NOT_YOU,
    ],
  }),
  /** To who has an account, where somebody wants the address for another one. */
  address_taken: (): Letter => ({
    subject: 'You have an account already',
    paragraphs: [
      'Somebody wanted this to be the address of another account. It has one already, and nothing was changed.',
    ],
  }),
  /** To both addresses. */
  email_changed: ({ former, email }: { former: string; email: string }): Letter => ({
    subject: 'The address of your account was changed',
    paragraphs: [
      `The address of your account was changed from ${former} to ${email}, and all other sessions were signed out. Sign in with the new address from now on.`,
      'If it was not you, tell the operator of this service at once.',
    ],
  }),
  account_deleted: (): Letter => ({
    subject: 'Your account was deleted',
    paragraphs: [
      'Your account was deleted, and with it your places in projects, the API keys that you made there, and your sessions.',
      'If it was not you, tell the operator of this service and the owners of your projects at once.',
    ],
  }),
  password_changed: (): Letter => ({
    subject: 'Your password was changed',
    paragraphs: [
      'The password of your account was changed, and all other sessions were signed out.',
      'If it was not you, ask for a new password on the sign-in page at once, and tell the operator of this service.',
    ],
  }),
  /** Five minutes after a hold began (docs/forwarding.md). */
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
    subject: `The receiver of "${nameInMail(project)}" is away`,
    paragraphs: [
      `Since ${since} the endpoint of "${nameInMail(project)}" takes no consent records. The last it answered was: ${reason}`,
      `Records that were not tried yet wait and are sent once it is back. Tried and failed so far: ${lost}. They are not sent again by themselves; the delivery log names them.`,
      'The endpoint is tried now and then. To have it tried at once, save the forwarding settings, test the endpoint, or resume.',
    ],
  }),
  /** After its end, once what waited was sent. */
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
    subject: `The receiver of "${nameInMail(project)}" is back`,
    paragraphs: [
      `The endpoint of "${nameInMail(project)}" was away from ${since} to ${until}.`,
      `Records that waited and were delivered: ${sent}. Records that were tried and failed: ${lost}; they can be sent again by hand from the delivery log.`,
    ],
  }),
} as const;

export type MailTemplate = keyof typeof MAIL_TEMPLATES;
export type MailValues<Name extends MailTemplate> =
  Parameters<(typeof MAIL_TEMPLATES)[Name]> extends [infer Values] ? Values : Record<string, never>;

/** The letter that a stored mail asks for; null where no template has that name any more. */
export function letterOf(template: string, values: unknown): Letter | null {
  if (!Object.hasOwn(MAIL_TEMPLATES, template)) return null;
  const write = MAIL_TEMPLATES[template as MailTemplate] as (values: unknown) => Letter;
  return write(values);
}
