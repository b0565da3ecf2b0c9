import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../shared/lazy-page';
import { projectRoute } from '../../shared/parent-routes';

export const installRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/install',
  component: lazyPage('install', () => import('./install.page'), 'InstallPage'),
});
