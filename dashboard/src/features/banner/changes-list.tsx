import { Text } from '@mantine/core';
import type { ConfigurationChangeResponse } from '../../client/types.gen';
import { t, translateCode } from '../../i18n/i18n';
import { languageName } from '../../shared/display-names';
import './changes-list.css';

/** What differs, field by field, in words. */
export function ChangesList({ changes, none }: { changes: ConfigurationChangeResponse[]; none: string }) {
  if (changes.length === 0) return <Text c="dimmed">{none}</Text>;
  return (
    <ul className="changes" aria-label={t('banner.changes')}>
      {changes.map(({ path, kind, before, after }) => (
        <li key={path.join('\n')}>
          <Text component="span" fw={600}>
            {placeOf(path)}
          </Text>{' '}
          {kind === 'added' && t('banner.added')}
          {kind === 'removed' && t('banner.removed')}
          {kind === 'changed' && (
            <div className="before-after">
              <del>{valueOf(before)}</del>
              <ins>{valueOf(after)}</ins>
            </div>
          )}
        </li>
      ))}
    </ul>
  );
}

/** `Texts ▸ German (de) ▸ Title`: the labels of members, and the names of list entries. */
function placeOf(path: string[]): string {
  return path
    .map((part, index) => {
      if (['texts', 'translations'].includes(path[index - 1] ?? '')) return languageName(part);
      const isName = ['services', 'cookies', 'rules'].includes(path[index - 1] ?? '');
      if (isName) return part;
      // Of the banner, `enabled` means that it is ours.
      if (part === 'enabled' && path[0] === 'blocking') return t('banner.blocking.enabled');
      if (path[0] === 'signals')
        return translateCode('signals.targets', part) ?? translateCode('signals.fields', part) ?? part;
      return translateCode('banner.fieldNames', part) ?? translateCode('banner.labels', part) ?? part;
    })
    .join(' ▸ ');
}

function valueOf(value: string | null): string {
  if (value === null) return '–';
  if (value.startsWith('data:image/')) return t('banner.image');
  if (value === 'true') return t('list.yes');
  if (value === 'false') return t('list.no');
  return translateCode('banner.values', value) ?? value;
}
