import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DomainError, fieldErrors } from '../../shared/domain-error.js';
import { InjectSettings, type Settings } from '../../shared/settings.js';
import { clientNetwork } from '../domain/client-network.js';
import { AttemptLimit } from '../infrastructure/attempt-limit.js';
import { AuthPool } from '../infrastructure/auth-pool.js';
import { type Auth, createAuth } from '../infrastructure/auth.js';

/** An office may sit behind one address; guessing one password is bounded by the e-mail's own count. */
export const ATTEMPTS_PER_ADDRESS_MAX = 30;
const ADDRESS_WINDOW_SECONDS = 60;
export const FAILURES_PER_EMAIL_MAX = 10;
const EMAIL_WINDOW_SECONDS = 15 * 60;

/** Sessions of one user at once; the oldest goes when one more is opened. */
export const SESSIONS_PER_USER_MAX = 50;

export interface SignedInUser {
  id: string;
  name: string;
  email: string;
}

/** A user and the `Set-Cookie` values that open, renew or end the session. */
export interface SignIn {
  user: SignedInUser;
  cookies: string[];
}

export interface Session {
  user: SignedInUser;
  session: { expiresAt: Date };
}

/** Signing up, in and out, and who a session cookie belongs to. */
@Injectable()
export class SignInService implements OnModuleInit {
  private readonly auth: Auth;
  private readonly signInsByAddress: AttemptLimit;
  private readonly signUpsByAddress: AttemptLimit;
  private readonly failuresByEmail: AttemptLimit;

  constructor(
    @InjectSettings() settings: Settings,
    private readonly authPool: AuthPool,
  ) {
    const { pool } = authPool;
    const shared = { pool, secret: settings.authSecret };
    const byAddress = {
      ...shared,
      attemptsMax: ATTEMPTS_PER_ADDRESS_MAX,
      windowSeconds: ADDRESS_WINDOW_SECONDS,
      refusal: 'There were too many attempts from this address. Wait before the next one.',
    };
    this.auth = createAuth(settings, pool);
    this.signInsByAddress = new AttemptLimit({ ...byAddress, name: 'sign_in_address' });
    this.signUpsByAddress = new AttemptLimit({ ...byAddress, name: 'sign_up_address' });
    this.failuresByEmail = new AttemptLimit({
      ...shared,
      name: 'failure_email',
      attemptsMax: FAILURES_PER_EMAIL_MAX,
      windowSeconds: EMAIL_WINDOW_SECONDS,
      refusal: 'There were too many failed attempts for this e-mail. Wait before the next one.',
    });
  }

  /** Wrong options of the library stop the start, not the first sign-in. */
  async onModuleInit(): Promise<void> {
    await this.auth.$context;
  }

  /**
   * Makes a user and opens a session. `address` is the client's.
   * @throws DomainError `user_exists`, `validation_failed`, `too_many_requests`.
   */
  async signUp(
    fields: { email: string; password: string; name: string; rememberMe?: boolean | undefined },
    address: string,
  ): Promise<SignIn> {
    await this.signUpsByAddress.take(clientNetwork(address));
    try {
      const { headers, response } = await this.auth.api.signUpEmail({ body: fields, returnHeaders: true });
      return { user: userOf(response.user), cookies: headers.getSetCookie() };
    } catch (error) {
      // The library has one code for every failed insert; of two sign-ups at once, one loses on the unique e-mail.
      const lostRace = codeOf(error) === 'FAILED_TO_CREATE_USER' && (await this.isSignedUp(fields.email));
      throw lostRace ? userExists() : refusalOf(error);
    }
  }

  /**
   * Opens a session. At most 30 attempts a minute from one address, and 10 failures in 15 minutes for one
   * e-mail, whatever the address.
   * @throws DomainError `invalid_credentials`, the same for an unknown e-mail; `too_many_requests`.
   */
  async signIn(
    fields: { email: string; password: string; rememberMe?: boolean | undefined },
    address: string,
  ): Promise<SignIn> {
    await this.signInsByAddress.take(clientNetwork(address));
    const { headers, response } = await this.countingFailures(fields.email, () =>
      this.auth.api.signInEmail({ body: fields, returnHeaders: true }),
    );
    await this.dropSurplusSessions(response.user.id);
    return { user: userOf(response.user), cookies: headers.getSetCookie() };
  }

  /** Ends the session of the cookie, if there is one. Returns the values that delete the cookies. */
  async signOut(cookie: string | undefined): Promise<string[]> {
    const { headers } = await this.auth.api.signOut({ headers: cookieHeaders(cookie), returnHeaders: true });
    return headers.getSetCookie();
  }

