import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { projectReadOptions } from '../client/@tanstack/react-query.gen';
import type { ProjectResponse } from '../client/types.gen';

const route = getRouteApi('/signed-in/projects/$projectId');

/** The project of the address; it is loaded before any of its pages is shown. */
export function useProject(): ProjectResponse {
  const { projectId } = route.useParams();
  return useSuspenseQuery(projectReadOptions({ path: { projectId } })).data;
}
