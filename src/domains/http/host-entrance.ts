import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import { isPublicRoute } from '../../first-party/domain/public-route.js';
import { editFinalHeaders } from '../../http/final-headers.js';
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
    editFinalHeaders(response, (sent) => limitHeaders(sent, isOwnOrigin ? origin : null));
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

/** `origin` null: no page may read the response, unless it comes from the host itself. */
function limitHeaders(response: ServerResponse, origin: string | null): void {
  response.removeHeader('Set-Cookie');
  // The customer's other hosts are none of the service's business.
  const hsts = response.getHeader('Strict-Transport-Security');
  if (hsts !== undefined)
    response.setHeader('Strict-Transport-Security', String(hsts).split(';', 1)[0] ?? '');
  if (!response.hasHeader('Access-Control-Allow-Origin')) return;
  const vary = response.getHeader('Vary');
  response.setHeader('Vary', vary === undefined ? 'Origin' : `${String(vary)}, Origin`);
  if (origin === null) return response.removeHeader('Access-Control-Allow-Origin');
  response.setHeader('Access-Control-Allow-Origin', origin);
  response.setHeader('Access-Control-Allow-Credentials', 'true');
}
