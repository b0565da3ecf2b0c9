import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { signedInRoute } from '../../shared/parent-routes';

export const newProjectRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/new-project',
  component: lazyRouteComponent(() => import('./new-project.page'), 'NewProjectPage'),
});
