import { VisuallyHidden } from '../../shared/visually-hidden';
import { t } from '../../i18n/i18n';
import { FLAGS, type Flag } from './filters';

/** Each category, filled in where it was granted. */
export function Categories({ record }: { record: Record<Flag, boolean> }) {
  return (
    <span className="chips">
      {FLAGS.map((flag) => (
        <span key={flag} className="chip" data-on={record[flag] || undefined}>
          {t(`categories.${flag}`)}
          <VisuallyHidden>{record[flag] ? t('consents.granted') : t('consents.denied')}</VisuallyHidden>
        </span>
      ))}
    </span>
  );
}

/** The categories that were granted, in a few words. */
export function grantedNames(record: Record<Flag, boolean>): string {
  const granted = FLAGS.filter((flag) => record[flag]);
  if (granted.length === 0) return t('consents.noneGranted');
  if (granted.length === FLAGS.length) return t('consents.allGranted');
  return granted.map((flag) => t(`categories.${flag}`)).join(', ');
}

/** The same as quiet text in a list; a choice of only some categories is bold. */
export function GrantedNames({ record }: { record: Record<Flag, boolean> }) {
  const granted = FLAGS.filter((flag) => record[flag]).length;
  const isPartial = granted > 0 && granted < FLAGS.length;
  return <span className={isPartial ? 'partial-choice' : 'quiet'}>{grantedNames(record)}</span>;
}
