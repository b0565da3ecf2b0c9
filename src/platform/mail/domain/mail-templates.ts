import { BRAND } from '../../identity/brand.js';
import { translator } from '../../messages/messages.js';
import { type Letter, nameInMail } from './letter.js';
import type { MailLanguage } from './mail-language.js';
import { instantInMail, mailLinks } from './mail-links.js';
import type { MailContext, MailTemplate, MailTemplates, MailWords } from './mail-values.js';

const brand = BRAND;
const LOCALES: Record<MailLanguage, string> = { en: 'en-US', de: 'de-DE' };

/** All mails: which messages of `messages/mails.*.json` each consists of. */
export const MAILS: MailTemplates = {
  test: (_values, { t }) => ({
    subject: t('mails.test.subject', { brand }),
    paragraphs: [t('mails.test.text')],
    reason: t('mails.test.reason', { brand }),
  }),
  confirm_sign_up: ({ name, link }, { t }) => ({
    subject: t('mails.confirmSignUp.subject'),
    paragraphs: [
      t('mails.confirmSignUp.hello', { name: nameInMail(name) }),
      t('mails.confirmSignUp.text'),
      { label: t('mails.confirmSignUp.link'), url: link },
      t('mails.notYou'),
    ],
    reason: t('mails.reasons.requested', { what: 'account', brand }),
  }),
  account_exists: ({ link }, { t }) => ({
    subject: t('mails.accountExists.subject'),
    paragraphs: [
      t('mails.accountExists.text'),
      { label: t('mails.links.setPassword'), url: link },
      t('mails.notYou'),
    ],
    reason: t('mails.reasons.requested', { what: 'account', brand }),
  }),
  reset_password: ({ link }, { t }) => ({
    subject: t('mails.resetPassword.subject'),
    paragraphs: [
      t('mails.resetPassword.text'),
      { label: t('mails.links.setPassword'), url: link },
      t('mails.notYou'),
    ],
    reason: t('mails.reasons.requested', { what: 'password', brand }),
  }),
  invitation: ({ role, link, ...values }, { t }) => {
    const project = nameInMail(values.project);
    return {
      subject: t('mails.invitation.subject', { project }),
      paragraphs: [
        t('mails.invitation.text', { project, role }),
        { label: t('mails.invitation.link'), url: link },
        t('mails.invitation.unknown'),
      ],
      reason: t('mails.invitation.reason', { brand }),
    };
  },
  organization_invitation: ({ link, ...values }, { t }) => {
    const organization = nameInMail(values.organization);
    return {
      subject: t('mails.organizationInvitation.subject', { organization }),
      paragraphs: [
        t('mails.organizationInvitation.text', { organization }),
        { label: t('mails.organizationInvitation.link'), url: link },
        t('mails.organizationInvitation.unknown'),
      ],
      reason: t('mails.organizationInvitation.reason', { brand }),
    };
  },
  ownership_offered: ({ link, ...values }, { t }) => {
    const project = nameInMail(values.project);
    return {
      subject: t('mails.ownershipOffered.subject', { project }),
      paragraphs: [
        t('mails.ownershipOffered.text', { project }),
        { label: t('mails.ownershipOffered.link'), url: link },
        t('mails.ownershipOffered.refuse'),
      ],
      reason: t('mails.ownershipOffered.reason', { brand }),
    };
  },
  ownership_received: (values, { t, context }) => {
    const project = nameInMail(values.project);
    return {
      subject: t('mails.ownershipReceived.subject', { project }),
      paragraphs: [
        t('mails.ownershipReceived.text', { project }),
        { label: t('mails.links.project'), url: mailLinks.project(context) },
      ],
      reason: t('mails.reasons.owner', { brand }),
    };
  },
  ownership_given: (values, { t, context }) => {
    const project = nameInMail(values.project);
    return {
      subject: t('mails.ownershipGiven.subject', { project }),
      paragraphs: [
        t('mails.ownershipGiven.text', { project }),
        { label: t('mails.links.project'), url: mailLinks.project(context) },
        t('mails.ownershipGiven.notYou'),
      ],
      reason: t('mails.reasons.member', { brand }),
    };
  },
  second_factor_changed: ({ what }, { t, context }) => {
    const change = FACTOR_CHANGES[what];
    const subject = change ? t(`mails.factorChanges.${change}`) : what;
    return {
      subject,
      paragraphs: [
        `${subject}.`,
        t('mails.resetAtOnce'),
        { label: t('mails.links.resetPassword'), url: mailLinks.resetPassword(context) },
      ],
      reason: t('mails.reasons.account', { brand }),
    };
  },
  email_change_asked: ({ email }, { t, context }) => ({
    subject: t('mails.emailChangeAsked.subject'),
    paragraphs: [
      t('mails.emailChangeAsked.text', { email }),
      t('mails.emailChangeAsked.notYou'),
      { label: t('mails.links.resetPassword'), url: mailLinks.resetPassword(context) },
    ],
    reason: t('mails.reasons.account', { brand }),
  }),
  confirm_email_change: ({ link }, { t }) => ({
    subject: t('mails.confirmEmailChange.subject'),
    paragraphs: [
      t('mails.confirmEmailChange.text'),
      { label: t('mails.confirmEmailChange.link'), url: link },
      t('mails.notYou'),
    ],
    reason: t('mails.reasons.requested', { what: 'address', brand }),
  }),
  address_taken: (_values, { t, context }) => ({
    subject: t('mails.accountExists.subject'),
    paragraphs: [
      t('mails.addressTaken.text'),
      { label: t('mails.links.signIn'), url: mailLinks.signIn(context) },
    ],
    reason: t('mails.reasons.account', { brand }),
  }),
  email_changed: ({ former, email }, { t, context }) => ({
    subject: t('mails.emailChanged.subject'),
    paragraphs: [
      t('mails.emailChanged.text', { former, email }),
      { label: t('mails.links.signIn'), url: mailLinks.signIn(context) },
      t('mails.emailChanged.notYou'),
    ],
    reason: t('mails.reasons.account', { brand }),
  }),
  account_deleted: (_values, { t }) => ({
    subject: t('mails.accountDeleted.subject'),
    paragraphs: [t('mails.accountDeleted.text'), t('mails.accountDeleted.notYou')],
    reason: t('mails.accountDeleted.reason', { brand }),
  }),
  password_changed: (_values, { t, context }) => ({
    subject: t('mails.passwordChanged.subject'),
    paragraphs: [
      t('mails.passwordChanged.text'),
      t('mails.resetAtOnce'),
      { label: t('mails.links.resetPassword'), url: mailLinks.resetPassword(context) },
    ],
    reason: t('mails.reasons.account', { brand }),
  }),
  personal_token_created: ({ device }, { t, context }) => ({
    subject: t('mails.personalTokenCreated.subject'),
    paragraphs: [
      t('mails.personalTokenCreated.text', { device: nameInMail(device) }),
      { label: t('mails.links.account'), url: mailLinks.account(context) },
    ],
    reason: t('mails.reasons.account', { brand }),
  }),
  event_endpoint_failing: ({ host, since, ...values }, { t, at, context }) => {
    const project = nameInMail(values.project);
    return {
      subject: t('mails.eventEndpointFailing.subject', { project }),
      paragraphs: [
        t('mails.eventEndpointFailing.text', { project, host, since: at(since) }),
        t('mails.eventEndpointFailing.retry'),
        { label: t('mails.links.events'), url: mailLinks.events(context) },
      ],
      reason: t('mails.reasons.owner', { brand }),
    };
  },
  event_endpoint_disabled: ({ host, since, ...values }, { t, at, context }) => {
    const project = nameInMail(values.project);
    return {
      subject: t('mails.eventEndpointDisabled.subject', { project }),
      paragraphs: [
        t('mails.eventEndpointDisabled.text', { project, host, since: at(since) }),
        t('mails.eventEndpointDisabled.recover'),
        { label: t('mails.links.events'), url: mailLinks.events(context) },
      ],
      reason: t('mails.reasons.owner', { brand }),
    };
  },
  receiver_away: ({ since, reason, lost, ...values }, { t, at, context }) => {
    const project = nameInMail(values.project);
    return {
      subject: t('mails.receiverAway.subject', { project }),
      paragraphs: [
        t('mails.receiverAway.text', { project, since: at(since), reason }),
        t('mails.receiverAway.records', { lost }),
        t('mails.receiverAway.retry'),
        { label: t('mails.links.deliveries'), url: mailLinks.deliveries(context) },
      ],
      reason: t('mails.reasons.owner', { brand }),
    };
  },
  records_undelivered: ({ records, more, ...values }, { t, context }) => {
    const project = nameInMail(values.project);
    return {
      subject: t('mails.recordsUndelivered.subject', { project }),
      paragraphs: [
        t('mails.recordsUndelivered.text', { project, records, more: more ? 'yes' : 'no' }),
        t('mails.recordsUndelivered.stored'),
        { label: t('mails.recordsUndelivered.link'), url: mailLinks.deliveries(context) },
      ],
      reason: `${t('mails.reasons.owner', { brand })} ${t('mails.recordsUndelivered.daily')}`,
    };
  },
  receiver_back: ({ since, until, lost, sent, ...values }, { t, at, context }) => {
    const project = nameInMail(values.project);
    return {
      subject: t('mails.receiverBack.subject', { project }),
      paragraphs: [
        t('mails.receiverBack.text', { project, since: at(since), until: at(until) }),
        t('mails.receiverBack.records', { sent, lost }),
        { label: t('mails.links.deliveries'), url: mailLinks.deliveries(context) },
      ],
      reason: t('mails.reasons.owner', { brand }),
    };
  },
  scan_alert: ({ scanId, newItems, beforeConsent, loaderGone, token, ...values }, words) => {
    const { t, context } = words;
    const found = [
      loaderGone.length > 0 && {
        short: t('mails.scanAlert.loaderMissing'),
        text: t('mails.scanAlert.loaderText', { hosts: loaderGone.join(', ') }),
      },
      beforeConsent.count > 0 && {
        short: t('mails.scanAlert.beforeConsent'),
        text: t('mails.scanAlert.beforeText', { items: listed(beforeConsent, words) }),
      },
      newItems.count > 0 && {
        short: t('mails.scanAlert.newItems', { count: newItems.count }),
        text: t('mails.scanAlert.newText', { items: listed(newItems, words) }),
      },
    ].filter((part) => part !== false);
    return {
      subject: t('mails.scanAlert.subject', {
        project: nameInMail(values.project),
        found: found.map(({ short }) => short).join(', '),
      }),
      paragraphs: [
        ...found.map(({ text }) => text),
        { label: t('mails.scanAlert.link'), url: mailLinks.scan(context, scanId) },
      ],
      reason: t('mails.scanAlert.reason', { brand }),
      unsubscribe: { label: t('mails.scanAlert.unsubscribe'), url: mailLinks.unsubscribe(context, token) },
    };
  },
  custom_domain: ({ hostname, event, dnsRecords, ...values }, { t, at, language, context }) => {
    const project = nameInMail(values.project);
    const when = values.at === null ? '' : at(values.at);
    const records = new Intl.ListFormat(language, { type: 'disjunction' }).format(dnsRecords);
    return {
      subject: t(`mails.customDomain.subjects.${event}`, { hostname, project }),
      paragraphs: [
        t(`mails.customDomain.texts.${event}`, { hostname, project, at: when }),
        ...(event === 'moved' ? [] : [t('mails.customDomain.records', { records })]),
        { label: t('mails.customDomain.link'), url: mailLinks.install(context) },
      ],
      reason: t('mails.reasons.owner', { brand }),
    };
  },
};

