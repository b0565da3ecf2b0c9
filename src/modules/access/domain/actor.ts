import type { Author } from '../../audit/domain/author.js';
import { DomainError } from '../../../platform/errors/domain-error.js';
import type { KeyArea, KeyScope } from './api-key.js';
import type { Role } from './role.js';

/**
 * The caller. An API key belongs to one project; a user may be a member of many. `network` is that
 * of the address, for the audit log; null: unknown.
 */
export type Actor = { network: string | null } & (
  | {
      kind: 'user';
      userId: string;
      /** The session of the request. */
      sessionId: string;
      name: string;
      email: string;
      emailConfirmed: boolean;
      secondFactor: boolean;
      /** When the session was opened. */
      signedInAt: Date;
    }
  | {
      /** A person by their token: their roles in projects, and nothing that requires a session. */
      kind: 'personal_token';
      userId: string;
      tokenId: string;
      name: string;
      email: string;
      emailConfirmed: boolean;
      secondFactor: boolean;
      expiresAt: Date;
    }
  | {
      kind: 'api_key';
      apiKeyId: string;
      /** The secret of the request: a rotated key has two for a while. */
      keyHash: Buffer;
      projectId: string;
      role: Role;
      scopes: KeyScope[];
      limitedTo: KeyArea[] | null;
    }
);

export type UserActor = Actor & { kind: 'user' };
export type TokenActor = Actor & { kind: 'personal_token' };

/** The caller as an author in the audit log. */
export function toAuthor(actor: Actor): Author & { kind: 'user' | 'api_key' } {
  const { network } = actor;
  return actor.kind === 'api_key'
    ? { kind: 'api_key', id: actor.apiKeyId, network }
    : { kind: 'user', id: actor.userId, network };
}

/**
 * The error for a user with an unconfirmed address; roles given to the address apply only after
 * confirmation.
 */
export function emailNotConfirmed(): DomainError {
  return new DomainError(
    'email_not_confirmed',
    'Confirm your email address first: request a new password (POST /v1/auth/forgot-password) and follow the link in the email.',
  );
}

/** The error for a member without a second factor, if the project requires one. */
export function secondFactorRequired(): DomainError {
  return new DomainError(
    'second_factor_required',
    'This project requires 2FA, and your account has none. Set it up with POST /v1/auth/second-factor.',
  );
}

/** The name of the calling person; null for an API key. */
export function nameOf(actor: Actor): string | null {
  return actor.kind === 'api_key' ? null : actor.name;
}

/** The calling user. @throws DomainError `session_required` for an API key or a personal token. */
export function requireUser(actor: Actor): UserActor {
  if (actor.kind === 'user') return actor;
  throw new DomainError(
    'session_required',
    'Not available to API keys and personal tokens. Sign in as a user.',
  );
}
