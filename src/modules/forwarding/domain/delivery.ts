import type { DeliveryOutcome, DeliveryOutcomeKind, FailureCategory } from './outcome.js';

/** A finished attempt as the API shows it. */
export interface DeliveryView extends Omit<DeliveryOutcome, 'responseBody'> {
  consentId: string;
  /** Whether a response body is stored, which not everybody may read. */
  hasResponseBody: boolean;
  /** Counts the automatic retries of the record, from 1. */
  attempt: number;
  /** When the record is retried, at the earliest; null: this is not its latest attempt, or it is not retried. */
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

/** Which records a resend of a period selects: by the outcome of the latest attempt, or never forwarded. */
export const RESENDABLE = ['failed', 'skipped', 'unsent'] as const;

export interface ResendSelection {
  status: (typeof RESENDABLE)[number];
  /** Only records whose latest attempt failed in this category; absent: in any. */
  category?: FailureCategory;
  from: Date;
  to: Date;
}
