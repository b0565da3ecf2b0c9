import { Injectable } from '@nestjs/common';
import { passwordsBusy } from '../infrastructure/passwords.js';

/**
 * The rest of the password queue is reserved for sessions, links and networks with a recent
 * sign-in.
 */
const STRANGER_PASSWORDS_MAX = 32;

/**
 * Bounds the passwords of strangers that are under way at once in one process: sign-ins from networks that the account
 * does not know, and sign-ups. A flood of them does not keep people out who sign in from home.
 */
@Injectable()
export class StrangerPasswords {
  private underWay = 0;

  /** @throws DomainError `too_many_requests`; what `work` throws. */
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
