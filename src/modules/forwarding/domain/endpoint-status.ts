import type { FailureCategory } from '../../../platform/delivery/domain/outcome.js';

/** Whether records arrive at a project's endpoint. */
export interface EndpointStatus {
  /** `off`: forwarding is off or not in the tier; `unused`: nothing was sent yet. */
  state: 'off' | 'unused' | 'healthy' | 'failing' | 'held';
  /** Since when it fails or is held; null otherwise. */
  since: Date | null;
}

/** Input of a receiver's status. */
export interface EndpointFacts {
  /** Whether records are forwarded: switched on, and allowed by the tier. */
  isOn: boolean;
  lastDeliveredAt: Date | null;
  lastFailedAt: Date | null;
  /** First of the consecutive failures caused by the receiver; null: there are none. */
  failingSince: Date | null;
  /** null: the circuit is not open. */
  heldSince: Date | null;
}

/** The latest attempt decides, unless records are held. */
export function judgeEndpoint(facts: EndpointFacts): EndpointStatus {
  const { isOn, lastDeliveredAt, lastFailedAt, failingSince, heldSince } = facts;
  if (!isOn) return { state: 'off', since: null };
  if (heldSince) return { state: 'held', since: heldSince };
  if (lastFailedAt && (lastDeliveredAt === null || lastFailedAt > lastDeliveredAt))
    return { state: 'failing', since: failingSince ?? lastFailedAt };
  return { state: lastDeliveredAt === null ? 'unused' : 'healthy', since: null };
}

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
