import type { Author } from '../../audit/domain/author.js';
import { DomainError } from '../../shared/domain-error.js';
import type { KeyArea } from './key-area.js';
import type { KeyScope } from './key-scope.js';
import type { Role } from './role.js';

/**
 * Who calls. An API key belongs to one project; a user may be a member of many. `network` is that of the address, for
 * the audit; null where there is none.
 */
export type Actor = { network: string | null } & (
  | {
      kind: 'user';
      userId: string;
      /** Of the session that the request came with. */
      sessionId: string;
      name: string;
      email: string;
      emailConfirmed: boolean;
      secondFactor: boolean;
    }
  | {
      kind: 'api_key';
      apiKeyId: string;
      /** Of the secret that the request came with: a rotated key has two for a while. */
      keyHash: Buffer;
      projectId: string;
      role: Role;
      scopes: KeyScope[];
      limitedTo: KeyArea[] | null;
    }
);

/** The caller as the audit knows one. */
export function toAuthor(actor: Actor): Author & { kind: 'user' | 'api_key' } {
  const { kind, network } = actor;
  return { kind, id: actor.kind === 'user' ? actor.userId : actor.apiKeyId, network };
}

/**
 * The refusal of a user with an unconfirmed address; roles given to the address apply only after
 * confirmation.
 */
export function emailNotConfirmed(): DomainError {
  return new DomainError(
    'email_not_confirmed',
    'Confirm your email address first: request a new password (POST /v1/auth/forgot-password) and follow the link in the email.',
  );
}

/** The refusal of a member without a second factor, where the project requires one. */
export function secondFactorRequired(): DomainError {
  return new DomainError(
    'second_factor_required',
    'This project requires 2FA, and your account has none. Set it up with POST /v1/auth/second-factor.',
  );
}

/** The user who calls. @throws DomainError `session_required` where it is an API key. */
export function requireUser(actor: Actor): Actor & { kind: 'user' } {
  if (actor.kind === 'user') return actor;
  throw new DomainError('session_required', 'Not available to API keys. Sign in as a user.');
}
