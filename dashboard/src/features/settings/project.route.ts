import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { projectRoute } from '../../shared/parent-routes';

export const projectSettingsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/settings/project',
  component: lazyRouteComponent(() => import('./project.page'), 'ProjectSettingsPage'),
});
