import { StatusLabel } from '../../shared/status-label';
import { t } from '../../i18n/i18n';
import type { Flag } from './filters';

const FLAGS: Flag[] = ['analytics', 'marketing', 'preferences'];

/** What was consented to, in words. */
export function Categories({ record }: { record: Record<Flag, boolean> }) {
  const given = FLAGS.filter((flag) => record[flag]);
  if (given.length === 0) return <StatusLabel status="off">{t('consents.noCategory')}</StatusLabel>;
  return (
    <StatusLabel status="good">
      {given.length === FLAGS.length
        ? t('consents.allCategories')
        : given.map((flag) => t(`categories.${flag}`)).join(', ')}
    </StatusLabel>
  );
}
