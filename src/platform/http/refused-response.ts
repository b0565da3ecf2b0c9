import type { ServerResponse } from 'node:http';
import type { DomainErrorCode } from '../errors/domain-error.js';

/**
 * Errors because the operator has not configured a feature: documented, and no problem to
 * investigate.
 */
const NOT_CONFIGURED: ReadonlySet<DomainErrorCode> = new Set([
  'mail_not_configured',
  'billing_not_configured',
]);

const refusals = new WeakMap<ServerResponse, DomainErrorCode>();

/** Stores the error code of a response, for the log and the metrics, which only get responses. */
export function noteRefusal(response: ServerResponse, code: DomainErrorCode): void {
  refusals.set(response, code);
}

/** Whether the response is a documented error, even with a 5xx status. */
export function isRefusal(response: ServerResponse): boolean {
  return refusals.has(response);
}

/**
 * Whether the response reports a feature that is not configured. Any client can cause it, so it
 * raises no alert.
 */
export function isNotConfigured(response: ServerResponse): boolean {
  const code = refusals.get(response);
  return code !== undefined && NOT_CONFIGURED.has(code);
}
