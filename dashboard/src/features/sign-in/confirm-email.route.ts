import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { tokenSearch } from './search';
import { rootRoute } from '../../shared/parent-routes';

export const confirmEmailRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/confirm-email',
  validateSearch: tokenSearch,
  component: lazyRouteComponent(() => import('./confirm-email.page'), 'ConfirmEmailPage'),
});
