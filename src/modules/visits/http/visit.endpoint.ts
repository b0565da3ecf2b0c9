import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import { corsHeaders, preflightHeaders, setHeaders } from '../../http/cors.js';
import { clientAddress } from '../../http/client-address.js';
import { firstPartyOf } from '../../http/first-party.js';
import { DomainError } from '../../shared/domain-error.js';
import { isUuid } from '../../shared/ids.js';
import { InjectSettings } from '../../settings/inject-settings.js';
import { jsonReader } from '../../http/json-body.js';
import { REQUEST_ID_HEADER, resolveRequestId } from '../../http/logging.js';
import { ProblemFilter } from '../../http/problem.filter.js';
import { type ServiceSettings, serviceSettings } from '../../settings/service.settings.js';
import { unknownProject, VisitCounter } from '../application/visit-counter.js';
import { VisitMetrics } from '../application/visit.metrics.js';
import { type VisitSettings, visitSettings } from '../visits.settings.js';
import { VisitRateLimiter } from './visit-rate-limiter.js';

/** Two short members. */
const VISIT_BODY_BYTES_MAX = 512;

/** The path in origin form, and in the absolute form in which a proxy may hand it on. */
const VISIT_URL = /^(?:https?:\/\/[^/?#]*)?\/v1\/projects\/([^/?#]+)\/visits\/?(?:[?#]|$)/i;

const readBody = jsonReader(VISIT_BODY_BYTES_MAX);

/** Serves page views ahead of Express, like the ingest, because every page view is a request. */
@Injectable()
export class VisitEndpoint {
  private readonly headers: string[];
  private readonly addressOf: (request: IncomingMessage) => string;

  constructor(
    private readonly counter: VisitCounter,
    private readonly rateLimiter: VisitRateLimiter,
    private readonly metrics: VisitMetrics,
    private readonly problems: ProblemFilter,
    @InjectSettings(serviceSettings) service: ServiceSettings,
    @InjectSettings(visitSettings) private readonly settings: VisitSettings,
  ) {
    this.headers = corsHeaders(service.production);
    this.addressOf = clientAddress(service.trustedProxies);
  }

  /** Serves a page view or its preflight, and returns true; false where the request is another one. */
  take(request: IncomingMessage, response: ServerResponse): boolean {
    const { method } = request;
    if (method !== 'POST' && method !== 'OPTIONS') return false;
    const projectId = VISIT_URL.exec(request.url ?? '')?.[1];
    if (projectId === undefined) return false;
    if (method === 'POST') void this.post(projectId, request, response);
    else this.answer(request, response, preflightHeaders());
    return true;
  }

  /** Answers 204 once the view is counted in this process, else a problem document. Never rejects. */
  async post(projectId: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const address = this.addressOf(request);
    // One spelling of an id: otherwise each spelling would have separate counts.
    const id = projectId.toLowerCase();
    try {
      if (!this.settings.enabled)
        throw new DomainError('not_found', 'Page visit counting is off for this project.');
      if (firstPartyOf(request)?.isProven === false) this.rateLimiter.consumeProxy(id);
      else this.rateLimiter.consume(address, id);
      const body = await readBody(request, response);
      if (!isUuid(id)) throw unknownProject();
      const { origin, 'user-agent': userAgent, 'accept-language': acceptLanguage } = request.headers;
      await this.counter.count({ projectId: id, body, origin, userAgent, acceptLanguage }, new Date());
      this.metrics.count('counted');
      this.answer(request, response, []);
    } catch (error) {
      if (error instanceof DomainError && error.code === 'project_not_found')
        this.rateLimiter.consumeUnknownProject(address);
      setHeaders(response, this.headers);
      this.metrics.count(this.problems.answer(error, request, response));
    }
  }

  private answer(request: IncomingMessage, response: ServerResponse, headers: string[]): void {
    response.writeHead(204, [...this.headers, REQUEST_ID_HEADER, resolveRequestId(request), ...headers]);
    response.end();
  }
}
