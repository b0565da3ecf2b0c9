import { Button, NativeSelect } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { eventEndpointDeliveriesInfiniteOptions } from '../../client/@tanstack/react-query.gen';
import type { EventAttemptResponse, EventEndpointResponse, ProjectResponse } from '../../client/types.gen';
import { EmptyState } from '../../shared/empty-state';
import { FilterChip } from '../../shared/filter-chip';
import { InfiniteTable } from '../../shared/infinite-table';
import { ListCard } from '../../shared/list-card';
import { useOpenRecord } from '../../shared/use-open-record';
import { t } from '../../i18n/i18n';
import { attemptColumns, attemptPhoneColumns } from './attempt-columns';
import { DeliveryDrawer } from './delivery-drawer';
import { type EndpointSearch, OUTCOMES } from './search';

const route = getRouteApi('/signed-in/projects/$projectId/settings/events/$endpointId');

const PAGE_ROWS = 100;
const LIVE_MS = 2_000;

/** The log of an endpoint's attempts; a row opens the delivery of its event. */
export function EndpointDeliveries({
  project,
  endpoint,
  disabled,
  onRecover,
}: {
  project: ProjectResponse;
  endpoint: EventEndpointResponse;
  disabled: boolean;
  onRecover: () => void;
}) {
  const path = { projectId: project.id, endpointId: endpoint.id };
  const { outcome, open } = route.useSearch();
  const navigate = route.useNavigate();
  const change = (changes: EndpointSearch) =>
    void navigate({ search: (search) => ({ ...search, ...changes }), replace: changes.open === undefined });
  const record = useOpenRecord(change);
  const query = useInfiniteQuery({
    ...eventEndpointDeliveriesInfiniteOptions({
      path,
      query: { limit: PAGE_ROWS, ...(outcome && { outcome }) },
    }),
    initialPageParam: { path },
    getNextPageParam: (page) => page.nextCursor ?? undefined,
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 1) > 1 ? false : LIVE_MS),
  });
  const shown = query.data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <>
      <ListCard
        search={<h2 className="list-title">{t('events.deliveries')}</h2>}
        filters={
          <>
            <OutcomeChip outcome={outcome} change={change} />
            <Button
              className="recover-button"
              variant="default"
              disabled={disabled || !endpoint.enabled}
              onClick={onRecover}
            >
              {t('events.recover')}
            </Button>
          </>
        }
        active={outcome === undefined ? 0 : 1}
        onClear={() => change({ outcome: undefined })}
      >
        <InfiniteTable
          label={t('events.deliveries')}
          query={query}
          columns={attemptColumns(endpoint.state === 'active' ? latestAttempts(shown) : new Set())}
          phoneColumns={attemptPhoneColumns}
          rowKey={({ id }) => id}
          onOpen={({ eventId }) => record.open(eventId)}
          empty={
            outcome === undefined ? (
              <EmptyState title={t('events.deliveriesNone')} text={t('events.deliveriesNoneText')} />
            ) : (
              t('events.deliveriesNoMatch')
            )
          }
        />
      </ListCard>
      <DeliveryDrawer
        project={project}
        endpoint={endpoint}
        eventId={open}
        disabled={disabled}
        onClose={record.close}
      />
    </>
  );
}

/** The latest of the attempts of each event, newest first. */
function latestAttempts(attempts: EventAttemptResponse[]): Set<string> {
  const latest = new Map<string, string>();
  for (const { eventId, id } of attempts) if (!latest.has(eventId)) latest.set(eventId, id);
  return new Set(latest.values());
}

function OutcomeChip({
  outcome,
  change,
}: Pick<EndpointSearch, 'outcome'> & { change: (changes: EndpointSearch) => void }) {
  return (
    <FilterChip
      name={t('deliveries.outcome')}
      value={
        outcome && t('list.filterValue', { name: t('deliveries.outcome'), value: t(`outcomes.${outcome}`) })
      }
      onClear={() => change({ outcome: undefined })}
    >
      <NativeSelect
        size="xs"
        label={t('deliveries.outcome')}
        value={outcome ?? ''}
        onChange={({ currentTarget: { value } }) =>
          change({ outcome: OUTCOMES.find((each) => each === value) })
        }
        data={[
          { value: '', label: t('list.any') },
          ...OUTCOMES.map((value) => ({ value, label: t(`outcomes.${value}`) })),
        ]}
      />
    </FilterChip>
  );
}
