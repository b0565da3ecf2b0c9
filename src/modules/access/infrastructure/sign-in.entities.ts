import { defineEntity, p } from '@mikro-orm/core';

/** A user. This table and the next three have the schema of better-auth and are written only by it. */
export const AppUserSchema = defineEntity({
  name: 'AppUser',
  tableName: 'app_user',
  properties: {
    id: p.uuid().primary(),
    name: p.text(),
    /** Always in lower case. */
    email: p.text(),
    emailVerified: p.boolean().default(false),
    /** Whether the user has a second factor that was confirmed with a code. */
    twoFactorEnabled: p.boolean().default(false),
    /** A column of better-auth that stays null. */
    image: p.text().nullable(),
    /**
     * Language of the user's mails, from their browser at the last sign-in; null: unknown. Not a
     * column of better-auth.
     */
    language: p.text().nullable(),
    createdAt: p.datetime().defaultRaw('now()'),
    updatedAt: p.datetime().defaultRaw('now()'),
  },
});

/** A valid sign-in. */
export const UserSessionSchema = defineEntity({
  name: 'UserSession',
  tableName: 'user_session',
  properties: {
    id: p.uuid().primary(),
    userId: p.uuid(),
    /** Useless without its signature, which is only in the cookie. */
    token: p.text(),
    expiresAt: p.datetime(),
    /** A column of better-auth that stays empty: sessions have no address. */
    ipAddress: p.text().nullable(),
    /** Browser and system in words (`deviceOf`), not the header; empty or null: unknown. */
    userAgent: p.text().nullable(),
    createdAt: p.datetime().defaultRaw('now()'),
    updatedAt: p.datetime().defaultRaw('now()'),
    /** Accurate to `SESSION_USE_NOTED_MS`; null: not used since this column exists. */
    lastUsedAt: p.datetime().nullable().defaultRaw('now()'),
  },
});

/** A sign-in method of a user. Only passwords are used; columns of other methods stay null. */
export const UserAccountSchema = defineEntity({
  name: 'UserAccount',
  tableName: 'user_account',
  properties: {
    id: p.uuid().primary(),
    userId: p.uuid(),
    providerId: p.text(),
    accountId: p.text(),
    /** scrypt with its own salt; null for accounts without a password. */
    password: p.text().nullable(),
    accessToken: p.text().nullable(),
    refreshToken: p.text().nullable(),
    idToken: p.text().nullable(),
    accessTokenExpiresAt: p.datetime().nullable(),
    refreshTokenExpiresAt: p.datetime().nullable(),
    scope: p.text().nullable(),
    createdAt: p.datetime().defaultRaw('now()'),
    updatedAt: p.datetime().defaultRaw('now()'),
  },
});

/** A mailed link or code, until it is used or expires. */
export const UserVerificationSchema = defineEntity({
  name: 'UserVerification',
  tableName: 'user_verification',
  properties: {
    id: p.uuid().primary(),
    identifier: p.text(),
    value: p.text(),
    expiresAt: p.datetime(),
    createdAt: p.datetime().defaultRaw('now()'),
    updatedAt: p.datetime().defaultRaw('now()'),
  },
});

/** A network that a user signed in from: it stays usable while others guess the password elsewhere. */
export const UserNetworkSchema = defineEntity({
  name: 'UserNetwork',
  tableName: 'user_network',
  properties: {
    userId: p.uuid().primary(),
    /** Keyed hash of email and network. It reveals neither, and differs between two users of one network. */
    networkHash: p.blob().primary(),
    /** The last sign-in from there. */
    seenAt: p.datetime(),
  },
});

/**
 * Counts of sign-in attempts, shared by all API processes; unlogged. rate-limiter-flexible writes
 * by position, so order and types of the columns are fixed.
 */
export const SignInAttemptSchema = defineEntity({
  name: 'SignInAttempt',
  tableName: 'sign_in_attempt',
  properties: {
    /** Kind of limit and a keyed hash of the address or e-mail, so that neither is stored. */
    key: p.string().length(255).primary(),
    points: p.integer().default(0),
    /** End of the counting window, in milliseconds since 1970; null: never. */
    expire: p.bigint('number').nullable(),
  },
});
