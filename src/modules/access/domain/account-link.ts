import { createHash, randomBytes } from 'node:crypto';
import { DomainError } from '../../../platform/errors/domain-error.js';

/** The purpose of a link; each is valid only for its own. */
export const LINK_KINDS = ['sign_up', 'reset_password', 'change_email'] as const;
export type LinkKind = (typeof LINK_KINDS)[number];

const HOUR_MS = 60 * 60 * 1000;

/**
 * Lifetimes of links. A mailbox is read within a day; a user who changes their address is waiting
 * for the mail.
 */
export const LINK_LIFE_MS: Record<LinkKind, number> = {
  sign_up: 24 * HOUR_MS,
  reset_password: HOUR_MS,
  change_email: HOUR_MS,
};

/** The pages of the links, below PUBLIC_BASE_URL: they post the token to the API (docs/accounts.md). */
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

/** The stored hash of a token. A token has 256 random bits, so salt and slow hashing would add nothing. */
export function hashOfToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

export function linkTo(baseUrl: string, page: string, token: string): string {
  return `${baseUrl}${page}?token=${token}`;
}

/** The error for a link that was used, has expired, or never existed; the response doesn't reveal which. */
export function linkEnded(): DomainError {
  return new DomainError('link_ended', 'This link has expired or was already used. Request a new one.');
}

const DAY_MS = 24 * 60 * 60 * 1000;
/** How long an invitation can be accepted after its newest mail. */
export const INVITATION_LIFE_MS = 7 * DAY_MS;

/** The page of the mailed link (docs/accounts.md). */
export const INVITATION_PAGE = '/accept-invitation';

/** Pending invitations of a project; each costs a mail. */
export const INVITATIONS_PER_PROJECT_MAX = 100;

export function invitationNotFound(): DomainError {
  return new DomainError('invitation_not_found', 'Invitation not found in this project.');
}

/** The error for an id that is not among the caller's own invitations. */
export function ownInvitationNotFound(): DomainError {
  return new DomainError(
    'invitation_not_found',
    'Invitation not found. It may have expired or been withdrawn.',
  );
}
