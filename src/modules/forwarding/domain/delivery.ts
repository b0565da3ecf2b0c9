import type { DeliveryOutcome, DeliveryOutcomeKind, FailureCategory } from './outcome.js';

/** A finished attempt in the API. */
export interface DeliveryView extends Omit<DeliveryOutcome, 'responseBody'> {
  consentId: string;
  /** Whether a response body is stored; viewers cannot read it. */
  hasResponseBody: boolean;
  /** Counts the automatic retries of the record, from 1. */
  attempt: number;
  /**
   * The earliest time of the next retry; null: this is not the record's latest attempt, or it is
   * not retried.
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
 * The records that a resend of a period selects: by the outcome of the latest attempt, or never
 * forwarded.
 */
export const RESENDABLE = ['failed', 'skipped', 'unsent'] as const;

export interface ResendSelection {
  status: (typeof RESENDABLE)[number];
  /** Only records whose latest attempt failed in this category; absent: in any. */
  category?: FailureCategory;
  from: Date;
  to: Date;
}
