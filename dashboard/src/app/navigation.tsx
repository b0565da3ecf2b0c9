import { NavLink } from '@mantine/core';
import { Link, useRouterState } from '@tanstack/react-router';
import { t } from '../i18n/i18n';

/** The pages of a project, in the order in which they are needed. */
const PAGES = [
  ['', t('pages.overview')],
  ['/consents', t('pages.consents')],
  ['/deliveries', t('pages.deliveries')],
  ['/analytics', t('pages.analytics')],
  ['/banner', t('pages.banner')],
  ['/install', t('pages.install')],
] as const;

const SETTINGS = [
  ['/settings/consent/records-and-archive', t('pages.recordsAndArchive')],
  ['/settings/privacy', t('pages.privacy')],
  ['/settings/project', t('pages.project')],
  ['/settings/plan', t('pages.plan')],
  ['/settings/members', t('pages.members')],
  ['/settings/api-keys', t('pages.apiKeys')],
  ['/settings/audit', t('pages.audit')],
] as const;

export function Navigation({ projectId }: { projectId: string }) {
  const base = `/projects/${projectId}`;
  const pathname = useRouterState({ select: (state) => state.location.pathname.replace(/\/$/, '') });
  const link = ([path, label]: readonly [string, string]) => (
    <NavLink
      key={path}
      component={Link}
      to={`${base}${path}`}
      label={label}
      active={pathname === `${base}${path}`}
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
