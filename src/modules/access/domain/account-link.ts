import { createHash, randomBytes } from 'node:crypto';
import { DomainError } from '../../shared/domain-error.js';

/** What a link is for; one does not serve as another. */
export const LINK_KINDS = ['sign_up', 'reset_password', 'change_email'] as const;
export type LinkKind = (typeof LINK_KINDS)[number];

const HOUR_MS = 60 * 60 * 1000;

/** How long a link may be followed. A mailbox is read within a day; who changes an account sits in front of it. */
export const LINK_LIFE_MS: Record<LinkKind, number> = {
  sign_up: 24 * HOUR_MS,
  reset_password: HOUR_MS,
  change_email: HOUR_MS,
};

/** The pages that links lead to, below PUBLIC_BASE_URL: they post the token to the API (docs/accounts.md). */
export const LINK_PAGES: Record<LinkKind, string> = {
  sign_up: '/confirm-email',
  reset_password: '/new-password',
  change_email: '/confirm-new-email',
};

const TOKEN_BYTES = 32;
/** Base64url of 32 bytes. */
export const TOKEN = /^[\w-]{43}$/;

/** Creates a token; only the mail contains it. */
export function generateToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

/** What is kept of a token. It has 256 random bits: no salt and no slow hash would make it harder to guess. */
export function hashOfToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/** Where a mailed link leads. */
export function linkTo(baseUrl: string, page: string, token: string): string {
  return `${baseUrl}${page}?token=${token}`;
}

/**
 * The refusal of a link that was used, has expired, or never existed; the response doesn't reveal
 * which.
 */
export function linkEnded(): DomainError {
  return new DomainError('link_ended', 'This link has expired or was already used. Request a new one.');
}
