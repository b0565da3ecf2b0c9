import { linkOptions } from '@tanstack/react-router';
import type { JoinedResponse } from '../client/types.gen';

/** The first page of the project or the organization that a person has joined. */
export function pageOfJoined({
  projectId,
  organizationId,
}: Pick<JoinedResponse, 'projectId' | 'organizationId'>) {
  if (projectId !== null) return linkOptions({ to: '/projects/$projectId', params: { projectId } });
  return organizationId === null
    ? linkOptions({ to: '/projects' })
    : linkOptions({ to: '/organizations/$organizationId', params: { organizationId } });
}
