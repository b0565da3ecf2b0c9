import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../shared/lazy-page';
import { auditFilters } from './filters';
import { projectRoute } from '../../shared/parent-routes';

export const auditRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/settings/audit',
  validateSearch: auditFilters,
  component: lazyPage('organizations', () => import('./audit.page'), 'AuditPage'),
});
