import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { projectRoute } from '../../shared/parent-routes';

export const planRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/settings/plan',
  component: lazyRouteComponent(() => import('./plan.page'), 'PlanPage'),
});
