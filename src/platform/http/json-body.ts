import type { IncomingMessage, ServerResponse } from 'node:http';
import express from 'express';
import type { NextFunction, Request, Response } from 'express';
import { DomainError } from '../errors/domain-error.js';
import { sendProblem } from './problem.filter.js';

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

/** Deepest nesting of a request body. Bodies of our routes nest at most 5 deep. */
export const BODY_DEPTH_MAX = 32;

/**
 * Refuses bodies that nest too deeply: validation and transformation recurse, and a body of 100 KiB
 * can nest deep enough to exhaust the stack. Mounted after the JSON parser, which does not recurse.
 */
export function refuseDeepBody(request: Request, response: Response, next: NextFunction): void {
  if (!isDeeperThan(request.body, BODY_DEPTH_MAX)) return next();
  sendProblem(request, response, {
    status: 422,
    code: 'validation_failed',
    detail: `The body is nested more than ${BODY_DEPTH_MAX} levels deep.`,
    members: {
      errors: [{ field: '', message: `The body can be nested at most ${BODY_DEPTH_MAX} levels deep.` }],
    },
  });
}

/** Recurses no deeper than `levels`. */
function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null || Buffer.isBuffer(value)) return false;
  if (levels === 0) return true;
  return Object.values(value).some((member) => isDeeperThan(member, levels - 1));
}
