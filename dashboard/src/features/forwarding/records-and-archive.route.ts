import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { projectRoute } from '../../shared/parent-routes';

export const recordsAndArchiveRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/settings/consent/records-and-archive',
  component: lazyRouteComponent(() => import('./records-and-archive.page'), 'RecordsAndArchivePage'),
});
