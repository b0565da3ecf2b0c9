import type { Server } from 'node:http';
import type { DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import helmet from 'helmet';
import { Logger } from 'nestjs-pino';
import { refuseOtherMethods, type RouterLayer } from '../http/media-type.js';
import { answerProtocolErrors } from '../http/protocol-errors.js';
import { helmetOptions } from '../http/security-headers.js';
import { warnOfUntrustedProxy } from '../http/untrusted-proxy.js';
import { findMounts } from './http-mounts.js';
import type { Settings } from './settings.js';

/** What a client may take to send its headers, and all of its request, of at most 1 MiB. */
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
/** How often that is looked at. */
const TIMEOUT_CHECK_MS = 1_000;
/** Longer than load balancers keep an idle connection (60 s), so that none sends into one that is just closing. */
const KEEP_ALIVE_TIMEOUT_MS = 65_000;

/** Builds what serves HTTP, with what all requests pass first: limits, metrics, security headers. It has no body parser. */
export async function createExpressApp(
  module: DynamicModule,
  { service }: Settings,
): Promise<NestExpressApplication> {
  const app = await NestFactory.create<NestExpressApplication>(module, {
    bodyParser: false,
    bufferLogs: true,
  });
  app.useLogger(app.get(Logger));
  const { production, trustedProxies } = service;
  const server = app.getHttpServer() as Server;
  answerProtocolErrors(server);
  limitWaiting(server);
  warnOfUntrustedProxy(server, trustedProxies);
  app.set('trust proxy', trustedProxies.length > 0 ? trustedProxies : false);
  app.disable('x-powered-by');
  app.set('query parser', 'simple');
  answerNotModifiedOnlyWhereSaid(app);
  for (const { aroundRoutes } of findMounts(app)) if (aroundRoutes) app.use(aroundRoutes);
  app.use(helmet(helmetOptions(production)));
  return app;
}

/** From here on a path that has a route answers 405 to other methods. */
export function allowMethodsOfRoutes(app: NestExpressApplication): void {
  const { router } = app.getHttpAdapter().getInstance() as unknown as { router: { stack: RouterLayer[] } };
  app.use(refuseOtherMethods(() => router.stack));
}

/**
 * Express adds an `ETag` to each answer and turns it into 304, `no-store` or not. Here a route that is documented with
 * 304 does the comparison (http/entity-tag.ts).
 */
function answerNotModifiedOnlyWhereSaid(app: NestExpressApplication): void {
  app.set('etag', false);
  const { request } = app.getHttpAdapter().getInstance() as unknown as { request: object };
  Object.defineProperty(request, 'fresh', { value: false });
}

/** Before it listens: slow and silent clients are cut off, whatever they began. */
function limitWaiting(server: Server): void {
  server.headersTimeout = HEADERS_TIMEOUT_MS;
  server.requestTimeout = REQUEST_TIMEOUT_MS;
  server.keepAliveTimeout = KEEP_ALIVE_TIMEOUT_MS;
  // Node reads it when the server begins to listen; its types know it as an option alone.
  (server as Server & { connectionsCheckingInterval: number }).connectionsCheckingInterval = TIMEOUT_CHECK_MS;
}
