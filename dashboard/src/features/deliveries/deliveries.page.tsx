import { Button, Group, NativeSelect, VisuallyHidden } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { deliveryListInfiniteOptions, tierReadOptions } from '../../client/@tanstack/react-query.gen';
import type { DeliveryDto } from '../../client/types.gen';
import { refusalOf } from '../../shared/allowed';
import { CopyId } from '../../shared/copy-id';
import { type Column, EndlessList } from '../../shared/endless-list';
import { FilterDay } from '../../shared/filter-fields';
import { number } from '../../shared/format';
import { Page } from '../../shared/page';
import { State } from '../../shared/state';
import { dayStart } from '../../shared/time';
import { When } from '../../shared/when';
import { useZone } from '../../shared/zone';
import { t } from '../../texts/texts';
import { ConsentDrawer } from '../consents/consent-drawer';
import { useProject } from '../projects/use-project';
import type { DeliveryFilters, Outcome } from './filters';
import { outcomeCondition, outcomeSentence } from './outcome';
import { ReceiverHealth } from './receiver-health';
import { ResendMany } from './resend-many';

const PAGE_ROWS = 100;
const LIVE_MS = 1_000;

export function DeliveriesPage() {
  const project = useProject();
  const path = { projectId: project.id };
  const filters = useSearch({ from: '/signed-in/projects/$projectId/deliveries' });
  const navigate = useNavigate({ from: '/projects/$projectId/deliveries' });
  const { zone } = useZone();
  const [opened, box] = useDisclosure(false);
  const { data: tier } = useQuery(tierReadOptions({ path }));
  const change = (changes: DeliveryFilters) =>
    void navigate({ search: (search) => ({ ...search, ...changes }), replace: changes.open === undefined });
  const first = filters.from === undefined ? null : dayStart(filters.from, zone);
  const behind = filters.to === undefined ? null : dayStart(filters.to, zone, 1);
  const query = useInfiniteQuery({
    ...deliveryListInfiniteOptions({
      path,
      query: {
        limit: PAGE_ROWS,
        ...(filters.status && { status: filters.status }),
        ...(first && { from: first.toISOString() }),
        ...(behind && { to: behind.toISOString() }),
      },
    }),
    initialPageParam: { path },
    getNextPageParam: (page) => page.nextCursor ?? undefined,
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 1) > 1 ? false : LIVE_MS),
  });
  const refusal = refusalOf(project, {
    role: 'editor',
    feature: { open: tier?.features.consentForwarding ?? true, tier: 'Pro' },
  });
  return (
    <Page
      title={t.pages.deliveries}
      acts={
        <Button
          variant="default"
          onClick={box.open}
          disabled={refusal !== null}
          title={
            refusal?.kind === 'role'
              ? t.shared.needsRole(t.roles.editor)
              : refusal
                ? t.shared.needsTier('Pro')
                : undefined
          }
        >
          {t.deliveries.resendMany}
        </Button>
      }
    >
      <ReceiverHealth projectId={project.id} />
      <Group gap="xs" align="flex-end" role="search" aria-label={t.list.filters}>
        <NativeSelect
          size="xs"
          label={t.deliveries.outcome}
          data-search
          value={filters.status ?? ''}
          onChange={({ currentTarget: { value } }) => change({ status: (value as Outcome) || undefined })}
          data={[
            { value: '', label: t.list.any },
            ...(['delivered', 'failed', 'skipped'] as const).map((value) => ({
              value,
              label: t.outcomes[value],
            })),
          ]}
        />
        <FilterDay label={t.list.from} value={filters.from} onChange={(from) => change({ from })} />
        <FilterDay label={t.list.to} value={filters.to} onChange={(to) => change({ to })} />
        {Object.keys(filters).some((name) => name !== 'open') && (
          <Button variant="subtle" onClick={() => void navigate({ search: {} })}>
            {t.list.clear}
          </Button>
        )}
      </Group>
      <EndlessList
        label={t.deliveries.list}
        query={query}
        columns={COLUMNS}
        idOf={({ id }) => id}
        onOpen={({ consentId }) => change({ open: consentId })}
        empty={Object.keys(filters).length > 0 ? t.deliveries.noneMatch : t.deliveries.none}
      />
      <ConsentDrawer project={project} consentId={filters.open} onClose={() => change({ open: undefined })} />
      <ResendMany
        projectId={project.id}
        opened={opened}
        onClose={box.close}
        from={filters.from}
        to={filters.to}
      />
    </Page>
  );
}

const COLUMNS: Column<DeliveryDto>[] = [
  {
    title: t.deliveries.attempted,
    cell: ({ consentId, attemptedAt }) => (
      <Link
        to="."
        search={(search) => ({ ...search, open: consentId })}
        className="row-link"
        onClick={(event) => event.stopPropagation()}
      >
        <When at={attemptedAt} />
        <VisuallyHidden> {t.consents.openRecord}</VisuallyHidden>
      </Link>
    ),
  },
  {
    title: t.deliveries.outcome,
    cell: ({ outcome }) => <State is={outcomeCondition(outcome)}>{t.outcomes[outcome]}</State>,
  },
  { title: t.deliveries.status, number: true, cell: ({ httpStatus }) => httpStatus ?? '–' },
  { title: t.deliveries.duration, number: true, cell: ({ durationMs }) => `${number(durationMs)} ms` },
  {
    title: t.deliveries.what,
    cell: (attempt) => <span className="sentence-cell">{outcomeSentence(attempt)}</span>,
  },
  { title: t.deliveries.record, cell: ({ consentId }) => <CopyId id={consentId} /> },
];
