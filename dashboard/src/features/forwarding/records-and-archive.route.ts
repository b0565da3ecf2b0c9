import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../shared/lazy-page';
import { projectRoute } from '../../shared/parent-routes';

export const recordsAndArchiveRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/settings/consent/records-and-archive',
  component: lazyPage('forwarding', () => import('./records-and-archive.page'), 'RecordsAndArchivePage'),
});
