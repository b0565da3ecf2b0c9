import { STATUS_CODES } from 'node:http';
import { DOMAIN_ERROR_STATUS, OTHER_ERROR_STATUS } from '../errors/domain-error.js';
import { FIELD_CODES } from '../errors/field-problem.js';
import { exampleId } from './openapi-examples.js';

type Problem = Record<string, unknown>;

const ERROR_ID = exampleId('errorId');

/** The code of an error whose description contains none. */
const CODE_OF_STATUS: Record<number, string> = {
  400: 'body_not_json',
  401: 'authentication_required',
  403: 'role_required',
  404: 'project_not_found',
  405: 'method_not_allowed',
  408: 'request_timeout',
  410: 'link_ended',
  412: 'version_conflict',
  413: 'payload_too_large',
  415: 'unsupported_media_type',
  417: 'expectation_failed',
  422: 'validation_failed',
  429: 'too_many_requests',
  431: 'headers_too_large',
  500: 'internal_error',
  503: 'temporarily_unavailable',
};

/** A `detail` for each code of an example. */
const DETAILS: Record<string, string> = {
  api_key_limit_reached: 'A project can have up to 50 active API keys. Revoke one first.',
  api_key_revoked: 'This API key was revoked. Create a new one.',
  authentication_required: 'Sign in, or send a valid API key as "Authorization: Bearer <api key>".',
  billing_not_configured: 'Billing is not set up on this service.',
  body_not_json: 'The body is not valid JSON.',
  consent_id_conflict: 'A different choice is stored under this id. Generate a new id for each decision.',
  consent_not_found: 'Consent record not found in this project.',
  consent_not_sealed: 'Proofs are turned off on this server.',
  cookie_not_found: 'Cookie not found.',
  device_code_not_found: 'This code is unknown, was already used, or has expired. Run consent login again.',
  domain_exists: 'The project already has this custom domain.',
  domain_not_found: 'Custom domain not found.',
  endpoint_not_configured: 'Save an endpoint URL first, then test it.',
  event_endpoint_disabled: 'The event endpoint is disabled. Enable it first.',
  import_files_limit_reached:
    'The files of your imports would exceed 4 GiB. They are deleted 7 days after an import has ended.',
  event_endpoint_limit_reached: 'A project can have up to 10 event endpoints. Delete one first.',
  event_endpoint_not_found: 'Event endpoint not found in this project.',
  event_not_found: 'Event not found in this project.',
  finding_fixed: 'The finding is fixed. There is nothing to accept.',
  finding_not_accepted: 'The finding is not accepted.',
  finding_not_found: 'Finding not found.',
  headers_too_large: 'The URL and headers are too large. Shorten them.',
  import_files_deleted: 'The files of this import are deleted.',
  import_in_progress: 'The project has an import that has not ended. Finish or cancel it first.',
  import_not_found: 'Import not found in this project.',
  import_parts_missing: 'Parts of the file are missing: 2. Upload them first.',
  import_state_conflict: 'The import has ended.',
  internal_error: `Something went wrong on our side. The error id is ${ERROR_ID}.`,
  expectation_failed: 'The Expect header is not supported.',
  last_admin: 'An organization needs at least one admin. Make another member an admin first.',
  last_owner: 'A project needs at least one owner. Make another member an owner first.',
  link_ended: 'This link has expired or was already used. Request a new one.',
  log_empty: 'This log has no entries yet.',
  log_size_unknown: 'The log has 1284 signed entries so far.',
  member_exists: 'This user is already a member. Change their role instead.',
  member_limit_reached: 'A project can have up to 1000 members. Remove one first.',
  method_not_allowed: 'This path supports the methods GET, PUT.',
  no_billing_customer: 'This project has no purchases. Start a checkout first.',
  organization_limit_reached: 'You are an admin of 10 organizations, and the limit is 10.',
  organization_not_empty: 'The organization has 3 projects. Move or delete them first.',
  payload_too_large: 'The body is too large.',
  personal_token_not_found: 'Personal token not found, or already revoked.',
  project_not_found: 'Project not found. Check the project id in the URL.',
  project_limit_reached: 'You own 100 projects, and the limit is 100. Delete one first.',
  publication_limit_reached: 'This project has reached the limit of published versions.',
  publication_not_found: 'Publication not found.',
  request_timeout: 'The request did not arrive in time. Send it again.',
  role_required: 'Requires the role editor. Your role is viewer.',
  scan_ended: 'The scan has ended.',
  scan_not_found: 'Scan not found.',
  scan_running: 'A scan of this project is running. Wait for it or cancel it.',
  scan_without_result: 'The scan has no result.',
  second_factor_enabled: '2FA is already on. Turn it off first.',
  second_factor_missing: '2FA is not set up for your account.',
  subscription_exists: 'This project already has a subscription. Change it in the customer portal.',
  temporarily_unavailable: 'Cannot connect to the database. Try again shortly.',
  texts_incomplete: 'Visitors would see some texts in another language (ar).',
  tier_required: 'Requires one of the tiers pro, business, enterprise. The current tier is lite.',
  tile_not_found: 'The log has no such tile (yet).',
  timestamp_not_found: 'There is no timestamp yet.',
  too_many_requests: 'Too many requests. Try again later.',
  unsupported_media_type: 'Send JSON as application/json.',
  validation_failed: 'limit must be an integer from 1 to 200.',
  version_conflict: 'Someone else changed this. Read it again, then reapply your change.',
  visitor_reference_not_configured: 'No visitor field is configured for this project.',
  webhook_signature_invalid: 'No signing secret of this service matches the signature.',
};

