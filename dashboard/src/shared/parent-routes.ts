import { createRootRoute, createRoute, Outlet, redirect } from '@tanstack/react-router';
import { queryClient } from '../api/query-client';
import { authSessionOptions, projectReadOptions, tierReadOptions } from '../client/@tanstack/react-query.gen';
import { recentProjects } from './recent-projects';

/** The parents of the pages' routes. `app/router.tsx` adds their layouts, which would import these in a circle. */
export const rootRoute = createRootRoute({ component: Outlet });

export const signedInRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'signed-in',
  beforeLoad: ({ location }) => requireSession(location.href),
});

export const projectRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/projects/$projectId',
  beforeLoad: ({ params, preload }) => {
    // A link under the mouse preloads its page.
    if (!preload) recentProjects.add(params.projectId);
  },
  loader: ({ params }) =>
    queryClient.ensureQueryData(projectReadOptions({ path: { projectId: params.projectId } })),
});

/**
 * Redirects to the sign-in page unless there is a session. A cached session is used; a cached absence is not, because
 * another tab may have opened a session since.
 * @param reason what the sign-in page explains
 */
export async function requireSession(
  to: string,
  reason: { demoLink?: 'used' | 'failed' } = {},
): Promise<void> {
  const { queryKey } = authSessionOptions();
  const session =
    queryClient.getQueryData(queryKey) ??
    (await queryClient.fetchQuery({ ...authSessionOptions(), staleTime: 0 }));
  if (!session) throw redirect({ to: '/sign-in', search: { ...(to !== '/' && { to }), ...reason } });
}

/** Loads the plan before the page renders, so that a note about the plan does not push the page down. */
export const prefetchTier = (projectId: string): Promise<unknown> =>
  queryClient.ensureQueryData(tierReadOptions({ path: { projectId } })).catch(() => undefined);