  /**
   * Sets a new password and ends all other sessions of the user.
   * @throws DomainError `invalid_credentials` where the current password is wrong; `too_many_requests`.
   */
  async changePassword(
    email: string,
    passwords: { currentPassword: string; newPassword: string },
    cookie: string | undefined,
  ): Promise<SignIn> {
    const { headers, response } = await this.countingFailures(email, () =>
      this.auth.api.changePassword({
        body: { ...passwords, revokeOtherSessions: true },
        headers: cookieHeaders(cookie),
        returnHeaders: true,
      }),
    );
    return { user: userOf(response.user), cookies: headers.getSetCookie() };
  }

  /** The user of a session cookie, or null. Only reads: a session is not prolonged by being used. */
  async find(cookie: string | undefined): Promise<SignedInUser | null> {
    if (cookie === undefined) return null;
    const session = await this.auth.api.getSession({
      headers: cookieHeaders(cookie),
      query: { disableRefresh: true },
    });
    return session && userOf(session.user);
  }

  /** As `find`, and prolongs a session that is older than a day; `cookies` carries what then changes. */
  async renew(cookie: string | undefined): Promise<{ session: Session | null; cookies: string[] }> {
    const { headers, response } = await this.auth.api.getSession({
      headers: cookieHeaders(cookie),
      returnHeaders: true,
    });
    const session = response && {
      user: userOf(response.user),
      session: { expiresAt: new Date(response.session.expiresAt) },
    };
    return { session, cookies: headers.getSetCookie() };
  }

  /** Runs an attempt that gives a password; one that does not fail on it is not counted. */
  private async countingFailures<Result>(email: string, attempt: () => Promise<Result>): Promise<Result> {
    const subject = email.toLowerCase();
    await this.failuresByEmail.take(subject);
    try {
      const result = await attempt();
      await this.failuresByEmail.giveBack(subject);
      return result;
    } catch (error) {
      const refusal = refusalOf(error);
      const failed = refusal instanceof DomainError && refusal.code === 'invalid_credentials';
      if (!failed) await this.failuresByEmail.giveBack(subject);
      throw refusal;
    }
  }

  private async isSignedUp(email: string): Promise<boolean> {
    const { rows } = await this.authPool.pool.query('select 1 from app_user where email = $1', [
      email.toLowerCase(),
    ]);
    return rows.length > 0;
  }

  private async dropSurplusSessions(userId: string): Promise<void> {
    await this.authPool.pool.query(
      `delete from user_session where user_id = $1 and (expires_at < now() or id in (
         select id from user_session where user_id = $1 order by created_at desc offset $2))`,
      [userId, SESSIONS_PER_USER_MAX],
    );
  }
}

function userOf(user: { id: string; name: string; email: string }): SignedInUser {
  return { id: user.id, name: user.name, email: user.email };
}

/** The library is shown the cookie alone: it believes headers such as `X-Forwarded-For`. */
function cookieHeaders(cookie: string | undefined): Headers {
  return new Headers(cookie === undefined ? {} : { cookie });
}

/** The library throws its refusals as two classes, of which it exports one; both are named `APIError`. */
function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || error.name !== 'APIError' || !('body' in error)) return undefined;
  const body: unknown = error.body;
  const code = typeof body === 'object' && body !== null && 'code' in body ? body.code : undefined;
  return typeof code === 'string' ? code : undefined;
}

function userExists(): DomainError {
  return new DomainError('user_exists', 'Somebody signed up with this e-mail already. Sign in instead.');
}

/** What the library's refusal is called here; anything unexpected stays what it is and becomes a 500. */
function refusalOf(error: unknown): unknown {
  switch (codeOf(error)) {
    case 'INVALID_EMAIL_OR_PASSWORD':
    case 'INVALID_PASSWORD':
    case 'CREDENTIAL_ACCOUNT_NOT_FOUND':
      return new DomainError('invalid_credentials', 'The e-mail or the password is wrong.');
    case 'USER_ALREADY_EXISTS':
    case 'USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL':
      return userExists();
    case 'INVALID_EMAIL':
    case 'VALIDATION_ERROR':
      return fieldErrors([{ field: 'email', message: 'Give a valid e-mail address.' }]);
    case 'UNAUTHORIZED':
      return new DomainError('authentication_required', 'Sign in first.');
    default:
      return error;
  }
}
