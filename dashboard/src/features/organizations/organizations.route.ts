import { createRoute } from '@tanstack/react-router';
import { queryClient } from '../../api/query-client';
import { organizationReadOptions } from '../../client/@tanstack/react-query.gen';
import { lazyPage } from '../../shared/lazy-page';
import { signedInRoute } from '../../shared/parent-routes';
import { auditFilters } from '../audit/filters';
import { projectsSearch } from '../projects/projects-search';

const page = (name: keyof typeof import('./pages')) =>
  lazyPage('organizations', () => import('./pages'), name);

export const newOrganizationRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/new-organization',
  component: page('NewOrganizationPage'),
});

export const organizationRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/organizations/$organizationId',
  loader: ({ params: path }) => queryClient.ensureQueryData(organizationReadOptions({ path })),
});

export const organizationPages = [
  createRoute({
    getParentRoute: () => organizationRoute,
    path: '/',
    validateSearch: projectsSearch,
    component: page('OrganizationProjectsPage'),
  }),
  createRoute({
    getParentRoute: () => organizationRoute,
    path: '/members',
    component: page('OrganizationMembersPage'),
  }),
  createRoute({
    getParentRoute: () => organizationRoute,
    path: '/settings',
    component: page('OrganizationSettingsPage'),
  }),
  createRoute({
    getParentRoute: () => organizationRoute,
    path: '/audit',
    validateSearch: auditFilters,
    component: page('OrganizationAuditPage'),
  }),
] as const;
