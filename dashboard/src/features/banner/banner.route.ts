import { createRoute } from '@tanstack/react-router';
import { bannerSearch } from './search';
import { lazyPage } from '../../shared/lazy-page';
import { projectRoute } from '../../shared/parent-routes';

export const bannerRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/banner',
  validateSearch: bannerSearch,
  component: lazyPage('banner', () => import('./banner.page'), 'BannerPage'),
});
