import type { ReceivedBody } from './response-body.js';

/** Why an attempt failed (design §6.5). Stable: clients switch on them. */
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

/** Why a message was not sent although a record had been announced. */
const SKIP_REASONS = ['disabled', 'no_endpoint', 'tier', 'preview_hostname', 'record_gone'] as const;
export type SkipReason = (typeof SKIP_REASONS)[number];

export const DELIVERY_OUTCOMES = ['delivered', 'failed', 'skipped'] as const;
export type DeliveryOutcomeKind = (typeof DELIVERY_OUTCOMES)[number];

/** What the receiver, or the way to it, answered. */
export type Answer =
  /**
   * `retryAfter` is the header as it came; it is read of the answers alone that may ask for a pause. `body` is only for
   * the owner, where the caller asked for it and the status is not 2xx.
   */
  | { kind: 'status'; httpStatus: number; retryAfter?: string | undefined; body?: ReceivedBody | undefined }
  | { kind: 'error'; category: FailureCategory; reason: string };

/** `reason` is a short sentence for the owner: no secret, no URL, no address of our network. */
export type Judgement =
  | { outcome: 'delivered'; httpStatus: number }
  | { outcome: 'failed'; category: FailureCategory; reason: string; httpStatus: number | null };

/** How one attempt ended, as it is written to the delivery log. */
export interface DeliveryOutcome {
  /** The attempt's id in the log, made once, so that a write which is repeated logs it once. */
  id: string;
  outcome: DeliveryOutcomeKind;
  /** null unless failed. */
  category: FailureCategory | null;
  /** null where no status line came back. */
  httpStatus: number | null;
  /** A sentence where it failed, a `SkipReason` where it was skipped, else null. */
  reason: string | null;
  durationMs: number;
  attemptedAt: Date;
  /** The receiver's host, never its whole URL; null where none was chosen. */
  host: string | null;
  /** The beginning of the response body, for the owner alone; absent: none is stored. */
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

/** Judges an answer (spec §3.3): a 2xx status line is a delivery, anything else a failure. */
export function judgeResponse(answer: Answer): Judgement {
  if (answer.kind === 'error') {
    return { outcome: 'failed', category: answer.category, reason: answer.reason, httpStatus: null };
  }
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
  if (status === 401 || status === 403) {
    return {
      category: 'http_4xx',
      reason: `The endpoint returned ${status}: it rejected the authentication.`,
    };
  }
  if (status >= 300 && status <= 399) {
    return {
      category: 'redirect',
      reason: `The endpoint returned ${status}: redirects are not followed. Enter the final URL.`,
    };
  }
  const reason = `The endpoint returned ${status}.`;
  if (status >= 400 && status <= 499) return { category: 'http_4xx', reason };
  if (status >= 500 && status <= 599) return { category: 'http_5xx', reason };
  return { category: 'http_other', reason };
}

const CAREFUL_CATEGORIES: readonly FailureCategory[] = ['timeout', 'connect', 'dns'];

/** Whether the receiver may keep a full share of the slots. */
export function isHealthy(outcome: DeliveryOutcome): boolean {
  return outcome.category === null || !CAREFUL_CATEGORIES.includes(outcome.category);
}
