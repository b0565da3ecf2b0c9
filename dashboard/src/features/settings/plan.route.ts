import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../shared/lazy-page';
import { projectRoute } from '../../shared/parent-routes';

export const planRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/settings/plan',
  component: lazyPage('plan', () => import('./plan.page'), 'PlanPage'),
});
