import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { projectRoute } from '../../shared/parent-routes';

export const installRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/install',
  component: lazyRouteComponent(() => import('./install.page'), 'InstallPage'),
});
