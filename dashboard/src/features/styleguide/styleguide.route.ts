import { createRoute, lazyRouteComponent, notFound } from '@tanstack/react-router';
import { isProduction } from '../../shared/environment';
import { rootRoute } from '../../shared/parent-routes';

/** The components of the dashboard on one page, for developers; not in production. */
export const styleguideRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/styleguide',
  beforeLoad: () => {
    if (isProduction()) throw notFound();
  },
  component: lazyRouteComponent(() => import('./styleguide.page'), 'StyleguidePage'),
});
