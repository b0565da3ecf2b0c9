import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable, Logger } from '@nestjs/common';
import { addressBehindClient } from '../../../platform/http/client-address.js';
import { type FirstParty, setFirstParty } from '../../../platform/http/first-party.js';
import { dropForeignHeaders } from '../../../platform/http/final-headers.js';
import { nameRequest } from '../../../platform/http/logging.js';
import { sendProblem } from '../../../platform/http/problem.filter.js';
import { InjectSettings } from '../../../platform/settings/inject-settings.js';
import { type ServiceSettings, serviceSettings } from '../../../platform/settings/service.settings.js';
import { KnownSites } from '../application/known-sites.js';
import { ProxySightings } from '../application/sightings.js';
import { choiceCookies, type CookieRules } from '../domain/choice-cookie.js';
import { PROXY_SECRET_HEADER, readProxyHeaders } from '../domain/proxy-headers.js';
import { isPublicRoute, parseProxyUrl } from '../domain/public-route.js';

/**
 * Serves requests that a customer's proxy forwards to `/first-party/<projectId>/…`. Visitors'
 * routes are served as if requested at the path after the prefix; everything else is 404.
 */
@Injectable()
export class ProxyEntrance {
  private readonly logger = new Logger(ProxyEntrance.name);

  constructor(
    private readonly sites: KnownSites,
    private readonly sightings: ProxySightings,
    @InjectSettings(serviceSettings) private readonly service: ServiceSettings,
  ) {}

  /** Calls `serve` for an allowed request, synchronously unless a secret or the cookie rules must be read. */
  enter(request: IncomingMessage, response: ServerResponse, serve: () => void): void {
    const target = parseProxyUrl(request.url ?? '');
    if (!target) return serve();
    const { projectId, path, query } = target;
    const secret = request.headers[PROXY_SECRET_HEADER];
    dropForeignHeaders(request, [PROXY_SECRET_HEADER]);
    if (!isPublicRoute(projectId, { method: request.method, path })) {
      nameRequest(request, response);
      sendProblem(request, response, { status: 404, code: 'not_found', detail: 'Not found.' });
      return;
    }
    request.url = path + query;
    const pass = (isProven: boolean, rules: CookieRules | null): void => {
      const firstParty = this.describe(request, { projectId, isProven, rules });
      setFirstParty(request, firstParty);
      this.sightings.note(projectId, firstParty);
      serve();
    };
    if (secret === undefined && request.method !== 'POST') return pass(false, null);
    Promise.all([
      this.sites.isValid(projectId, secret, new Date()),
      request.method === 'POST' ? this.sites.cookieRules(projectId) : null,
    ]).then(
      ([isProven, rules]) => pass(isProven, rules),
      (error: unknown) => {
        this.logger.warn({ err: error, projectId }, 'secret and configuration of a site could not be read');
        pass(false, null);
      },
    );
  }

  private describe(
    request: IncomingMessage,
    known: { projectId: string; isProven: boolean; rules: CookieRules | null },
  ): FirstParty {
    const { projectId, isProven, rules } = known;
    const { address, ...said } = readProxyHeaders(isProven ? request.headers : {});
    const { trustedProxies } = this.service;
    return {
      projectId,
      isProven,
      ...said,
      address: isProven ? (address ?? addressBehindClient(request, trustedProxies)) : null,
      choiceCookies: (choice) => (rules ? choiceCookies(choice, { rules, host: said.host }) : []),
    };
  }
}
