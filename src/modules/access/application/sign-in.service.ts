import { Injectable, Logger } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { writeSecurityEvent } from '../../audit/audit.log.js';
import { truncatedNetwork } from '../../audit/domain/author.js';
import { InjectSettings } from '../../../platform/settings/inject-settings.js';
import { type AccessSettings, accessSettings } from '../access.settings.js';
import { clientNetwork } from '../../../platform/network/client-network.js';
import { sessionEnd, type SignInClient } from '../domain/session.js';
import { NetworkRateLimiter } from '../infrastructure/shared-rate-limiter.js';
import { AuthPool } from '../infrastructure/auth-pool.js';
import { AuthLibrary, cookieHeaders, sessionHeaders } from '../infrastructure/auth-library.js';
import { KnownNetworks } from '../infrastructure/known-networks.js';
import { endSession, findUser, noteLanguage, noteUse } from '../infrastructure/user.rows.js';
import { countingFailure, isWrongSecret } from './auth-refusal.js';
import { type PasswordAttempt, PasswordAttempts, StrangerPasswords } from './password-attempts.js';

/** A whole office may share one address; `PasswordAttempts` limits guesses of one password. */
export const ATTEMPTS_PER_ADDRESS_MAX = 30;
const ADDRESS_WINDOW_SECONDS = 60;

/** Resolution of a session's last use: at most one write per session in this time. */
const SESSION_USE_NOTED_MS = 5 * 60 * 1000;

/** Concurrent sessions of one user; opening one more ends the oldest. */
export const SESSIONS_PER_USER_MAX = 50;

export interface SignedInUser {
  id: string;
  name: string;
  email: string;
  /**
   * Whether the user has confirmed the address; always true for accounts created since confirmation
   * is required.
   */
  emailVerified: boolean;
  /** Whether their account has a second factor. */
  secondFactor: boolean;
}

/** A user in the library's format. */
interface LibraryUser {
  id: string;
  name: string;
  email: string;
  emailVerified: boolean;
  twoFactorEnabled?: boolean | null | undefined;
}

/** A user and the `Set-Cookie` values that open, renew or end the session. */
export interface SignIn {
  user: SignedInUser;
  cookies: string[];
}

/** How a sign-in by password ended; the cookies of an unfinished one only allow the second step. */
export type SignInOutcome = ({ kind: 'signed_in' } & SignIn) | { kind: 'second_factor'; cookies: string[] };

interface Credentials {
  email: string;
  password: string;
  rememberMe?: boolean | undefined;
}

export interface Session {
  user: SignedInUser;
  session: { expiresAt: Date };
}

/** Signs users in and out, and identifies the user of a session cookie. */
@Injectable()
export class SignInService {
  private readonly logger = new Logger(SignInService.name);
  private readonly signInsByAddress: NetworkRateLimiter;
  private readonly networks: KnownNetworks;
  private readonly attempts: PasswordAttempts;

  constructor(
    private readonly em: EntityManager,
    private readonly library: AuthLibrary,
    @InjectSettings(accessSettings) { authSecret }: AccessSettings,
    private readonly authPool: AuthPool,
    private readonly strangers: StrangerPasswords,
  ) {
    const { pool } = authPool;
    const shared = { pool, secret: authSecret };
    const byAddress = {
      ...shared,
      points: ATTEMPTS_PER_ADDRESS_MAX,
      windowSeconds: ADDRESS_WINDOW_SECONDS,
      refusal: 'Too many attempts from this address. Wait before you try again.',
    };
    this.signInsByAddress = new NetworkRateLimiter({ ...byAddress, name: 'sign_in_address' });
    this.networks = new KnownNetworks(pool, authSecret);
    this.attempts = new PasswordAttempts(shared, this.networks);
  }

  /**
   * Opens a session, or requests the account's second factor. At most 30 attempts a minute from one
   * network; failures are limited by `PasswordAttempts`.
   * @throws DomainError `invalid_credentials`, the same for an unknown e-mail; `too_many_requests`.
   */
  signIn(fields: Credentials, client: SignInClient): Promise<SignInOutcome> {
    return this.open(fields, client, ({ isFromKnownNetwork }) => !isFromKnownNetwork);
  }

  /** `isStranger` limits the share of the password queue that an attempt may use. */
  private async open(
    fields: Credentials,
    client: SignInClient,
    isStranger: (attempt: PasswordAttempt) => boolean,
  ): Promise<SignInOutcome> {
    const { address } = client;
    const network = clientNetwork(address);
    await this.signInsByAddress.consume(network);
    const email = fields.email.toLowerCase();
    const attempt = await this.attempts.signIn(email, network);
    const library = await this.library.api();
    const check = () =>
      library.signInEmail({
        body: fields,
        headers: sessionHeaders({ ...client, cookie: undefined }),
        returnHeaders: true,
      });
    const { headers, response } = await countingFailure(attempt, () =>
      isStranger(attempt) ? this.strangers.run(check) : check(),
    ).catch((refusal: unknown) => {
      if (isWrongSecret(refusal)) this.noteFailure(email, address);
      throw refusal;
    });
    const cookies = headers.getSetCookie();
    if ('twoFactorRedirect' in response) return { kind: 'second_factor', cookies };
    await this.signedIn(response.user, client);
    return { kind: 'signed_in', user: userOf(response.user), cookies };
  }

