import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../shared/lazy-page';
import { projectRoute } from '../../shared/parent-routes';
import { endpointSearch, eventFilters } from './search';

export const eventsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/settings/events',
  validateSearch: eventFilters,
  component: lazyPage('events', () => import('./pages'), 'EventsPage'),
});

export const eventEndpointRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/settings/events/$endpointId',
  validateSearch: endpointSearch,
  component: lazyPage('events', () => import('./pages'), 'EndpointPage'),
});
