import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { findingOfScanInfiniteOptions } from '../../client/@tanstack/react-query.gen';
import type { ScanDetailsResponse } from '../../client/types.gen';
import { groupFindings } from './finding-groups';

/** The most that the API returns at once; a scan keeps up to 1,000 findings. */
const PAGE_ROWS = 200;

/** All findings of a scan by item: the findings of one item are on several pages of the API. */
export function useScanFindings(projectId: string, scan: ScanDetailsResponse) {
  const path = { projectId, scanId: scan.id };
  const query = useInfiniteQuery({
    ...findingOfScanInfiniteOptions({ path, query: { limit: PAGE_ROWS } }),
    initialPageParam: { path },
    getNextPageParam: (page) => page.nextCursor ?? undefined,
    enabled: scan.result !== null,
  });
  const { data, hasNextPage, isFetching, isError, fetchNextPage } = query;
  useEffect(() => {
    if (hasNextPage && !isFetching && !isError) void fetchNextPage();
  }, [hasNextPage, isFetching, isError, fetchNextPage]);
  const groups = useMemo(
    () => (data && !hasNextPage ? groupFindings(data.pages.flatMap(({ items }) => items)) : null),
    [data, hasNextPage],
  );
  return { query, groups };
}
