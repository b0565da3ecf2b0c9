import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../shared/lazy-page';
import { tokenSearch } from './search';
import { rootRoute } from '../../shared/parent-routes';

export const acceptInvitationRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/accept-invitation',
  validateSearch: tokenSearch,
  component: lazyPage('organizations', () => import('./accept-invitation.page'), 'AcceptInvitationPage'),
});
