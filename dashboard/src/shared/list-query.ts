import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import { useEffect } from 'react';

export interface ListPage<T> {
  items: T[];
  nextCursor: string | null;
  searchedTo?: string | null;
}

export type ListQuery<T> = UseInfiniteQueryResult<InfiniteData<ListPage<T>>, unknown>;

const EMPTY_PAGES_MAX = 5;

/** Loads the next page near the end, until the last pages were all empty. */
export function useNextPage<T>(query: ListQuery<T>, nearEnd: boolean): void {
  const { hasNextPage, isFetchingNextPage, isError, fetchNextPage } = query;
  const loadsMore = !lastPagesAreEmpty(query);
  useEffect(() => {
    if (nearEnd && loadsMore && hasNextPage && !isFetchingNextPage && !isError) void fetchNextPage();
  }, [nearEnd, loadsMore, hasNextPage, isFetchingNextPage, isError, fetchNextPage]);
}

/** Whether the last pages had no rows, so that loading more needs a click. */
export function lastPagesAreEmpty<T>(query: ListQuery<T>): boolean {
  const last = query.data?.pages.slice(-EMPTY_PAGES_MAX) ?? [];
  return last.length === EMPTY_PAGES_MAX && last.every(({ items }) => items.length === 0);
}
