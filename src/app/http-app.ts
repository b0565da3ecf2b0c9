import type { Server } from 'node:http';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import express, { type RequestHandler } from 'express';
import helmet from 'helmet';
import { Logger } from 'nestjs-pino';
import { credentialsIn, sessionCookieName } from '../access/domain/credential.js';
import { AppModule } from './app.module.js';
import { CheckedInputPipe } from './checked-input.pipe.js';
import { HostList } from '../domains/application/host-list.js';
import { mountDashboard } from './dashboard.js';
import { refuseDeepBody } from '../http/body-depth.js';
import { findMounts, serveAheadOfExpress } from './http-mounts.js';
import { mountApiDocs } from './openapi.js';
import type { Settings } from './settings.js';
import { answerParserErrors, sendProblem } from '../http/problem.filter.js';
import { answerProtocolErrors } from '../http/protocol-errors.js';
import { limitRequestsUnderWay } from '../http/requests-under-way.js';
import { refuseOtherMediaTypes, refuseOtherMethods, type RouterLayer } from '../http/media-type.js';
import { helmetOptions } from '../http/security-headers.js';
import { warnOfUntrustedProxy } from '../http/untrusted-proxy.js';

/** Largest body of the dashboard API; the consent ingest has its own, smaller limit (design §6.1). */
const API_BODY_BYTES_MAX = 100 * 1024;

/** Largest body of a route that anybody may call to sign in: an e-mail, a name and a password. */
const AUTH_BODY_BYTES_MAX = 16 * 1024;

/** What a client may take to send its headers, and all of its request, of at most 1 MiB. */
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
/** How often that is looked at. */
const TIMEOUT_CHECK_MS = 1_000;
/** Longer than load balancers keep an idle connection (60 s), so that none sends into one that is just closing. */
const KEEP_ALIVE_TIMEOUT_MS = 65_000;

/** What an application may have beside the API, or instead of it. */
export interface HttpAppOptions {
  /** A separate worker process serves only health and metrics. */
  operationsOnly?: boolean;
  /** Mounts further routes ahead of the API's, e.g. the demo page. */
  mount?: (app: NestExpressApplication) => void;
  /** Workers sequence records on a separate thread; tests without a build on the main thread. */
  sequencerThread?: boolean;
}

/** Builds the API, ready to listen. The database is migrated already. */
export async function createHttpApp(
  settings: Settings,
  options: HttpAppOptions = {},
): Promise<NestExpressApplication> {
  const { sequencerThread = false } = options;
  const app = await NestFactory.create<NestExpressApplication>(
    AppModule.forRoot(settings, { sequencerThread }),
    { bodyParser: false, bufferLogs: true },
  );
  app.useLogger(app.get(Logger));
  const { production, trustedProxies } = settings.service;
  const server = app.getHttpServer() as Server;
  answerProtocolErrors(server);
  limitWaiting(server);
  warnOfUntrustedProxy(server, trustedProxies);
  app.set('trust proxy', trustedProxies.length > 0 ? trustedProxies : false);
  app.disable('x-powered-by');
  app.set('query parser', 'simple');
  answerNotModifiedOnlyWhereSaid(app);
  const mounts = findMounts(app);
  for (const { aroundRoutes } of mounts) if (aroundRoutes) app.use(aroundRoutes);
  app.use(helmet(helmetOptions(production)));
  if (options.operationsOnly) app.use(refuseAllButOperations);
  else serveAheadOfExpress(server, mounts);
  options.mount?.(app);
  const { router } = app.getHttpAdapter().getInstance() as unknown as { router: { stack: RouterLayer[] } };
  app.use(refuseOtherMethods(() => router.stack));
  for (const { bodyReader } of mounts) if (bodyReader) app.use(bodyReader);
  const sessionCookie = sessionCookieName(settings.service);
  app.use(
    '/v1',
    limitRequestsUnderWay(({ headers }) => credentialsIn(headers, sessionCookie)),
  );
  app.use('/v1/auth', express.json({ limit: AUTH_BODY_BYTES_MAX, strict: false }));
  app.use('/v1', express.json({ limit: API_BODY_BYTES_MAX, strict: false }));
  app.use(answerParserErrors);
  app.use('/v1', refuseOtherMediaTypes);
  app.use('/v1', refuseDeepBody);
  app.useGlobalPipes(new CheckedInputPipe());
  if (!options.operationsOnly) {
    await app.get(HostList, { strict: false }).start();
    mountApiDocs(app);
    mountDashboard(app, production);
  }
  return app;
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

const refuseAllButOperations: RequestHandler = (request, response, next) => {
  if (request.path === '/metrics' || request.path.startsWith('/health/')) next();
  else
    sendProblem(request, response, {
      status: 404,
      code: 'not_found',
      detail: 'A worker serves only health and metrics.',
    });
};
