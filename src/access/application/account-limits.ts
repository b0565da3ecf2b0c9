import { Injectable } from '@nestjs/common';
import { clientNetwork } from '../../shared/client-network.js';
import { SettingsFrom } from '../../shared/inject-settings.js';
import { type AccessSettings, accessSettings } from '../access.settings.js';
import { AttemptLimit } from '../infrastructure/attempt-limit.js';
import { AuthPool } from '../infrastructure/auth-pool.js';

/** An office may sit behind one address. */
export const ASKS_PER_NETWORK_MAX = 30;
const NETWORK_WINDOW_SECONDS = 60;
/** Mails that one network may have sent to one address: who has lost a mail asks two or three times. */
export const ASKS_PER_EMAIL_AND_NETWORK_MAX = 5;
/** Mails that all networks together may have sent to one address, so that nobody's mailbox is flooded by us. */
export const ASKS_PER_EMAIL_MAX = 20;
/** Invitations that one project may have mailed: a team of a hundred in a day. */
export const INVITATIONS_PER_DAY_MAX = 100;
const DAY_SECONDS = 24 * 60 * 60;
const EMAIL_WINDOW_SECONDS = 60 * 60;

const REFUSAL = 'There were too many attempts. Wait before the next one.';

/**
 * Bounds what strangers may have mailed, and how often links can be tried. Known and unknown addresses count alike, so a
 * refusal tells nothing of whether somebody has an account.
 */
@Injectable()
export class AccountLimits {
  private readonly asksByNetwork: AttemptLimit;
  private readonly asksByEmailAndNetwork: AttemptLimit;
  private readonly asksByEmail: AttemptLimit;
  private readonly linksByNetwork: AttemptLimit;
  private readonly invitationsByProject: AttemptLimit;

  constructor({ pool }: AuthPool, @SettingsFrom(accessSettings) { authSecret: secret }: AccessSettings) {
    const shared = { pool, secret, refusal: REFUSAL };
    const byNetwork = {
      ...shared,
      attemptsMax: ASKS_PER_NETWORK_MAX,
      windowSeconds: NETWORK_WINDOW_SECONDS,
    };
    const byEmail = { ...shared, windowSeconds: EMAIL_WINDOW_SECONDS };
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
  }

  /** Counts a wish that sends a mail to `email`. @throws DomainError `too_many_requests`. */
  async ask(email: string, address: string): Promise<void> {
    const network = clientNetwork(address);
    await this.asksByNetwork.take(network);
    await this.asksByEmailAndNetwork.take(`${email}\n${network}`);
    await this.asksByEmail.take(email);
  }

  /** Counts an invitation that is mailed. @throws DomainError `too_many_requests`. */
  async invite(projectId: string, email: string): Promise<void> {
    await this.invitationsByProject.take(projectId);
    await this.asksByEmail.take(email);
  }

  /** Counts a try to follow a link. @throws DomainError `too_many_requests`. */
  async followLink(address: string): Promise<void> {
    await this.linksByNetwork.take(clientNetwork(address));
  }
}
