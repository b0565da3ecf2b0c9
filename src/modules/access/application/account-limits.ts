import { Injectable } from '@nestjs/common';
import { normalizedMailbox } from '../../../platform/mail/domain/mailbox.js';
import { clientNetwork } from '../../../platform/network/client-network.js';
import { InjectSettings } from '../../../platform/settings/inject-settings.js';
import { type AccessSettings, accessSettings } from '../access.settings.js';
import { NetworkRateLimiter, SharedRateLimiter } from '../infrastructure/shared-rate-limiter.js';
import { AuthPool } from '../infrastructure/auth-pool.js';
import { KnownNetworks } from '../infrastructure/known-networks.js';

/** A whole office may share one address. */
export const MAIL_REQUESTS_PER_NETWORK_MAX = 30;
const NETWORK_WINDOW_SECONDS = 60;
/** Mails of one kind that one network may request for one address: a lost mail is requested two or three times. */
export const MAIL_REQUESTS_PER_EMAIL_AND_NETWORK_MAX = 5;
/** Mails of one kind that all networks together may request for one address. */
export const MAIL_REQUESTS_PER_EMAIL_MAX = 20;
/** Mails of all kinds together that one network may request for one mailbox. */
export const MAIL_REQUESTS_PER_MAILBOX_AND_NETWORK_MAX = 8;
/** Invitations that one project may send to one mailbox; inviting again after a withdrawal counts. */
export const INVITATIONS_PER_PROJECT_AND_EMAIL_MAX = 5;
/** Invitations that one project may send: a team of a hundred in a day. */
const INVITATIONS_PER_DAY_MAX = 100;
/** Invitations that all projects together may send to one address. */
export const INVITATIONS_PER_EMAIL_MAX = 20;
/** Mails that one person may cause in all their projects together: invitations, ownership offers, address changes. */
export const MAILS_PER_PERSON_AND_HOUR_MAX = 50;
export const MAILS_PER_PERSON_AND_DAY_MAX = 200;
/** Mails of all kinds that one network may request without a session, for all addresses: an office behind one address. */
export const MAILS_PER_NETWORK_MAX = 100;
const HOUR_SECONDS = 60 * 60;
const DAY_SECONDS = 24 * HOUR_SECONDS;

/** Mails that can be requested without a session. Each kind has its own limits. */
export type MailRequestKind = 'sign_up' | 'forgot_password';

const REFUSAL = 'Too many attempts. Wait before you try again.';

/**
 * Limits the mails that anonymous callers can request, and how often links can be tried. Addresses
 * with and without an account count the same, by mailbox: a `+tag` does not make another one. Each
 * kind of mail has its own limit, so invitations and sign-ups cannot use up the password resets of
 * an address. Networks from which the user signed in recently are exempt from the limit over all
 * networks. The sender (the user, or the network of requests without a session) has a limit over
 * all mailboxes and kinds of mail. It is consumed before the mailbox's, so that refused senders
 * don't use up the limits of mailboxes.
 */
@Injectable()
export class AccountLimits {
  private readonly requestsByNetwork: NetworkRateLimiter;
  private readonly requestsByEmailAndNetwork: SharedRateLimiter;
  private readonly requestsByEmail: SharedRateLimiter;
  private readonly linksByNetwork: NetworkRateLimiter;
  private readonly invitationsByProject: SharedRateLimiter;
  private readonly invitationsByEmail: SharedRateLimiter;
  private readonly requestsByMailboxAndNetwork: SharedRateLimiter;
  private readonly invitationsByProjectAndEmail: SharedRateLimiter;
  private readonly mailsByPersonAndHour: SharedRateLimiter;
  private readonly mailsByPersonAndDay: SharedRateLimiter;
  private readonly mailsByNetwork: NetworkRateLimiter;
  private readonly networks: KnownNetworks;

