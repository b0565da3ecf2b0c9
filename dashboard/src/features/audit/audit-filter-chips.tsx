import { NativeSelect } from '@mantine/core';
import { DateChip } from '../../shared/date-chip';
import { FilterChip } from '../../shared/filter-chip';
import { shortId } from '../../shared/short-id';
import { locale, t } from '../../i18n/i18n';
import type { ActorNames, Named } from './actor-names';
import { ACTOR_KINDS, type AuditAction, type AuditFilters } from './filters';

interface Props {
  filters: AuditFilters;
  names: ActorNames;
  /** The actions that the log can contain. */
  actions: readonly AuditAction[];
  change: (changes: AuditFilters) => void;
}

/** The filters of the audit log, each as a chip. */
export function AuditFilterChips(props: Props) {
  const { filters, change } = props;
  return (
    <>
      <DateChip days={filters} change={change} />
      <ActionChip {...props} />
      <ActorChip {...props} />
    </>
  );
}

function ActionChip({ filters: { action }, actions, change }: Props) {
  const options = actions.map((value) => ({ value, label: t(`audit.actions.${value}`) }));
  return (
    <FilterChip
      name={t('audit.what')}
      value={action && named(t('audit.what'), t(`audit.actions.${action}`))}
      onClear={() => change({ action: undefined })}
    >
      <NativeSelect
        size="xs"
        label={t('audit.what')}
        value={action ?? ''}
        onChange={({ currentTarget: { value } }) =>
          change({ action: actions.find((each) => each === value) })
        }
        data={[
          { value: '', label: t('list.any') },
          ...options.sort((a, b) => a.label.localeCompare(b.label, locale)),
        ]}
      />
    </FilterChip>
  );
}

/** Filters by one member or API key, or by a kind of actor. */
function ActorChip({ filters: { actorId, actorKind }, names: { members, keys, of }, change }: Props) {
  const toOption = ({ id, name }: Named) => ({ value: `id:${id}`, label: name });
  const isUnknown = actorId !== undefined && !of.has(actorId);
  const idName = actorId && (of.get(actorId) ?? shortId(actorId));
  const kindName = actorKind && t(`audit.actorKinds.${actorKind}`);
  const who = idName ?? kindName;
  return (
    <FilterChip
      name={t('audit.who')}
      value={who && named(t('audit.who'), who)}
      onClear={() => change({ actorId: undefined, actorKind: undefined })}
    >
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
    </FilterChip>
  );
}

const named = (name: string, value: string): string => t('list.filterValue', { name, value });
