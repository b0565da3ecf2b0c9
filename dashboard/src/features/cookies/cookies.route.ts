import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../shared/lazy-page';
import { projectRoute } from '../../shared/parent-routes';
import { cookieSearch } from './search';

export const cookiesRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/cookies',
  validateSearch: cookieSearch,
  component: lazyPage('scans', () => import('./cookies.page'), 'CookiesPage'),
});
