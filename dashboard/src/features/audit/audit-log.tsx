import { Button } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import type { AuditEventResponse } from '../../client/types.gen';
import { InfiniteTable } from '../../shared/infinite-table';
import { ListCard } from '../../shared/list-card';
import type { ListQuery } from '../../shared/list-query';
import { Page } from '../../shared/page';
import { useOpenRecord } from '../../shared/use-open-record';
import { dayRange, type Zone } from '../../shared/time';
import { useZone } from '../../shared/zone';
import { t } from '../../i18n/i18n';
import type { ActorNames } from './actor-names';
import { ChangeDrawer } from './change-drawer';
import { AuditFilterChips } from './audit-filter-chips';
import { auditColumns, auditPhoneColumns } from './columns';
import { type AuditAction, type AuditFilters, countFilters } from './filters';

/** Rows of one response, and the most changes of one log that are looked for in one millisecond. */
export const AUDIT_ROWS = 100;

/** A log of changes with its filters, and one change in a drawer. */
export function AuditLog(props: {
  /** One line below the title. */
  subtitle?: string;
  filters: AuditFilters;
  actions: readonly AuditAction[];
  names: ActorNames;
  query: ListQuery<AuditEventResponse>;
  readChanges: (moment: { from: string; to: string }) => Promise<AuditEventResponse[]>;
  /** Path of the export, without a query. */
  exportPath: string;
}) {
  const { filters, names, query, actions } = props;
  const navigate = useNavigate();
  const { zone } = useZone();
  const change = (changes: AuditFilters) =>
    void navigate({
      to: '.',
      search: (search) => ({ ...search, ...changes }) as AuditFilters,
      replace: changes.open === undefined,
    });
  const record = useOpenRecord(change);
  const active = countFilters(filters);
  return (
    <Page
      title={t('pages.audit')}
      {...(props.subtitle !== undefined && { subtitle: props.subtitle })}
      actions={
        <Button
          variant="default"
          component="a"
          href={`${props.exportPath}?${new URLSearchParams(auditQuery(filters, zone))}`}
          download
        >
          {t('audit.export')}
        </Button>
      }
    >
      <ListCard
        filters={<AuditFilterChips filters={filters} names={names} actions={actions} change={change} />}
        active={active}
        onClear={() => void navigate({ to: '.', search: {} })}
      >
        <InfiniteTable
          label={t('audit.list')}
          query={query}
          columns={auditColumns(names)}
          phoneColumns={auditPhoneColumns()}
          rowKey={({ id }) => id}
          onOpen={({ id }) => record.open(id)}
          empty={active > 0 ? t('audit.noneMatch') : t('audit.none')}
        />
      </ListCard>
      <ChangeDrawer
        changeId={filters.open}
        shown={query.data?.pages.flatMap(({ items }) => items) ?? []}
        readChanges={props.readChanges}
        names={names}
        onClose={record.close}
        onlyBy={(actorId) => change({ actorId, actorKind: undefined, open: undefined })}
      />
    </Page>
  );
}

/** The API query for the filters in the URL. */
export function auditQuery({ from, to, action, actorKind, actorId }: AuditFilters, zone: Zone) {
  return {
    ...(action !== undefined && { action }),
    ...(actorKind !== undefined && { actorKind }),
    ...(actorId !== undefined && { actorId }),
    ...dayRange({ from, to }, zone),
  };
}
