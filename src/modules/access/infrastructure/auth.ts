import { Logger } from '@nestjs/common';
import { betterAuth } from 'better-auth';
import { twoFactor } from 'better-auth/plugins/two-factor';
import type { Pool } from 'pg';
import { resolveBaseUrl } from '../../../platform/network/base-url.js';
import { BRAND } from '../../../platform/identity/brand.js';
import { newId } from '../../../platform/identity/ids.js';
import type { ServiceSettings } from '../../../platform/settings/service.settings.js';
import type { AccessSettings } from '../access.settings.js';
import { sessionCookieName } from '../domain/credential.js';
import { PASSWORD_CHARACTERS_MAX, PASSWORD_CHARACTERS_MIN } from '../domain/account.js';
import type { Passwords } from './passwords.js';

const SESSION_DAYS = 7;
const DAY_SECONDS = 24 * 60 * 60;

/**
 * Uses better-auth for users, password hashes, sessions and the signed cookie. Its functions are
 * called directly, without its router: our own controllers validate requests, check their origin,
 * limit them and respond, as for all others.
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
    // Not used for links.
    baseURL: resolveBaseUrl(settings),
    secret: settings.authSecret,
    database: pool,
    telemetry: { enabled: false },
    rateLimit: { enabled: false },
    // Messages only: further arguments may contain e-mail addresses.
    logger: { level: 'error', log: (_level, message) => logger.error(message) },
    emailAndPassword: {
      enabled: true,
      // Our own transactions create accounts (ADR 29).
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
      // `__Host-` binds the cookie to this host, so that a neighbor under the same domain cannot
      // set one. The library would prefix every name with its weaker `__Secure-`, so that is
      // switched off.
      cookiePrefix: https ? '__Host-auth' : 'auth',
      cookies: { session_token: { name: sessionCookieName(settings) } },
      useSecureCookies: false,
      defaultCookieAttributes: { httpOnly: true, sameSite: 'lax', path: '/', secure: https },
      // The library would read the address from a header that any client may set.
      ipAddress: { disableIpTracking: true },
      database: {
        generateId: () => newId(),
        // Our own migrations create the tables, before this runs.
        validateSchema: false,
      },
    },
  });
}

export type Auth = ReturnType<typeof createAuth>;
