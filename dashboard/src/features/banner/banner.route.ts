import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { bannerSearch } from './search';
import { projectRoute } from '../../shared/parent-routes';

export const bannerRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/banner',
  validateSearch: bannerSearch,
  component: lazyRouteComponent(() => import('./banner.page'), 'BannerPage'),
});
