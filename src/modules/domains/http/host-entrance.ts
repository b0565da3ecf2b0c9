import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import { isPublicRoute } from '../../first-party/domain/public-route.js';
import { applyHeaderRules, type HeaderRules } from '../../http/final-headers.js';
import { bindProject } from '../../http/first-party.js';
import { dropForeignHeaders } from '../../http/foreign-headers.js';
import { nameRequest } from '../../http/logging.js';
import { sendProblem } from '../../http/problem.filter.js';
import { InjectSettings } from '../../settings/inject-settings.js';
import { HostList } from '../application/host-list.js';
import { HostSightings } from '../application/host-sightings.js';
import { OwnHosts } from '../application/own-hosts.js';
import { hostnameIn, isOriginOfProject, isServed } from '../domain/host-rules.js';
import { type DomainSettings, domainSettings } from '../domains.settings.js';

/**
 * Takes requests to hosts that are not the service's own. A custom domain serves the visitors' routes of its project;
 * everything else, and every other host, is 404.
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
    if (this.settings.target === '' || this.ownHosts.has(hostname)) return serve();
    dropForeignHeaders(request);
    const host = this.hosts.find(hostname);
    const served = host && isServed(host) ? host : null;
    const { origin } = request.headers;
    const isOwnOrigin = origin !== undefined && isOriginOfProject(origin, served?.projectDomains ?? []);
    applyHeaderRules(response, rulesFor(isOwnOrigin ? origin : null));
    const path = (request.url ?? '').split(/[?#]/, 1)[0] ?? '';
    if (!served || !isPublicRoute(served.projectId, { method: request.method, path })) {
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
 * Sets no cookie, and says nothing about the customer's other hosts. `origin` null: no page may read the response, unless
 * it comes from the host itself.
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
