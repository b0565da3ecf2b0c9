import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../shared/lazy-page';
import { projectRoute } from '../../shared/parent-routes';

export const projectSettingsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/settings/project',
  component: lazyPage('organizations', () => import('./project.page'), 'ProjectSettingsPage'),
});
