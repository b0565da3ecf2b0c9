import type { HealthSignal } from '../../../platform/delivery/domain/health-signal.js';
import type { FailureCategory } from '../../../platform/delivery/domain/outcome.js';

/** Why an announced record was not sent. */
const SKIP_REASONS = ['disabled', 'no_endpoint', 'tier', 'preview_hostname', 'record_gone'] as const;
export type SkipReason = (typeof SKIP_REASONS)[number];

export const DELIVERY_OUTCOMES = ['delivered', 'failed', 'skipped'] as const;
export type DeliveryOutcomeKind = (typeof DELIVERY_OUTCOMES)[number];

/** The end of one attempt, as the delivery log stores it. */
export interface DeliveryOutcome {
  /** The attempt's id in the log, created once, so that a repeated write logs it once. */
  id: string;
  outcome: DeliveryOutcomeKind;
  /** null unless failed. */
  category: FailureCategory | null;
  /** null: no status line was received. */
  httpStatus: number | null;
  /** A sentence for a failure, a `SkipReason` for a skip, else null. */
  reason: string | null;
  durationMs: number;
  attemptedAt: Date;
  /** The receiver's host, never its whole URL; null: no receiver was chosen. */
  host: string | null;
  /** The beginning of the response body, only for the owner; absent: none is stored. */
  responseBody?: string;
}

/** Why the latest failed delivery of a project failed (spec §2.2). */
export interface LastFailure {
  /** A short sentence for the owner. */
  reason: string;
  category: string | null;
  httpStatus: number | null;
  at: Date;
}

/** A finished attempt in the API. */
export interface DeliveryView extends Omit<DeliveryOutcome, 'responseBody'> {
  consentId: string;
  /** Whether a response body is stored; viewers cannot read it. */
  hasResponseBody: boolean;
  /** Counts the automatic retries of the record, from 1. */
  attempt: number;
  /**
   * The earliest time of the next retry; null: this is not the record's latest attempt, or it is not retried.
   */
  nextAttemptAt: Date | null;
}

/** Selects finished attempts; `from` is inclusive, `to` is exclusive, both by the start of the attempt. */
export interface DeliveryFilter {
  status?: DeliveryOutcomeKind | undefined;
  category?: FailureCategory | undefined;
  consentId?: string | undefined;
  from?: Date | undefined;
  to?: Date | undefined;
}

/**
 * The records that a resend of a period selects: by the outcome of the latest attempt, or never forwarded.
 */
export const RESENDABLE = ['failed', 'skipped', 'unsent'] as const;

export interface ResendSelection {
  status: (typeof RESENDABLE)[number];
  /** Only records whose latest attempt failed in this category; absent: in any. */
  category?: FailureCategory;
  from: Date;
  to: Date;
}

/** An outcome with the health signal derived from it. */
export type ClassifiedOutcome = DeliveryOutcome & {
  health: HealthSignal;
  /**
   * Only for retries, which are not logged without an attempt: `postponed` by a hold, or `ended`,
   * so that the record keeps its latest outcome. Absent: log it.
   */
  notAttempted?: 'postponed' | 'ended';
};

/** Classifies a skip: the project does not forward, or only this record was skipped. */
export function skipHealthSignal(reason: SkipReason): HealthSignal {
  switch (reason) {
    case 'disabled':
    case 'no_endpoint':
    case 'tier':
      return { kind: 'elsewhere' };
    case 'preview_hostname':
    case 'record_gone':
      return { kind: 'untried' };
  }
}
