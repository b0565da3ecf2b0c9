import { createRoute, redirect } from '@tanstack/react-router';
import { queryClient } from '../api/query-client';
import { organizationListOptions, projectListOptions } from '../client/@tanstack/react-query.gen';
import { demoLinkSearch } from '../features/sign-in/search';
import { requireSession, rootRoute } from '../shared/parent-routes';

/** `/` redirects to sign-in, to the only project, to the list of several, or to an organization without projects. */
export const homeRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  validateSearch: demoLinkSearch,
  beforeLoad: async ({ search }) => {
    await requireSession('/', search);
    const { items, withheld } = await queryClient.fetchQuery(projectListOptions({ query: { limit: 2 } }));
    const [only, another] = items;
    if (another || withheld.length > 0) throw redirect({ to: '/projects', replace: true });
    if (only) throw redirect({ to: '/projects/$projectId', params: { projectId: only.id }, replace: true });
    const organizations = await queryClient
      .fetchQuery(organizationListOptions({ query: { limit: 1 } }))
      .catch(() => null);
    const organizationId = organizations?.items[0]?.id;
    throw organizationId === undefined
      ? redirect({ to: '/new-project', replace: true })
      : redirect({ to: '/organizations/$organizationId', params: { organizationId }, replace: true });
  },
});
