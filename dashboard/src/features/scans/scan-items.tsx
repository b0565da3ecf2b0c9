import { useInfiniteQuery } from '@tanstack/react-query';
import { scanItemsInfiniteOptions } from '../../client/@tanstack/react-query.gen';
import type { ScanDetailsResponse, ScanItemResponse } from '../../client/types.gen';
import { DataTable } from '../../shared/data-table';
import { type Column, InfiniteTable } from '../../shared/infinite-table';
import { t } from '../../i18n/i18n';
import { cookieColumns, PAGE_COLUMNS, type PagePaths, requestColumns, storageColumns } from './item-columns';
import { isRunning } from './scan-status';
import type { ScanView } from './search';
import { pathOf } from './finding-sentence';

const PAGE_ROWS = 100;
const LIVE_MS = 2_000;

type PartView = Exclude<ScanView, 'findings' | 'changes'>;
type ItemView = Exclude<PartView, 'pages'>;

const GROUPS = { cookies: 'cookie', storage: 'storage', requests: 'request' } as const;
const COLUMNS: Record<ItemView, (paths: PagePaths) => Column<ScanItemResponse>[]> = {
  cookies: cookieColumns,
  storage: storageColumns,
  requests: requestColumns,
};

/** The items of one kind, or the pages with their results. */
export function ScanItems({
  projectId,
  scan,
  view,
}: {
  projectId: string;
  scan: ScanDetailsResponse;
  view: PartView;
}) {
  if (view === 'pages')
    return (
      <DataTable
        label={t('scans.views.pages')}
        items={scan.pageList}
        columns={PAGE_COLUMNS}
        rowKey={({ number }) => String(number)}
      />
    );
  return <ItemTable key={view} projectId={projectId} scan={scan} view={view} />;
}

function ItemTable({
  projectId,
  scan,
  view,
}: {
  projectId: string;
  scan: ScanDetailsResponse;
  view: ItemView;
}) {
  const path = { projectId, scanId: scan.id };
  const query = useInfiniteQuery({
    ...scanItemsInfiniteOptions({ path, query: { group: GROUPS[view], limit: PAGE_ROWS } }),
    initialPageParam: { path },
    getNextPageParam: (page) => page.nextCursor ?? undefined,
    refetchInterval: isRunning(scan) ? LIVE_MS : false,
  });
  const paths = new Map(scan.pageList.map(({ number, url }) => [number, pathOf(url)]));
  return (
    <InfiniteTable
      label={t(`scans.views.${view}`)}
      query={query}
      columns={COLUMNS[view](paths)}
      rowKey={({ state, page, number }) => `${state}.${page}.${number}`}
      empty={t(isRunning(scan) ? 'scans.noItemsYet' : 'scans.noItems')}
    />
  );
}
