import { createRoute, redirect } from '@tanstack/react-router';
import { queryClient } from '../api/query-client';
import { projectListOptions } from '../client/@tanstack/react-query.gen';
import { lastProject } from '../shared/last-project';
import { requireSession, rootRoute } from '../shared/parent-routes';

/** `/` redirects to the last open project, or to sign-in. */
export const homeRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  beforeLoad: async () => {
    await requireSession('/');
    const { items } = await queryClient.fetchQuery(projectListOptions({ query: { limit: 200 } }));
    const known = items.find(({ id }) => id === lastProject.read()) ?? items[0];
    throw known
      ? redirect({ to: '/projects/$projectId', params: { projectId: known.id }, replace: true })
      : redirect({ to: '/new-project', replace: true });
  },
});
