import { Checkbox, Input, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { eventTypeListOptions } from '../../client/@tanstack/react-query.gen';
import { ProblemAlert } from '../../shared/problem-alert';
import { searchWords } from '../../shared/search-words';
import { SkeletonRows } from '../../shared/skeleton-rows';
import { t } from '../../i18n/i18n';
import { typeName } from './endpoint-state';
import type { EventType } from './search';
import { type TypeGroup, typeGroups } from './type-groups';

interface Choice {
  value: EventType[];
  onChange: (types: EventType[]) => void;
}

/** Chooses event types one by one, or a group at once. */
export function TypePicker({ value, onChange, error }: Choice & { error: unknown }) {
  const query = useQuery(eventTypeListOptions());
  const [typed, setTyped] = useState('');
  const groups = typeGroups(query.data?.items ?? []);
  const matches = searchWords(typed);
  const shown = groups
    .map(({ name, types }) => ({
      name,
      types: types.filter((type) => matches(type, typeName(type), t(`events.groups.${name}`))),
    }))
    .filter(({ types }) => types.length > 0);
  const all = groups.flatMap(({ types }) => types);
  return (
    <div role="group" aria-label={t('events.types')}>
      <div className="type-head">
        <span className="type-label">{t('events.types')}</span>
        <span className="quiet">
          {t('events.typesSelected', {
            selected: all.filter((type) => value.includes(type)).length,
            all: all.length,
          })}
        </span>
        <TextInput
          size="xs"
          aria-label={t('events.typesFilter')}
          placeholder={t('events.typesFilter')}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
      </div>
      <ProblemAlert error={query.error} retry={() => void query.refetch()} />
      {query.isPending && <SkeletonRows rows={6} />}
      <div className="type-groups" tabIndex={0} role="group" aria-label={t('events.types')}>
        {shown.map((group) => (
          <Group key={group.name} group={group} value={value} onChange={onChange} />
        ))}
        {query.data && shown.length === 0 && <p className="quiet">{t('events.typesNoMatch')}</p>}
      </div>
      {typeof error === 'string' && <Input.Error mt={6}>{error}</Input.Error>}
      <Input.Description mt={6}>{t('events.typesHint')}</Input.Description>
    </div>
  );
}

function Group({ group: { name, types }, value, onChange }: Choice & { group: TypeGroup }) {
  const chosen = types.filter((type) => value.includes(type));
  const isWhole = chosen.length === types.length;
  const without = (removed: EventType[]) => value.filter((type) => !removed.includes(type));
  return (
    <div className="type-group">
      <div className="type-group-head">
        <Checkbox
          size="xs"
          label={t(`events.groups.${name}`)}
          checked={isWhole}
          indeterminate={!isWhole && chosen.length > 0}
          onChange={() => onChange(isWhole ? without(types) : [...without(types), ...types])}
        />
        <small>{t('events.typesOf', { selected: chosen.length, all: types.length })}</small>
      </div>
      {types.map((type) => (
        <Checkbox
          key={type}
          size="xs"
          label={<span className="mono">{type}</span>}
          description={typeName(type)}
          checked={value.includes(type)}
          onChange={() => onChange(value.includes(type) ? without([type]) : [...value, type])}
        />
      ))}
    </div>
  );
}
