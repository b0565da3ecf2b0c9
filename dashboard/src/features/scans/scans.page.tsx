import { Button, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { scanListInfiniteOptions } from '../../client/@tanstack/react-query.gen';
import type { ScanResponse } from '../../client/types.gen';
import { AccessNote, checkAccess } from '../../shared/access';
import { formatNumber } from '../../shared/format';
import { type Column, InfiniteTable } from '../../shared/infinite-table';
import { Notice } from '../../shared/notice';
import { Page } from '../../shared/page';
import { RelativeTime } from '../../shared/timestamps';
import { TruncatedText } from '../../shared/truncated-text';
import { useProject } from '../../shared/use-project';
import { t } from '../../i18n/i18n';
import { AlertsCard } from './alerts-card';
import { NewScanDialog } from './new-scan-dialog';
import { isRunning, QueuePlace, ScanStatus } from './scan-status';
import { ScheduleCard } from './schedule-card';

const route = getRouteApi('/signed-in/projects/$projectId/scans');

const PAGE_ROWS = 50;
const LIVE_MS = 2_000;

export function ScansPage() {
  const project = useProject();
  const path = { projectId: project.id };
  const navigate = route.useNavigate();
  const [asking, setAsking] = useState(false);
  const query = useInfiniteQuery({
    ...scanListInfiniteOptions({ path, query: { limit: PAGE_ROWS } }),
    initialPageParam: { path },
    getNextPageParam: (page) => page.nextCursor ?? undefined,
    // Also finds a scanner that has just been started.
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 1) > 1 ? false : LIVE_MS),
  });
  const allowance = query.data?.pages[0]?.allowance;
  const running = query.data?.pages[0]?.items.find(isRunning);
  const refusal = checkAccess(project, { role: 'editor' });
  const canScan = refusal === null && allowance?.scannerAvailable === true && !running;
  const open = (scanId: string) =>
    void navigate({ to: '/projects/$projectId/scans/$scanId', params: { projectId: project.id, scanId } });
  return (
    <Page
      title={t('pages.scans')}
      actions={
        <Button disabled={!canScan || allowance.scansLeft === 0} onClick={() => setAsking(true)}>
          {t('scans.scanNow')}
        </Button>
      }
    >
      <AccessNote refusal={refusal} projectId={project.id} what={t('scans.scanNow')} />
      {allowance?.scannerAvailable === false && <Notice>{t('scans.noScanner')}</Notice>}
      {allowance && (
        <Text c="dimmed">
          {t('scans.allowance', {
            left: allowance.scansLeft,
            perDay: allowance.scansPerDay,
            pages: allowance.pagesMax,
          })}
        </Text>
      )}
      <InfiniteTable
        label={t('scans.list')}
        query={query}
        columns={COLUMNS}
        rowKey={({ id }) => id}
        onOpen={({ id }) => open(id)}
        empty={<Empty />}
      />
      <ScheduleCard project={project} />
      <AlertsCard projectId={project.id} />
      {asking && allowance && (
        <NewScanDialog
          projectId={project.id}
          allowance={allowance}
          onClose={() => setAsking(false)}
          onStarted={open}
        />
      )}
    </Page>
  );
}

function Empty() {
  return (
    <div className="empty">
      <Text fw={600}>{t('scans.none')}</Text>
      <Text c="dimmed">{t('scans.noneText')}</Text>
    </div>
  );
}

const COLUMNS: Column<ScanResponse>[] = [
  {
    title: t('scans.requested'),
    cell: ({ id, createdAt }) => (
      <Link
        from="/projects/$projectId/scans"
        to="/projects/$projectId/scans/$scanId"
        params={(params) => ({ ...params, scanId: id })}
        className="row-link"
        onClick={(event) => event.stopPropagation()}
      >
        <RelativeTime at={createdAt} />
      </Link>
    ),
  },
  {
    title: t('scans.status'),
    cell: (scan) => (
      <>
        <ScanStatus scan={scan} />
        <QueuePlace scan={scan} />
      </>
    ),
  },
  { title: t('scans.origin'), cell: ({ origin }) => t(`scans.origins.${origin}`) },
  { title: t('scans.addresses'), cell: ({ urls }) => <TruncatedText text={urls.join(', ')} /> },
  { title: t('scans.visited'), cell: ({ pages }) => formatNumber(pages.visited), numeric: true },
  { title: t('scans.failed'), cell: ({ pages }) => formatNumber(pages.failed), numeric: true },
];
