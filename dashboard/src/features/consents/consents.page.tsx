import { Button, Checkbox, Group, NativeSelect, Stack, Text } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { tierReadOptions } from '../../client/@tanstack/react-query.gen';
import type { ProjectDto } from '../../client/types.gen';
import { type AccessDenial, AccessNote, checkAccess } from '../../shared/access';
import { AnchorLink } from '../../shared/anchor-link';
import { InfiniteTable } from '../../shared/infinite-table';
import { DateFilter, TextFilter } from '../../shared/filter-fields';
import { Page } from '../../shared/page';
import type { Zone } from '../../shared/time';
import { useZone } from '../../shared/zone';
import { t } from '../../i18n/i18n';
import { useProject } from '../../shared/use-project';
import { consentColumns } from './columns';
import { ConsentDrawer } from './consent-drawer';
import { type ConsentFilters, DELIVERY_STATES, type Flag } from './filters';
import { FindById } from './find-by-id';
import { consentPages, consentQuery } from './queries';

const route = getRouteApi('/signed-in/projects/$projectId/consents');

/** A record shows within 2 s of its 201. */
const LIVE_MS = 1_000;
const ACTIONS = ['accept_all', 'reject_all', 'custom', 'withdraw', 'opt_out', 'dismiss'];
const FLAGS: Flag[] = ['analytics', 'marketing', 'preferences'];

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
      actions={<Exports project={project} filters={filters} zone={zone} refusal={refusal} />}
    >
      <AccessNote refusal={refusal} projectId={project.id} what={t('consents.exports')} />
      {refusal === null && filters.delivery && <Text role="note">{t('consents.noDeliveryFilter')}</Text>}
      <Filters filters={filters} change={change} clear={() => void navigate({ search: {} })} />
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

function Filters({
  filters,
  change,
  clear,
}: {
  filters: ConsentFilters;
  change: (changes: ConsentFilters) => void;
  clear: () => void;
}) {
  return (
    <Group gap="xs" align="flex-end" role="search" aria-label={t('list.filters')}>
      <FindById onFound={(id) => change({ open: id })} />
      <DateFilter label={t('list.from')} value={filters.from} onChange={(from) => change({ from })} />
      <DateFilter label={t('list.to')} value={filters.to} onChange={(to) => change({ to })} />
      <TextFilter
        label={t('consents.action')}
        list={ACTIONS}
        value={filters.action}
        onChange={(action) => change({ action })}
      />
      <TextFilter
        label={t('consents.host')}
        value={filters.hostname}
        onChange={(hostname) => change({ hostname })}
      />
      {FLAGS.map((flag) => (
        <NativeSelect
          key={flag}
          size="xs"
          label={t(`categories.${flag}`)}
          value={String(filters[flag] ?? '')}
          onChange={({ currentTarget: { value } }) =>
            change({ [flag]: value === '' ? undefined : value === 'true' })
          }
          data={[
            { value: '', label: t('list.any') },
            { value: 'true', label: t('list.yes') },
            { value: 'false', label: t('list.no') },
          ]}
        />
      ))}
      <NativeSelect
        size="xs"
        label={t('deliveries.delivery')}
        value={filters.delivery ?? ''}
        onChange={({ currentTarget: { value } }) =>
          change({ delivery: DELIVERY_STATES.find((state) => state === value) })
        }
        data={[
          { value: '', label: t('list.any') },
          ...DELIVERY_STATES.map((value) => ({ value, label: t(`consents.deliveryStates.${value}`) })),
        ]}
      />
      {Object.keys(filters).some((name) => name !== 'open') && (
        <Button variant="subtle" onClick={clear}>
          {t('list.clear')}
        </Button>
      )}
    </Group>
  );
}

/** Exactly what the filters show, as a file. */
function Exports({
  project,
  filters,
  zone,
  refusal,
}: {
  project: ProjectDto;
  filters: ConsentFilters;
  zone: Zone;
  refusal: AccessDenial;
}) {
  const [proofs, setProofs] = useState(false);
  // The file is of records alone: it does not know what became of them.
  const { delivery, ...exported } = filters;
  const isOpen = refusal === null && !delivery;
  const hrefOf = (format: 'csv' | 'pdf') => {
    const query = { format, ...consentQuery(exported, zone), ...(proofs && format === 'csv' && { proofs }) };
    const texts = Object.entries(query).map(([name, value]) => [name, String(value)]);
    return `/v1/projects/${project.id}/consents/export?${new URLSearchParams(texts)}`;
  };
  return (
    <>
      <Checkbox
        label={t('consents.withProofs')}
        title={t('consents.withProofsHint')}
        disabled={!isOpen}
        checked={proofs}
        onChange={(event) => setProofs(event.currentTarget.checked)}
      />
      {(['csv', 'pdf'] as const).map((format) =>
        isOpen ? (
          <Button key={format} variant="default" component="a" href={hrefOf(format)} download>
            {t('consents.export', { format: format.toUpperCase() })}
          </Button>
        ) : (
          <Button key={format} variant="default" disabled>
            {t('consents.export', { format: format.toUpperCase() })}
          </Button>
        ),
      )}
    </>
  );
}
