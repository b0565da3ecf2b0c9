import { DomainError } from '../../shared/domain-error.js';

const DAY_MS = 24 * 60 * 60 * 1000;
/** How long an invitation may be taken up after its newest mail. */
export const INVITATION_LIFE_MS = 7 * DAY_MS;

/** The page that the mailed link leads to (docs/accounts.md). */
export const INVITATION_PAGE = '/accept-invitation';

/** Invitations of a project that wait; each costs a mail. */
export const INVITATIONS_PER_PROJECT_MAX = 100;

export function invitationNotFound(): DomainError {
  return new DomainError('invitation_not_found', 'Invitation not found in this project.');
}

/** The refusal of an id that is not among the caller's own invitations. */
export function ownInvitationNotFound(): DomainError {
  return new DomainError(
    'invitation_not_found',
    'Invitation not found. It may have expired or been withdrawn.',
  );
}
