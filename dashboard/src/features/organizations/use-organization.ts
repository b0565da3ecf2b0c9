import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { organizationReadOptions } from '../../client/@tanstack/react-query.gen';
import type { OrganizationResponse } from '../../client/types.gen';

const route = getRouteApi('/signed-in/organizations/$organizationId');

/** The organization of the address; it is loaded before any of its pages is shown. */
export function useOrganization(): OrganizationResponse {
  const { organizationId } = route.useParams();
  return useSuspenseQuery(organizationReadOptions({ path: { organizationId } })).data;
}
