import type { ReceivedBody } from './response-body.js';

/** Why an attempt failed (design §6.5). Stable, because clients switch on them. */
export const FAILURE_CATEGORIES = [
  'dns',
  'connect',
  'tls',
  'timeout',
  'reset',
  'blocked_address',
  'redirect',
  'http_4xx',
  'http_5xx',
  'http_other',
  'worker_lost',
  'configuration',
] as const;
export type FailureCategory = (typeof FAILURE_CATEGORIES)[number];

/** Why an announced record was not sent. */
const SKIP_REASONS = ['disabled', 'no_endpoint', 'tier', 'preview_hostname', 'record_gone'] as const;
export type SkipReason = (typeof SKIP_REASONS)[number];

export const DELIVERY_OUTCOMES = ['delivered', 'failed', 'skipped'] as const;
export type DeliveryOutcomeKind = (typeof DELIVERY_OUTCOMES)[number];

/** The response of the receiver, or the network error. */
export type Answer =
  /**
   * `retryAfter` is the raw header, read only for statuses that may request a delay. `body` is only
   * for the owner, if the caller asked for it and the status is not 2xx.
   */
  | { kind: 'status'; httpStatus: number; retryAfter?: string | undefined; body?: ReceivedBody | undefined }
  | { kind: 'error'; category: FailureCategory; reason: string };

/** `reason` is a short sentence for the owner, without secrets, URLs and internal addresses. */
export type Judgement =
  | { outcome: 'delivered'; httpStatus: number }
  | { outcome: 'failed'; category: FailureCategory; reason: string; httpStatus: number | null };

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

/** Judges a response (spec §3.3): a 2xx status is a delivery, everything else a failure. */
export function judgeResponse(answer: Answer): Judgement {
  if (answer.kind === 'error')
    return { outcome: 'failed', category: answer.category, reason: answer.reason, httpStatus: null };
  const { httpStatus } = answer;
  if (isSuccess(httpStatus)) return { outcome: 'delivered', httpStatus };
  const { category, reason } = judgeStatus(httpStatus);
  return { outcome: 'failed', category, reason, httpStatus };
}

/** Whether a status is a delivery (spec §4.1). */
export function isSuccess(httpStatus: number): boolean {
  return httpStatus >= 200 && httpStatus <= 299;
}

function judgeStatus(status: number): { category: FailureCategory; reason: string } {
  if (status === 401 || status === 403)
    return {
      category: 'http_4xx',
      reason: `The endpoint returned ${status}: it rejected the authentication.`,
    };
  if (status >= 300 && status <= 399)
    return {
      category: 'redirect',
      reason: `The endpoint returned ${status}: redirects are not followed. Enter the final URL.`,
    };
  const reason = `The endpoint returned ${status}.`;
  if (status >= 400 && status <= 499) return { category: 'http_4xx', reason };
  if (status >= 500 && status <= 599) return { category: 'http_5xx', reason };
  return { category: 'http_other', reason };
}

const CAREFUL_CATEGORIES: readonly FailureCategory[] = ['timeout', 'connect', 'dns'];

/** Whether the receiver keeps its full share of slots. */
export function isHealthy(outcome: DeliveryOutcome): boolean {
  return outcome.category === null || !CAREFUL_CATEGORIES.includes(outcome.category);
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
