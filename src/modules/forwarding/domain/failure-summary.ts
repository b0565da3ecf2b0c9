import type { FailureCategory } from './outcome.js';

/** Distinct causes that a summary names. */
export const CAUSES_MAX = 3;

interface Failure {
  attemptedAt: Date;
  category: FailureCategory | null;
  httpStatus: number | null;
}

/** Failures of one cause. */
interface FailureCause {
  category: FailureCategory | null;
  httpStatus: number | null;
  records: number;
}

/** When attempts failed and why. */
export interface FailureSummary {
  /** null: there are no failures. */
  firstFailedAt: Date | null;
  lastFailedAt: Date | null;
  /** The most frequent first, at most `CAUSES_MAX`. */
  causes: FailureCause[];
}

/** Summarizes the latest attempts of records that failed. */
export function summarizeFailures(failures: readonly Failure[]): FailureSummary {
  const causes = Map.groupBy(failures, ({ category, httpStatus }) => `${category} ${httpStatus}`);
  const times = failures.map(({ attemptedAt }) => attemptedAt.getTime()).toSorted((a, b) => a - b);
  const [first] = times;
  const last = times.at(-1);
  return {
    firstFailedAt: first === undefined ? null : new Date(first),
    lastFailedAt: last === undefined ? null : new Date(last),
    causes: [...causes.values()]
      .toSorted((a, b) => b.length - a.length)
      .slice(0, CAUSES_MAX)
      .flatMap(([one, ...others]) =>
        one === undefined
          ? []
          : [{ category: one.category, httpStatus: one.httpStatus, records: others.length + 1 }],
      ),
  };
}
