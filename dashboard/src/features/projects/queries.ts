import { infiniteQueryOptions, useInfiniteQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { projectStatusListInfiniteOptions } from '../../client/@tanstack/react-query.gen';
import { timeZoneName, type Zone } from '../../shared/time';
import { useZone } from '../../shared/zone';

const LIVE_MS = 30_000;

/** The person's projects, 100 to a page. */
export function statusPages(zone: Zone) {
  return infiniteQueryOptions({
    ...projectStatusListInfiniteOptions({ query: { timeZone: timeZoneName(zone) } }),
    initialPageParam: {},
    getNextPageParam: (page) => page.nextCursor ?? undefined,
  });
}

/** All projects of the person with their status. All pages are loaded, one after the other: a search is over all projects. */
export function useStatuses() {
  const { zone } = useZone();
  const query = useInfiniteQuery({ ...statusPages(zone), refetchInterval: LIVE_MS });
  const { hasNextPage, isFetching, isError, fetchNextPage } = query;
  useEffect(() => {
    if (hasNextPage && !isFetching && !isError) void fetchNextPage();
  }, [hasNextPage, isFetching, isError, fetchNextPage]);
  return {
    query,
    projects: query.data?.pages.flatMap(({ items }) => items) ?? [],
    withheld: query.data?.pages.flatMap((page) => page.withheld) ?? [],
    isLoading: !isError && (query.isPending || hasNextPage),
  };
}
