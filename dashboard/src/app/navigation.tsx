import { NavLink, type NavLinkProps } from '@mantine/core';
import { createLink, useMatchRoute } from '@tanstack/react-router';
import { t } from '../i18n/i18n';

/** The pages of a project, in the order in which they are needed. */
const PAGES = [
  ['/projects/$projectId', t('pages.overview')],
  ['/projects/$projectId/consents', t('pages.consents')],
  ['/projects/$projectId/deliveries', t('pages.deliveries')],
  ['/projects/$projectId/analytics', t('pages.analytics')],
  ['/projects/$projectId/banner', t('pages.banner')],
  ['/projects/$projectId/install', t('pages.install')],
] as const;

const SETTINGS = [
  ['/projects/$projectId/settings/consent/records-and-archive', t('pages.recordsAndArchive')],
  ['/projects/$projectId/settings/privacy', t('pages.privacy')],
  ['/projects/$projectId/settings/project', t('pages.project')],
  ['/projects/$projectId/settings/plan', t('pages.plan')],
  ['/projects/$projectId/settings/members', t('pages.members')],
  ['/projects/$projectId/settings/api-keys', t('pages.apiKeys')],
  ['/projects/$projectId/settings/audit', t('pages.audit')],
] as const;

const PageLink = createLink((props: NavLinkProps) => <NavLink {...props} />);

type ProjectPage = (typeof PAGES | typeof SETTINGS)[number];

export function Navigation({ projectId }: { projectId: string }) {
  const matchRoute = useMatchRoute();
  const params = { projectId };
  const link = ([to, label]: ProjectPage) => (
    <PageLink
      key={to}
      to={to}
      params={params}
      label={label}
      active={matchRoute({ to, params }) !== false}
      activeOptions={{ exact: true, includeSearch: false }}
      className="nav-link"
    />
  );
  return (
    <>
      {PAGES.map(link)}
      <div className="nav-heading" id="nav-settings">
        {t('pages.settings')}
      </div>
      <div role="group" aria-labelledby="nav-settings">
        {SETTINGS.map(link)}
      </div>
    </>
  );
}
