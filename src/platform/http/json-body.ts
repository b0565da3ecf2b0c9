import type { IncomingMessage, ServerResponse } from 'node:http';
import express from 'express';
import { DomainError } from '../errors/domain-error.js';

/**
 * JSON, or JSON as text: a `sendBeacon` of a string needs no preflight and is sent as text/plain.
 */
const MEDIA_TYPES = ['application/json', 'text/plain'];

type Parser = (
  request: IncomingMessage & { body?: unknown },
  response: ServerResponse,
  next: (error?: unknown) => void,
) => void;

/**
 * Reads JSON bodies of at most `bytesMax`, for routes served before Express. The returned function
 * rejects with DomainError `body_not_json`, `unsupported_media_type`, or the parser's own error
 * (problem.filter.ts).
 */
export function jsonReader(
  bytesMax: number,
): (request: IncomingMessage, response: ServerResponse) => Promise<unknown> {
  const parse = express.json({
    limit: bytesMax,
    type: MEDIA_TYPES,
    strict: false,
    verify: refuseEmptyBody,
  }) as unknown as Parser;
  return (request, response) => {
    const parsed: IncomingMessage & { body?: unknown } = request;
    return new Promise((resolve, reject) => {
      parse(parsed, response, (error) => {
        if (error) reject(error as Error);
        else if (parsed.body === undefined) reject(noBody(request));
        else resolve(parsed.body);
      });
    });
  };
}

function noBody(request: IncomingMessage): DomainError {
  const mediaType = (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  if (MEDIA_TYPES.includes(mediaType))
    return new DomainError('body_not_json', 'The body is empty; send a JSON object.');
  return new DomainError('unsupported_media_type', 'Send JSON as application/json or text/plain.');
}

/** The parser reads an empty body as `{}`, but it is no JSON. */
function refuseEmptyBody(_request: unknown, _response: unknown, body: Buffer): void {
  if (body.length === 0)
    throw Object.assign(new Error('empty body'), { status: 400, type: 'entity.parse.failed' });
}
