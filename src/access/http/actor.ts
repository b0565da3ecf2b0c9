import { DomainError } from '../../shared/domain-error.js';
import type { Actor } from '../access.decorators.js';

/** The user who calls. @throws DomainError `session_required` where it is an API key. */
export function requireUser(actor: Actor): Actor & { kind: 'user' } {
  if (actor.kind === 'user') return actor;
  throw new DomainError('session_required', 'An API key cannot do this. Sign in as a user.');
}
