import { Stack, Text } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { tierReadOptions } from '../../client/@tanstack/react-query.gen';
import { AccessNote, checkAccess } from '../../shared/access';
import { AnchorLink } from '../../shared/anchor-link';
import { InfiniteTable } from '../../shared/infinite-table';
import { Page } from '../../shared/page';
import { useZone } from '../../shared/zone';
import { t } from '../../i18n/i18n';
import { useProject } from '../../shared/use-project';
import { consentColumns } from './columns';
import { ConsentDrawer } from './consent-drawer';
import type { ConsentFilters } from './filters';
import { consentPages } from './queries';
import { ConsentFilterBar } from './consent-filter-bar';
import { ExportButtons } from './export-buttons';

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
  const query = useInfiniteQuery({
    ...consentPages(project.id, filters, zone),
    // Polls only while the first page alone is loaded, not while the person reads older pages.
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 1) > 1 ? false : LIVE_MS),
  });
  const { data: tier } = useQuery(tierReadOptions({ path: { projectId: project.id } }));
  const refusal = checkAccess(project, { feature: { open: tier?.features.export ?? true, tier: 'Pro' } });
  return (
    <Page
      title={t('pages.consents')}
      actions={<ExportButtons project={project} filters={filters} zone={zone} refusal={refusal} />}
    >
      <AccessNote refusal={refusal} projectId={project.id} what={t('consents.exports')} />
      {refusal === null && filters.delivery && <Text role="note">{t('consents.noDeliveryFilter')}</Text>}
      <ConsentFilterBar filters={filters} change={change} clear={() => void navigate({ search: {} })} />
      <InfiniteTable
        label={t('consents.list')}
        query={query}
        columns={consentColumns()}
        rowKey={({ id }) => id}
        onOpen={({ id }) => change({ open: id })}
        empty={
          Object.keys(filters).length > 0 ? (
            t('consents.noneMatch')
          ) : (
            <Stack gap="xs" align="flex-start">
              {t('consents.none')}
              <AnchorLink to="/projects/$projectId/install" params={{ projectId: project.id }}>
                {t('consents.install')}
              </AnchorLink>
            </Stack>
          )
        }
      />
      <ConsentDrawer project={project} consentId={filters.open} onClose={() => change({ open: undefined })} />
    </Page>
  );
}
