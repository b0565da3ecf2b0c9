import { DomainError } from '../../shared/domain-error.js';
import type { KeyScope } from './key-scope.js';
import type { Role } from './role.js';

/** Who calls. An API key belongs to one project; a user may be a member of many. */
export type Actor =
  | { kind: 'user'; userId: string; email: string }
  | { kind: 'api_key'; apiKeyId: string; projectId: string; role: Role; scopes: KeyScope[] };

/** The user who calls. @throws DomainError `session_required` where it is an API key. */
export function requireUser(actor: Actor): Actor & { kind: 'user' } {
  if (actor.kind === 'user') return actor;
  throw new DomainError('session_required', 'An API key cannot do this. Sign in as a user.');
}
