import { ownInvitationListOptions } from '../../client/@tanstack/react-query.gen';

/** As many of the person's invitations as one response contains. */
export const OWN_INVITATION_LIST = ownInvitationListOptions({ query: { limit: 200 } });
