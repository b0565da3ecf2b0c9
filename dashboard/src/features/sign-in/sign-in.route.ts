import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { demoLinkSearch, returnSearch } from './search';
import { rootRoute } from '../../shared/parent-routes';

export const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in',
  validateSearch: (search: Record<string, unknown>) => ({
    ...returnSearch(search),
    ...demoLinkSearch(search),
  }),
  component: lazyRouteComponent(() => import('./sign-in.page'), 'SignInPage'),
});
