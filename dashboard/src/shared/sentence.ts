import { ApiProblem } from '../api/problem';
import { t } from '../texts/texts';

/** What went wrong, as a sentence for the person. */
export function sentenceOf(error: unknown): string {
  if (!(error instanceof ApiProblem)) return t.problems.internal_error;
  const known = t.problems[error.code as keyof typeof t.problems];
  return known ?? (error.detail || t.problems.internal_error);
}
