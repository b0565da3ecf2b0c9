import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../shared/lazy-page';
import { signedInRoute } from '../../shared/parent-routes';

export const accountRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/account',
  component: lazyPage('organizations', () => import('./account.page'), 'AccountPage'),
});
