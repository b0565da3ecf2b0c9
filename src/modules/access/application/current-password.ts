import { Injectable } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { DomainError } from '../../../platform/errors/domain-error.js';
import { Passwords } from '../infrastructure/passwords.js';
import { findPasswordHash } from '../infrastructure/user.rows.js';
import { SignInService } from './sign-in.service.js';

/** Requires the account's password again for actions that a stolen session must not allow. */
@Injectable()
export class CurrentPassword {
  constructor(
    private readonly em: EntityManager,
    private readonly passwords: Passwords,
    private readonly signIns: SignInService,
  ) {}

  /**
   * Counts failures for `subject`, by default the user.
   *
   * @throws DomainError `invalid_credentials`, `too_many_requests`.
   */
  async require(userId: string, password: string, subject = userId): Promise<void> {
    const attempt = await this.signIns.countPassword(subject);
    const hash = await findPasswordHash(this.em.fork(), userId);
    if (hash === null || !(await this.passwords.matches(password, hash)))
      throw new DomainError('invalid_credentials', 'The current password is incorrect.');
    await attempt.refund();
  }
}
