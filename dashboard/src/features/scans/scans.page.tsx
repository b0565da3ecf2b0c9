import { Button, Text } from '@mantine/core';
import { type InfiniteData, useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useCallback, useMemo, useState } from 'react';
import { scanListInfiniteOptions } from '../../client/@tanstack/react-query.gen';
import type { ScansResponse } from '../../client/types.gen';
import { AccessNote, checkAccess } from '../../shared/access';
import { InfiniteTable } from '../../shared/infinite-table';
import { Notice } from '../../shared/notice';
import { Page } from '../../shared/page';
import { useProject } from '../../shared/use-project';
import { t } from '../../i18n/i18n';
import { LatestResult } from './latest-result';
import { NewScanDialog } from './new-scan-dialog';
import { scanColumns, scanPhoneColumns } from './scan-columns';
import { matchesScan, ScanListCard } from './scan-filters';
import { changesSoon, isRunning } from './scan-status';
import './scan-list.css';

const route = getRouteApi('/signed-in/projects/$projectId/scans');

const PAGE_ROWS = 50;
const LIVE_MS = 2_000;
const IDLE_MS = 15_000;

export function ScansPage() {
  const project = useProject();
  const path = { projectId: project.id };
  const navigate = route.useNavigate();
  const [asking, setAsking] = useState(false);
  const list = {
    ...scanListInfiniteOptions({ path, query: { limit: PAGE_ROWS } }),
    initialPageParam: { path },
    getNextPageParam: (page: ScansResponse) => page.nextCursor ?? undefined,
  };
  const query = useInfiniteQuery({
    ...list,
    refetchInterval: ({ state: { data } }) => {
      const [first, ...others] = data?.pages ?? [];
      if (others.length > 0) return false;
      // Also finds a scanner that has just been started.
      const isWaiting = first?.allowance.scannerAvailable !== true || first.items.some(changesSoon);
      return isWaiting ? LIVE_MS : IDLE_MS;
    },
  });
  const columns = useMemo(scanColumns, []);
  const phoneColumns = useMemo(scanPhoneColumns, []);
  const allowance = query.data?.pages[0]?.allowance;
  const scans = query.data?.pages.flatMap(({ items }) => items) ?? [];
  const filters = route.useSearch();
  const listed = useInfiniteQuery({
    ...list,
    select: useCallback(
      ({ pages, ...data }: InfiniteData<ScansResponse>) => {
        const matches = matchesScan(filters);
        return { ...data, pages: pages.map((page) => ({ ...page, items: page.items.filter(matches) })) };
      },
      [filters],
    ),
  });
  const refusal = checkAccess(project, { role: 'editor' });
  const canScan = refusal === null && allowance?.scannerAvailable === true && !scans.some(isRunning);
  const open = (scanId: string) =>
    void navigate({ to: '/projects/$projectId/scans/$scanId', params: { projectId: project.id, scanId } });
  return (
    <Page
      title={t('pages.scans')}
      actions={
        <>
          {allowance && (
            <Text c="dimmed">
              {t('scans.allowance', { left: allowance.scansLeft, perDay: allowance.scansPerDay })}
            </Text>
          )}
          <Button disabled={!canScan || allowance.scansLeft === 0} onClick={() => setAsking(true)}>
            {t('scans.scanNow')}
          </Button>
        </>
      }
    >
      <AccessNote refusal={refusal} projectId={project.id} what={t('scans.scanNow')} />
      {allowance?.scannerAvailable === false && <Notice>{t('scans.noScanner')}</Notice>}
      {query.data && <LatestResult project={project} scans={scans} allowance={allowance} />}
      {(query.isPending || query.isError || scans.length > 0) && (
        <ScanListCard>
          <InfiniteTable
            label={t('scans.list')}
            query={listed}
            columns={columns}
            phoneColumns={phoneColumns}
            rowKey={({ id }) => id}
            onOpen={({ id }) => open(id)}
            empty={scans.length > 0 && t('scans.noneFound')}
          />
        </ScanListCard>
      )}
      <Text c="dimmed" size="xs">
        {t('scans.noVerdict')}
      </Text>
      {asking && allowance && (
        <NewScanDialog
          projectId={project.id}
          allowance={allowance}
          urls={allowance.defaultUrls}
          onClose={() => setAsking(false)}
          onStarted={open}
        />
      )}
    </Page>
  );
}
