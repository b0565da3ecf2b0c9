import type { Pool } from 'pg';
import { AttemptLimit } from '../infrastructure/attempt-limit.js';
import type { KnownNetworks } from '../infrastructure/known-networks.js';

/** Wrong passwords for one email from one network. The limit affects only that network. */
export const FAILURES_PER_NETWORK_MAX = 10;
const NETWORK_WINDOW_SECONDS = 15 * 60;

/**
 * Wrong passwords for one email from all networks together, except those from which the user signed
 * in recently. NIST SP 800-63B §5.2.2 allows at most 100 in a row. The limit locks the user out of
 * new networks for at most an hour, and bounds an attacker with any number of networks to 2,400
 * guesses a day.
 */
export const FAILURES_PER_EMAIL_MAX = 100;
const EMAIL_WINDOW_SECONDS = 60 * 60;

/** Wrong current passwords of one user's sessions: strangers cannot use it up. */
export const FAILURES_PER_CHANGE_MAX = 10;
const CHANGE_WINDOW_SECONDS = 15 * 60;

/** Bounds how often passwords can be guessed. Only wrong ones count: see `Attempt`. */
export class PasswordAttempts {
  private readonly byNetwork: AttemptLimit;
  private readonly byEmail: AttemptLimit;
  private readonly byChange: AttemptLimit;

  constructor(
    options: { pool: Pool; secret: string },
    private readonly networks: KnownNetworks,
  ) {
    const refusal = 'Too many failed attempts for this email. Wait before you try again.';
    this.byNetwork = new AttemptLimit({
      ...options,
      name: 'failure_email_network',
      attemptsMax: FAILURES_PER_NETWORK_MAX,
      windowSeconds: NETWORK_WINDOW_SECONDS,
      refusal,
    });
    this.byEmail = new AttemptLimit({
      ...options,
      name: 'failure_email',
      attemptsMax: FAILURES_PER_EMAIL_MAX,
      windowSeconds: EMAIL_WINDOW_SECONDS,
      refusal,
    });
    this.byChange = new AttemptLimit({
      ...options,
      name: 'failure_change',
      attemptsMax: FAILURES_PER_CHANGE_MAX,
      windowSeconds: CHANGE_WINDOW_SECONDS,
      refusal: 'Too many attempts with a wrong current password. Wait before you try again.',
    });
  }

  /** Counts an attempt to sign in. @throws DomainError `too_many_requests`, and then nothing is counted. */
  async signIn(email: string, network: string): Promise<Attempt> {
    const attempt = new Attempt();
    await attempt.take(this.byNetwork, `${email}\n${network}`);
    attempt.isFromKnownNetwork = await this.networks.isKnown(email, network);
    if (!attempt.isFromKnownNetwork) await attempt.take(this.byEmail, email);
    return attempt;
  }

  /** Counts an attempt to change the password. @throws DomainError `too_many_requests`. */
  async change(userId: string): Promise<Attempt> {
    const attempt = new Attempt();
    await attempt.take(this.byChange, userId);
    return attempt;
  }
}

/** An attempt that was counted before it is made, so that many at once cannot pass together. */
export class Attempt {
  /** Whether the user signed in from the caller's network lately. */
  isFromKnownNetwork = false;
  private readonly taken: { limit: AttemptLimit; subject: string }[] = [];

  async take(limit: AttemptLimit, subject: string): Promise<void> {
    try {
      await limit.take(subject);
    } catch (error) {
      await this.forget();
      throw error;
    }
    this.taken.push({ limit, subject });
  }

  /** The password was right, or the attempt failed on something else: it does not count. */
  async forget(): Promise<void> {
    for (const { limit, subject } of this.taken) await limit.giveBack(subject);
  }
}
