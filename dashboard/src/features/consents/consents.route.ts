import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { queryClient } from '../../api/query-client';
import { PageLoading } from '../../shared/page-loading';
import { prefetchTier, projectRoute } from '../../shared/parent-routes';
import { storedZone } from '../../shared/zone';
import { consentFilters } from './filters';
import { consentPages } from './queries';

export const consentsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/consents',
  validateSearch: consentFilters,
  // In parallel with the page's script. Cached pages are not fetched again, or every page scrolled through would be;
  // the list shows failures.
  loader: async ({ params, location }) => {
    const pages = consentPages(params.projectId, consentFilters(location.search), storedZone());
    await Promise.all([
      queryClient.ensureInfiniteQueryData(pages).catch(() => undefined),
      prefetchTier(params.projectId),
    ]);
  },
  pendingComponent: PageLoading,
  component: lazyRouteComponent(() => import('./consents.page'), 'ConsentsPage'),
});
