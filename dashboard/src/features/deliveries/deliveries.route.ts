import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { prefetchTier, projectRoute } from '../../shared/parent-routes';
import { deliveryFilters } from './filters';

export const deliveriesRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/deliveries',
  validateSearch: deliveryFilters,
  loader: ({ params }) => prefetchTier(params.projectId),
  component: lazyRouteComponent(() => import('./deliveries.page'), 'DeliveriesPage'),
});
