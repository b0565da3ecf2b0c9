import { State } from '../../shared/state';
import { t } from '../../i18n/i18n';
import type { Flag } from './filters';

const FLAGS: Flag[] = ['analytics', 'marketing', 'preferences'];

/** What was consented to, in words. */
export function Categories({ record }: { record: Record<Flag, boolean> }) {
  const given = FLAGS.filter((flag) => record[flag]);
  if (given.length === 0) return <State is="off">{t('consents.noCategory')}</State>;
  return (
    <State is="good">
      {given.length === FLAGS.length
        ? t('consents.allCategories')
        : given.map((flag) => t(`categories.${flag}`)).join(', ')}
    </State>
  );
}
