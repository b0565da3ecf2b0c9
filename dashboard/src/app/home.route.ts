import { createRoute, redirect } from '@tanstack/react-router';
import { queryClient } from '../api/query-client';
import { projectListOptions } from '../client/@tanstack/react-query.gen';
import { demoLinkSearch } from '../features/sign-in/search';
import { requireSession, rootRoute } from '../shared/parent-routes';

/** `/` redirects to sign-in, to the only project, or to the list of several. */
export const homeRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  validateSearch: demoLinkSearch,
  beforeLoad: async ({ search }) => {
    await requireSession('/', search);
    const { items, withheld } = await queryClient.fetchQuery(projectListOptions({ query: { limit: 2 } }));
    const [only, another] = items;
    if (another || withheld.length > 0) throw redirect({ to: '/projects', replace: true });
    throw only
      ? redirect({ to: '/projects/$projectId', params: { projectId: only.id }, replace: true })
      : redirect({ to: '/new-project', replace: true });
  },
});
