import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { projectRoute } from '../../shared/parent-routes';

export const membersRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/settings/members',
  component: lazyRouteComponent(() => import('./members.page'), 'MembersPage'),
});
