import type { ServerResponse } from 'node:http';
import type { DomainErrorCode } from '../shared/domain-error.js';

/** Refusals because the operator has not set a part up: as documented, and nothing for an operator to look into. */
const NOT_CONFIGURED: ReadonlySet<DomainErrorCode> = new Set([
  'mail_not_configured',
  'billing_not_configured',
]);

const refusals = new WeakMap<ServerResponse, DomainErrorCode>();

/** Notes the refusal that a response carries, for the log and the metrics, which see responses alone. */
export function noteRefusal(response: ServerResponse, code: DomainErrorCode): void {
  refusals.set(response, code);
}

/** Whether the response is a documented refusal, with a 5xx status too. */
export function isRefusal(response: ServerResponse): boolean {
  return refusals.has(response);
}

/** Whether the response says that a part of the service is not set up. Anybody may cause it, so it raises no alert. */
export function isNotConfigured(response: ServerResponse): boolean {
  const code = refusals.get(response);
  return code !== undefined && NOT_CONFIGURED.has(code);
}
