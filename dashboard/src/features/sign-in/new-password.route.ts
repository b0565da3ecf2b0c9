import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { tokenSearch } from './search';
import { rootRoute } from '../../shared/parent-routes';

export const newPasswordRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/new-password',
  validateSearch: tokenSearch,
  component: lazyRouteComponent(() => import('./new-password.page'), 'NewPasswordPage'),
});
