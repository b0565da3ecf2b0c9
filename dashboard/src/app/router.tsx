import { createRouter, lazyRouteComponent } from '@tanstack/react-router';
import { accountRoute } from '../features/account/account.route';
import { analyticsRoute } from '../features/analytics/analytics.route';
import { auditRoute } from '../features/audit/audit.route';
import { bannerRoute } from '../features/banner/banner.route';
import { consentsRoute } from '../features/consents/consents.route';
import { cookiesRoute } from '../features/cookies/cookies.route';
import { deliveriesRoute } from '../features/deliveries/deliveries.route';
import { deviceRoute } from '../features/device/device.route';
import { eventEndpointRoute, eventsRoute } from '../features/events/events.route';
import { recordsAndArchiveRoute } from '../features/forwarding/records-and-archive.route';
import { installRoute } from '../features/install/install.route';
import {
  newOrganizationRoute,
  organizationPages,
  organizationRoute,
} from '../features/organizations/organizations.route';
import { overviewRoute } from '../features/overview/overview.route';
import { privacyRoute } from '../features/privacy/privacy.route';
import { newProjectRoute } from '../features/projects/new-project.route';
import { projectsRoute } from '../features/projects/projects.route';
import { apiKeysRoute } from '../features/settings/api-keys.route';
import { membersRoute } from '../features/settings/members.route';
import { planRoute } from '../features/settings/plan.route';
import { projectSettingsRoute } from '../features/settings/project.route';
import { scanRoute, scansRoute } from '../features/scans/scans.route';
import { acceptInvitationRoute } from '../features/sign-in/accept-invitation.route';
import { confirmEmailRoute } from '../features/sign-in/confirm-email.route';
import { confirmNewEmailRoute } from '../features/sign-in/confirm-new-email.route';
import { forgottenPasswordRoute } from '../features/sign-in/forgotten-password.route';
import { newPasswordRoute } from '../features/sign-in/new-password.route';
import { signInRoute } from '../features/sign-in/sign-in.route';
import { signUpRoute } from '../features/sign-in/sign-up.route';
import { styleguideRoute } from '../features/styleguide/styleguide.route';
import { projectRoute, rootRoute, signedInRoute } from '../shared/parent-routes';
import { NotFoundPage, ErrorPage } from './error-pages';
import { homeRoute } from './home.route';

rootRoute.update({ notFoundComponent: NotFoundPage, errorComponent: ErrorPage });
signedInRoute.update({ component: lazyRouteComponent(() => import('./shell'), 'Shell') });

const routeTree = rootRoute.addChildren([
  homeRoute,
  signInRoute,
  signUpRoute,
  forgottenPasswordRoute,
  confirmEmailRoute,
  newPasswordRoute,
  confirmNewEmailRoute,
  acceptInvitationRoute,
  deviceRoute,
  styleguideRoute,
  signedInRoute.addChildren([
    newProjectRoute,
    projectsRoute,
    accountRoute,
    newOrganizationRoute,
    organizationRoute.addChildren(organizationPages),
    projectRoute.addChildren([
      overviewRoute,
      consentsRoute,
      deliveriesRoute,
      analyticsRoute,
      scansRoute,
      scanRoute,
      cookiesRoute,
      bannerRoute,
      installRoute,
      recordsAndArchiveRoute,
      privacyRoute,
      projectSettingsRoute,
      planRoute,
      membersRoute,
      apiKeysRoute,
      eventsRoute,
      eventEndpointRoute,
      auditRoute,
    ]),
  ]),
]);

export const router = createRouter({
  routeTree,
  defaultPreload: 'intent',
  defaultPreloadStaleTime: 0,
  // Faster pages need no skeleton.
  defaultPendingMs: 300,
  // Replace a skeleton as soon as the page is ready.
  defaultPendingMinMs: 0,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
