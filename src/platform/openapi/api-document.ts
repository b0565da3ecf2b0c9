import { createHash } from 'node:crypto';
import type { INestApplication } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { dump } from 'js-yaml';
import { sendCompressed } from '../http/compressed.js';

type Encode = (document: OpenAPIObject) => string;

const FORMATS: [path: string, mediaType: string, encode: Encode][] = [
  ['/docs-json', 'application/json', (document) => JSON.stringify(document)],
  ['/docs-yaml', 'text/yaml', (document) => dump(document, { skipInvalid: true, noRefs: true })],
];

/**
 * Serves the document as JSON and as YAML. Each is encoded once per process: encoding YAML blocks
 * the event loop for 30 to 150 ms, and the route is public.
 */
export function serveApiDocument(app: INestApplication, document: () => OpenAPIObject): void {
  for (const [path, mediaType, encode] of FORMATS)
    app.getHttpAdapter().get(
      path,
      encodedOnce(mediaType, () => encode(document())),
    );
}

type Handler = (request: Request, response: Response) => Promise<void>;

function encodedOnce(mediaType: string, encode: () => string): Handler {
  let encoded: { body: string; etag: string } | undefined;
  return async (request, response) => {
    encoded ??= withTag(encode());
    response.type(mediaType);
    // A new version of the service may describe another API: caches revalidate each time, and get
    // 304.
    response.setHeader('Cache-Control', 'no-cache');
    await sendCompressed(request, response, encoded);
  };
}

function withTag(body: string): { body: string; etag: string } {
  return { body, etag: `"${createHash('sha256').update(body).digest('base64url')}"` };
}
