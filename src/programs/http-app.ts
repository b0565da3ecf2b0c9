import { AccessService } from '../modules/access/access.service.js';
import { mailFolder } from '../platform/mail/infrastructure/mail-files.js';
import { isLocal, mountFirstMails } from '../standalone/mail-page.js';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { NestExpressApplication } from '@nestjs/platform-express';
import express from 'express';
import { credentialsIn, sessionCookieName } from '../modules/access/domain/credential.js';
import { readWebhookBytes } from '../modules/billing/http/webhook.controller.js';
import { IngestEndpoint } from '../modules/consent/http/ingest.endpoint.js';
import { VisitorEndpoint } from '../modules/consent/http/visitor.endpoint.js';
import { mountDashboard } from '../modules/dashboard/dashboard.js';
import { HostList } from '../modules/domains/application/host-list.js';
import { HostEntrance } from '../modules/domains/http/host-entrance.js';
import { ProxyEntrance } from '../modules/domains/http/proxy-entrance.js';
import { isImportBody } from '../modules/imports/http/import.controller.js';
import { VisitEndpoint } from '../modules/visits/http/visit.endpoint.js';
import { refuseDeepBody } from '../platform/http/json-body.js';
import { CheckedInputPipe } from '../platform/http/checked-input.pipe.js';
import { refuseOtherMediaTypes } from '../platform/http/media-type.js';
import { answerParserErrors } from '../platform/http/problem.filter.js';
import { limitRequestsUnderWay } from '../platform/http/requests-under-way.js';
import { mountApiDocs } from '../platform/openapi/openapi.js';
import { ApiModule } from './api.module.js';
import { allowMethodsOfRoutes, createExpressApp } from './express-app.js';
import type { Settings } from './settings.js';

/** Largest body of the dashboard API; the consent ingest has its own, smaller limit (design §6.1). */
const API_BODY_BYTES_MAX = 100 * 1024;

/** Largest body of a public sign-in route: an e-mail, a name and a password. */
const AUTH_BODY_BYTES_MAX = 16 * 1024;

/** Options of an application besides the API. */
export interface HttpAppOptions {
  /** Mounts the demo's routes before the API's. */
  mount?: (app: NestExpressApplication) => void;
}

/** Creates the API, ready to listen. The database must be migrated. */
export async function createHttpApp(
  settings: Settings,
  options: HttpAppOptions = {},
): Promise<NestExpressApplication> {
  const app = await createExpressApp(ApiModule.forRoot(settings), settings);
  serveAheadOfExpress(
    app.getHttpServer() as Server,
    // A custom domain serves no `/first-party/`, so its host is checked first.
    [app.get(HostEntrance), app.get(ProxyEntrance)],
    [app.get(IngestEndpoint), app.get(VisitorEndpoint), app.get(VisitEndpoint)],
  );
  options.mount?.(app);
  const mailsShown = showMails(app, settings, options.mount !== undefined);
  allowMethodsOfRoutes(app);
  app.use(readWebhookBytes());
  const sessionCookie = sessionCookieName(settings.service);
  app.use(
    '/v1',
    limitRequestsUnderWay(({ headers }) => credentialsIn(headers, sessionCookie)),
  );
  // As in RFC 8628; other routes take no forms, which pages of other sites can send.
  app.use(
    ['/v1/auth/device/code', '/v1/auth/device/token'],
    express.urlencoded({ limit: AUTH_BODY_BYTES_MAX, extended: false }),
  );
  app.use('/v1/auth', express.json({ limit: AUTH_BODY_BYTES_MAX, strict: false }));
  app.use('/v1', express.json({ limit: API_BODY_BYTES_MAX, strict: false }));
  app.use(answerParserErrors);
  app.use('/v1', refuseOtherMediaTypes(isImportBody));
  app.use('/v1', refuseDeepBody);
  app.useGlobalPipes(new CheckedInputPipe());
  await app.get(HostList, { strict: false }).start();
  mountApiDocs(app);
  const { production, cells, publicBaseUrl } = settings.service;
  const cell = cells.find(({ origin }) => origin === publicBaseUrl)?.name ?? '';
  mountDashboard(app, { production, cell, mailsShown });
  return app;
}

/** How a visitor of the dashboard gets a mail. */
type MailsShown = (request: IncomingMessage) => Promise<'server' | 'inbox' | 'none'>;

/**
 * Without a mail server, the mails are files. The demo always shows them. A development server shows them to requests from its
 * own machine until the first account exists.
 */
function showMails(app: NestExpressApplication, { service, mail }: Settings, hasDemo: boolean): MailsShown {
  if (mail.mailUrl) return () => Promise.resolve('server');
  if (hasDemo) return () => Promise.resolve('inbox');
  if (service.production || service.trustedProxies.length > 0) return () => Promise.resolve('none');
  const access = app.get(AccessService, { strict: false });
  const isOpenTo = async (request: IncomingMessage): Promise<boolean> =>
    isLocal(request) && !(await access.hasAccounts().catch(() => true));
  mountFirstMails(app, mailFolder(service.dataDir), isOpenTo);
  return async (request) => ((await isOpenTo(request)) ? 'inbox' : 'none');
}

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

/** Receives every request before anything else reads it, and calls `serve` unless it has responded. */
interface Entrance {
  enter(request: IncomingMessage, response: ServerResponse, serve: () => void): void;
}

/** Serves a request without Express and returns true; false leaves it to the others. */
interface DirectEndpoint {
  take(request: IncomingMessage, response: ServerResponse): boolean;
}

/** Adds `entrances` and then `endpoints`, in order, before the existing listeners of `server`. */
function serveAheadOfExpress(server: Server, entrances: Entrance[], endpoints: DirectEndpoint[]): void {
  const others = server.listeners('request') as Listener[];
  server.removeAllListeners('request');
  const serve: Listener = (request, response) => {
    if (endpoints.some((endpoint) => endpoint.take(request, response))) return;
    for (const listener of others) listener(request, response);
  };
  const first = entrances.reduceRight<Listener>(
    (next, entrance) => (request, response) =>
      entrance.enter(request, response, () => next(request, response)),
    serve,
  );
  server.on('request', first);
}
