import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { queryClient } from '../../api/query-client';
import { PageLoading } from '../../shared/page-loading';
import { signedInRoute } from '../../shared/parent-routes';
import { storedZone } from '../../shared/zone';
import { projectsSearch } from './projects-search';
import { statusPages } from './queries';

export const projectsRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/projects',
  validateSearch: projectsSearch,
  // The page shows a failure.
  loader: () => queryClient.ensureInfiniteQueryData(statusPages(storedZone())).catch(() => undefined),
  pendingComponent: PageLoading,
  component: lazyRouteComponent(() => import('./projects.page'), 'ProjectsPage'),
});
