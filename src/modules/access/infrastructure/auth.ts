import { Logger } from '@nestjs/common';
import { betterAuth } from 'better-auth';
import { twoFactor } from 'better-auth/plugins/two-factor';
import type { Pool } from 'pg';
import { resolveBaseUrl } from '../../shared/base-url.js';
import { BRAND } from '../../shared/brand.js';
import { newId } from '../../shared/ids.js';
import type { ServiceSettings } from '../../settings/service.settings.js';
import type { AccessSettings } from '../access.settings.js';
import { sessionCookieName } from '../domain/credential.js';
import { PASSWORD_CHARACTERS_MAX, PASSWORD_CHARACTERS_MIN } from '../domain/password.js';
import type { Passwords } from './passwords.js';

const SESSION_DAYS = 7;
const DAY_SECONDS = 24 * 60 * 60;

/**
 * better-auth, as far as it is used: users, password hashes, sessions and the signed cookie. It is called
 * through its functions and not mounted as a router: requests are validated, checked for their origin,
 * limited and answered by our own controllers, like all others.
 */
// oxlint-disable-next-line typescript/explicit-function-return-type -- the type is built from the options
export function createAuth(
  settings: ServiceSettings & Pick<AccessSettings, 'authSecret'>,
  { pool, passwords }: { pool: Pool; passwords: Passwords },
) {
  const logger = new Logger('better-auth');
  const https = settings.publicBaseUrl.startsWith('https:');
  return betterAuth({
    // Shown by authenticators.
    appName: BRAND,
    basePath: '/v1/auth',
    // No link is ever built from it.
    baseURL: resolveBaseUrl(settings),
    secret: settings.authSecret,
    database: pool,
    telemetry: { enabled: false },
    rateLimit: { enabled: false },
    // Messages alone: the further arguments may hold e-mail addresses.
    logger: { level: 'error', log: (_level, message) => logger.error(message) },
    emailAndPassword: {
      enabled: true,
      // Accounts are made by our own transactions (ADR 29).
      disableSignUp: true,
      minPasswordLength: PASSWORD_CHARACTERS_MIN,
      // The library counts UTF-16 units, of which a character takes up to two; our checks count characters.
      maxPasswordLength: 2 * PASSWORD_CHARACTERS_MAX,
      password: {
        hash: (password) => passwords.hash(password),
        verify: ({ password, hash }) => passwords.matches(password, hash),
      },
    },
    session: {
      modelName: 'user_session',
      expiresIn: SESSION_DAYS * DAY_SECONDS,
      updateAge: DAY_SECONDS,
      fields: {
        userId: 'user_id',
        expiresAt: 'expires_at',
        ipAddress: 'ip_address',
        userAgent: 'user_agent',
        createdAt: 'created_at',
        updatedAt: 'updated_at',
      },
      additionalFields: {
        lastUsedAt: { type: 'date', required: false, input: false, fieldName: 'last_used_at' },
      },
    },
    user: {
      modelName: 'app_user',
      fields: { emailVerified: 'email_verified', createdAt: 'created_at', updatedAt: 'updated_at' },
    },
    account: {
      modelName: 'user_account',
      fields: {
        userId: 'user_id',
        providerId: 'provider_id',
        accountId: 'account_id',
        accessToken: 'access_token',
        refreshToken: 'refresh_token',
        idToken: 'id_token',
        accessTokenExpiresAt: 'access_token_expires_at',
        refreshTokenExpiresAt: 'refresh_token_expires_at',
        createdAt: 'created_at',
        updatedAt: 'updated_at',
      },
    },
    verification: {
      modelName: 'user_verification',
      fields: { expiresAt: 'expires_at', createdAt: 'created_at', updatedAt: 'updated_at' },
    },
    plugins: [
      twoFactor({
        schema: {
          user: { fields: { twoFactorEnabled: 'two_factor_enabled' } },
          twoFactor: {
            modelName: 'user_second_factor',
            fields: {
              userId: 'user_id',
              backupCodes: 'backup_codes',
              failedVerificationCount: 'failed_verification_count',
              lockedUntil: 'locked_until',
            },
          },
        },
      }),
    ],
    advanced: {
      // `__Host-` binds the cookie to this very host: no neighbour below the same domain can set one. The
      // library would put its weaker `__Secure-` in front of every name, so that is switched off.
      cookiePrefix: https ? '__Host-auth' : 'auth',
      cookies: { session_token: { name: sessionCookieName(settings) } },
      useSecureCookies: false,
      defaultCookieAttributes: { httpOnly: true, sameSite: 'lax', path: '/', secure: https },
      // The address would be read from a header that any client may set.
      ipAddress: { disableIpTracking: true },
      database: {
        generateId: () => newId(),
        // The tables come from our own migrations, which have run before.
        validateSchema: false,
      },
    },
  });
}

export type Auth = ReturnType<typeof createAuth>;
