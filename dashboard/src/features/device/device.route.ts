import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { requireSession, rootRoute } from '../../shared/parent-routes';

export const deviceRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/device',
  validateSearch: ({ code }: Record<string, unknown>): { code?: string } =>
    typeof code === 'string' && code !== '' ? { code } : {},
  beforeLoad: ({ location }) => requireSession(location.href),
  component: lazyRouteComponent(() => import('./device.page'), 'DevicePage'),
});
