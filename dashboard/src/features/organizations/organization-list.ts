import { useQuery } from '@tanstack/react-query';
import { organizationListOptions } from '../../client/@tanstack/react-query.gen';
import type { OrganizationResponse } from '../../client/types.gen';

/** As many as one response contains. */
export const ORGANIZATION_LIST = organizationListOptions({ query: { limit: 200 } });

/** The person's organizations; none until they are loaded. */
export function useOrganizations(): OrganizationResponse[] {
  return useQuery(ORGANIZATION_LIST).data?.items ?? [];
}
