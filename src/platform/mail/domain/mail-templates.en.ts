import { BRAND } from '../../identity/brand.js';
import { nameInMail } from './letter.js';
import { instantInMail, mailLinks } from './mail-links.js';
import type { MailTemplates } from './mail-values.js';

const NOT_YOU =
  'If you didn’t request this, you can ignore this email. Nothing changes unless the link is used.';
const OF_ACCOUNT = `You received this email because it concerns your ${BRAND} account.`;
const OF_OWNER = `You received this email because you own this project on ${BRAND}.`;
const OF_MEMBER = `You received this email because you are a member of this project on ${BRAND}.`;
const requested = (what: string): string =>
  `You received this email because ${what} was requested with this address on ${BRAND}.`;

const at = (iso: string): string => instantInMail(iso, 'en-US');

/** All mails in English. */
export const ENGLISH_MAILS: MailTemplates = {
  test: () => ({
    subject: `Test email from ${BRAND}`,
    paragraphs: ['An operator sent this email to check that email delivery works. It does.'],
    reason: `You received this email because an operator of ${BRAND} entered this address.`,
  }),
  confirm_sign_up: ({ name, link }) => ({
    subject: 'Confirm your email address',
    paragraphs: [
      `Hello "${nameInMail(name)}",`,
      'thanks for signing up. To activate your account, confirm your email address and enter the password you chose. The link works once and expires in 24 hours.',
      { label: 'Confirm email address', url: link },
      NOT_YOU,
    ],
    reason: requested('an account'),
  }),
  account_exists: ({ link }) => ({
    subject: 'You already have an account',
    paragraphs: [
      'Someone tried to sign up with this email address, which already has an account. If it was you, sign in with your password, or use this link to set a new one. The link works once and expires in one hour.',
      { label: 'Set a new password', url: link },
      NOT_YOU,
    ],
    reason: requested('an account'),
  }),
  reset_password: ({ link }) => ({
    subject: 'Reset your password',
    paragraphs: [
      'We received a request to reset your password. The link works once and expires in one hour.',
      { label: 'Set a new password', url: link },
      NOT_YOU,
    ],
    reason: requested('a new password'),
  }),
  invitation: ({ project, role, link }) => ({
    subject: `You’re invited to "${nameInMail(project)}"`,
    paragraphs: [
      `You have been invited to join the project "${nameInMail(project)}". Your role: ${role}. The link works once and expires in seven days. Don’t forward this email.`,
      { label: 'Accept invitation', url: link },
      'If you don’t recognize the project, you can ignore this email.',
    ],
    reason: `You received this email because an owner of the project invited this address to ${BRAND}.`,
  }),
  ownership_offered: ({ project, link }) => ({
    subject: `Accept ownership of "${nameInMail(project)}"`,
    paragraphs: [
      `The owner of the project "${nameInMail(project)}" wants to transfer ownership to you. Accept within seven days to become its owner.`,
      { label: 'Accept ownership', url: link },
      'If you don’t want to own the project, you can ignore this email.',
    ],
    reason: `You received this email because the owner of the project chose this address on ${BRAND}.`,
  }),
  ownership_received: ({ project }, context) => ({
    subject: `You are now the owner of "${nameInMail(project)}"`,
    paragraphs: [
      `Ownership of the project "${nameInMail(project)}" was transferred to you.`,
      { label: 'Open project', url: mailLinks.project(context) },
    ],
    reason: OF_OWNER,
  }),
  ownership_given: ({ project }, context) => ({
    subject: `You transferred ownership of "${nameInMail(project)}"`,
    paragraphs: [
      `Ownership of the project "${nameInMail(project)}" was transferred from your account. You are now an editor of the project.`,
      { label: 'Open project', url: mailLinks.project(context) },
      'If this wasn’t you, contact the new owner and the operator of this service immediately.',
    ],
    reason: OF_MEMBER,
  }),
  second_factor_changed: ({ what }, context) => ({
    subject: what,
    paragraphs: [
      `${what}.`,
      'If this wasn’t you, reset your password immediately and contact the operator of this service.',
      { label: 'Reset password', url: mailLinks.resetPassword(context) },
    ],
    reason: OF_ACCOUNT,
  }),
  email_change_asked: ({ email }, context) => ({
    subject: 'Request to change your email address',
    paragraphs: [
      `Someone who knows your password requested to change the email address of your account to ${email}. The change takes effect when the link sent to that address is opened.`,
      'If this wasn’t you, reset your password immediately. The link then stops working.',
      { label: 'Reset password', url: mailLinks.resetPassword(context) },
    ],
    reason: OF_ACCOUNT,
  }),
  confirm_email_change: ({ link }) => ({
    subject: 'Confirm your new email address',
    paragraphs: [
      'To use this email address for your account, confirm it and enter your account password. The link works once and expires in one hour.',
      { label: 'Confirm new address', url: link },
      NOT_YOU,
    ],
    reason: requested('a change of address'),
  }),
  address_taken: (_values, context) => ({
    subject: 'You already have an account',
    paragraphs: [
      'Someone tried to use this email address for another account. Nothing has changed.',
      { label: 'Sign in', url: mailLinks.signIn(context) },
    ],
    reason: OF_ACCOUNT,
  }),
  email_changed: ({ former, email }, context) => ({
    subject: 'Your email address was changed',
    paragraphs: [
      `The email address of your account was changed from ${former} to ${email}, and all other sessions were signed out. Use the new address to sign in.`,
      { label: 'Sign in', url: mailLinks.signIn(context) },
      'If this wasn’t you, contact the operator of this service immediately.',
    ],
    reason: OF_ACCOUNT,
  }),
  account_deleted: () => ({
    subject: 'Your account was deleted',
    paragraphs: [
      'Your account was deleted, along with your project memberships, the API keys you created, and your sessions.',
      'If this wasn’t you, contact the operator of this service and the owners of your projects immediately.',
    ],
    reason: `You received this email because this was the address of your ${BRAND} account. It is no longer stored.`,
  }),
  password_changed: (_values, context) => ({
    subject: 'Your password was changed',
    paragraphs: [
      'The password of your account was changed, and all other sessions were signed out.',
      'If this wasn’t you, reset your password immediately and contact the operator of this service.',
      { label: 'Reset password', url: mailLinks.resetPassword(context) },
    ],
    reason: OF_ACCOUNT,
  }),
  receiver_away: ({ project, since, reason, lost }, context) => ({
    subject: `Consent forwarding of "${nameInMail(project)}" is on hold`,
    paragraphs: [
      `The endpoint of "${nameInMail(project)}" has not accepted consent records since ${at(since)}. Last error: ${reason}`,
      `Queued records are sent automatically when the endpoint recovers. Failed so far: ${lost}. Failed records must be resent; the delivery log lists them.`,
      'We retry the endpoint at regular intervals. To retry now, select “Try now” on the Deliveries page.',
      { label: 'Open deliveries', url: mailLinks.deliveries(context) },
    ],
    reason: OF_OWNER,
  }),
  records_undelivered: ({ project, records, more }, context) => ({
    subject: `Consent records of "${nameInMail(project)}" were not delivered`,
    paragraphs: [
      `${more ? `More than ${records} consent records` : records === 1 ? 'One consent record' : `${records} consent records`} of "${nameInMail(project)}" could not be delivered to your endpoint.`,
      'They are stored, but are not sent again automatically. To see why they failed and to resend them, open the Deliveries page.',
      { label: 'Review and resend', url: mailLinks.deliveries(context) },
    ],
    reason: `${OF_OWNER} We send it at most once a day.`,
  }),
  receiver_back: ({ project, since, until, lost, sent }, context) => ({
    subject: `Consent forwarding of "${nameInMail(project)}" has resumed`,
    paragraphs: [
      `The endpoint of "${nameInMail(project)}" was unavailable from ${at(since)} to ${at(until)}.`,
      `Queued records delivered: ${sent}. Failed records: ${lost}. You can resend failed records from the delivery log.`,
      { label: 'Open deliveries', url: mailLinks.deliveries(context) },
    ],
    reason: OF_OWNER,
  }),
  scan_alert: ({ project, scanId, newItems, beforeConsent, loaderGone, token }, context) => ({
    subject: `Scan of "${nameInMail(project)}": ${[
      ...(loaderGone.length > 0 ? ['loader missing'] : []),
      ...(beforeConsent.count > 0 ? ['storage before consent'] : []),
      ...(newItems.count > 0 ? [newItems.count === 1 ? '1 new item' : `${newItems.count} new items`] : []),
    ].join(', ')}`,
    paragraphs: [
      ...(loaderGone.length > 0
        ? [
            `The last two scans did not find the loader on ${loaderGone.join(', ')}. Without it, the banner does not appear there and no consent is recorded.`,
          ]
        : []),
      ...(beforeConsent.count > 0
        ? [
            `The site sets or requests this before visitors make a choice, and it may need their consent: ${listed(beforeConsent)}`,
          ]
        : []),
      ...(newItems.count > 0
        ? [
            `Earlier scans did not see: ${listed(newItems)} Check the categories, then add them to the banner’s draft.`,
          ]
        : []),
      { label: 'Open scan', url: mailLinks.scan(context, scanId) },
    ],
    reason: `You received this email because scan alerts for this project are turned on in your ${BRAND} account.`,
    unsubscribe: { label: 'Unsubscribe', url: mailLinks.unsubscribe(context, token) },
  }),
  custom_domain: ({ project, hostname, event, dnsRecords, at: when }, context) => ({
    subject: {
      failing: `Fix the DNS records of ${hostname}`,
      suspending: `${hostname} will be suspended`,
      releasing: `${hostname} will be removed`,
      moved: `${hostname} was removed from "${nameInMail(project)}"`,
    }[event],
    paragraphs: [
      {
        failing: `We can no longer verify the custom domain ${hostname} of "${nameInMail(project)}". It gets no new certificate until it is verified again, and is suspended on ${when === null ? '' : at(when)}.`,
        suspending: `The custom domain ${hostname} of "${nameInMail(project)}" has not been verified for days. On ${when === null ? '' : at(when)} it is suspended: it then serves no banner and stores no consent.`,
        releasing: `The custom domain ${hostname} of "${nameInMail(project)}" is suspended. On ${when === null ? '' : at(when)} it is removed from the project.`,
        moved: `The DNS records of ${hostname} now name another project, so it was removed from "${nameInMail(project)}". If you did not change them, check who has access to your DNS.`,
      }[event],
      ...(event === 'moved' ? [] : [`Create one of these DNS records: ${dnsRecords.join(' or ')}`]),
      { label: 'Open custom domains', url: mailLinks.install(context) },
    ],
    reason: OF_OWNER,
  }),
};

/** Names of items, chosen by the site, and the number of further ones. */
function listed({ count, names }: { count: number; names: string[] }): string {
  const more = count - names.length;
  const all = names.map((name) => `"${nameInMail(name)}"`);
  if (names.length === 0) return `${count} ${count === 1 ? 'item' : 'items'}.`;
  return `${all.join(', ')}${more > 0 ? ` and ${more} more` : ''}.`;
}
