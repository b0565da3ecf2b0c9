import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useMemo } from 'react';
import { tierReadOptions } from '../../client/@tanstack/react-query.gen';
import { AccessNote, checkAccess } from '../../shared/access';
import { ButtonLink } from '../../shared/button-link';
import { EmptyState } from '../../shared/empty-state';
import { InfiniteTable } from '../../shared/infinite-table';
import { ListCard } from '../../shared/list-card';
import { Page } from '../../shared/page';
import { useOpenRecord } from '../../shared/use-open-record';
import { useZone } from '../../shared/zone';
import { t } from '../../i18n/i18n';
import { useProject } from '../../shared/use-project';
import { consentColumns, consentPhoneColumns } from './columns';
import { ConsentDrawer } from './consent-drawer';
import { type ConsentFilters, countFilters } from './filters';
import { consentPages } from './queries';
import { ConsentFilterChips } from './consent-filter-chips';
import { ExportMenu } from './export-menu';
import { FindById } from './find-by-id';

const route = getRouteApi('/signed-in/projects/$projectId/consents');

/** A record shows within 2 s of its 201. */
const LIVE_MS = 1_000;

export function ConsentsPage() {
  const project = useProject();
  const filters = route.useSearch();
  const navigate = route.useNavigate();
  const { zone } = useZone();
  const change = (changes: ConsentFilters) =>
    void navigate({ search: (search) => ({ ...search, ...changes }), replace: changes.open === undefined });
  const record = useOpenRecord(change);
  const query = useInfiniteQuery({
    ...consentPages(project.id, filters, zone),
    // Polls only while just the first page is loaded, not while the user reads older pages.
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 1) > 1 ? false : LIVE_MS),
  });
  const { data: tier } = useQuery(tierReadOptions({ path: { projectId: project.id } }));
  const hasDelivery = tier?.features.consentForwarding ?? true;
  const refusal = checkAccess(project, { feature: { open: tier?.features.export ?? true, tier: 'Pro' } });
  return (
    <Page
      title={t('pages.consents')}
      actions={<ExportMenu project={project} filters={filters} zone={zone} refusal={refusal} />}
    >
      <AccessNote refusal={refusal} projectId={project.id} what={t('consents.exports')} />
      <ListCard
        search={<FindById projectId={project.id} onFound={record.open} />}
        filters={<ConsentFilterChips filters={filters} change={change} />}
        active={countFilters(filters)}
        onClear={() => void navigate({ search: {} })}
      >
        <InfiniteTable
          label={t('consents.list')}
          query={query}
          columns={useMemo(() => consentColumns(hasDelivery), [hasDelivery])}
          phoneColumns={useMemo(() => consentPhoneColumns(hasDelivery), [hasDelivery])}
          rowKey={({ id }) => id}
          onOpen={({ id }) => record.open(id)}
          empty={<NoRecords projectId={project.id} isFiltered={countFilters(filters) > 0} />}
        />
      </ListCard>
      <ConsentDrawer project={project} consentId={filters.open} onClose={record.close} />
    </Page>
  );
}

function NoRecords({ projectId, isFiltered }: { projectId: string; isFiltered: boolean }) {
  if (isFiltered) return t('consents.noneMatch');
  return (
    <EmptyState
      title={t('consents.none')}
      text={t('consents.noneText')}
      action={
        <ButtonLink to="/projects/$projectId/install" params={{ projectId }}>
          {t('consents.install')}
        </ButtonLink>
      }
    />
  );
}
