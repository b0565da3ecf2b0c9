import { Injectable } from '@nestjs/common';
import { DomainError } from '../../../platform/errors/domain-error.js';
import type { UserActor } from '../domain/actor.js';
import { isRecentSignIn } from '../domain/personal-token.js';
import { CurrentPassword } from './password.service.js';

/** Requires a recent sign-in for actions that a stolen session must not allow. */
@Injectable()
export class RecentSignIn {
  constructor(private readonly password: CurrentPassword) {}

  /**
   * The session was opened within the last hour, or the request has the account's password.
   * @throws DomainError `recent_sign_in_required`, `invalid_credentials`, `too_many_requests`.
   */
  async require({ userId, signedInAt }: UserActor, password: string | undefined): Promise<void> {
    if (password !== undefined) await this.password.require(userId, password);
    else if (!isRecentSignIn(signedInAt, new Date()))
      throw new DomainError('recent_sign_in_required', 'Enter your password again, or sign in again.');
  }
}
