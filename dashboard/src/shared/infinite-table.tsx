import { Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { t } from '../i18n/i18n';
import { ProblemAlert } from './problem-alert';
import { RelativeTime } from './timestamps';

export interface Column<T> {
  title: string;
  /** In place of the title, which names the column for those who do not see it. */
  header?: ReactNode;
  cell: (item: T) => ReactNode;
  numeric?: boolean;
}

interface Page<T> {
  items: T[];
  nextCursor: string | null;
  searchedTo?: string | null;
}

type ListQuery<T> = UseInfiniteQueryResult<InfiniteData<Page<T>>, unknown>;

const ROW_HEIGHT = 36;
const OVERSCAN_ROWS = 12;
const SKELETON_ROWS = 8;
const EMPTY_PAGES_MAX = 5;

/** A list without an end: the rows on the screen are drawn, the next page is asked for ahead of its need. */
export function InfiniteTable<T>(props: {
  label: string;
  query: ListQuery<T>;
  columns: Column<T>[];
  rowKey: (item: T) => string;
  onOpen?: (item: T) => void;
  empty: ReactNode;
}) {
  const { query, columns, rowKey: idOf, onOpen } = props;
  const items = query.data?.pages.flatMap((page) => page.items) ?? [];
  const frame = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  useEffect(() => setTop(frame.current?.offsetTop ?? 0), []);
  const rows = useWindowVirtualizer({
    count: items.length,
    estimateSize: () => ROW_HEIGHT,
    overscan: OVERSCAN_ROWS,
    scrollMargin: top,
  });
  const drawn = rows.getVirtualItems();
  const lastPage = query.data?.pages.at(-1);
  useNextPage(query, (drawn.at(-1)?.index ?? -1) >= items.length - OVERSCAN_ROWS);
  const before = (drawn[0]?.start ?? top) - top;
  const after = rows.getTotalSize() - ((drawn.at(-1)?.end ?? top) - top);
  return (
    <Stack gap="sm" ref={frame}>
      {items.length > 0 && (
        <div className="rows" role="group" aria-label={props.label} tabIndex={0}>
          <table aria-label={props.label}>
            <thead>
              <tr>
                {columns.map(({ title, header: head, numeric: number }, place) => (
                  <th key={place} scope="col" className={number ? 'number' : ''}>
                    {head ?? title}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {before > 0 && <tr aria-hidden style={{ height: before }} />}
              {drawn.map(({ index }) => {
                const item = items[index];
                return item === undefined ? null : (
                  <tr
                    key={idOf(item)}
                    data-opens={onOpen ? '' : undefined}
                    onClick={onOpen && (() => onOpen(item))}
                  >
                    {columns.map(({ cell, numeric: number }, place) => (
                      <td key={place} className={number ? 'number' : ''}>
                        {cell(item)}
                      </td>
                    ))}
                  </tr>
                );
              })}
              {after > 0 && <tr aria-hidden style={{ height: after }} />}
            </tbody>
          </table>
        </div>
      )}
      <ListEnd {...props} count={items.length} lastPage={lastPage} />
    </Stack>
  );
}

/** Loads the next page while pages bring rows, and a few times where they do not. */
function useNextPage<T>(query: ListQuery<T>, nearEnd: boolean): void {
  const { hasNextPage, isFetchingNextPage, isError, fetchNextPage } = query;
  const brings = !isTired(query);
  useEffect(() => {
    if (nearEnd && brings && hasNextPage && !isFetchingNextPage && !isError) void fetchNextPage();
  }, [nearEnd, brings, hasNextPage, isFetchingNextPage, isError, fetchNextPage]);
}

/** Whether so few rows came from the last pages that loading more needs a click. */
function isTired<T>(query: ListQuery<T>): boolean {
  const last = query.data?.pages.slice(-EMPTY_PAGES_MAX) ?? [];
  return last.length === EMPTY_PAGES_MAX && last.every(({ items }) => items.length === 0);
}

/** Below the rows: loading, failed, empty, searched so far, or the end. */
function ListEnd<T>({
  query,
  empty,
  count,
  lastPage,
}: {
  query: ListQuery<T>;
  empty: ReactNode;
  count: number;
  lastPage: Page<T> | undefined;
}) {
  if (query.isError)
    return (
      <ProblemAlert
        error={query.error}
        retry={() => void (count > 0 ? query.fetchNextPage() : query.refetch())}
      />
    );
  if (query.isPending || query.isFetchingNextPage)
    return <SkeletonRows rows={count > 0 ? 2 : SKELETON_ROWS} />;
  if (query.hasNextPage && isTired(query))
    return (
      <Group>
        <Text c="dimmed">
          {count === 0 && `${t('list.noMatchesYet')} `}
          {lastPage?.searchedTo && (
            <>
              {t('list.searchedBackTo')} <RelativeTime at={lastPage.searchedTo} />.
            </>
          )}
        </Text>
        <Button variant="default" onClick={() => void query.fetchNextPage()}>
          {t('list.searchFurther')}
        </Button>
      </Group>
    );
  if (count === 0) return <div>{empty}</div>;
  return query.hasNextPage ? null : <Text c="dimmed">{t('list.end', { count })}</Text>;
}

export function SkeletonRows({ rows }: { rows: number }) {
  return (
    <Stack gap={4} aria-busy="true" aria-label={t('list.loading')} role="status">
      {Array.from({ length: rows }, (_, row) => (
        <Skeleton key={row} height={ROW_HEIGHT - 4} />
      ))}
    </Stack>
  );
}
