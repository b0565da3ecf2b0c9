import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../shared/lazy-page';
import { privacySearch } from './search';
import { projectRoute } from '../../shared/parent-routes';

export const privacyRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/settings/privacy',
  validateSearch: privacySearch,
  component: lazyPage('imports', () => import('./privacy.page'), 'PrivacyPage'),
});
