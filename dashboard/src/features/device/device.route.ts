import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../shared/lazy-page';
import { requireSession, rootRoute } from '../../shared/parent-routes';

export const deviceRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/device',
  validateSearch: ({ code }: Record<string, unknown>): { code?: string } =>
    typeof code === 'string' && code !== '' ? { code } : {},
  beforeLoad: ({ location }) => requireSession(location.href),
  component: lazyPage('device', () => import('./device.page'), 'DevicePage'),
});
