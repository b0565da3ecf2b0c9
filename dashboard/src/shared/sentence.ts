import { ApiProblem } from '../api/problem';
import { t } from '../texts/texts';

/** What went wrong, as a sentence for the person. */
export function sentenceOf(error: unknown): string {
  if (!(error instanceof ApiProblem)) return t.problems.internal_error;
  // What was refused about fields says more than that something was.
  const fields = Object.values(error.fields);
  if (fields.length > 0) return fields.join(' ');
  return t.problems[error.code] ?? (error.detail || t.problems.internal_error);
}
