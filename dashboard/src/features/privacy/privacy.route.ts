import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { privacySearch } from './search';
import { projectRoute } from '../../shared/parent-routes';

export const privacyRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/settings/privacy',
  validateSearch: privacySearch,
  component: lazyRouteComponent(() => import('./privacy.page'), 'PrivacyPage'),
});