/** Additional members of a code's problem document. */
const MEMBERS: Record<string, Problem> = {
  internal_error: { errorId: ERROR_ID },
  texts_incomplete: { missingTexts: [{ language: 'fa', fields: ['description', 'labels.close'] }] },
  validation_failed: {
    errors: [
      { field: 'limit', message: 'limit must be an integer from 1 to 200.', code: 'range', min: 1, max: 200 },
    ],
  },
};

/**
 * An example of an error: its code is the first one in its description, or the usual one of the
 * status.
 */
export function problemExample(
  status: number,
  description: string,
  path = '/v1/projects/{projectId}',
): Problem {
  const named = [...description.matchAll(/[a-z]+(?:_[a-z]+)+/g)].map(([code]) => code);
  const code = named.find((name) => name in DOMAIN_ERROR_STATUS) ?? CODE_OF_STATUS[status] ?? '';
  return {
    type: typeExample(code),
    title: STATUS_CODES[status] ?? 'Error',
    status,
    detail: DETAILS[code] ?? '',
    instance: path
      .replaceAll(/\{(\w+Id)\}/g, (_, name: string) => exampleId(name))
      .replaceAll(/\{\w+\}/g, '1'),
    code,
    ...MEMBERS[code],
  };
}

const typeExample = (code: string): string => `https://consent.example.com/docs/errors#${code}`;

/** The schema of problem responses (RFC 9457). */
export const PROBLEM_SCHEMA = {
  type: 'object',
  description:
    'Problem details (RFC 9457). `code` is stable; `detail` is for people. Some codes have more members.',
  required: ['type', 'title', 'status', 'detail', 'code'],
  properties: {
    type: { type: 'string', format: 'uri', description: 'Address of the documentation of `code`' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    instance: { type: 'string', description: 'Path of the request' },
    code: { type: 'string', enum: [...Object.keys(DOMAIN_ERROR_STATUS), ...Object.keys(OTHER_ERROR_STATUS)] },
    errors: {
      type: 'array',
      description: 'The invalid fields (422)',
      items: {
        type: 'object',
        required: ['field', 'message'],
        properties: {
          field: { type: 'string' },
          message: { type: 'string' },
          code: {
            type: 'string',
            enum: [...FIELD_CODES],
            description: 'Code of the error, for your own messages; absent if only the message is available',
          },
          min: { type: 'number', description: 'Lower limit' },
          max: { type: 'number', description: 'Upper limit' },
        },
      },
    },
  },
  additionalProperties: true,
  example: {
    type: typeExample('project_not_found'),
    title: 'Not Found',
    status: 404,
    detail: 'Project not found. Check the project id in the URL.',
    instance: '/v1/projects/01938c5e-7a3b-7c11-9f00-2b5e8d3c4a1f/tier',
    code: 'project_not_found',
  },
};
