import { Button, Group, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import ChevronRight from 'lucide-react/icons/chevron-right';
import ScanSearch from 'lucide-react/icons/scan-search';
import Send from 'lucide-react/icons/send';
import Users from 'lucide-react/icons/users';
import { type CSSProperties, lazy, Suspense } from 'react';
import type { ProjectResponse } from '../../client/types.gen';
import { ButtonLink } from '../../shared/button-link';
import { CopyableCode } from '../../shared/copyable-code';
import { formatNumber, formatPercent } from '../../shared/format';
import { Section } from '../../shared/section';
import { SkeletonRows } from '../../shared/skeleton-rows';
import { useZone } from '../../shared/zone';
import { t } from '../../i18n/i18n';
import { overviewQueries } from './queries';
import { SetupSteps } from './setup-steps';
import { type SetupStep, type SetupStepName, useSetup } from './use-setup';

const BannerSample = lazy(() => import('./banner-sample'));

/** A project without records: the next step, the steps after it, and an example of this page. */
export function EmptyOverview({ project }: { project: ProjectResponse }) {
  const steps = useSetup(project);
  const next = steps?.find(({ done }) => !done);
  return (
    <>
      {next ? <NextStep project={project} step={next} /> : <SkeletonRows rows={6} />}
      {/* Records come before they are forwarded. */}
      {steps && <SetupSteps project={project} steps={steps.filter(({ name }) => name !== 'forward')} />}
      <div className="columns">
        <Example />
        <UsefulNow project={project} />
      </div>
    </>
  );
}

/** How much of the setup is done. */
export function SetupProgress({ project }: { project: ProjectResponse }) {
  const steps = useSetup(project)?.filter(({ name }) => name !== 'forward') ?? [];
  const done = steps.filter((step) => step.done).length;
  return (
    <div className="set-up-progress">
      <i style={{ '--done': `${(100 * done) / Math.max(steps.length, 1)}%` } as CSSProperties} aria-hidden />
      {t('setup.progress', { done, count: steps.length })}
    </div>
  );
}

function NextStep({ project, step: { name, to } }: { project: ProjectResponse; step: SetupStep }) {
  const site = project.domains[0];
  return (
    <section className="card next-step" aria-label={t(`setup.steps.${name}`)}>
      <div>
        <small>{t('setup.next')}</small>
        <h2>{t(`setup.steps.${name}`)}</h2>
        <p>{t(`setup.texts.${name}`, { site: site ?? t('setup.yourSite') })}</p>
        <Group gap="xs">
          {name === 'record' && site !== undefined ? (
            <Button component="a" href={`https://${site}/`} target="_blank" rel="noopener" size="sm">
              {t('setup.actions.record')}
            </Button>
          ) : (
            <ButtonLink to={to} params={{ projectId: project.id }} size="sm" variant="filled">
              {t(`setup.actions.${name}`)}
            </ButtonLink>
          )}
        </Group>
      </div>
      <div>
        <StepPicture project={project} name={name} />
      </div>
    </section>
  );
}

function StepPicture({ project, name }: { project: ProjectResponse; name: SetupStepName }) {
  if (name === 'install')
    return (
      <CopyableCode
        text={`<script src="${location.origin}/cdn/${project.id}/loader.js"></script>`}
        label={t('setup.line')}
      />
    );
  if (name === 'record')
    return (
      <div className="waiting-record" role="status">
        {t('setup.waiting')}
      </div>
    );
  return (
    <Suspense fallback={<Skeleton height={240} />}>
      <BannerSample projectId={project.id} />
    </Suspense>
  );
}

/** The page once records arrive, with invented numbers, marked as an example. */
function Example() {
  const figures = [
    [t('overview.records'), formatNumber(48_213)],
    [t('overview.optIn'), formatPercent(0.682)],
    [t('overview.undelivered'), '0'],
    [t('overview.visits'), formatNumber(212_940)],
  ];
  return (
    <Section
      title={t('setup.example')}
      mark={<span className="pill">{t('setup.exampleMark')}</span>}
      className="example"
    >
      <div aria-hidden>
        <dl>
          {figures.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
        <svg viewBox="0 0 600 110" preserveAspectRatio="none" fill="none" strokeWidth="2">
          <path d={CURVE} fill="color-mix(in srgb, var(--accent) 8%, transparent)" />
          <path d={CURVE.slice(0, CURVE.indexOf('V'))} stroke="var(--accent)" />
          <path
            d="M0 72C60 62 110 64 160 78S250 96 300 84S390 60 440 66S540 84 600 70"
            stroke="var(--good)"
            strokeDasharray="8 3"
          />
        </svg>
      </div>
    </Section>
  );
}

const CURVE = 'M0 40C60 26 110 28 160 44S250 66 300 48S390 20 440 30S540 50 600 34V110H0Z';

/** Pages that are useful before the script is on the site. */
function UsefulNow({ project }: { project: ProjectResponse }) {
  const { zone } = useZone();
  const forwarding = useQuery(overviewQueries(project.id, zone).forwarding).data;
  const links = [
    ['scan', '/projects/$projectId/scans', ScanSearch],
    ['invite', '/projects/$projectId/settings/members', Users],
    ['forward', '/projects/$projectId/settings/consent/records-and-archive', Send],
  ] as const;
  return (
    <Section title={t('setup.useful')}>
      <ul className="useful">
        {links.map(([name, to, Icon]) => (
          <li key={name}>
            <Link to={to} params={{ projectId: project.id }}>
              <span>
                <Icon className="icon" aria-hidden />
              </span>
              <span>
                <b>{t(`setup.now.${name}`)}</b>{' '}
                {name === 'forward' && forwarding?.available === false && <span className="pill">Pro</span>}
                <small>{t(`setup.nowHints.${name}`)}</small>
              </span>
              <ChevronRight className="icon" aria-hidden />
            </Link>
          </li>
        ))}
      </ul>
    </Section>
  );
}
