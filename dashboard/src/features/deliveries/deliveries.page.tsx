import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { deliveryListInfiniteOptions, tierReadOptions } from '../../client/@tanstack/react-query.gen';
import { AccessNote, checkAccess } from '../../shared/access';
import { InfiniteTable } from '../../shared/infinite-table';
import { ButtonLink } from '../../shared/button-link';
import { EmptyState } from '../../shared/empty-state';
import { ListCard } from '../../shared/list-card';
import { Page } from '../../shared/page';
import { dayRange } from '../../shared/time';
import { useOpenRecord } from '../../shared/use-open-record';
import { useZone } from '../../shared/zone';
import { t } from '../../i18n/i18n';
import { ConsentDrawer } from '../consents/consent-drawer';
import { FindById } from '../consents/find-by-id';
import { useProject } from '../../shared/use-project';
import { useSelection } from './selection';
import { deliveryColumns, deliveryPhoneColumns } from './columns';
import { DeliveryFilterChips } from './delivery-filter-chips';
import { countFilters, type DeliveryFilters } from './filters';
import { EndpointHealth } from './endpoint-health';
import { UndeliveredNotice } from './undelivered-notice';
import { ResendSelected } from './resend-selected';
import { BulkResendDialog } from './bulk-resend-dialog';

const route = getRouteApi('/signed-in/projects/$projectId/deliveries');

const PAGE_ROWS = 100;
const LIVE_MS = 1_000;

export function DeliveriesPage() {
  const project = useProject();
  const path = { projectId: project.id };
  const filters = route.useSearch();
  const navigate = route.useNavigate();
  const { zone } = useZone();
  const [opened, dialog] = useDisclosure(false);
  const { data: tier } = useQuery(tierReadOptions({ path }));
  const change = (changes: DeliveryFilters) =>
    void navigate({ search: (search) => ({ ...search, ...changes }), replace: changes.open === undefined });
  const record = useOpenRecord(change);
  const query = useInfiniteQuery({
    ...deliveryListInfiniteOptions({
      path,
      query: {
        limit: PAGE_ROWS,
        ...(filters.status && { status: filters.status }),
        ...(filters.category && { category: filters.category }),
        ...dayRange(filters, zone),
      },
    }),
    initialPageParam: { path },
    getNextPageParam: (page) => page.nextCursor ?? undefined,
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 1) > 1 ? false : LIVE_MS),
  });
  const refusal = checkAccess(project, {
    role: 'editor',
    feature: { open: tier?.features.consentForwarding ?? true, tier: 'Pro' },
  });
  const choice = useSelection();
  const shown = query.data?.pages.flatMap(({ items }) => items) ?? [];
  const neverSent = shown.every(
    ({ consentId, outcome }) => !choice.ids.has(consentId) || outcome === 'skipped',
  );
  return (
    <Page
      title={t('pages.deliveries')}
      actions={
        <Button variant="default" onClick={dialog.open} disabled={refusal !== null}>
          {t('deliveries.resendBulk')}
        </Button>
      }
    >
      <UndeliveredNotice projectId={project.id} isReviewed={filters.status === 'failed'} />
      <div className="card endpoint-line">
        <EndpointHealth projectId={project.id} />
      </div>
      {/* The line above already mentions the plan. */}
      {refusal?.kind === 'role' && (
        <AccessNote refusal={refusal} projectId={project.id} what={t('deliveries.resend')} />
      )}
      <ListCard
        search={<FindById projectId={project.id} onFound={record.open} />}
        filters={<DeliveryFilterChips filters={filters} change={change} />}
        active={countFilters(filters)}
        onClear={() => void navigate({ search: {} })}
      >
        {choice.ids.size > 0 && (
          <ResendSelected projectId={project.id} choice={choice} neverSent={neverSent} />
        )}
        <InfiniteTable
          label={t('deliveries.list')}
          query={query}
          columns={deliveryColumns(choice, shown, refusal !== null)}
          phoneColumns={deliveryPhoneColumns(choice, shown, refusal !== null)}
          rowKey={({ id }) => id}
          onOpen={({ consentId }) => record.open(consentId)}
          empty={
            countFilters(filters) > 0 ? t('deliveries.noneMatch') : <NoAttempts projectId={project.id} />
          }
        />
      </ListCard>
      <ConsentDrawer project={project} consentId={filters.open} onClose={record.close} />
      <BulkResendDialog projectId={project.id} opened={opened} onClose={dialog.close} filters={filters} />
    </Page>
  );
}

function NoAttempts({ projectId }: { projectId: string }) {
  return (
    <EmptyState
      title={t('deliveries.none')}
      text={t('deliveries.noneText')}
      action={
        <ButtonLink to="/projects/$projectId/settings/consent/records-and-archive" params={{ projectId }}>
          {t('deliveries.setUp')}
        </ButtonLink>
      }
    />
  );
}
