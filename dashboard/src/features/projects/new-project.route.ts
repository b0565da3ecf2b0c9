import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../shared/lazy-page';
import { signedInRoute } from '../../shared/parent-routes';

/** The organization in which the project is created; absent: none is chosen yet. */
const newProjectSearch = ({ organization }: Record<string, unknown>): { organization?: string } =>
  typeof organization === 'string' ? { organization } : {};

export const newProjectRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/new-project',
  validateSearch: newProjectSearch,
  component: lazyPage('organizations', () => import('./new-project.page'), 'NewProjectPage'),
});
