import { NativeSelect } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { eventListInfiniteOptions, eventTypeListOptions } from '../../client/@tanstack/react-query.gen';
import type { EventEndpointResponse, ProjectResponse } from '../../client/types.gen';
import { DateChip } from '../../shared/date-chip';
import { EmptyState } from '../../shared/empty-state';
import { FilterChip } from '../../shared/filter-chip';
import { InfiniteTable } from '../../shared/infinite-table';
import { ListCard } from '../../shared/list-card';
import { dayRange } from '../../shared/time';
import { useOpenRecord } from '../../shared/use-open-record';
import { useZone } from '../../shared/zone';
import { t } from '../../i18n/i18n';
import { eventColumns, eventPhoneColumns } from './event-columns';
import { EventDrawer } from './event-drawer';
import { countFilters, type EventFilters, type EventType } from './search';

const route = getRouteApi('/signed-in/projects/$projectId/settings/events');

const PAGE_ROWS = 100;
const LIVE_MS = 3_000;

/** All events of a project, whether an endpoint lists their type or not. */
export function EventLog({
  project,
  endpoints,
}: {
  project: ProjectResponse;
  endpoints: EventEndpointResponse[];
}) {
  const path = { projectId: project.id };
  const filters = route.useSearch();
  const navigate = route.useNavigate();
  const { zone } = useZone();
  const change = (changes: EventFilters) =>
    void navigate({ search: (search) => ({ ...search, ...changes }), replace: changes.open === undefined });
  const record = useOpenRecord(change);
  const query = useInfiniteQuery({
    ...eventListInfiniteOptions({
      path,
      query: {
        limit: PAGE_ROWS,
        ...(filters.type && { type: filters.type }),
        ...dayRange(filters, zone),
      },
    }),
    initialPageParam: { path },
    getNextPageParam: (page) => page.nextCursor ?? undefined,
    refetchInterval: ({ state }) =>
      state.error !== null || (state.data?.pages.length ?? 1) > 1 ? false : LIVE_MS,
  });
  const active = countFilters(filters);
  return (
    <>
      <ListCard
        search={
          <div className="list-title">
            <h2>{t('events.log')}</h2>
            <small>{t('events.logText')}</small>
          </div>
        }
        filters={
          <>
            <DateChip days={filters} change={change} />
            <TypeChip type={filters.type} change={change} />
          </>
        }
        active={active}
        onClear={() => void navigate({ search: {} })}
      >
        <InfiniteTable
          label={t('events.log')}
          query={query}
          columns={eventColumns}
          phoneColumns={eventPhoneColumns}
          rowKey={({ id }) => id}
          onOpen={({ id }) => record.open(id)}
          empty={
            active > 0 ? (
              t('events.logNoMatch')
            ) : (
              <EmptyState title={t('events.logNone')} text={t('events.logNoneText')} />
            )
          }
        />
      </ListCard>
      <EventDrawer
        projectId={project.id}
        eventId={filters.open}
        endpoints={endpoints}
        onClose={record.close}
      />
    </>
  );
}

function TypeChip({
  type,
  change,
}: Pick<EventFilters, 'type'> & { change: (changes: EventFilters) => void }) {
  const { data } = useQuery(eventTypeListOptions());
  const types = data?.items.map((item) => item.type) ?? (type === undefined ? [] : [type]);
  return (
    <FilterChip
      name={t('events.type')}
      value={type && t('list.filterValue', { name: t('events.type'), value: type })}
      onClear={() => change({ type: undefined })}
    >
      <NativeSelect
        size="xs"
        label={t('events.type')}
        value={type ?? ''}
        onChange={({ currentTarget: { value } }) =>
          change({ type: value === '' ? undefined : (value as EventType) })
        }
        data={[{ value: '', label: t('list.any') }, ...types]}
      />
    </FilterChip>
  );
}
