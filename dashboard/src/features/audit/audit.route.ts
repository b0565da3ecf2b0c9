import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { auditFilters } from './filters';
import { projectRoute } from '../../shared/parent-routes';

export const auditRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/settings/audit',
  validateSearch: auditFilters,
  component: lazyRouteComponent(() => import('./audit.page'), 'AuditPage'),
});
