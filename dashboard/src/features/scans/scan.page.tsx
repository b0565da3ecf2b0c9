import { Button, Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import ChevronLeft from 'lucide-react/icons/chevron-left';
import { lazy, Suspense } from 'react';
import { scanReadOptions } from '../../client/@tanstack/react-query.gen';
import { scanCancel } from '../../client/sdk.gen';
import type { ProjectResponse, ScanDetailsResponse } from '../../client/types.gen';
import { checkAccess } from '../../shared/access';
import { AnchorLink } from '../../shared/anchor-link';
import { formatNumber } from '../../shared/format';
import { Notice } from '../../shared/notice';
import { Page } from '../../shared/page';
import { ProblemAlert } from '../../shared/problem-alert';
import { SkeletonRows } from '../../shared/skeleton-rows';
import { shortDay } from '../../shared/time';
import { RelativeTime } from '../../shared/timestamps';
import { useApiMutation } from '../../shared/use-api-mutation';
import { useProject } from '../../shared/use-project';
import { useZone } from '../../shared/zone';
import { locale, t } from '../../i18n/i18n';
import { ScanAgain } from './scan-again';
import { ScanExports } from './scan-exports';
import { ScanFindings } from './scan-findings';
import { ScanProof } from './scan-proof';
import { ScanResult } from './scan-result';
import { ScanStates } from './scan-states';
import { changesSoon, isRunning } from './scan-status';
import { SCAN_VIEWS, type ScanView } from './search';
import { useScanFindings } from './use-scan-findings';
import './findings.css';
import './scan-head.css';

const load = () => import('./rare-views');
const ScanChanges = lazy(async () => ({ default: (await load()).ScanChanges }));
const ScanFigures = lazy(async () => ({ default: (await load()).ScanFigures }));
const ScanItems = lazy(async () => ({ default: (await load()).ScanItems }));

const route = getRouteApi('/signed-in/projects/$projectId/scans/$scanId');

const LIVE_MS = 1_000;

export function ScanPage() {
  const project = useProject();
  const { scanId } = route.useParams();
  const { zone } = useZone();
  const query = useQuery({
    ...scanReadOptions({ path: { projectId: project.id, scanId } }),
    refetchInterval: ({ state }) => (state.data && !changesSoon(state.data) ? false : LIVE_MS),
  });
  const scan = query.data;
  const [start] = scan?.urls ?? [];
  const title =
    scan && start !== undefined
      ? t('scans.titleOf', {
          host: new URL(start).host,
          day: shortDay(new Date(scan.endedAt ?? scan.createdAt), zone, locale),
        })
      : t('scans.one');
  return (
    <Page
      title={title}
      above={
        <AnchorLink
          to="/projects/$projectId/scans"
          params={{ projectId: project.id }}
          className="more way-back"
        >
          <ChevronLeft className="icon" aria-hidden />
          {t('scans.all')}
        </AnchorLink>
      }
      subtitle={scan && <Origin scan={scan} />}
      actions={scan && <Actions project={project} scan={scan} />}
    >
      {query.isError && <ProblemAlert error={query.error} retry={() => void query.refetch()} />}
      {query.isPending && <SkeletonRows rows={8} />}
      {scan && <Scan project={project} scan={scan} />}
    </Page>
  );
}

function Origin({ scan: { origin, endedAt, createdAt } }: { scan: ScanDetailsResponse }) {
  return (
    <>
      {t(endedAt === null ? 'scans.begun' : 'scans.finished', { origin })}{' '}
      <RelativeTime at={endedAt ?? createdAt} />
    </>
  );
}

function Actions({ project, scan }: { project: ProjectResponse; scan: ScanDetailsResponse }) {
  const cancel = useApiMutation({
    request: async (id: string) => (await scanCancel({ path: { projectId: project.id, scanId: id } })).data,
    invalidates: ['scanRead', 'scanList'],
    notifiesError: true,
  });
  if (isRunning(scan))
    return checkAccess(project, { role: 'editor' }) === null ? (
      <Button variant="default" loading={cancel.isPending} onClick={() => cancel.mutate(scan.id)}>
        {t('scans.cancel')}
      </Button>
    ) : null;
  const hasResult = scan.status === 'completed' || scan.status === 'partial';
  return (
    <div className="scan-actions">
      {hasResult && (
        <>
          <ScanExports project={project} scan={scan} />
          <ScanProof projectId={project.id} scanId={scan.id} />
        </>
      )}
      <ScanAgain project={project} scan={scan} />
    </div>
  );
}

function Scan({ project, scan }: { project: ProjectResponse; scan: ScanDetailsResponse }) {
  const { view = 'findings' } = route.useSearch();
  const navigate = route.useNavigate();
  const findings = useScanFindings(project.id, scan);
  return (
    <>
      {scan.reason && <Notice>{t(`scans.reasons.${scan.reason.code}`)}</Notice>}
      <ScanResult scan={scan} groups={findings.groups} />
      <ScanStates projectId={project.id} scan={scan} groups={findings.groups} />
      <Tabs
        className="card scan-tabs"
        value={view}
        keepMounted={false}
        onChange={(value) => void navigate({ search: { view: value as ScanView }, replace: true })}
      >
        <Tabs.List aria-label={t('scans.show')}>
          {SCAN_VIEWS.map((each) => (
            <Tabs.Tab key={each} value={each}>
              {t(`scans.views.${each}`)} {countOf(each, scan)}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {SCAN_VIEWS.map((each) => (
          <Tabs.Panel key={each} value={each}>
            <Suspense fallback={<SkeletonRows rows={8} />}>
              <View project={project} scan={scan} view={each} findings={findings} />
            </Suspense>
          </Tabs.Panel>
        ))}
      </Tabs>
    </>
  );
}

/** The number of entries in a view; empty if unknown. */
function countOf(view: ScanView, { result, pageList }: ScanDetailsResponse): string {
  if (view === 'pages') return formatNumber(pageList.length);
  if (view === 'findings' && result) return formatNumber(result.settled + result.arguable + result.open);
  return '';
}

function View(props: {
  project: ProjectResponse;
  scan: ScanDetailsResponse;
  view: ScanView;
  findings: ReturnType<typeof useScanFindings>;
}) {
  const { project, scan, view, findings } = props;
  switch (view) {
    case 'findings':
      return <ScanFindings project={project} scan={scan} findings={findings} />;
    case 'changes':
      return <ScanChanges projectId={project.id} scanId={scan.id} />;
    default:
      return (
        <>
          <ScanFigures scan={scan} />
          <ScanItems projectId={project.id} scan={scan} view={view} />
        </>
      );
  }
}
