import { Injectable } from '@nestjs/common';
import { passwordsBusy } from '../infrastructure/passwords.js';

/**
 * The rest of the password queue is reserved for sessions, links and networks with a recent
 * sign-in.
 */
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
