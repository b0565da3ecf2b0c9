import { Button, Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { t } from '../i18n/i18n';
import { ProblemAlert } from './problem-alert';
import { RelativeTime } from './timestamps';
import { lastPagesAreEmpty, type ListPage, type ListQuery } from './list-query';
import { SkeletonRows } from './skeleton-rows';

const SKELETON_ROWS = 8;

/** Shown below the rows: loading, an error, the empty state, how far was searched, or the end. */
export function ListEnd<T>({
  query,
  empty,
  count,
  lastPage,
}: {
  query: ListQuery<T>;
  empty: ReactNode;
  count: number;
  lastPage: ListPage<T> | undefined;
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
  if (query.hasNextPage && lastPagesAreEmpty(query))
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
