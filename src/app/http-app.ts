import type { Server } from 'node:http';
import type { NestExpressApplication } from '@nestjs/platform-express';
import express from 'express';
import { credentialsIn, sessionCookieName } from '../access/domain/credential.js';
import { HostList } from '../domains/application/host-list.js';
import { refuseDeepBody } from '../http/body-depth.js';
import { refuseOtherMediaTypes } from '../http/media-type.js';
import { answerParserErrors } from '../http/problem.filter.js';
import { limitRequestsUnderWay } from '../http/requests-under-way.js';
import { AppModule } from './app.module.js';
import { CheckedInputPipe } from './checked-input.pipe.js';
import { mountDashboard } from './dashboard.js';
import { allowMethodsOfRoutes, createExpressApp } from './express-app.js';
import { httpModules } from './http-modules.js';
import { findMounts, serveAheadOfExpress } from './http-mounts.js';
import { mountApiDocs } from './openapi.js';
import type { Settings } from './settings.js';

/** Largest body of the dashboard API; the consent ingest has its own, smaller limit (design §6.1). */
const API_BODY_BYTES_MAX = 100 * 1024;

/** Largest body of a route that anybody may call to sign in: an e-mail, a name and a password. */
const AUTH_BODY_BYTES_MAX = 16 * 1024;

/** What an application may have beside the API. */
export interface HttpAppOptions {
  /** Mounts further routes ahead of the API's, e.g. the demo page. */
  mount?: (app: NestExpressApplication) => void;
}

/** Builds the API, ready to listen. The database is migrated already. */
export async function createHttpApp(
  settings: Settings,
  options: HttpAppOptions = {},
): Promise<NestExpressApplication> {
  const app = await createExpressApp(AppModule.forRoot(settings, httpModules(settings)), settings);
  const mounts = findMounts(app);
  serveAheadOfExpress(app.getHttpServer() as Server, mounts);
  options.mount?.(app);
  allowMethodsOfRoutes(app);
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
  await app.get(HostList, { strict: false }).start();
  mountApiDocs(app);
  mountDashboard(app, settings.service.production);
  return app;
}
