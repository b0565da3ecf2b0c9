import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { INestApplication } from '@nestjs/common';
import { IngestEndpoint } from './ingest.endpoint.js';

/** The path in origin form, and in the absolute form in which a proxy may hand it on; as Express would match it. */
const INGEST_URL = /^(?:https?:\/\/[^/?#]*)?\/v1\/projects\/([^/?#]+)\/consents\/?(?:[?#]|$)/i;

/**
 * Serves the route that every visitor calls ahead of Express: finding the route among all the others, and
 * turning the request into Express' own kind, cost more than storing the record.
 */
export function serveIngest(app: INestApplication): void {
  const server = app.getHttpServer() as Server;
  const endpoint = app.get(IngestEndpoint, { strict: false });
  const others = server.listeners('request') as ((
    request: IncomingMessage,
    response: ServerResponse,
  ) => void)[];
  server.removeAllListeners('request');
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const projectId = INGEST_URL.exec(request.url ?? '')?.[1];
    if (projectId !== undefined && request.method === 'POST')
      void endpoint.post(projectId, request, response);
    else if (projectId !== undefined && request.method === 'OPTIONS') endpoint.preflight(request, response);
    else for (const listener of others) listener(request, response);
  });
}
