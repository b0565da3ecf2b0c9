import { NavLink, type NavLinkProps } from '@mantine/core';
import { createLink, useMatchRoute } from '@tanstack/react-router';
import Archive from 'lucide-react/icons/archive';
import Bell from 'lucide-react/icons/bell';
import ChartColumn from 'lucide-react/icons/chart-column';
import CodeXml from 'lucide-react/icons/code-xml';
import Cookie from 'lucide-react/icons/cookie';
import CreditCard from 'lucide-react/icons/credit-card';
import Globe from 'lucide-react/icons/globe';
import History from 'lucide-react/icons/history';
import House from 'lucide-react/icons/house';
import KeyRound from 'lucide-react/icons/key-round';
import List from 'lucide-react/icons/list';
import PanelBottom from 'lucide-react/icons/panel-bottom';
import ScanSearch from 'lucide-react/icons/scan-search';
import Send from 'lucide-react/icons/send';
import ShieldCheck from 'lucide-react/icons/shield-check';
import Users from 'lucide-react/icons/users';
import { t } from '../i18n/i18n';
import { UndeliveredCount } from './undelivered-count';

const DELIVERIES = '/projects/$projectId/deliveries';
const SCANS = '/projects/$projectId/scans';
const EVENTS = '/projects/$projectId/settings/events';

/** The pages of a project, in the order in which they are needed. */
const PAGES = [
  ['/projects/$projectId', t('pages.overview'), House],
  ['/projects/$projectId/consents', t('pages.consents'), List],
  [DELIVERIES, t('pages.deliveries'), Send],
  ['/projects/$projectId/analytics', t('pages.analytics'), ChartColumn],
  [SCANS, t('pages.scans'), ScanSearch],
  ['/projects/$projectId/cookies', t('pages.cookies'), Cookie],
  ['/projects/$projectId/banner', t('pages.banner'), PanelBottom],
  ['/projects/$projectId/install', t('pages.install'), CodeXml],
] as const;

const SETTINGS = [
  ['/projects/$projectId/settings/consent/records-and-archive', t('pages.recordsAndArchive'), Archive],
  ['/projects/$projectId/settings/privacy', t('pages.privacy'), ShieldCheck],
  ['/projects/$projectId/settings/project', t('pages.project'), Globe],
  ['/projects/$projectId/settings/plan', t('pages.plan'), CreditCard],
  ['/projects/$projectId/settings/members', t('pages.members'), Users],
  ['/projects/$projectId/settings/api-keys', t('pages.apiKeys'), KeyRound],
  [EVENTS, t('pages.events'), Bell],
  ['/projects/$projectId/settings/audit', t('pages.audit'), History],
] as const;

/** Every page of a project, for the command palette. */
export const PROJECT_PAGES = [...PAGES, ...SETTINGS];

/** The pages of an organization. */
const ORGANIZATION_PAGES = [
  ['/organizations/$organizationId', t('shell.projects'), List],
  ['/organizations/$organizationId/members', t('pages.members'), Users],
  ['/organizations/$organizationId/settings', t('pages.settings'), Globe],
  ['/organizations/$organizationId/audit', t('pages.audit'), History],
] as const;

const PageLink = createLink((props: NavLinkProps) => <NavLink {...props} />);

export function OrganizationNavigation({ organizationId }: { organizationId: string }) {
  const matchRoute = useMatchRoute();
  const params = { organizationId };
  return ORGANIZATION_PAGES.map(([to, label, Icon]) => (
    <PageLink
      key={to}
      to={to}
      params={params}
      label={label}
      leftSection={<Icon className="icon" aria-hidden />}
      active={matchRoute({ to, params }) !== false}
      activeOptions={{ exact: true, includeSearch: false }}
      className="nav-link"
    />
  ));
}

type ProjectPage = (typeof PROJECT_PAGES)[number];

export function Navigation({ projectId }: { projectId: string }) {
  const matchRoute = useMatchRoute();
  const params = { projectId };
  const link = ([to, label, Icon]: ProjectPage) => (
    <PageLink
      key={to}
      to={to}
      params={params}
      label={label}
      leftSection={<Icon className="icon" aria-hidden />}
      rightSection={to === DELIVERIES && <UndeliveredCount projectId={projectId} />}
      // A single scan and a single endpoint have a page below.
      active={matchRoute({ to, params, fuzzy: to === SCANS || to === EVENTS }) !== false}
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