/** The value is stored as an English sentence. */
const FACTOR_CHANGES: Record<string, 'on' | 'off' | 'codes'> = {
  'Two-factor authentication was turned on': 'on',
  'Two-factor authentication was turned off': 'off',
  'Your recovery codes were replaced': 'codes',
};

/** Names of items, chosen by the site, and the number of further ones. */
function listed({ count, names }: { count: number; names: string[] }, { t }: MailWords): string {
  if (names.length === 0) return t('mails.items', { count });
  const quoted = names.map((name) => t('mails.quoted', { name: nameInMail(name) }));
  return t('mails.names', { names: quoted.join(', '), more: count - names.length });
}

/** What templates write with. */
export function mailWords(language: MailLanguage, context: MailContext): MailWords {
  return {
    language,
    context,
    t: translator(language, 'mails'),
    at: (iso) => instantInMail(iso, LOCALES[language]),
  };
}

/** The letter of a stored mail, or null if its template no longer exists. */
export function fillTemplate(
  { template, values, language }: { template: string; values: unknown; language: MailLanguage },
  context: MailContext,
): Letter | null {
  if (!Object.hasOwn(MAILS, template)) return null;
  const write = MAILS[template as MailTemplate] as (values: unknown, words: MailWords) => Letter;
  return write(values, mailWords(language, context));
}
