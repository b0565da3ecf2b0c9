import { randomBytes, randomInt } from 'node:crypto';
import { DomainError } from '../../../platform/errors/domain-error.js';

const DAY_MS = 24 * 60 * 60_000;
const MINUTE_MS = 60_000;

/** Lifetime of a personal token. */
export const TOKEN_LIFE_MS = 90 * DAY_MS;
/** Tokens of one person; one more ends the oldest. */
export const TOKENS_PER_USER_MAX = 20;
/** Distinguishes a token from an API key, also for scanners of secrets in source code. */
const TOKEN_PREFIX = 'cp_';
const TOKEN_BYTES = 32;

/** The states of a machine's request. */
export const DEVICE_STATES = ['pending', 'approved', 'denied'] as const;
export type DeviceState = (typeof DEVICE_STATES)[number];

/** Lifetime of a request: time to open a browser and sign in. */
export const DEVICE_CODE_SECONDS = 10 * 60;
/** Seconds between two polls of a machine, and what each early poll adds (RFC 8628, section 3.5). */
export const POLL_SECONDS = 5;
export const SLOW_DOWN_SECONDS = 5;
export const POLL_SECONDS_MAX = 60;
export const DEVICE_NAME_CHARACTERS_MAX = 100;

/** The command line's id as an OAuth client. */
export const CLIENT_ID = 'consent-cli';
/** The only scope: the person's roles in their projects. */
export const TOKEN_SCOPE = 'projects';
export const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';

/** Without vowels and digits: no letter resembles another, and no code is a word (RFC 8628, section 6.1). */
const CODE_LETTERS = 'BCDFGHJKLMNPQRSTVWXZ';
const CODE_LENGTH = 8;
const CODE_GROUP = 4;

/** After this time, a session has to show the account's password again before it creates a token. */
export const RECENT_SIGN_IN_MS = 60 * MINUTE_MS;

export function generatePersonalToken(): string {
  return TOKEN_PREFIX + randomBytes(TOKEN_BYTES).toString('base64url');
}

export const isPersonalToken = (credential: string): boolean => credential.startsWith(TOKEN_PREFIX);

/** The secret that the machine polls with. */
export function generateDeviceCode(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

/** A code such as `BCDF-GHJK`: 34 random bits. */
export function generateUserCode(): string {
  const letters = Array.from({ length: CODE_LENGTH }, () => CODE_LETTERS[randomInt(CODE_LETTERS.length)]);
  return `${letters.slice(0, CODE_GROUP).join('')}-${letters.slice(CODE_GROUP).join('')}`;
}

/** A typed code in the form of the generated ones; null: it cannot be one. */
export function readUserCode(typed: string): string | null {
  const letters = typed.toUpperCase().replaceAll(/[\s-]/g, '');
  const isCode = letters.length === CODE_LENGTH && [...letters].every((one) => CODE_LETTERS.includes(one));
  return isCode ? `${letters.slice(0, CODE_GROUP)}-${letters.slice(CODE_GROUP)}` : null;
}

export const isRecentSignIn = (signedInAt: Date, now: Date): boolean =>
  now.getTime() - signedInAt.getTime() < RECENT_SIGN_IN_MS;

/** Whether a poll comes before the interval has passed. */
export function isEarlyPoll(
  { polledAt, intervalSeconds }: { polledAt: Date | null; intervalSeconds: number },
  now: Date,
): boolean {
  return polledAt !== null && now.getTime() - polledAt.getTime() < intervalSeconds * 1_000;
}

/** The same error for a code that never existed, was used, or has expired. */
export function deviceCodeNotFound(): DomainError {
  return new DomainError(
    'device_code_not_found',
    'This code is unknown, was already used, or has expired. Run consent login again.',
  );
}

export function tokenNotFound(): DomainError {
  return new DomainError('personal_token_not_found', 'Personal token not found, or already revoked.');
}

/** Errors of the OAuth endpoints (RFC 6749, section 5.2; RFC 8628, section 3.5). */
export const OAUTH_ERRORS = [
  'authorization_pending',
  'slow_down',
  'access_denied',
  'expired_token',
  'invalid_request',
  'invalid_client',
  'invalid_grant',
  'invalid_scope',
  'unsupported_grant_type',
] as const;
export type OAuthErrorCode = (typeof OAUTH_ERRORS)[number];
