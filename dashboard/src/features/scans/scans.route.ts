import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../shared/lazy-page';
import { projectRoute } from '../../shared/parent-routes';
import { scanFilters, scanSearch } from './search';

export const scansRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/scans',
  validateSearch: scanFilters,
  component: lazyPage('scans', () => import('./scans.page'), 'ScansPage'),
});

export const scanRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/scans/$scanId',
  validateSearch: scanSearch,
  component: lazyPage('scans', () => import('./scan.page'), 'ScanPage'),
});
