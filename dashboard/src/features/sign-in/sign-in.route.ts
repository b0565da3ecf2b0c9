import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { returnSearch } from './search';
import { rootRoute } from '../../shared/parent-routes';

export const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in',
  validateSearch: returnSearch,
  component: lazyRouteComponent(() => import('./sign-in.page'), 'SignInPage'),
});
