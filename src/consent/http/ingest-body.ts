import type { IncomingMessage, ServerResponse } from 'node:http';
import express from 'express';
import { DomainError } from '../../shared/domain-error.js';
import { CONSENT_BODY_BYTES_MAX } from '../domain/consent-input.js';

/** JSON, or JSON as text: a `sendBeacon` of a string needs no preflight and comes as text/plain. */
const MEDIA_TYPES = ['application/json', 'text/plain'];

const parse = express.json({
  limit: CONSENT_BODY_BYTES_MAX,
  type: MEDIA_TYPES,
  strict: false,
  verify: refuseEmptyBody,
}) as unknown as (
  request: IncomingMessage & { body?: unknown },
  response: ServerResponse,
  next: (error?: unknown) => void,
) => void;

/**
 * Reads a JSON body of at most `CONSENT_BODY_BYTES_MAX`.
 * @throws DomainError `body_not_json`, `unsupported_media_type`, or the parser's own error (problem.filter.ts)
 */
export function readConsentBody(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
  const parsed: IncomingMessage & { body?: unknown } = request;
  return new Promise((resolve, reject) => {
    parse(parsed, response, (error) => {
      if (error) reject(error as Error);
      else if (parsed.body === undefined) reject(noBody(request));
      else resolve(parsed.body);
    });
  });
}

function noBody(request: IncomingMessage): DomainError {
  const mediaType = (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  if (MEDIA_TYPES.includes(mediaType))
    return new DomainError('body_not_json', 'The body is empty; send a JSON object.');
  return new DomainError('unsupported_media_type', 'Send JSON as application/json or text/plain.');
}

/** The parser takes an empty body for `{}`; it is no JSON. */
function refuseEmptyBody(_request: unknown, _response: unknown, body: Buffer): void {
  if (body.length === 0)
    throw Object.assign(new Error('empty body'), { status: 400, type: 'entity.parse.failed' });
}
