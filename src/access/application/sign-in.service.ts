import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DomainError, fieldErrors } from '../../shared/domain-error.js';
import { SettingsFrom } from '../../shared/inject-settings.js';
import { type ServiceSettings, serviceSettings } from '../../shared/service.settings.js';
import { type AccessSettings, accessSettings } from '../access.settings.js';
import { clientNetwork } from '../../shared/client-network.js';
import { sessionEnd } from '../domain/session-end.js';
import { AttemptLimit } from '../infrastructure/attempt-limit.js';
import { AuthPool } from '../infrastructure/auth-pool.js';
import { type Auth, createAuth } from '../infrastructure/auth.js';
import { KnownNetworks } from '../infrastructure/known-networks.js';
import { type Attempt, PasswordAttempts } from './password-attempts.js';

/** An office may sit behind one address; guessing one password is bounded by `PasswordAttempts`. */
export const ATTEMPTS_PER_ADDRESS_MAX = 30;
const ADDRESS_WINDOW_SECONDS = 60;

/** Sessions of one user at once; the oldest goes when one more is opened. */
export const SESSIONS_PER_USER_MAX = 50;

export interface SignedInUser {
  id: string;
  name: string;
  email: string;
  /** Whether she has proven that the address is hers; never false for accounts made since addresses are. */
  emailVerified: boolean;
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

/** Signing in and out, and who a session cookie belongs to. */
@Injectable()
export class SignInService implements OnModuleInit {
  private readonly auth: Auth;
  private readonly signInsByAddress: AttemptLimit;
  private readonly networks: KnownNetworks;
  private readonly attempts: PasswordAttempts;

  constructor(
    @SettingsFrom(serviceSettings) service: ServiceSettings,
    @SettingsFrom(accessSettings) { authSecret }: AccessSettings,
    private readonly authPool: AuthPool,
  ) {
    const { pool } = authPool;
    const shared = { pool, secret: authSecret };
    const byAddress = {
      ...shared,
      attemptsMax: ATTEMPTS_PER_ADDRESS_MAX,
      windowSeconds: ADDRESS_WINDOW_SECONDS,
      refusal: 'There were too many attempts from this address. Wait before the next one.',
    };
    this.auth = createAuth({ ...service, authSecret }, pool);
    this.signInsByAddress = new AttemptLimit({ ...byAddress, name: 'sign_in_address' });
    this.networks = new KnownNetworks(pool, authSecret);
    this.attempts = new PasswordAttempts(shared, this.networks);
  }

  /** Wrong options of the library stop the start, not the first sign-in. */
  async onModuleInit(): Promise<void> {
    await this.auth.$context;
  }

  /**
   * Opens a session. At most 30 attempts a minute from one network; failures as `PasswordAttempts` bounds
   * them.
   * @throws DomainError `invalid_credentials`, the same for an unknown e-mail; `too_many_requests`.
   */
  async signIn(
    fields: { email: string; password: string; rememberMe?: boolean | undefined },
    address: string,
  ): Promise<SignIn> {
    const network = clientNetwork(address);
    await this.signInsByAddress.take(network);
    const attempt = await this.attempts.signIn(fields.email.toLowerCase(), network);
    const { headers, response } = await countingFailure(attempt, () =>
      this.auth.api.signInEmail({ body: fields, returnHeaders: true }),
    );
    await this.networks.remember(response.user, network);
    await this.dropSurplusSessions(response.user.id);
    return { user: userOf(response.user), cookies: headers.getSetCookie() };
  }

  /** Counts a try at a password of `subject` other than at sign-in. @throws DomainError `too_many_requests`. */
  countPassword(subject: string): Promise<Attempt> {
    return this.attempts.change(subject);
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
    userId: string,
    passwords: { currentPassword: string; newPassword: string },
    cookie: string | undefined,
  ): Promise<SignIn> {
    const attempt = await this.attempts.change(userId);
    const { headers, response } = await countingFailure(attempt, () =>
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
    return session && sessionEnd(session.session) > new Date() ? userOf(session.user) : null;
  }

  /** As `find`, and prolongs a session that is older than a day; `cookies` carries what then changes. */
  async renew(cookie: string | undefined): Promise<{ session: Session | null; cookies: string[] }> {
    // Prolonged for good, a cookie that was stolen once would be good for ever.
    if (!(await this.find(cookie))) {
      return { session: null, cookies: cookie === undefined ? [] : await this.signOut(cookie) };
    }
    const { headers, response } = await this.auth.api.getSession({
      headers: cookieHeaders(cookie),
      returnHeaders: true,
    });
    const session = response && {
      user: userOf(response.user),
      session: { expiresAt: sessionEnd(response.session) },
    };
    return { session, cookies: headers.getSetCookie() };
  }

  private async dropSurplusSessions(userId: string): Promise<void> {
    await this.authPool.pool.query(
      `delete from user_session where user_id = $1 and (expires_at < now() or id in (
         select id from user_session where user_id = $1 order by created_at desc offset $2))`,
      [userId, SESSIONS_PER_USER_MAX],
    );
  }
}

/** Makes an attempt; one that does not fail on the password is not counted. */
async function countingFailure<Result>(counted: Attempt, make: () => Promise<Result>): Promise<Result> {
  try {
    const result = await make();
    await counted.forget();
    return result;
  } catch (error) {
    const refusal = refusalOf(error);
    const failed = refusal instanceof DomainError && refusal.code === 'invalid_credentials';
    if (!failed) await counted.forget();
    throw refusal;
  }
}

function userOf({ id, name, email, emailVerified }: SignedInUser): SignedInUser {
  return { id, name, email, emailVerified };
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

/** What the library's refusal is called here; anything unexpected stays what it is and becomes a 500. */
function refusalOf(error: unknown): unknown {
  switch (codeOf(error)) {
    case 'INVALID_EMAIL_OR_PASSWORD':
    case 'INVALID_PASSWORD':
    case 'CREDENTIAL_ACCOUNT_NOT_FOUND':
      return new DomainError('invalid_credentials', 'The e-mail or the password is wrong.');
    case 'INVALID_EMAIL':
    case 'VALIDATION_ERROR':
      return fieldErrors([{ field: 'email', message: 'Give a valid e-mail address.' }]);
    case 'UNAUTHORIZED':
      return new DomainError('authentication_required', 'Sign in first.');
    default:
      return error;
  }
}
