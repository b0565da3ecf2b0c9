import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { analyticsRange } from './range';
import { projectRoute } from '../../shared/parent-routes';

export const analyticsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/analytics',
  validateSearch: analyticsRange,
  component: lazyRouteComponent(() => import('./analytics.page'), 'AnalyticsPage'),
});
