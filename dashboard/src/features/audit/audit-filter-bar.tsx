import { Button, NativeSelect } from '@mantine/core';
import { DateFilter } from '../../shared/filter-fields';
import { FilterPanel } from '../../shared/filter-panel';
import { shortId } from '../../shared/short-id';
import { locale, t } from '../../i18n/i18n';
import { AUDIT_ACTIONS } from './actions';
import { ACTOR_KINDS, type AuditFilters } from './filters';
import type { Named, useActorNames } from './use-actor-names';

type Action = AuditFilters['action'];

const ACTIONS = AUDIT_ACTIONS.map((value) => ({
  value,
  label: t(`audit.actions.${value}`),
})).sort((a, b) => a.label.localeCompare(b.label, locale));

type ActorNames = ReturnType<typeof useActorNames>;

export function AuditFilterBar({
  filters,
  names,
  isFiltered,
  change,
  clear,
}: {
  filters: AuditFilters;
  names: ActorNames;
  isFiltered: boolean;
  change: (changes: AuditFilters) => void;
  clear: () => void;
}) {
  return (
    <FilterPanel active={Object.keys(filters).filter((name) => name !== 'open').length}>
      <NativeSelect
        size="xs"
        label={t('audit.what')}
        data-search
        value={filters.action ?? ''}
        onChange={({ currentTarget: { value } }) => change({ action: (value || undefined) as Action })}
        data={[{ value: '', label: t('list.any') }, ...ACTIONS]}
      />
      <ActorFilter filters={filters} names={names} change={change} />
      <DateFilter label={t('list.from')} value={filters.from} onChange={(from) => change({ from })} />
      <DateFilter label={t('list.to')} value={filters.to} onChange={(to) => change({ to })} />
      {isFiltered && (
        <Button variant="subtle" onClick={clear}>
          {t('list.clear')}
        </Button>
      )}
    </FilterPanel>
  );
}

/** Filters by one member or API key, or by a kind of actor. */
function ActorFilter({
  filters,
  names: { members, keys, of },
  change,
}: {
  filters: AuditFilters;
  names: ActorNames;
  change: (changes: AuditFilters) => void;
}) {
  const { actorId, actorKind } = filters;
  const toOption = ({ id, name }: Named) => ({ value: `id:${id}`, label: name });
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
        ...(members.length > 0 ? [{ group: t('pages.members'), items: members.map(toOption) }] : []),
        ...(keys.length > 0 ? [{ group: t('pages.apiKeys'), items: keys.map(toOption) }] : []),
      ]}
    />
  );
}
