import type { ConsentResponse } from '../../client/types.gen';
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

type Granted = Pick<ConsentResponse, Flag | 'services'>;

/** The categories that were granted, and how many services if only some were, in a few words. */
export function grantedNames(record: Granted): string {
  const granted = FLAGS.filter((flag) => record[flag]);
  const names = granted.map((flag) => t(`categories.${flag}`));
  const { accepted, total } = countServices(record);
  if (accepted > 0 && accepted < total)
    return [...names, t('consents.someServices', { accepted, total })].join(', ');
  if (granted.length === 0) return t('consents.noneGranted');
  if (granted.length === FLAGS.length) return t('consents.allGranted');
  return names.join(', ');
}

const countServices = ({ services }: Granted): { accepted: number; total: number } => {
  const states = Object.values(services ?? {});
  return { accepted: states.filter(Boolean).length, total: states.length };
};

/** The same as quiet text in a list; a choice of only some categories or services is bold. */
export function GrantedNames({ record }: { record: Granted }) {
  const granted = FLAGS.filter((flag) => record[flag]).length;
  const { accepted, total } = countServices(record);
  const isPartial = (granted > 0 && granted < FLAGS.length) || (accepted > 0 && accepted < total);
  return <span className={isPartial ? 'partial-choice' : 'quiet'}>{grantedNames(record)}</span>;
}
