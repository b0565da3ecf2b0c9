import { Link } from '@tanstack/react-router';
import type { ProjectStatusResponse } from '../../client/types.gen';
import { Avatar } from '../../shared/avatar';
import { formatNumber, formatPercent } from '../../shared/format';
import type { Column } from '../../shared/infinite-table';
import { NoValue } from '../../shared/no-value';
import { type Status, StatusLabel } from '../../shared/status-label';
import { absoluteTime, clockTime } from '../../shared/time';
import { RelativeTime } from '../../shared/timestamps';
import { useZone } from '../../shared/zone';
import { locale, t } from '../../i18n/i18n';
import { BannerState } from './banner-state';
import { installation } from './project-health';
import { VisibleText } from '../../shared/visible-text';

/** Columns of the list of projects. A function, because the clock moves. */
export const projectColumns = (now: Date): Column<ProjectStatusResponse>[] => [
  { title: t('projects.project'), flexible: true, cell: (project) => <ProjectLink project={project} /> },
  { title: t('projects.endpoint'), cell: ({ endpoint }) => <Endpoint endpoint={endpoint} /> },
  {
    title: t('projects.recordsToday'),
    numeric: true,
    cell: ({ recordsToday }) => formatNumber(recordsToday),
  },
  {
    title: t('projects.optIn'),
    numeric: true,
    cell: ({ optInRateToday }) =>
      optInRateToday === null ? (
        <NoValue reason={t('projects.nobodyAsked')} />
      ) : (
        formatPercent(optInRateToday)
      ),
  },
  {
    title: t('projects.undelivered'),
    numeric: true,
    cell: (project) => <Undelivered project={project} />,
  },
  {
    title: t('projects.banner'),
    cell: ({ publishedAt, draftSavedAt }) => (
      <BannerState publishedAt={publishedAt} draftSavedAt={draftSavedAt} />
    ),
  },
  { title: t('projects.installed'), cell: (project) => <Installed project={project} now={now} /> },
  {
    title: t('projects.plan'),
    cell: ({ tier }) => <span className="pill">{t(`projects.tiers.${tier}`)}</span>,
  },
];

/** The same projects in two lines: whether they work, and what arrived today. */
export const projectPhoneColumns = (): Column<ProjectStatusResponse>[] => [
  {
    title: t('projects.project'),
    flexible: true,
    cell: (project) => (
      <>
        <ProjectLink project={project} />
        <small>
          <Endpoint endpoint={project.endpoint} />
        </small>
      </>
    ),
  },
  {
    title: t('projects.recordsToday'),
    numeric: true,
    cell: (project) => (
      <>
        {formatNumber(project.recordsToday)}
        <small>
          {project.undelivered.records > 0 && (
            <>
              <Undelivered project={project} /> {t('projects.undeliveredShort')}
            </>
          )}
        </small>
      </>
    ),
  },
];

function ProjectLink({ project: { id, name, domains } }: { project: ProjectStatusResponse }) {
  return (
    <Link to="/projects/$projectId" params={{ projectId: id }} className="project-link" title={domains[0]}>
      <Avatar name={name} />
      <span>
        <VisibleText text={name} />
      </span>
    </Link>
  );
}

function Undelivered({ project }: { project: ProjectStatusResponse }) {
  const { records, more } = project.undelivered;
  if (records === 0) return '0';
  return (
    <Link
      to="/projects/$projectId/deliveries"
      params={{ projectId: project.id }}
      search={{ status: 'failed' }}
      className="undelivered"
    >
      {formatNumber(records)}
      {more && '+'}
    </Link>
  );
}

const ENDPOINT_STATUS: Record<ProjectStatusResponse['endpoint']['state'], Status> = {
  off: 'off',
  unused: 'waiting',
  healthy: 'good',
  failing: 'bad',
  held: 'bad',
};

function Endpoint({ endpoint: { state, since } }: Pick<ProjectStatusResponse, 'endpoint'>) {
  const { zone, now } = useZone();
  const at = since === null ? null : new Date(since);
  return (
    <StatusLabel status={ENDPOINT_STATUS[state]}>
      <span title={at ? absoluteTime(at, zone, locale) : undefined}>
        {t(`projects.endpointStates.${state}`)} {at && clockTime(at, { zone, now, language: locale })}
      </span>
    </StatusLabel>
  );
}

const INSTALLED_STATUS = { seen: 'good', lost: 'waiting', never: 'waiting' } as const;

function Installed({ project, now }: { project: ProjectStatusResponse; now: Date }) {
  const state = installation(project, now);
  return (
    <StatusLabel status={INSTALLED_STATUS[state]}>
      <span>
        {t(`projects.installations.${state}`)}{' '}
        {project.lastSeenAt !== null && <RelativeTime at={project.lastSeenAt} />}
      </span>
    </StatusLabel>
  );
}
