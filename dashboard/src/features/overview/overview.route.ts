import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { queryClient } from '../../api/query-client';
import { PageLoading } from '../../shared/page-loading';
import { projectRoute } from '../../shared/parent-routes';
import { storedZone } from '../../shared/zone';
import { overviewPeriod } from './period';
import { overviewQueries } from './queries';

export const overviewRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/',
  validateSearch: overviewPeriod,
  loader: async ({ params }) => {
    const queries = overviewQueries(params.projectId, storedZone());
    // Each part of the page shows its own failure.
    await Promise.all([
      queryClient.prefetchQuery(queries.configuration),
      queryClient.prefetchQuery(queries.records).then(() => {
        const records = queryClient.getQueryData(queries.records.queryKey);
        return records?.items.length === 0 ? queryClient.prefetchQuery(queries.lastSeen) : undefined;
      }),
      queryClient.prefetchQuery(queries.forwarding),
      queryClient.prefetchQuery(queries.figures),
      queryClient.prefetchQuery(queries.daily),
      queryClient.prefetchQuery(queries.undelivered),
      queryClient.prefetchQuery(queries.activity),
      queryClient.prefetchQuery(queries.tier),
    ]);
  },
  pendingComponent: PageLoading,
  component: lazyRouteComponent(() => import('./overview.page'), 'OverviewPage'),
});
