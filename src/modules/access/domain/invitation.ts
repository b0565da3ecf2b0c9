import { DomainError } from '../../../platform/errors/domain-error.js';

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
