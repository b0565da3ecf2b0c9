import { Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import type { KnownNetworks } from '../infrastructure/known-networks.js';
import { passwordsBusy } from '../infrastructure/passwords.js';
import { SharedRateLimiter } from '../infrastructure/shared-rate-limiter.js';

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

/** Wrong current passwords in one user's sessions; anonymous callers cannot consume this limit. */
export const FAILURES_PER_CHANGE_MAX = 10;
const CHANGE_WINDOW_SECONDS = 15 * 60;

/** Limits how often passwords can be guessed. Only wrong ones count: see `PasswordAttempt`. */
export class PasswordAttempts {
  private readonly byNetwork: SharedRateLimiter;
  private readonly byEmail: SharedRateLimiter;
  private readonly byChange: SharedRateLimiter;

  constructor(
    options: { pool: Pool; secret: string },
    private readonly networks: KnownNetworks,
  ) {
    const refusal = 'Too many failed attempts for this email. Wait before you try again.';
    this.byNetwork = new SharedRateLimiter({
      ...options,
      name: 'failure_email_network',
      points: FAILURES_PER_NETWORK_MAX,
      windowSeconds: NETWORK_WINDOW_SECONDS,
      refusal,
    });
    this.byEmail = new SharedRateLimiter({
      ...options,
      name: 'failure_email',
      points: FAILURES_PER_EMAIL_MAX,
      windowSeconds: EMAIL_WINDOW_SECONDS,
      refusal,
    });
    this.byChange = new SharedRateLimiter({
      ...options,
      name: 'failure_change',
      points: FAILURES_PER_CHANGE_MAX,
      windowSeconds: CHANGE_WINDOW_SECONDS,
      refusal: 'Too many attempts with a wrong current password. Wait before you try again.',
    });
  }

  /** Counts an attempt to sign in. @throws DomainError `too_many_requests`, and then nothing is counted. */
  async signIn(email: string, network: string): Promise<PasswordAttempt> {
    const attempt = new PasswordAttempt();
    await attempt.consume(this.byNetwork, `${email}\n${network}`);
    attempt.isFromKnownNetwork = await this.networks.isKnown(email, network);
    if (!attempt.isFromKnownNetwork) await attempt.consume(this.byEmail, email);
    return attempt;
  }

  /** Counts an attempt to change the password. @throws DomainError `too_many_requests`. */
  async change(userId: string): Promise<PasswordAttempt> {
    const attempt = new PasswordAttempt();
    await attempt.consume(this.byChange, userId);
    return attempt;
  }
}

/** An attempt that is counted before it is made, so that concurrent attempts cannot exceed the limit. */
export class PasswordAttempt {
  /** Whether the user signed in from the caller's network recently. */
  isFromKnownNetwork = false;
  private readonly consumed: { limiter: SharedRateLimiter; subject: string }[] = [];

  async consume(limiter: SharedRateLimiter, subject: string): Promise<void> {
    try {
      await limiter.consume(subject);
    } catch (error) {
      await this.refund();
      throw error;
    }
    this.consumed.push({ limiter, subject });
  }

  /** Uncounts the attempt: the password was right, or something else failed. */
  async refund(): Promise<void> {
    for (const { limiter, subject } of this.consumed) await limiter.refund(subject);
  }
}

/** The rest of the password queue is reserved for sessions, links and networks with a recent sign-in. */
const STRANGER_PASSWORDS_MAX = 32;

/**
 * Limits the concurrent password hashes for unknown clients in one process: sign-ins from networks
 * that the account has not used, and sign-ups. So a flood of them does not block users who sign in
 * from home.
 */
@Injectable()
export class StrangerPasswords {
  private underWay = 0;

  /** @throws DomainError `too_many_requests`; any error of `work`. */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.underWay >= STRANGER_PASSWORDS_MAX) throw passwordsBusy();
    this.underWay += 1;
    try {
      return await work();
    } finally {
      this.underWay -= 1;
    }
  }
}
