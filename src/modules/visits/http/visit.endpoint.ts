import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import { DomainError } from '../../../platform/errors/domain-error.js';
import { clientFinder, type Client } from '../../../platform/http/client-address.js';
import { ClientRateLimiter } from '../../../platform/http/client-rate-limiter.js';
import { corsHeaders, preflightHeaders, setHeaders } from '../../../platform/http/cors.js';
import { jsonReader } from '../../../platform/http/json-body.js';
import { REQUEST_ID_HEADER, resolveRequestId } from '../../../platform/http/logging.js';
import { ProblemFilter } from '../../../platform/http/problem.filter.js';
import { isUuid } from '../../../platform/identity/ids.js';
import { InjectSettings } from '../../../platform/settings/inject-settings.js';
import { serviceSettings, type ServiceSettings } from '../../../platform/settings/service.settings.js';
import { unknownProject } from '../../projects/domain/project.js';
import { VisitCounter, VisitMetrics } from '../application/visit-counter.js';
import { visitSettings, type VisitSettings } from '../visits.settings.js';

/** Projects that one network may visit at the full rate. */
const PROJECTS_PER_NETWORK = 10;
/** Visitors at the full rate before the shared limit of an unverified proxy applies. */
const VISITORS_PER_PROXY = 10;

/** Limits page visits in this process. */
@Injectable()
export class VisitRateLimiter extends ClientRateLimiter {
  constructor(@InjectSettings(visitSettings) { ratePerMinute }: VisitSettings) {
    super({
      perProject: ratePerMinute,
      perNetwork: ratePerMinute * PROJECTS_PER_NETWORK,
      perProxy: ratePerMinute * VISITORS_PER_PROXY,
      unknownProjectPoints: PROJECTS_PER_NETWORK,
      refusal: 'Too many page visits from one address.',
    });
  }
}

/** Enough for two short members. */
const VISIT_BODY_BYTES_MAX = 512;

/** The path in origin form, and in the absolute form that a proxy may send. */
const VISIT_URL = /^(?:https?:\/\/[^/?#]*)?\/v1\/projects\/([^/?#]+)\/visits\/?(?:[?#]|$)/i;

const readBody = jsonReader(VISIT_BODY_BYTES_MAX);

/** Serves page views before Express, like the ingest, because every page view is a request. */
@Injectable()
export class VisitEndpoint {
  private readonly headers: string[];
  private readonly findClient: (request: IncomingMessage) => Client;

  constructor(
    private readonly counter: VisitCounter,
    private readonly rateLimiter: VisitRateLimiter,
    private readonly metrics: VisitMetrics,
    private readonly problems: ProblemFilter,
    @InjectSettings(serviceSettings) service: ServiceSettings,
    @InjectSettings(visitSettings) private readonly settings: VisitSettings,
  ) {
    this.headers = corsHeaders(service.production);
    this.findClient = clientFinder(service.trustedProxies);
  }

  /** Serves a page view or its preflight, and returns true; false: a different request. */
  take(request: IncomingMessage, response: ServerResponse): boolean {
    const { method } = request;
    if (method !== 'POST' && method !== 'OPTIONS') return false;
    const projectId = VISIT_URL.exec(request.url ?? '')?.[1];
    if (projectId === undefined) return false;
    if (method === 'POST') void this.post(projectId, request, response);
    else this.answer(request, response, preflightHeaders());
    return true;
  }

  /** 204 once the view is counted in this process, else a problem document. Never rejects. */
  async post(projectId: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const client = this.findClient(request);
    // One spelling per id, otherwise each spelling would have separate counts.
    const id = projectId.toLowerCase();
    try {
      if (!this.settings.enabled)
        throw new DomainError('not_found', 'Page visit counting is off for this project.');
      this.rateLimiter.consume(client, id);
      const body = await readBody(request, response);
      if (!isUuid(id)) throw unknownProject();
      const { origin, 'user-agent': userAgent, 'accept-language': acceptLanguage } = request.headers;
      await this.counter.count({ projectId: id, body, origin, userAgent, acceptLanguage }, new Date());
      this.metrics.count('counted');
      this.answer(request, response, []);
    } catch (error) {
      if (error instanceof DomainError && error.code === 'project_not_found')
        this.rateLimiter.consumeUnknownProject(client);
      setHeaders(response, this.headers);
      this.metrics.count(this.problems.answer(error, request, response));
    }
  }

  private answer(request: IncomingMessage, response: ServerResponse, headers: string[]): void {
    response.writeHead(204, [...this.headers, REQUEST_ID_HEADER, resolveRequestId(request), ...headers]);
    response.end();
  }
}
