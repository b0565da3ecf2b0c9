import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import helmet from 'helmet';
import { isPublicRoute } from '../domain/public-route.js';
import {
  applyHeaderRules,
  dropForeignHeaders,
  helmetOptions,
  type HeaderRules,
} from '../../../platform/http/final-headers.js';
import { bindProject } from '../../../platform/http/first-party.js';
import { nameRequest } from '../../../platform/http/logging.js';
import { sendProblem } from '../../../platform/http/problem.filter.js';
import { InjectSettings } from '../../../platform/settings/inject-settings.js';
import { HostList, OwnHosts } from '../application/host-list.js';
import { HostSightings } from '../application/sightings.js';
import { hostnameIn, isOriginOfProject, isServed } from '../domain/host-rules.js';
import { type DomainSettings, domainSettings } from '../domains.settings.js';

const setSecurityHeaders = helmet(helmetOptions(false));

/**
 * Serves requests to hosts other than the service's own. A custom domain serves the visitors'
 * routes of its project; everything else, and every other host, is 404.
 */
@Injectable()
export class HostEntrance {
  constructor(
    private readonly hosts: HostList,
    private readonly ownHosts: OwnHosts,
    private readonly sightings: HostSightings,
    @InjectSettings(domainSettings) private readonly settings: DomainSettings,
  ) {}

  enter(request: IncomingMessage, response: ServerResponse, serve: () => void): void {
    const hostname = hostnameIn(request.headers.host);
    const path = (request.url ?? '').split(/[?#]/, 1)[0] ?? '';
    if (this.settings.target === '' || this.ownHosts.serve(hostname, path)) return serve();
    dropForeignHeaders(request);
    const host = this.hosts.find(hostname);
    const served = host && isServed(host) ? host : null;
    const { origin } = request.headers;
    const isOwnOrigin = origin !== undefined && isOriginOfProject(origin, served?.projectDomains ?? []);
    applyHeaderRules(response, rulesFor(isOwnOrigin ? origin : null));
    if (!served || !isPublicRoute(served.projectId, { method: request.method, path })) {
      // For a foreign host: without Strict-Transport-Security.
      setSecurityHeaders(request, response, () => {});
      nameRequest(request, response);
      sendProblem(request, response, { status: 404, code: 'not_found', detail: 'Not found.' });
      return;
    }
    bindProject(request, served.projectId);
    this.sightings.note('seen', served);
    serve();
  }
}

/**
 * Sets no cookie, and does not reveal the customer's other hosts. `origin` null: no page may read
 * the response, unless it is from the host itself.
 */
function rulesFor(origin: string | null): HeaderRules {
  return {
    rewrite: (name, value) => {
      if (name === 'set-cookie') return null;
      if (name === 'strict-transport-security') return String(value).split(';', 1)[0] ?? null;
      if (name === 'access-control-allow-origin') return origin;
      return name === 'vary' ? `${String(value)}, Origin` : value;
    },
    add: (sent) => [
      ...(sent.includes('vary') ? [] : ['Vary', 'Origin']),
      ...(sent.includes('access-control-allow-origin') ? ['Access-Control-Allow-Credentials', 'true'] : []),
    ],
  };
}
