import type { Server } from 'node:http';
import type { DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import helmet from 'helmet';
import { Logger } from 'nestjs-pino';
import { refuseOtherMethods, type RouterLayer } from '../platform/http/media-type.js';
import { limitPipelining } from '../platform/http/pipelining.js';
import { documentProblemsAt } from '../platform/http/problem-type.js';
import { answerProtocolErrors } from '../platform/http/protocol-errors.js';
import { helmetOptions } from '../platform/http/final-headers.js';
import { resolveBaseUrl } from '../platform/network/base-url.js';
import { warnOfUntrustedProxy } from '../platform/http/client-address.js';
import { RequestMetrics } from '../platform/operations/http/request-metrics.js';
import type { Settings } from './settings.js';

/** Time limits for a client to send its headers, and its whole request of at most 1 MiB. */
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
/** How often timeouts are checked. */
const TIMEOUT_CHECK_MS = 1_000;
/**
 * Longer than load balancers keep an idle connection (60 s), so that none sends on a closing
 * connection.
 */
const KEEP_ALIVE_TIMEOUT_MS = 65_000;

/**
 * Creates the HTTP application with the common middleware: limits, metrics, security headers. It
 * has no body parser.
 */
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
  documentProblemsAt(resolveBaseUrl(service));
  const server = app.getHttpServer() as Server;
  answerProtocolErrors(server);
  limitWaiting(server);
  limitPipelining(server);
  warnOfUntrustedProxy(server, trustedProxies);
  app.set('trust proxy', trustedProxies.length > 0 ? trustedProxies : false);
  app.disable('x-powered-by');
  app.set('query parser', 'simple');
  answerNotModifiedOnlyWhereSaid(app);
  app.use(app.get(RequestMetrics).measure);
  app.use(helmet(helmetOptions(production)));
  return app;
}

/** From here on, a path with a route returns 405 for other methods. */
export function allowMethodsOfRoutes(app: NestExpressApplication): void {
  const { router } = app.getHttpAdapter().getInstance() as unknown as { router: { stack: RouterLayer[] } };
  app.use(refuseOtherMethods(() => router.stack));
}

/**
 * Express adds an `ETag` to each response and turns it into 304, even with `no-store`. Here the
 * routes documented with 304 do the comparison (platform/http/entity-tag.ts).
 */
function answerNotModifiedOnlyWhereSaid(app: NestExpressApplication): void {
  app.set('etag', false);
  const { request } = app.getHttpAdapter().getInstance() as unknown as { request: object };
  Object.defineProperty(request, 'fresh', { value: false });
}

/** Called before listening: slow and idle clients are disconnected at any stage of a request. */
function limitWaiting(server: Server): void {
  server.headersTimeout = HEADERS_TIMEOUT_MS;
  server.requestTimeout = REQUEST_TIMEOUT_MS;
  server.keepAliveTimeout = KEEP_ALIVE_TIMEOUT_MS;
  // Node reads it when the server starts to listen; its types only have it as an option.
  (server as Server & { connectionsCheckingInterval: number }).connectionsCheckingInterval = TIMEOUT_CHECK_MS;
}
