import { Button } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { auditListInfiniteOptions } from '../../client/@tanstack/react-query.gen';
import type { ProjectResponse } from '../../client/types.gen';
import { InfiniteTable } from '../../shared/infinite-table';
import { ListCard } from '../../shared/list-card';
import { Page } from '../../shared/page';
import { useOpenRecord } from '../../shared/use-open-record';
import { dayRange, type Zone } from '../../shared/time';
import { useZone } from '../../shared/zone';
import { t } from '../../i18n/i18n';
import { ChangeDrawer } from './change-drawer';
import { AuditFilterChips } from './audit-filter-chips';
import { auditColumns, auditPhoneColumns } from './columns';
import { type AuditFilters, countFilters } from './filters';
import { useActorNames } from './use-actor-names';

const route = getRouteApi('/signed-in/projects/$projectId/settings/audit');

const PAGE_ROWS = 100;

export function AuditLog({ project }: { project: ProjectResponse }) {
  const path = { projectId: project.id };
  const filters = route.useSearch();
  const navigate = route.useNavigate();
  const { zone } = useZone();
  const names = useActorNames(project.id);
  const change = (changes: AuditFilters) =>
    void navigate({ search: (search) => ({ ...search, ...changes }), replace: changes.open === undefined });
  const record = useOpenRecord(change);
  const active = countFilters(filters);
  const query = useInfiniteQuery({
    ...auditListInfiniteOptions({ path, query: { ...auditQuery(filters, zone), limit: PAGE_ROWS } }),
    initialPageParam: { path },
    getNextPageParam: (page) => page.nextCursor ?? undefined,
  });
  return (
    <Page
      title={t('pages.audit')}
      actions={
        <Button
          variant="default"
          component="a"
          href={`/v1/projects/${project.id}/audit/export?${new URLSearchParams(auditQuery(filters, zone))}`}
          download
        >
          {t('audit.export')}
        </Button>
      }
    >
      <ListCard
        filters={<AuditFilterChips filters={filters} names={names} change={change} />}
        active={active}
        onClear={() => void navigate({ search: {} })}
      >
        <InfiniteTable
          label={t('audit.list')}
          query={query}
          columns={auditColumns(names.of)}
          phoneColumns={auditPhoneColumns()}
          rowKey={({ id }) => id}
          onOpen={({ id }) => record.open(id)}
          empty={active > 0 ? t('audit.noneMatch') : t('audit.none')}
        />
      </ListCard>
      <ChangeDrawer
        projectId={project.id}
        changeId={filters.open}
        shown={query.data?.pages.flatMap(({ items }) => items) ?? []}
        names={names.of}
        onClose={record.close}
        onlyBy={(actorId) => change({ actorId, actorKind: undefined, open: undefined })}
      />
    </Page>
  );
}

/** The API query for the filters in the URL. */
function auditQuery({ from, to, action, actorKind, actorId }: AuditFilters, zone: Zone) {
  return {
    ...(action !== undefined && { action }),
    ...(actorKind !== undefined && { actorKind }),
    ...(actorId !== undefined && { actorId }),
    ...dayRange({ from, to }, zone),
  };
}
