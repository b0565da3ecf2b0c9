import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { projectRoute } from '../../shared/parent-routes';
import { cookieSearch } from './search';

export const cookiesRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/cookies',
  validateSearch: cookieSearch,
  component: lazyRouteComponent(() => import('./cookies.page'), 'CookiesPage'),
});
