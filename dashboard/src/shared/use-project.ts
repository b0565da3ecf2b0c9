import { useSuspenseQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { projectReadOptions } from '../client/@tanstack/react-query.gen';
import type { ProjectDto } from '../client/types.gen';

/** The project of the address; it is loaded before any of its pages is shown. */
export function useProject(): ProjectDto {
  const { projectId } = useParams({ from: '/signed-in/projects/$projectId' });
  return useSuspenseQuery(projectReadOptions({ path: { projectId } })).data;
}