  /** Like `signIn`, for an account that was just created and has no second factor. */
  async signInNew(fields: Credentials, client: SignInClient): Promise<SignIn> {
    const outcome = await this.open(fields, client, () => false);
    if (outcome.kind === 'second_factor') throw new Error('a new account already has 2FA');
    return outcome;
  }

  /** Stores network and language of a new session, and adds it to the account's log. */
  async signedIn(
    { id: userId, email }: { id: string; email: string },
    { address, language }: Pick<SignInClient, 'address' | 'language'>,
  ): Promise<void> {
    await this.networks.remember({ id: userId, email }, clientNetwork(address));
    await this.dropSurplusSessions(userId);
    const network = truncatedNetwork(address);
    const em = this.em.fork();
    if (language) await noteLanguage(em, userId, language);
    await writeSecurityEvent(em, { userId, action: 'sign_in', network });
  }

  /** Counts a password attempt for `subject` outside of sign-in. @throws DomainError `too_many_requests`. */
  countPassword(subject: string): Promise<PasswordAttempt> {
    return this.attempts.change(subject);
  }

  /** Ends the session of the cookie, if any. Returns the `Set-Cookie` values that delete the cookies. */
  async signOut({ cookie, address }: SignInClient): Promise<string[]> {
    const signedIn = await this.find(cookie);
    if (signedIn) {
      await this.em.fork().transactional(async (tx) => {
        await endSession(tx, { userId: signedIn.id, id: signedIn.sessionId });
        const network = truncatedNetwork(address);
        await writeSecurityEvent(tx, { userId: signedIn.id, action: 'sign_out', network });
      });
    }
    return this.dropCookies(cookie);
  }

  /** Ends the session, if any, and returns the `Set-Cookie` values that delete a browser's cookies. */
  async dropCookies(cookie: string | undefined): Promise<string[]> {
    const library = await this.library.api();
    const { headers } = await library.signOut({ headers: cookieHeaders(cookie), returnHeaders: true });
    return headers.getSetCookie();
  }

  /**
   * Sets a new password and ends all other sessions of the user.
   * @throws DomainError `invalid_credentials` if the current password is wrong;
   * `too_many_requests`.
   */
  async changePassword(
    userId: string,
    passwords: { currentPassword: string; newPassword: string },
    client: SignInClient,
  ): Promise<SignIn> {
    const library = await this.library.api();
    const attempt = await this.attempts.change(userId);
    const { headers, response } = await countingFailure(attempt, () =>
      library.changePassword({
        body: { ...passwords, revokeOtherSessions: true },
        headers: sessionHeaders(client),
        returnHeaders: true,
      }),
    );
    return { user: userOf(response.user), cookies: headers.getSetCookie() };
  }

  /** The user of a session cookie, or null. Does not extend the session. */
  async find(
    cookie: string | undefined,
  ): Promise<(SignedInUser & { sessionId: string; signedInAt: Date }) | null> {
    if (cookie === undefined) return null;
    const library = await this.library.api();
    const found = await library.getSession({
      headers: cookieHeaders(cookie),
      query: { disableRefresh: true },
    });
    const now = new Date();
    if (!found || sessionEnd(found.session) <= now) return null;
    const { id: sessionId, createdAt: signedInAt, lastUsedAt } = found.session;
    if (!lastUsedAt || now.getTime() - lastUsedAt.getTime() >= SESSION_USE_NOTED_MS)
      await noteUse(this.em.fork(), sessionId, now);
    return { ...userOf(found.user), sessionId, signedInAt };
  }

  /** Like `find`, and extends a session that is older than a day; `cookies` has the new cookies. */
  async renew(cookie: string | undefined): Promise<{ session: Session | null; cookies: string[] }> {
    // With unlimited renewal, a stolen cookie would never expire.
    if (!(await this.find(cookie))) {
      return { session: null, cookies: cookie === undefined ? [] : await this.dropCookies(cookie) };
    }
    const library = await this.library.api();
    const { headers, response } = await library.getSession({
      headers: cookieHeaders(cookie),
      returnHeaders: true,
    });
    const session = response && {
      user: userOf(response.user),
      session: { expiresAt: sessionEnd(response.session) },
    };
    return { session, cookies: headers.getSetCookie() };
  }

  /**
   * Not awaited: writing the account's log must not make the response slower than one for an
   * unknown account.
   */
  private noteFailure(email: string, address: string): void {
    const note = async (): Promise<void> => {
      const em = this.em.fork();
      const user = await findUser(em, email);
      const network = truncatedNetwork(address);
      if (user) await writeSecurityEvent(em, { userId: user.id, action: 'sign_in_failed', network });
    };
    note().catch((error: unknown) => {
      this.logger.warn({ err: error }, "a failed sign-in is missing from the account's security log");
    });
  }

  private async dropSurplusSessions(userId: string): Promise<void> {
    await this.authPool.pool.query(
      `delete from user_session where user_id = $1 and (expires_at < now() or id in (
         select id from user_session where user_id = $1 order by created_at desc offset $2))`,
      [userId, SESSIONS_PER_USER_MAX],
    );
  }
}

export function userOf(user: LibraryUser): SignedInUser {
  const { id, name, email, emailVerified, twoFactorEnabled } = user;
  return { id, name, email, emailVerified, secondFactor: twoFactorEnabled === true };
}
