import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import {
  authSessionOptions,
  projectListOptions,
  projectReadOptions,
  tierReadOptions,
} from '../client/@tanstack/react-query.gen';
import { queryClient } from '../api/query-client';
import { lastProject } from '../features/projects/last-project';
import { auditFilters } from '../features/audit/filters';
import { bannerSearch } from '../features/banner/search';
import { consentFilters } from '../features/consents/filters';
import { consentPages } from '../features/consents/queries';
import { deliveryFilters } from '../features/deliveries/filters';
import { privacySearch } from '../features/privacy/search';
import { overviewQueries } from '../features/overview/queries';
import { storedZone } from '../shared/zone';
import { analyticsRange } from '../features/analytics/range';
import { NotFound, PageFailed } from './failures';
import { PageLoading } from './page-loading';

const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

const root = createRootRoute({ component: Outlet, notFoundComponent: NotFound, errorComponent: PageFailed });

/** `/` leads to where the person was last, or to signing in. */
const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: async () => {
    await requireSession('/');
    const { items } = await queryClient.fetchQuery(projectListOptions({ query: { limit: 200 } }));
    const known = items.find(({ id }) => id === lastProject.read()) ?? items[0];
    throw known
      ? redirect({ to: '/projects/$projectId', params: { projectId: known.id }, replace: true })
      : redirect({ to: '/new-project', replace: true });
  },
});

/**
 * Redirects to the sign-in page unless there is a session. A cached session is used; a cached absence is not, because a
 * session may have been opened in another tab a moment ago.
 */
async function requireSession(to: string): Promise<void> {
  const { queryKey } = authSessionOptions();
  const session =
    queryClient.getQueryData(queryKey) ??
    (await queryClient.fetchQuery({ ...authSessionOptions(), staleTime: 0 }));
  if (!session) throw redirect({ to: '/sign-in', search: to === '/' ? {} : { to } });
}

const signInSearch = (search: Record<string, unknown>): { to?: string } => {
  const to = text(search['to']);
  // A path of ours alone: `//elsewhere.example` is another site.
  return to !== undefined && /^\/(?![/\\])/.test(to) ? { to } : {};
};

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: signInSearch,
  component: lazyRouteComponent(() => import('../features/sign-in/sign-in.page'), 'SignInPage'),
});
const signUp = createRoute({
  getParentRoute: () => root,
  path: '/sign-up',
  validateSearch: signInSearch,
  component: lazyRouteComponent(() => import('../features/sign-in/sign-up.page'), 'SignUpPage'),
});

const forgottenPassword = createRoute({
  getParentRoute: () => root,
  path: '/forgotten-password',
  component: lazyRouteComponent(
    () => import('../features/sign-in/forgotten-password.page'),
    'ForgottenPasswordPage',
  ),
});

/** The search parameters of a mailed link. */
const tokenSearch = (search: Record<string, unknown>): { token?: string } => {
  const token = text(search['token']);
  return token === undefined ? {} : { token };
};

const confirmEmail = createRoute({
  getParentRoute: () => root,
  path: '/confirm-email',
  validateSearch: tokenSearch,
  component: lazyRouteComponent(() => import('../features/sign-in/confirm-email.page'), 'ConfirmEmailPage'),
});
const newPassword = createRoute({
  getParentRoute: () => root,
  path: '/new-password',
  validateSearch: tokenSearch,
  component: lazyRouteComponent(() => import('../features/sign-in/new-password.page'), 'NewPasswordPage'),
});

const confirmNewEmail = createRoute({
  getParentRoute: () => root,
  path: '/confirm-new-email',
  validateSearch: tokenSearch,
  component: lazyRouteComponent(
    () => import('../features/sign-in/confirm-new-email.page'),
    'ConfirmNewEmailPage',
  ),
});

const acceptInvitation = createRoute({
  getParentRoute: () => root,
  path: '/accept-invitation',
  validateSearch: tokenSearch,
  component: lazyRouteComponent(
    () => import('../features/sign-in/accept-invitation.page'),
    'AcceptInvitationPage',
  ),
});

const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  beforeLoad: ({ location }) => requireSession(location.href),
  component: lazyRouteComponent(() => import('./shell'), 'Shell'),
});
const newProject = createRoute({
  getParentRoute: () => signedIn,
  path: '/new-project',
  component: lazyRouteComponent(() => import('../features/projects/new-project.page'), 'NewProjectPage'),
});
const account = createRoute({
  getParentRoute: () => signedIn,
  path: '/account',
  component: lazyRouteComponent(() => import('../features/account/account.page'), 'AccountPage'),
});

