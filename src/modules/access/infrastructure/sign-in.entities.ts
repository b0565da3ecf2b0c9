import { defineEntity, p } from '@mikro-orm/core';

/** A person. This table and the next three have the shape that better-auth asks for, and it alone writes them. */
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
    /** Of the user's mails, as their browser named it at the last sign-in; null: not known. Not a column of better-auth. */
    language: p.text().nullable(),
    createdAt: p.datetime().defaultRaw('now()'),
    updatedAt: p.datetime().defaultRaw('now()'),
  },
});

/** A sign-in that holds. */
export const UserSessionSchema = defineEntity({
  name: 'UserSession',
  tableName: 'user_session',
  properties: {
    id: p.uuid().primary(),
    userId: p.uuid(),
    /** Of no use alone: the cookie carries it together with a signature. */
    token: p.text(),
    expiresAt: p.datetime(),
    /** A column of better-auth that stays empty: we keep no address of a session. */
    ipAddress: p.text().nullable(),
    /** Browser and system in words (`deviceOf`), not the header; empty or null: not known. */
    userAgent: p.text().nullable(),
    createdAt: p.datetime().defaultRaw('now()'),
    updatedAt: p.datetime().defaultRaw('now()'),
    /** To within `SESSION_USE_NOTED_MS`; null: not since this column came. */
    lastUsedAt: p.datetime().nullable().defaultRaw('now()'),
  },
});

/** A way in which a person signs in. Only the one by password is in use: what belongs to others stays null. */
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

/** A link or code that was mailed, until it is used or expires. */
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

/** A network that a user signed in from: it stays open while strangers guess at the account from elsewhere. */
export const UserNetworkSchema = defineEntity({
  name: 'UserNetwork',
  tableName: 'user_network',
  properties: {
    userId: p.uuid().primary(),
    /**
     * Keyed hash of email and network. Neither can be read from it, and two users of one network
     * have different hashes.
     */
    networkHash: p.blob().primary(),
    /** Of the last sign-in from there. */
    seenAt: p.datetime(),
  },
});

/**
 * Counts of sign-in attempts, shared by all API processes; unlogged. Order and types of the columns are those that
 * rate-limiter-flexible writes by position.
 */
export const SignInAttemptSchema = defineEntity({
  name: 'SignInAttempt',
  tableName: 'sign_in_attempt',
  properties: {
    /** Kind of limit and a keyed hash of the address or e-mail, so that neither is stored. */
    key: p.string().length(255).primary(),
    points: p.integer().default(0),
    /** Milliseconds since 1970 at which the count ends; null: it never does. */
    expire: p.bigint('number').nullable(),
  },
});
