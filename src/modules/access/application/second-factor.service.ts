import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { InjectSettings } from '../../../platform/settings/inject-settings.js';
import { writeAudit, writeSecurityEvent } from '../../audit/audit.log.js';
import { truncatedNetwork } from '../../audit/domain/author.js';
import type { SecurityAction } from '../../audit/domain/audit-event.js';
import { ProjectService } from '../../projects/project.service.js';
import { accessSettings, type AccessSettings } from '../access.settings.js';
import { type Actor, requireUser, toAuthor, type UserActor } from '../domain/actor.js';
import type { SignInClient } from '../domain/session.js';
import { AuthLibrary, cookieHeaders, sessionHeaders } from '../infrastructure/auth-library.js';
import { AuthPool } from '../infrastructure/auth-pool.js';
import { ProjectSignInPolicy } from '../infrastructure/second-factor.entities.js';
import { SharedRateLimiter } from '../infrastructure/shared-rate-limiter.js';
import { AccountLimits } from './account-limits.js';
import { AccountMails } from './account-mails.js';
import {
  codeRefused,
  countingFailure,
  isWrongSecret,
  secondFactorMissing,
  toAuthRefusal,
} from './auth-refusal.js';
import { requireManager } from './require-manager.js';
import { type SignIn, SignInService, userOf } from './sign-in.service.js';

/** Longer than a code's validity: 30 s, plus the adjacent periods. */
const USED_CODE_WINDOW_SECONDS = 120;

/** The library's cookie of a sign-in that lacks the second factor; the part after the dot is a signature. */
const HALF_SIGN_IN = /(?:^|; )(?:__Host-)?auth\.two_factor=([^;]*)/;

/** The second factor beside the password: an authenticator code, or a recovery code. */
export type SecondFactor = { code: string } | { recoveryCode: string };

/** Second factors: TOTP (RFC 6238) and recovery codes, stored and checked by better-auth. */
@Injectable()
export class SecondFactorService {
  private readonly usedCodes: SharedRateLimiter;

  constructor(
    private readonly em: EntityManager,
    private readonly library: AuthLibrary,
    private readonly authPool: AuthPool,
    private readonly signIns: SignInService,
    private readonly limits: AccountLimits,
    private readonly mails: AccountMails,
    @InjectSettings(accessSettings) { authSecret: secret }: AccessSettings,
  ) {
    this.usedCodes = new SharedRateLimiter({
      pool: authPool.pool,
      secret,
      name: 'used_code',
      points: 1,
      windowSeconds: USED_CODE_WINDOW_SECONDS,
      refusal: '',
    });
  }

  /**
   * Starts the set-up of a factor: the URI for an authenticator, and recovery codes, returned only
   * here. Sign-ins require it only after `confirm`.
   * @throws DomainError `invalid_credentials`, `second_factor_enabled`, `too_many_requests`.
   */
  async begin(
    user: UserActor,
    password: string,
    { cookie }: SignInClient,
  ): Promise<{ totpUri: string; recoveryCodes: string[] }> {
    const library = await this.library.api();
    const attempt = await this.signIns.countPassword(user.userId);
    const made = await countingFailure(attempt, () =>
      library.enableTwoFactor({ body: { password, method: 'totp' }, headers: cookieHeaders(cookie) }),
    );
    if (made.method !== 'totp') throw new Error('better-auth set up a different factor than requested');
    return { totpUri: made.totpURI, recoveryCodes: made.backupCodes };
  }

  /**
   * Activates the factor.
   * @throws DomainError `second_factor_invalid`, `second_factor_missing`, `too_many_requests`.
   */
  async confirm(user: UserActor, code: string, client: SignInClient): Promise<SignIn> {
    const library = await this.library.api();
    const attempt = await this.signIns.countPassword(`${user.userId}\ncode`);
    const { headers, response } = await countingFailure(attempt, () =>
      this.usingOnce(user.userId, code, () =>
        library.verifyTOTP({ body: { code }, headers: sessionHeaders(client), returnHeaders: true }),
      ),
    );
    await this.notify(user, 'second_factor_enabled');
    return { user: userOf(response.user), cookies: headers.getSetCookie() };
  }

  /**
   * Removes the factor. @throws DomainError `invalid_credentials`, `second_factor_missing`,
   * `too_many_requests`.
   */
  async disable(user: UserActor, password: string, client: SignInClient): Promise<string[]> {
    const library = await this.library.api();
    const attempt = await this.signIns.countPassword(user.userId);
    const { headers } = await countingFailure(attempt, () =>
      library.disableTwoFactor({ body: { password }, headers: sessionHeaders(client), returnHeaders: true }),
    );
    await this.notify(user, 'second_factor_disabled');
    return headers.getSetCookie();
  }

  /**
   * Returns new recovery codes, only here. @throws DomainError `invalid_credentials`,
   * `second_factor_missing`, `too_many_requests`.
   */
  async replaceRecoveryCodes(user: UserActor, password: string, { cookie }: SignInClient): Promise<string[]> {
    const library = await this.library.api();
    const attempt = await this.signIns.countPassword(user.userId);
    const { backupCodes } = await countingFailure(attempt, () =>
      library.generateBackupCodes({ body: { password }, headers: cookieHeaders(cookie) }),
    );
    await this.notify(user, 'recovery_codes_replaced');
    return backupCodes;
  }

