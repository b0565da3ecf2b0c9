import { ApiProblem } from '../api/problem';
import { locale, t, translateCode } from '../i18n/i18n';

/** What failed, as a message for the user. */
export function errorMessage(error: unknown): string {
  if (!(error instanceof ApiProblem)) return t('problems.internal_error');
  // Field errors are more specific than the problem.
  const fields = Object.values(error.fields);
  if (fields.length > 0) return fields.join(' ');
  return (
    translateCode('problems', error.code) ??
    // The API's own sentences are English, and more specific than these messages.
    ((locale === 'en' && error.detail) || translateCode('problemDetails', error.code)) ??
    (error.detail || t('problems.internal_error'))
  );
}
