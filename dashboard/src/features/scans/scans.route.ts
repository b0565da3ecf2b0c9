import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { projectRoute } from '../../shared/parent-routes';
import { scanSearch } from './search';

export const scansRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/scans',
  component: lazyRouteComponent(() => import('./scans.page'), 'ScansPage'),
});

export const scanRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/scans/$scanId',
  validateSearch: scanSearch,
  component: lazyRouteComponent(() => import('./scan.page'), 'ScanPage'),
});
