import { Injectable } from '@nestjs/common';
import { mailboxOf } from '../../mail/domain/mailbox.js';
import { clientNetwork } from '../../shared/client-network.js';
import { InjectSettings } from '../../settings/inject-settings.js';
import { type AccessSettings, accessSettings } from '../access.settings.js';
import { AttemptLimit } from '../infrastructure/attempt-limit.js';
import { AuthPool } from '../infrastructure/auth-pool.js';
import { KnownNetworks } from '../infrastructure/known-networks.js';

/** An office may sit behind one address. */
export const ASKS_PER_NETWORK_MAX = 30;
const NETWORK_WINDOW_SECONDS = 60;
/** Mails of one kind that one network may request for one address: a lost mail is requested two or three times. */
export const ASKS_PER_EMAIL_AND_NETWORK_MAX = 5;
/** Mails of one kind that all networks together may request for one address. */
export const ASKS_PER_EMAIL_MAX = 20;
/** Mails of all kinds together that one network may request for one mailbox. */
export const ASKS_PER_MAILBOX_AND_NETWORK_MAX = 8;
/** Invitations that one project may send to one mailbox: inviting, withdrawing and inviting again counts. */
export const INVITATIONS_PER_PROJECT_AND_EMAIL_MAX = 5;
/** Invitations that one project may send: a team of a hundred in a day. */
const INVITATIONS_PER_DAY_MAX = 100;
/** Invitations that all projects together may send to one address. */
export const INVITATIONS_PER_EMAIL_MAX = 20;
/** Mails that one person may cause in all their projects together: invitations, offers and changes of address. */
export const MAILS_PER_PERSON_AND_HOUR_MAX = 50;
export const MAILS_PER_PERSON_AND_DAY_MAX = 200;
/** Mails of all kinds that one network may request without a session, for all addresses: an office behind one address. */
export const MAILS_PER_NETWORK_MAX = 100;
const HOUR_SECONDS = 60 * 60;
const DAY_SECONDS = 24 * HOUR_SECONDS;

/** What a person without a session can have mailed, each kind with its own counters. */
export type AskKind = 'sign_up' | 'forgot_password';

const REFUSAL = 'Too many attempts. Wait before you try again.';

/**
 * Limits what strangers can have mailed, and how often links can be tried. Known and unknown addresses are counted
 * alike, by mailbox: a `+tag` is no other one. Each kind of mail has its own counter, so invitations and sign-ups cannot
 * use up the password resets of an address; and networks that the person has signed in from lately are exempt from what
 * all networks together may request.
 *
 * The sender has a budget over all mailboxes and kinds of mail: the person, or the network of requests without a
 * session. It is counted before the mailbox, so that refused senders don't use up the counters of mailboxes.
 */
@Injectable()
export class AccountLimits {
  private readonly asksByNetwork: AttemptLimit;
  private readonly asksByEmailAndNetwork: AttemptLimit;
  private readonly asksByEmail: AttemptLimit;
  private readonly linksByNetwork: AttemptLimit;
  private readonly invitationsByProject: AttemptLimit;
  private readonly invitationsByEmail: AttemptLimit;
  private readonly asksByMailboxAndNetwork: AttemptLimit;
  private readonly invitationsByProjectAndEmail: AttemptLimit;
  private readonly mailsByPersonAndHour: AttemptLimit;
  private readonly mailsByPersonAndDay: AttemptLimit;
  private readonly mailsByNetwork: AttemptLimit;
  private readonly networks: KnownNetworks;

