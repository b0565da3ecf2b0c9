import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { tokenSearch } from './search';
import { rootRoute } from '../../shared/parent-routes';

export const acceptInvitationRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/accept-invitation',
  validateSearch: tokenSearch,
  component: lazyRouteComponent(() => import('./accept-invitation.page'), 'AcceptInvitationPage'),
});
