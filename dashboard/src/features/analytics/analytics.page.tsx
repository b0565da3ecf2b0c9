import { Button, Modal } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { tierReadOptions } from '../../client/@tanstack/react-query.gen';
import type { ProjectResponse } from '../../client/types.gen';
import { AccessNote, checkAccess } from '../../shared/access';
import { Page } from '../../shared/page';
import { ProblemAlert } from '../../shared/problem-alert';
import { Section } from '../../shared/section';
import { Segments } from '../../shared/segments';
import { SkeletonRows } from '../../shared/skeleton-rows';
import { useProject } from '../../shared/use-project';
import { t } from '../../i18n/i18n';
import './analytics.css';
import { Breakdown, Categories } from './breakdown';
import { Definitions } from './definitions';
import { GROUPINGS } from './grouped';
import { KeyFigures } from './key-figures';
import { RANGES, type Range } from './range';
import { RatesOverTime } from './rates-over-time';
import { reportCsv } from './report-csv';
import { SiteBreakdown } from './site-breakdown';
import { SITE_GROUPINGS } from './site-groupings';
import { type ConsentReports, type SiteReports, useReports } from './use-reports';

const route = getRouteApi('/signed-in/projects/$projectId/analytics');
const SKELETON_ROWS = 8;

export function AnalyticsPage() {
  const project = useProject();
  // Another project must not show the numbers of this one while its own are loading.
  return <ProjectAnalytics key={project.id} project={project} />;
}

function ProjectAnalytics({ project }: { project: ProjectResponse }) {
  const { days } = route.useSearch();
  const navigate = route.useNavigate();
  const { data: tier } = useQuery(tierReadOptions({ path: { projectId: project.id } }));
  const open = tier?.features.analytics ?? false;
  const refusal = tier ? checkAccess(project, { feature: { open, tier: 'Business' } }) : null;
  const { consents, visits, failed } = useReports(project.id, days, open);
  const [isDefining, setDefining] = useState(false);
  return (
    <Page
      title={t('pages.analytics')}
      actions={
        <>
          <Segments
            label={t('analytics.range')}
            options={RANGES.map(String)}
            labelOf={(value) => t(`analytics.ranges.${Number(value) as Range}`)}
            value={String(days)}
            disabled={refusal !== null}
            onChange={(value) => void navigate({ search: { days: Number(value) as Range } })}
          />
          {open && (
            <Button variant="default" onClick={() => setDefining(true)}>
              {t('analytics.definitions')}
            </Button>
          )}
          <Button
            variant="default"
            disabled={!consents}
            onClick={() => consents && download(reportCsv(consents, visits), `analytics-${days}-days.csv`)}
          >
            {t('consents.export', { format: 'CSV' })}
          </Button>
        </>
      }
    >
      <AccessNote refusal={refusal} projectId={project.id} />
      {failed && <ProblemAlert error={failed.error} retry={() => void failed.refetch()} />}
      {!failed && !refusal && !consents && <SkeletonRows rows={SKELETON_ROWS} />}
      {consents && <Report consents={consents} visits={visits} />}
      {refusal && (
        <Section title={t('analytics.definitions')}>
          <Definitions />
        </Section>
      )}
      <Modal
        size="lg"
        opened={isDefining}
        onClose={() => setDefining(false)}
        title={t('analytics.definitions')}
        closeButtonProps={{ 'aria-label': t('shared.close') }}
      >
        <Definitions />
      </Modal>
    </Page>
  );
}

function Report({ consents, visits }: { consents: ConsentReports; visits: SiteReports | null }) {
  return (
    <>
      <KeyFigures consents={consents} visits={visits} />
      <div className="columns">
        <RatesOverTime report={consents.current} />
        <Categories consents={consents} />
      </div>
      <div className="breakdowns">
        {GROUPINGS.map((by) => (
          <Breakdown key={by} by={by} consents={consents} />
        ))}
        {visits && SITE_GROUPINGS.map((by) => <SiteBreakdown key={by} by={by} visits={visits} />)}
      </div>
    </>
  );
}

/** Hands a text made in the browser to it as a file. */
function download(text: string, name: string): void {
  const href = URL.createObjectURL(new Blob([text], { type: 'text/csv;charset=utf-8' }));
  Object.assign(document.createElement('a'), { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href));
}
