import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { returnSearch } from './search';
import { rootRoute } from '../../shared/parent-routes';

export const signUpRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-up',
  validateSearch: returnSearch,
  component: lazyRouteComponent(() => import('./sign-up.page'), 'SignUpPage'),
});
