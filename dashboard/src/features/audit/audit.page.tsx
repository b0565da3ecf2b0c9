import { Button, Group, NativeSelect } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { auditListInfiniteOptions } from '../../client/@tanstack/react-query.gen';
import type { AuditEventDto, ProjectDto } from '../../client/types.gen';
import { AccessFieldset, checkAccess } from '../../shared/access';
import { TruncatedText } from '../../shared/truncated-text';
import { type Column, InfiniteTable } from '../../shared/infinite-table';
import { DateFilter } from '../../shared/filter-fields';
import { VisuallyHidden } from '../../shared/visually-hidden';
import { Page } from '../../shared/page';
import { Section } from '../../shared/section';
import { shortId } from '../../shared/short-id';
import { dayRange, type Zone } from '../../shared/time';
import { RelativeTime } from '../../shared/timestamps';
import { useZone } from '../../shared/zone';
import { locale, t } from '../../i18n/i18n';
import { useProject } from '../../shared/use-project';
import { AUDIT_ACTIONS } from './actions';
import { ChangeDrawer } from './change-drawer';
import { actorName, changedFields, fieldName, Target } from './change-details';
import { ACTOR_KINDS, type AuditFilters } from './filters';
import { type Named, useActorNames } from './use-actor-names';

const route = getRouteApi('/signed-in/projects/$projectId/settings/audit');

const PAGE_ROWS = 100;

type Action = AuditFilters['action'];

export function AuditPage() {
  const project = useProject();
  const refusal = checkAccess(project, { role: 'owner' });
  // Who changed what is an owner's to read.
  if (refusal === null) return <AuditLog project={project} />;
  return (
    <Page title={t('pages.audit')}>
      <Section title={t('audit.list')} text={t('audit.text')}>
        <AccessFieldset refusal={refusal} projectId={project.id}>
          <Button variant="default">{t('audit.export')}</Button>
        </AccessFieldset>
      </Section>
    </Page>
  );
}

function AuditLog({ project }: { project: ProjectDto }) {
  const path = { projectId: project.id };
  const filters = route.useSearch();
  const navigate = route.useNavigate();
  const { zone } = useZone();
  const names = useActorNames(project.id);
  const change = (changes: AuditFilters) =>
    void navigate({ search: (search) => ({ ...search, ...changes }), replace: changes.open === undefined });
  const query = useInfiniteQuery({
    ...auditListInfiniteOptions({ path, query: { ...auditQuery(filters, zone), limit: PAGE_ROWS } }),
    initialPageParam: { path },
    getNextPageParam: (page) => page.nextCursor ?? undefined,
  });
  const isFiltered = Object.keys(filters).some((name) => name !== 'open');
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
      <Group gap="xs" align="flex-end" role="search" aria-label={t('list.filters')}>
        <NativeSelect
          size="xs"
          label={t('audit.what')}
          data-search
          value={filters.action ?? ''}
          onChange={({ currentTarget: { value } }) => change({ action: (value || undefined) as Action })}
          data={[{ value: '', label: t('list.any') }, ...ACTIONS]}
        />
        <Who filters={filters} names={names} change={change} />
        <DateFilter label={t('list.from')} value={filters.from} onChange={(from) => change({ from })} />
        <DateFilter label={t('list.to')} value={filters.to} onChange={(to) => change({ to })} />
        {isFiltered && (
          <Button variant="subtle" onClick={() => void navigate({ search: {} })}>
            {t('list.clear')}
          </Button>
        )}
      </Group>
      <InfiniteTable
        label={t('audit.list')}
        query={query}
        columns={columnsWith(names.of)}
        rowKey={({ id }) => id}
        onOpen={({ id }) => change({ open: id })}
        empty={isFiltered ? t('audit.noneMatch') : t('audit.none')}
      />
      <ChangeDrawer
        projectId={project.id}
        changeId={filters.open}
        shown={query.data?.pages.flatMap(({ items }) => items) ?? []}
        names={names.of}
        onClose={() => change({ open: undefined })}
        onlyBy={(actorId) => change({ actorId, actorKind: undefined, open: undefined })}
      />
    </Page>
  );
}

const ACTIONS = AUDIT_ACTIONS.map((value) => ({
  value,
  label: t(`audit.actions.${value}`),
})).sort((a, b) => a.label.localeCompare(b.label, locale));

function columnsWith(names: Map<string, string>): Column<AuditEventDto>[] {
  return [
    {
      title: t('audit.when'),
      cell: ({ id, at }) => (
        <Link
          to="."
          search={(search) => ({ ...search, open: id })}
          className="row-link"
          onClick={(event) => event.stopPropagation()}
        >
          <RelativeTime at={at} />
          <VisuallyHidden>{t('audit.openChange')}</VisuallyHidden>
        </Link>
      ),
    },
    { title: t('audit.who'), cell: ({ actor }) => <Short text={actorName(actor)} /> },
    {
      title: t('audit.what'),
      cell: ({ action }) => (
        <span className="sentence-cell narrow" title={t(`audit.actions.${action}`)}>
          {t(`audit.actions.${action}`)}
        </span>
      ),
    },
    {
      title: t('audit.changed'),
      cell: (event) => <Short text={changedFields(event).map(fieldName).join(', ') || '–'} />,
    },
    {
      title: t('audit.target'),
      cell: ({ target }) => {
        const name = names.get(target ?? '');
        return name === undefined ? <Target target={target} names={names} /> : <TruncatedText text={name} />;
      },
    },
  ];
}

/** As much of a text as a row has room for; the drawer has all of it. */
function Short({ text }: { text: string }) {
  return (
    <span className="sentence-cell short" title={text}>
      {text}
    </span>
  );
}

/** By whom: one member or key, or all of a kind. */
function Who({
  filters,
  names: { members, keys, of },
  change,
}: {
  filters: AuditFilters;
  names: { members: Named[]; keys: Named[]; of: Map<string, string> };
  change: (changes: AuditFilters) => void;
}) {
  const { actorId, actorKind } = filters;
  const optionOf = ({ id, name }: Named) => ({ value: `id:${id}`, label: name });
  const isUnknown = actorId !== undefined && !of.has(actorId);
  return (
    <NativeSelect
      size="xs"
      maw={260}
      label={t('audit.who')}
      value={actorId !== undefined ? `id:${actorId}` : actorKind !== undefined ? `kind:${actorKind}` : ''}
      onChange={({ currentTarget: { value } }) => {
        const [by, what] = [value.slice(0, value.indexOf(':')), value.slice(value.indexOf(':') + 1)];
        change({
          actorId: by === 'id' ? what : undefined,
          actorKind: by === 'kind' ? ACTOR_KINDS.find((kind) => kind === what) : undefined,
        });
      }}
      data={[
        { value: '', label: t('audit.anyone') },
        ...ACTOR_KINDS.map((kind) => ({ value: `kind:${kind}`, label: t(`audit.actorKinds.${kind}`) })),
        ...(isUnknown ? [{ value: `id:${actorId}`, label: shortId(actorId) }] : []),
        ...(members.length > 0 ? [{ group: t('pages.members'), items: members.map(optionOf) }] : []),
        ...(keys.length > 0 ? [{ group: t('pages.apiKeys'), items: keys.map(optionOf) }] : []),
      ]}
    />
  );
}

/** What the API is asked for, of what the address says. */
function auditQuery({ from, to, action, actorKind, actorId }: AuditFilters, zone: Zone) {
  return {
    ...(action !== undefined && { action }),
    ...(actorKind !== undefined && { actorKind }),
    ...(actorId !== undefined && { actorId }),
    ...dayRange({ from, to }, zone),
  };
}
