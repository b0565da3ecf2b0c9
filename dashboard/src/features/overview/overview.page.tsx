import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ConsentView } from '../../client/types.gen';
import { TruncatedText } from '../../shared/truncated-text';
import { CopyId } from '../../shared/copy-id';
import type { Column } from '../../shared/infinite-table';
import { SkeletonRows } from '../../shared/skeleton-rows';
import { VisuallyHidden } from '../../shared/visually-hidden';
import { Page } from '../../shared/page';
import { DataTable } from '../../shared/data-table';
import { ProblemAlert } from '../../shared/problem-alert';
import { Section } from '../../shared/section';
import { RelativeTime } from '../../shared/timestamps';
import { useZone } from '../../shared/zone';
import { t, translateCode } from '../../i18n/i18n';
import { Categories } from '../consents/categories';
import { EndpointHealth } from '../deliveries/endpoint-health';
import { useProject } from '../../shared/use-project';
import { Figures } from './figures';
import { LAST_RECORDS, overviewQueries } from './queries';
import { SetupChecklist } from './setup-checklist';

/** A record shows within 2 s of its 201. */
const LIVE_MS = 1_000;

export function OverviewPage() {
  const project = useProject();
  return (
    <Page title={project.name}>
      <SetupChecklist project={project} />
      <Section title={t('overview.figures')}>
        <Figures projectId={project.id} />
      </Section>
      <Section title={t('overview.endpoint')}>
        <EndpointHealth projectId={project.id} />
      </Section>
      <Section title={t('overview.latestRecords')}>
        <LastRecords projectId={project.id} />
      </Section>
    </Page>
  );
}

function LastRecords({ projectId }: { projectId: string }) {
  const { zone } = useZone();
  const query = useQuery({ ...overviewQueries(projectId, zone).records, refetchInterval: LIVE_MS });
  if (query.isError) return <ProblemAlert error={query.error} retry={() => void query.refetch()} />;
  if (!query.data) return <SkeletonRows rows={LAST_RECORDS + 1} />;
  if (query.data.items.length === 0) return <span>{t('consents.none')}</span>;
  return (
    <DataTable
      label={t('overview.latestRecords')}
      items={query.data.items}
      columns={COLUMNS}
      rowKey={({ id }) => id}
    />
  );
}

const COLUMNS: Column<ConsentView>[] = [
  {
    title: t('consents.received'),
    cell: ({ id, projectId, receivedAt }) => (
      <Link
        to="/projects/$projectId/consents"
        params={{ projectId }}
        search={{ open: id }}
        className="row-link"
      >
        <RelativeTime at={receivedAt} />
        <VisuallyHidden>{t('consents.openRecord')}</VisuallyHidden>
      </Link>
    ),
  },
  {
    title: t('consents.action'),
    cell: ({ action }) => <TruncatedText text={translateCode('actions', action) ?? action} />,
  },
  { title: t('consents.categories'), cell: (record) => <Categories record={record} /> },
  { title: t('consents.host'), cell: ({ hostname }) => <TruncatedText text={hostname ?? '–'} /> },
  { title: t('consents.id'), cell: ({ id }) => <CopyId id={id} /> },
];
