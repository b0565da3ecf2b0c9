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
export function isHealthy({ category }: { category: FailureCategory | null }): boolean {
  return category === null || !CAREFUL_CATEGORIES.includes(category);
}
