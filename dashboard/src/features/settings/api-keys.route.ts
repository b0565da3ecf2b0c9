import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { projectRoute } from '../../shared/parent-routes';

export const apiKeysRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/settings/api-keys',
  component: lazyRouteComponent(() => import('./api-keys.page'), 'ApiKeysPage'),
});
