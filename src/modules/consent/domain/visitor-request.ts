import type { FieldError } from '../../../platform/errors/field-problem.js';
import { isUuid } from '../../../platform/identity/ids.js';
import { visitorKeyHash } from './visitor-reference.js';

/** Identifies the visitor whose records are requested. */
export interface KeyHolder {
  projectId: string;
  visitorKeyHash: Buffer;
}

/** A validated request of a visitor. It contains only the hash of the key. */
export interface VisitorRequest {
  holder: KeyHolder;
  /** One of the visitor's records; null: the newest, or all. */
  consentId: string | null;
  /** All other members of the request. */
  fields: Record<string, unknown>;
}

export type ParsedVisitorRequest =
  { kind: 'valid'; request: VisitorRequest } | { kind: 'invalid'; errors: FieldError[] };

/** An id that matches nothing: an invalid project or record id uses the same query as a wrong one. */
const NOWHERE = '00000000-0000-0000-0000-000000000000';

/** Checks the body of a visitor's request. Never throws. */
export function parseVisitorRequest(body: unknown): ParsedVisitorRequest {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    return { kind: 'invalid', errors: [{ field: '', message: 'Send one JSON object.' }] };
  const { projectId, visitorKey, consentId = null, ...fields } = body as Record<string, unknown>;
  const errors: FieldError[] = [];
  if (typeof projectId !== 'string')
    errors.push({ field: 'projectId', message: 'projectId must be a string.' });
  if (typeof visitorKey !== 'string')
    errors.push({ field: 'visitorKey', message: 'visitorKey must be a string.' });
  if (consentId !== null && typeof consentId !== 'string')
    errors.push({ field: 'consentId', message: 'consentId must be a string, or omitted.' });
  if (typeof projectId !== 'string' || typeof visitorKey !== 'string' || errors.length > 0)
    return { kind: 'invalid', errors };
  const holder = { projectId: idOf(projectId), visitorKeyHash: visitorKeyHash(visitorKey) };
  return {
    kind: 'valid',
    request: { holder, consentId: consentId === null ? null : idOf(consentId as string), fields },
  };
}

function idOf(text: string): string {
  return isUuid(text) ? text.toLowerCase() : NOWHERE;
}
