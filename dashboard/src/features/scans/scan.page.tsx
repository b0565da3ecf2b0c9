import { Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { scanReadOptions } from '../../client/@tanstack/react-query.gen';
import { scanCancel } from '../../client/sdk.gen';
import type { ProjectResponse, ScanDetailsResponse } from '../../client/types.gen';
import { checkAccess } from '../../shared/access';
import { AnchorLink } from '../../shared/anchor-link';
import { Figure, Figures } from '../../shared/figure';
import { formatNumber } from '../../shared/format';
import { Notice } from '../../shared/notice';
import { Page } from '../../shared/page';
import { ProblemAlert } from '../../shared/problem-alert';
import { Segments } from '../../shared/segments';
import { SkeletonRows } from '../../shared/skeleton-rows';
import { AbsoluteTime } from '../../shared/timestamps';
import { useApiMutation } from '../../shared/use-api-mutation';
import { useProject } from '../../shared/use-project';
import { t } from '../../i18n/i18n';
import { DraftButton } from './draft-button';
import { ScanChanges } from './scan-changes';
import { ScanExports } from './scan-exports';
import { ScanFindings } from './scan-findings';
import { ScanItems } from './scan-items';
import { ScanProof } from './scan-proof';
import { ScanStates } from './scan-states';
import { isRunning, QueuePlace, ScanStatus } from './scan-status';
import { SCAN_VIEWS, type ScanView } from './search';
import './scans.css';

const route = getRouteApi('/signed-in/projects/$projectId/scans/$scanId');

const LIVE_MS = 1_000;
/** Views with other figures than the crawl's. */
const OWN_SUMMARY: ReadonlySet<ScanView> = new Set<ScanView>(['findings', 'changes']);

export function ScanPage() {
  const project = useProject();
  const { scanId } = route.useParams();
  const { view = 'findings' } = route.useSearch();
  const navigate = route.useNavigate();
  const query = useQuery({
    ...scanReadOptions({ path: { projectId: project.id, scanId } }),
    refetchInterval: ({ state }) => (state.data && !isRunning(state.data) ? false : LIVE_MS),
  });
  const cancel = useApiMutation({
    request: async (id: string) => (await scanCancel({ path: { projectId: project.id, scanId: id } })).data,
    invalidates: ['scanRead', 'scanList'],
    notifiesError: true,
  });
  const scan = query.data;
  const [start] = scan?.urls ?? [];
  const title = start === undefined ? t('scans.one') : t('scans.oneOf', { host: new URL(start).host });
  const mayCancel = checkAccess(project, { role: 'editor' }) === null && scan && isRunning(scan);
  return (
    <Page
      title={title}
      actions={
        mayCancel && (
          <Button variant="default" loading={cancel.isPending} onClick={() => cancel.mutate(scan.id)}>
            {t('scans.cancel')}
          </Button>
        )
      }
    >
      <AnchorLink to="/projects/$projectId/scans" params={{ projectId: project.id }}>
        {t('scans.all')}
      </AnchorLink>
      {query.isError && <ProblemAlert error={query.error} retry={() => void query.refetch()} />}
      {query.isPending && <SkeletonRows rows={8} />}
      {scan && (
        <>
          <Summary scan={scan} hasFigures={isRunning(scan) || !OWN_SUMMARY.has(view)} />
          <ScanStates projectId={project.id} scan={scan} />
          <DraftButton project={project} scan={scan} />
          <Segments<ScanView>
            label={t('scans.show')}
            options={SCAN_VIEWS}
            labelOf={(value) => t(`scans.views.${value}`)}
            value={view}
            onChange={(value) => void navigate({ search: { view: value }, replace: true })}
          />
          <ScanPart project={project} scan={scan} view={view} />
          <ScanExports project={project} scan={scan} />
          <ScanProof projectId={project.id} scan={scan} />
        </>
      )}
    </Page>
  );
}

function ScanPart({
  project,
  scan,
  view,
}: {
  project: ProjectResponse;
  scan: ScanDetailsResponse;
  view: ScanView;
}) {
  switch (view) {
    case 'findings':
      return <ScanFindings project={project} scan={scan} />;
    case 'changes':
      return <ScanChanges projectId={project.id} scanId={scan.id} />;
    default:
      return <ScanItems projectId={project.id} scan={scan} view={view} />;
  }
}

/** How the scan ended, or how far it is. */
function Summary({ scan, hasFigures }: { scan: ScanDetailsResponse; hasFigures: boolean }) {
  const { pages, pagesMax } = scan;
  const total = Math.min(pagesMax, pages.visited + pages.failed + pages.open);
  return (
    <>
      <div className="scan-state" aria-live="polite">
        <ScanStatus scan={scan} />
        {isRunning(scan) ? (
          <>
            <progress
              max={Math.max(1, total)}
              value={pages.visited + pages.failed}
              aria-label={t('scans.progress')}
            />
            <Text c="dimmed">{t('scans.progressText', { done: pages.visited + pages.failed, total })}</Text>
          </>
        ) : (
          <Text c="dimmed">
            <AbsoluteTime at={scan.endedAt ?? scan.createdAt} />
            {scan.browser !== null && ` · ${scan.browser}`}
          </Text>
        )}
      </div>
      <QueuePlace scan={scan} />
      {scan.reason && <Notice>{t(`scans.reasons.${scan.reason.code}`)}</Notice>}
      {hasFigures && <Seen scan={scan} />}
    </>
  );
}

/** The crawl's observations before any choice, in numbers. */
function Seen({ scan: { figures, pages, refused } }: { scan: ScanDetailsResponse }) {
  const refusals = refused.downloads + refused.popups + refused.dialogs;
  return (
    <>
      <Figures label={t('scans.summary')}>
        <Figure
          title={t('scans.visited')}
          value={formatNumber(pages.visited)}
          note={t('scans.pagesNote', { failed: pages.failed, skipped: pages.skipped })}
        />
        <Figure
          title={t('scans.views.cookies')}
          value={formatNumber(figures.cookies)}
          note={t('scans.cookiesNote', { count: figures.thirdPartyCookies })}
        />
        <Figure
          title={t('scans.thirdPartyHosts')}
          value={formatNumber(figures.thirdPartyHosts)}
          note={t('scans.requestsNote', { count: figures.requests })}
        />
        <Figure
          title={t('scans.storageEntries')}
          value={formatNumber(figures.storageEntries)}
          note={refusals > 0 ? t('scans.refused', refused) : undefined}
        />
      </Figures>
      <Text c="dimmed">{t('scans.beforeText')}</Text>
    </>
  );
}
