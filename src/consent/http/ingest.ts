import type { NestExpressApplication } from '@nestjs/platform-express';
import express, { type RequestHandler } from 'express';
import { requestId } from '../../shared/logging.js';
import { CONSENT_BODY_BYTES_MAX } from '../domain/consent-input.js';

const INGEST_PATH = '/v1/projects/:projectId/consents';
const PREFLIGHT_SECONDS = 86_400;

/** JSON, or JSON as text: a `sendBeacon` of a string needs no preflight and comes as text/plain. */
export const INGEST_MEDIA_TYPES = ['application/json', 'text/plain'];

/**
 * What stands before the ingest handler: CORS for any origin, on refusals too, and a body parser with a
 * limit of its own. Mounted ahead of the dashboard's parser.
 */
export function mountIngest(app: NestExpressApplication): void {
  const router = express.Router();
  router.post(
    INGEST_PATH,
    allowAnyOrigin,
    express.json({
      limit: CONSENT_BODY_BYTES_MAX,
      type: INGEST_MEDIA_TYPES,
      strict: false,
      verify: refuseEmptyBody,
    }),
    nameRequest,
  );
  router.options(INGEST_PATH, allowAnyOrigin, (_request, response) => {
    response.setHeader('Access-Control-Allow-Methods', 'POST');
    response.setHeader('Access-Control-Allow-Headers', 'Content-Type');
    response.setHeader('Access-Control-Max-Age', String(PREFLIGHT_SECONDS));
    response.status(204).end();
  });
  app.use(router);
}

const allowAnyOrigin: RequestHandler = (_request, response, next) => {
  response.setHeader('Access-Control-Allow-Origin', '*');
  response.setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
  response.setHeader('Access-Control-Expose-Headers', 'Retry-After');
  next();
};

/** The request logger, which names all other requests, is not on this route. */
const nameRequest: RequestHandler = (request, response, next) => {
  Object.assign(request, { id: requestId(request, response) });
  next();
};

/** The parser takes an empty body for `{}`; it is no JSON. */
function refuseEmptyBody(_request: unknown, _response: unknown, body: Buffer): void {
  if (body.length === 0) throw Object.assign(new Error('empty body'), { type: 'entity.parse.failed' });
}