const projectRoute = createRoute({
  getParentRoute: () => signedIn,
  path: '/projects/$projectId',
  beforeLoad: ({ params }) => lastProject.write(params.projectId),
  loader: ({ params }) =>
    queryClient.ensureQueryData(projectReadOptions({ path: { projectId: params.projectId } })),
});
/** What the plan allows is known before a page is drawn, so that its note on that does not push the page down. */
const knowTier = (projectId: string): Promise<unknown> =>
  queryClient.ensureQueryData(tierReadOptions({ path: { projectId } })).catch(() => undefined);

const overview = createRoute({
  getParentRoute: () => projectRoute,
  path: '/',
  loader: async ({ params }) => {
    const queries = overviewQueries(params.projectId, storedZone());
    // Each part of the page shows its own failure.
    await Promise.all([
      queryClient.prefetchQuery(queries.configuration),
      queryClient.prefetchQuery(queries.records).then(() => {
        const records = queryClient.getQueryData(queries.records.queryKey);
        return records?.items.length === 0 ? queryClient.prefetchQuery(queries.lastSeen) : undefined;
      }),
      queryClient.prefetchQuery(queries.forwarding),
      queryClient.prefetchQuery(queries.figures),
    ]);
  },
  pendingComponent: PageLoading,
  component: lazyRouteComponent(() => import('../features/overview/overview.page'), 'OverviewPage'),
});
const consentsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/consents',
  validateSearch: consentFilters,
  // With the page's own script rather than after it. What is there is not asked for again, or all that was scrolled
  // through would be; what fails is told by the list.
  loader: async ({ params, location }) => {
    const pages = consentPages(params.projectId, consentFilters(location.search), storedZone());
    await Promise.all([
      queryClient.ensureInfiniteQueryData(pages).catch(() => undefined),
      knowTier(params.projectId),
    ]);
  },
  pendingComponent: PageLoading,
  component: lazyRouteComponent(() => import('../features/consents/consents.page'), 'ConsentsPage'),
});
const deliveriesRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/deliveries',
  validateSearch: deliveryFilters,
  loader: ({ params }) => knowTier(params.projectId),
  component: lazyRouteComponent(() => import('../features/deliveries/deliveries.page'), 'DeliveriesPage'),
});
const analyticsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/analytics',
  validateSearch: analyticsRange,
  component: lazyRouteComponent(() => import('../features/analytics/analytics.page'), 'AnalyticsPage'),
});
export const bannerRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/banner',
  validateSearch: bannerSearch,
  component: lazyRouteComponent(() => import('../features/banner/banner.page'), 'BannerPage'),
});
const install = createRoute({
  getParentRoute: () => projectRoute,
  path: '/install',
  component: lazyRouteComponent(() => import('../features/install/install.page'), 'InstallPage'),
});
const records = createRoute({
  getParentRoute: () => projectRoute,
  path: '/settings/consent/records-and-archive',
  component: lazyRouteComponent(
    () => import('../features/forwarding/records-and-archive.page'),
    'RecordsAndArchivePage',
  ),
});
const privacyRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/settings/privacy',
  validateSearch: privacySearch,
  component: lazyRouteComponent(() => import('../features/privacy/privacy.page'), 'PrivacyPage'),
});
const projectSettings = createRoute({
  getParentRoute: () => projectRoute,
  path: '/settings/project',
  component: lazyRouteComponent(() => import('../features/settings/project.page'), 'ProjectSettingsPage'),
});
const plan = createRoute({
  getParentRoute: () => projectRoute,
  path: '/settings/plan',
  component: lazyRouteComponent(() => import('../features/settings/plan.page'), 'PlanPage'),
});
const members = createRoute({
  getParentRoute: () => projectRoute,
  path: '/settings/members',
  component: lazyRouteComponent(() => import('../features/settings/members.page'), 'MembersPage'),
});
const apiKeys = createRoute({
  getParentRoute: () => projectRoute,
  path: '/settings/api-keys',
  component: lazyRouteComponent(() => import('../features/settings/api-keys.page'), 'ApiKeysPage'),
});
const auditRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/settings/audit',
  validateSearch: auditFilters,
  component: lazyRouteComponent(() => import('../features/audit/audit.page'), 'AuditPage'),
});

export const router = createRouter({
  routeTree: root.addChildren([
    home,
    signIn,
    signUp,
    forgottenPassword,
    confirmEmail,
    newPassword,
    confirmNewEmail,
    acceptInvitation,
    signedIn.addChildren([
      newProject,
      account,
      projectRoute.addChildren([
        overview,
        consentsRoute,
        deliveriesRoute,
        analyticsRoute,
        bannerRoute,
        install,
        records,
        privacyRoute,
        projectSettings,
        plan,
        members,
        apiKeys,
        auditRoute,
      ]),
    ]),
  ]),
  defaultPreload: 'intent',
  defaultPreloadStaleTime: 0,
  // What is there sooner is shown without a skeleton before it.
  defaultPendingMs: 300,
  // Nor is what has come held back for the skeleton's sake.
  defaultPendingMinMs: 0,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