  /**
   * The second step of a sign-in: opens the session. Five tries per password, ten in a row per
   * account.
   * @throws DomainError `second_factor_invalid`, `authentication_required`, `too_many_requests`.
   */
  async signIn(factor: SecondFactor, client: SignInClient): Promise<SignIn> {
    const library = await this.library.api();
    const { address } = client;
    await this.limits.followLink(address);
    const cookie = withoutSession(client.cookie);
    const headers = sessionHeaders({ ...client, cookie });
    const opened = await (
      'code' in factor
        ? library.verifyTOTP({ body: { code: factor.code }, headers, returnHeaders: true })
        : library.verifyBackupCode({ body: { code: factor.recoveryCode }, headers, returnHeaders: true })
    ).catch(async (error: unknown) => {
      const refusal = toAuthRefusal(error);
      const userId = isWrongSecret(refusal) ? await this.halfSignedIn(cookie) : null;
      if (userId) await this.noteSecondStep(userId, 'second_factor_failed', address);
      throw refusal;
    });
    const { token, user } = opened.response;
    if ('code' in factor) await this.refuseUsed(user.id, factor.code, { token: token ?? '', address });
    else await this.noteSecondStep(user.id, 'recovery_code_used', address);
    await this.signIns.signedIn(user, client);
    return { user: userOf(user), cookies: opened.headers.getSetCookie() };
  }

  /**
   * Accepts a code only once, across set-up and sign-in (RFC 6238 §5.2): it is consumed before the
   * library checks it, and refunded if the library refuses it.
   */
  private async usingOnce<Result>(
    userId: string,
    code: string,
    check: () => Promise<Result>,
  ): Promise<Result> {
    const subject = `${userId}\n${code}`;
    await this.usedCodes.consume(subject).catch(() => {
      throw codeRefused();
    });
    try {
      return await check();
    } catch (error) {
      await this.usedCodes.refund(subject);
      throw error;
    }
  }

  /** Like `usingOnce` for a sign-in, whose user is known only once the library has accepted the code. */
  private async refuseUsed(
    userId: string,
    code: string,
    opened: { token: string; address: string },
  ): Promise<void> {
    try {
      await this.usedCodes.consume(`${userId}\n${code}`);
    } catch {
      await this.authPool.pool.query('delete from user_session where token = $1', [opened.token]);
      await this.noteSecondStep(userId, 'second_factor_failed', opened.address);
      throw codeRefused();
    }
  }

  /** The user of an unfinished sign-in cookie; the library has checked its signature. */
  private async halfSignedIn(cookie: string): Promise<string | null> {
    const [, value = ''] = HALF_SIGN_IN.exec(cookie) ?? [];
    const [identifier = ''] = value.split('.');
    const { rows } = await this.authPool.pool.query<{ userId: string }>(
      `select u.id as "userId" from user_verification v join app_user u on u.id::text = v.value
       where v.identifier = $1`,
      [identifier],
    );
    return rows[0]?.userId ?? null;
  }

  private async noteSecondStep(userId: string, action: SecurityAction, address: string): Promise<void> {
    await writeSecurityEvent(this.em.fork(), { userId, action, network: truncatedNetwork(address) });
  }

  private async notify({ userId, email, network }: UserActor, action: SecurityAction): Promise<void> {
    await this.em.fork().transactional(async (tx) => {
      await writeSecurityEvent(tx, { userId, action, network });
      await this.mails.secondFactorChanged(tx, email, action);
    });
  }
}

/** The cookies of an unfinished sign-in; the library would prefer a session cookie beside them. */
function withoutSession(cookie: string | undefined): string {
  const parts = (cookie ?? '').split(';').map((part) => part.trim());
  return parts.filter((part) => !/^(__Host-)?auth\.session_token=/.test(part)).join('; ');
}

interface SignInPolicy {
  secondFactorRequired: boolean;
}

/** A project's sign-in requirements for members; API keys are exempt. */
@Injectable()
export class SignInPolicyService {
  constructor(
    private readonly em: EntityManager,
    private readonly projects: ProjectService,
  ) {}

  async read(projectId: string, em: EntityManager = this.em.fork()): Promise<SignInPolicy> {
    const policy = await em.findOne(ProjectSignInPolicy, { projectId });
    return { secondFactorRequired: policy?.secondFactorRequired ?? false };
  }

  /**
   * Members without a second factor are refused from their next request on. Every change of the
   * policy requires the session of an owner with a second factor, which an API key lacks.
   * @throws DomainError `session_required`, `second_factor_missing`, and as `requireManager`.
   */
  async save(projectId: string, requested: SignInPolicy, actor: Actor): Promise<SignInPolicy> {
    const { secondFactorRequired } = requested;
    if (!requireUser(actor).secondFactor) throw secondFactorMissing();
    await this.em.fork().transactional(async (tx) => {
      await this.projects.lock(tx, projectId);
      await requireManager(tx, actor, projectId);
      const before = await this.read(projectId, tx);
      if (before.secondFactorRequired === secondFactorRequired) return;
      await tx.upsert(ProjectSignInPolicy, { projectId, secondFactorRequired });
      await writeAudit(tx, toAuthor(actor), {
        projectId,
        action: 'sign_in_policy.save',
        before: { ...before },
        after: { secondFactorRequired },
      });
    });
    return { secondFactorRequired };
  }
}