  constructor({ pool }: AuthPool, @InjectSettings(accessSettings) { authSecret: secret }: AccessSettings) {
    const shared = { pool, secret, refusal: REFUSAL };
    const byNetwork = {
      ...shared,
      attemptsMax: ASKS_PER_NETWORK_MAX,
      windowSeconds: NETWORK_WINDOW_SECONDS,
    };
    const byEmail = { ...shared, windowSeconds: HOUR_SECONDS };
    this.asksByNetwork = new AttemptLimit({ ...byNetwork, name: 'ask_network' });
    this.linksByNetwork = new AttemptLimit({ ...byNetwork, name: 'link_network' });
    this.asksByEmailAndNetwork = new AttemptLimit({
      ...byEmail,
      name: 'ask_email_network',
      attemptsMax: ASKS_PER_EMAIL_AND_NETWORK_MAX,
    });
    this.invitationsByProject = new AttemptLimit({
      ...shared,
      name: 'invite_project',
      attemptsMax: INVITATIONS_PER_DAY_MAX,
      windowSeconds: DAY_SECONDS,
    });
    this.asksByEmail = new AttemptLimit({ ...byEmail, name: 'ask_email', attemptsMax: ASKS_PER_EMAIL_MAX });
    this.invitationsByEmail = new AttemptLimit({
      ...byEmail,
      name: 'invite_email',
      attemptsMax: INVITATIONS_PER_EMAIL_MAX,
    });
    this.asksByMailboxAndNetwork = new AttemptLimit({
      ...byEmail,
      name: 'ask_mailbox_network',
      attemptsMax: ASKS_PER_MAILBOX_AND_NETWORK_MAX,
    });
    this.invitationsByProjectAndEmail = new AttemptLimit({
      ...byEmail,
      name: 'invite_project_email',
      attemptsMax: INVITATIONS_PER_PROJECT_AND_EMAIL_MAX,
    });
    this.mailsByPersonAndHour = new AttemptLimit({
      ...{ ...shared, name: 'mail_person_hour' },
      ...{ attemptsMax: MAILS_PER_PERSON_AND_HOUR_MAX, windowSeconds: HOUR_SECONDS },
    });
    this.mailsByPersonAndDay = new AttemptLimit({
      ...{ ...shared, name: 'mail_person_day' },
      ...{ attemptsMax: MAILS_PER_PERSON_AND_DAY_MAX, windowSeconds: DAY_SECONDS },
    });
    this.mailsByNetwork = new AttemptLimit({
      ...{ ...shared, name: 'mail_network' },
      ...{ attemptsMax: MAILS_PER_NETWORK_MAX, windowSeconds: HOUR_SECONDS },
    });
    this.networks = new KnownNetworks(pool, secret);
  }

  /** Counts a request without a session for a mail to `email`. @throws DomainError `too_many_requests`. */
  async ask(kind: AskKind, email: string, address: string): Promise<void> {
    const network = clientNetwork(address);
    await this.asksByNetwork.take(network);
    await this.mailsByNetwork.take(network);
    await this.takeForMailbox(kind, email, network);
  }

  /** Counts a user's request to change their address to `email`. @throws DomainError `too_many_requests`. */
  async changeEmail(userId: string, email: string, address: string): Promise<void> {
    const network = clientNetwork(address);
    await this.asksByNetwork.take(network);
    await this.takeForPerson(userId);
    await this.takeForMailbox('change_email', email, network);
  }

  /** Counts an invitation that `sender` has mailed, as `mailSenderOf`. @throws DomainError `too_many_requests`. */
  async invite(invitation: { sender: string; projectId: string; email: string }): Promise<void> {
    const { sender, projectId, email } = invitation;
    const mailbox = mailboxOf(email);
    await this.takeForPerson(sender);
    await this.invitationsByProject.take(projectId);
    await this.invitationsByProjectAndEmail.take(`${projectId}\n${mailbox}`);
    await this.invitationsByEmail.take(mailbox);
  }

  /** Counts a try to follow a link. @throws DomainError `too_many_requests`. */
  async followLink(address: string): Promise<void> {
    await this.linksByNetwork.take(clientNetwork(address));
  }

  /** The hour first: what it refuses does not count towards the day. */
  private async takeForPerson(sender: string): Promise<void> {
    await this.mailsByPersonAndHour.take(sender);
    await this.mailsByPersonAndDay.take(sender);
  }

  private async takeForMailbox(
    kind: AskKind | 'change_email',
    email: string,
    network: string,
  ): Promise<void> {
    const mailbox = mailboxOf(email);
    await this.asksByMailboxAndNetwork.take(`${mailbox}\n${network}`);
    await this.asksByEmailAndNetwork.take(`${kind}\n${mailbox}\n${network}`);
    if (!(await this.networks.isKnown(email, network))) await this.asksByEmail.take(`${kind}\n${mailbox}`);
  }
}