  constructor({ pool }: AuthPool, @InjectSettings(accessSettings) { authSecret: secret }: AccessSettings) {
    const shared = { pool, secret, refusal: REFUSAL };
    const byNetwork = (name: string, points: number, windowSeconds: number) =>
      new NetworkRateLimiter({ ...shared, name, points, windowSeconds });
    const hourly = (name: string, points: number) =>
      new SharedRateLimiter({ ...shared, name, points, windowSeconds: HOUR_SECONDS });
    const daily = (name: string, points: number) =>
      new SharedRateLimiter({ ...shared, name, points, windowSeconds: DAY_SECONDS });
    this.requestsByNetwork = byNetwork(
      'mail_request_network',
      MAIL_REQUESTS_PER_NETWORK_MAX,
      NETWORK_WINDOW_SECONDS,
    );
    this.linksByNetwork = byNetwork('link_network', MAIL_REQUESTS_PER_NETWORK_MAX, NETWORK_WINDOW_SECONDS);
    this.mailsByNetwork = byNetwork('mail_network', MAILS_PER_NETWORK_MAX, HOUR_SECONDS);
    this.requestsByEmailAndNetwork = hourly(
      'mail_request_email_network',
      MAIL_REQUESTS_PER_EMAIL_AND_NETWORK_MAX,
    );
    this.requestsByMailboxAndNetwork = hourly(
      'mail_request_mailbox_network',
      MAIL_REQUESTS_PER_MAILBOX_AND_NETWORK_MAX,
    );
    this.requestsByEmail = hourly('mail_request_email', MAIL_REQUESTS_PER_EMAIL_MAX);
    this.invitationsByEmail = hourly('invite_email', INVITATIONS_PER_EMAIL_MAX);
    this.invitationsByProjectAndEmail = hourly('invite_project_email', INVITATIONS_PER_PROJECT_AND_EMAIL_MAX);
    this.mailsByPersonAndHour = hourly('mail_person_hour', MAILS_PER_PERSON_AND_HOUR_MAX);
    this.invitationsByProject = daily('invite_project', INVITATIONS_PER_DAY_MAX);
    this.mailsByPersonAndDay = daily('mail_person_day', MAILS_PER_PERSON_AND_DAY_MAX);
    this.networks = new KnownNetworks(pool, secret);
  }

  /** Counts a request without a session for a mail to `email`. @throws DomainError `too_many_requests`. */
  async requestMail(kind: MailRequestKind, email: string, address: string): Promise<void> {
    const network = clientNetwork(address);
    await this.requestsByNetwork.consume(network);
    await this.mailsByNetwork.consume(network);
    await this.consumeForMailbox(kind, email, network);
  }

  /** Counts a user's request to change their address to `email`. @throws DomainError `too_many_requests`. */
  async changeEmail(userId: string, email: string, address: string): Promise<void> {
    const network = clientNetwork(address);
    await this.requestsByNetwork.consume(network);
    await this.consumeForPerson(userId);
    await this.consumeForMailbox('change_email', email, network);
  }

  /** Counts an invitation by `sender` (see `findMailSender`). @throws DomainError `too_many_requests`. */
  async invite(invitation: { sender: string; projectId: string; email: string }): Promise<void> {
    const { sender, projectId, email } = invitation;
    const mailbox = normalizedMailbox(email);
    await this.consumeForPerson(sender);
    await this.invitationsByProject.consume(projectId);
    await this.invitationsByProjectAndEmail.consume(`${projectId}\n${mailbox}`);
    await this.invitationsByEmail.consume(mailbox);
  }

  /** Counts an attempt to follow a link. @throws DomainError `too_many_requests`. */
  async followLink(address: string): Promise<void> {
    await this.linksByNetwork.consume(clientNetwork(address));
  }

  /** The hour first: mails that it refuses do not count towards the day. */
  private async consumeForPerson(sender: string): Promise<void> {
    await this.mailsByPersonAndHour.consume(sender);
    await this.mailsByPersonAndDay.consume(sender);
  }

  private async consumeForMailbox(
    kind: MailRequestKind | 'change_email',
    email: string,
    network: string,
  ): Promise<void> {
    const mailbox = normalizedMailbox(email);
    await this.requestsByMailboxAndNetwork.consume(`${mailbox}\n${network}`);
    await this.requestsByEmailAndNetwork.consume(`${kind}\n${mailbox}\n${network}`);
    if (!(await this.networks.isKnown(email, network)))
      await this.requestsByEmail.consume(`${kind}\n${mailbox}`);
  }
}
