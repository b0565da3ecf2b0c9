import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { tokenSearch } from './search';
import { rootRoute } from '../../shared/parent-routes';

export const confirmNewEmailRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/confirm-new-email',
  validateSearch: tokenSearch,
  component: lazyRouteComponent(() => import('./confirm-new-email.page'), 'ConfirmNewEmailPage'),
});
