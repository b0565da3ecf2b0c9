import { type FieldError, firstErrors } from './field-problem.js';

/**
 * Additional members of an error. They are sent to the client, so they must not contain secrets.
 */
export interface DomainErrorDetails {
  /** The refused fields (422). */
  errors?: FieldError[];
  /** Seconds until a retry makes sense; becomes the `Retry-After` header. */
  retryAfterSeconds?: number;
  /** Further members of the problem document, e.g. `requiredTiers`. */
  members?: Record<string, unknown>;
}

/**
 * An error that the caller can act on. `code` is stable once released; the sentence says what to do.
 * Code that throws one does not choose an HTTP status: the filter looks it up in the table below.
 */
export class DomainError extends Error {
  constructor(
    readonly code: DomainErrorCode,
    message: string,
    readonly details: DomainErrorDetails = {},
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'DomainError';
  }
}

/**
 * Every error code, with the HTTP status that the problem filter returns. They are defined together so that no
 * code lacks a status; only the filter and the OpenAPI document use the statuses.
 */
export const DOMAIN_ERROR_STATUS = {
  body_not_json: 400,
  bad_request: 400,
  webhook_signature_missing: 400,
  webhook_signature_malformed: 400,
  webhook_signature_invalid: 400,
  webhook_signature_expired: 400,
  webhook_payload_invalid: 400,
  authentication_required: 401,
  invalid_credentials: 401,
  second_factor_invalid: 401,
  role_required: 403,
  session_required: 403,
  scope_required: 403,
  tier_required: 403,
  origin_not_allowed: 403,
  csrf_refused: 403,
  email_not_confirmed: 403,
  second_factor_required: 403,
  recent_sign_in_required: 403,
  sign_up_closed: 403,
  invitation_for_another: 403,
  not_found: 404,
  project_not_found: 404,
  organization_not_found: 404,
  consent_not_found: 404,
  member_not_found: 404,
  invitation_not_found: 404,
  session_not_found: 404,
  api_key_not_found: 404,
  personal_token_not_found: 404,
  device_code_not_found: 404,
  delivery_not_found: 404,
  event_endpoint_not_found: 404,
  event_not_found: 404,
  import_not_found: 404,
  publication_not_found: 404,
  erasure_not_found: 404,
  scan_not_found: 404,
  screenshot_not_found: 404,
  har_not_found: 404,
  finding_not_found: 404,
  domain_not_found: 404,
  cookie_not_found: 404,
  log_empty: 404,
  log_size_unknown: 404,
  tile_not_found: 404,
  timestamp_not_found: 404,
  method_not_allowed: 405,
  consent_id_conflict: 409,
  consent_not_sealed: 409,
  member_exists: 409,
  acceptance_required: 409,
  invitation_exists: 409,
  invitation_limit_reached: 409,
  last_owner: 409,
  last_admin: 409,
  organization_limit_reached: 409,
  organization_not_empty: 409,
  second_factor_enabled: 409,
  second_factor_missing: 409,
  project_limit_reached: 409,
  member_limit_reached: 409,
  api_key_limit_reached: 409,
  publication_limit_reached: 409,
  texts_incomplete: 409,
  api_key_revoked: 409,
  endpoint_not_configured: 409,
  event_endpoint_limit_reached: 409,
  import_in_progress: 409,
  import_files_limit_reached: 409,
  import_parts_missing: 409,
  import_state_conflict: 409,
  event_endpoint_disabled: 409,
  visitor_reference_not_configured: 409,
  visitor_index_under_way: 409,
  visitor_key_missing: 409,
  domain_exists: 409,
  domain_limit_reached: 409,
  scan_running: 409,
  scan_queue_full: 409,
  scan_ended: 409,
  scan_without_result: 409,
  scan_not_sealed: 409,
  finding_fixed: 409,
  finding_not_accepted: 409,
  subscription_exists: 409,
  checkout_in_progress: 409,
  no_billing_customer: 409,
  link_ended: 410,
  import_files_deleted: 410,
  version_conflict: 412,
  payload_too_large: 413,
  unsupported_media_type: 415,
  validation_failed: 422,
  too_many_requests: 429,
  overloaded: 503,
  custom_domains_not_configured: 503,
  billing_not_configured: 503,
  mail_not_configured: 503,
  scanner_unavailable: 503,
  billing_provider_unavailable: 503,
  temporarily_unavailable: 503,
} as const;

export type DomainErrorCode = keyof typeof DOMAIN_ERROR_STATUS;

/** Errors made outside the domain. */
export const OTHER_ERROR_STATUS = {
  host_not_allowed: 403,
  request_timeout: 408,
  expectation_failed: 417,
  headers_too_large: 431,
  internal_error: 500,
} as const;

/** Every code has its entry in docs/errors.md. */
export type ProblemCode = DomainErrorCode | keyof typeof OTHER_ERROR_STATUS;

/** The detail names the first errors; all are in `errors`. */
const DETAIL_CHARACTERS_MAX = 1000;

/** An error about one or more fields (422). */
export function fieldErrors(errors: Iterable<FieldError>): DomainError {
  const first = firstErrors(errors);
  return new DomainError('validation_failed', detailOf(first), { errors: first });
}

function detailOf(errors: FieldError[]): string {
  const detail = errors.map((error) => error.message).join(' ');
  if (detail.length <= DETAIL_CHARACTERS_MAX) return detail;
  return `${detail.slice(0, DETAIL_CHARACTERS_MAX)}… See errors.`;
}

/** Too many requests (429); `waitMs` until the next one is accepted, sent as whole seconds, at least 1. */
export function tooManyRequests(sentence: string, waitMs: number): DomainError {
  return new DomainError('too_many_requests', sentence, {
    retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)),
  });
}
