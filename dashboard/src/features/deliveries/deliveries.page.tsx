import { Button, Group, NativeSelect } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { deliveryListInfiniteOptions, tierReadOptions } from '../../client/@tanstack/react-query.gen';
import { AccessNote, checkAccess } from '../../shared/access';
import { InfiniteTable } from '../../shared/infinite-table';
import { DateFilter } from '../../shared/filter-fields';
import { Page } from '../../shared/page';
import { dayRange } from '../../shared/time';
import { useZone } from '../../shared/zone';
import { t } from '../../i18n/i18n';
import { ConsentDrawer } from '../consents/consent-drawer';
import { useProject } from '../../shared/use-project';
import { useSelection } from './selection';
import { deliveryColumns } from './columns';
import { CATEGORIES, type Category, type DeliveryFilters, type Outcome } from './filters';
import { EndpointHealth } from './endpoint-health';
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
      <EndpointHealth projectId={project.id} />
      {/* The line above already mentions the plan. */}
      {refusal?.kind === 'role' && (
        <AccessNote refusal={refusal} projectId={project.id} what={t('deliveries.resend')} />
      )}
      <Group gap="xs" align="flex-end" role="search" aria-label={t('list.filters')}>
        <NativeSelect
          size="xs"
          label={t('deliveries.outcome')}
          data-search
          value={filters.status ?? ''}
          onChange={({ currentTarget: { value } }) => change({ status: (value as Outcome) || undefined })}
          data={[
            { value: '', label: t('list.any') },
            ...(['delivered', 'failed', 'skipped'] as const).map((value) => ({
              value,
              label: t(`outcomes.${value}`),
            })),
          ]}
        />
        <NativeSelect
          size="xs"
          label={t('deliveries.category')}
          value={filters.category ?? ''}
          onChange={({ currentTarget: { value } }) => change({ category: (value as Category) || undefined })}
          data={[
            { value: '', label: t('list.any') },
            ...CATEGORIES.map((value) => ({ value, label: t(`deliveries.categories.${value}`) })),
          ]}
        />
        <DateFilter label={t('list.from')} value={filters.from} onChange={(from) => change({ from })} />
        <DateFilter label={t('list.to')} value={filters.to} onChange={(to) => change({ to })} />
        {Object.keys(filters).some((name) => name !== 'open') && (
          <Button variant="subtle" onClick={() => void navigate({ search: {} })}>
            {t('list.clear')}
          </Button>
        )}
      </Group>
      {choice.ids.size > 0 && <ResendSelected projectId={project.id} choice={choice} neverSent={neverSent} />}
      <InfiniteTable
        label={t('deliveries.list')}
        query={query}
        columns={deliveryColumns(choice, shown, refusal !== null)}
        rowKey={({ id }) => id}
        onOpen={({ consentId }) => change({ open: consentId })}
        empty={Object.keys(filters).length > 0 ? t('deliveries.noneMatch') : t('deliveries.none')}
      />
      <ConsentDrawer project={project} consentId={filters.open} onClose={() => change({ open: undefined })} />
      <BulkResendDialog projectId={project.id} opened={opened} onClose={dialog.close} filters={filters} />
    </Page>
  );
}
