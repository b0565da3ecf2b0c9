import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import { Counter } from 'prom-client';
import { DomainError } from '../../../platform/errors/domain-error.js';
import { clientFinder, type Client } from '../../../platform/http/client-address.js';
import { ClientRateLimiter } from '../../../platform/http/client-rate-limiter.js';
import { corsHeaders, setHeaders } from '../../../platform/http/cors.js';
import { choiceCookieHeaders, firstPartyOf, isOfOtherProject } from '../../../platform/http/first-party.js';
import { jsonReader } from '../../../platform/http/json-body.js';
import { REQUEST_ID_HEADER, resolveRequestId } from '../../../platform/http/logging.js';
import { ProblemFilter } from '../../../platform/http/problem.filter.js';
import { Metrics } from '../../../platform/operations/metrics.js';
import { InjectSettings } from '../../../platform/settings/inject-settings.js';
import { serviceSettings, type ServiceSettings } from '../../../platform/settings/service.settings.js';
import { VisitorRights } from '../application/visitor-rights.js';
import { consentSettings, VISITORS_OF_A_PROXY, type ConsentSettings } from '../consent.settings.js';
import { chosenIn, CONSENT_BODY_BYTES_MAX } from '../domain/consent-input.js';
import { parseVisitorRequest, type VisitorRequest } from '../domain/visitor-request.js';
import { sendJson, sendPreflight } from './ingest.endpoint.js';

@Injectable()
export class VisitorMetrics {
  private readonly requests: Counter<'request' | 'result'>;

  constructor(metrics: Metrics) {
    this.requests = new Counter({
      name: 'consent_visitor_requests_total',
      help: 'Visitor requests by outcome: answered, or the error code.',
      labelNames: ['request', 'result'],
      registers: [metrics.registry],
    });
  }

  count(request: string, result: string): void {
    this.requests.inc({ request, result });
  }
}

/** Limits requests with visitor keys in this process, over all projects (setting VISITOR_RATE_PER_MINUTE). */
@Injectable()
export class VisitorRateLimiter extends ClientRateLimiter {
  constructor(@InjectSettings(consentSettings) { visitorRatePerMinute }: ConsentSettings) {
    super({
      perProject: 0,
      perNetwork: visitorRatePerMinute,
      perProxy: visitorRatePerMinute * VISITORS_OF_A_PROXY,
      unknownProjectPoints: 1,
      refusal: 'Too many requests from one address. Try again later.',
    });
  }
}

/** The visitor requests: the last part of the path. */
const VISITOR_REQUESTS = ['records', 'receipts', 'withdrawals', 'erasures'] as const;
export type VisitorRequestName = (typeof VISITOR_REQUESTS)[number];

/** The path in origin form, and in the absolute form that a proxy may send. */
const VISITOR_URL = new RegExp(
  `^(?:https?://[^/?#]*)?/v1/visitor/(${VISITOR_REQUESTS.join('|')})/?(?:[?#]|$)`,
  'i',
);

/** A withdrawal may be as large as any choice. */
const readBody = jsonReader(CONSENT_BODY_BYTES_MAX);

/** A response that isn't a refusal. */
interface VisitorAnswer {
  body: object;
  /** Path of the created resource; absent: none was created. */
  location?: string;
  /** The new content of the choice cookie on the visitor's device; null: deleted. Absent: unchanged. */
  chosen?: ReturnType<typeof chosenIn> | null;
}

/**
 * Serves visitors' requests with their keys, from pages of any origin. It runs before Express
 * because errors need the same CORS headers, without which a page can't read a response. The key is
 * in the body, so that no access log contains it.
 */
@Injectable()
export class VisitorEndpoint {
  private readonly headers: string[];
  private readonly findClient: (request: IncomingMessage) => Client;

  constructor(
    private readonly rights: VisitorRights,
    private readonly rateLimiter: VisitorRateLimiter,
    private readonly metrics: VisitorMetrics,
    private readonly problems: ProblemFilter,
    @InjectSettings(serviceSettings) service: ServiceSettings,
  ) {
    this.headers = [...corsHeaders(service.production), 'Cache-Control', 'no-store'];
    this.findClient = clientFinder(service.trustedProxies);
  }

  /** Serves a visitor's request or its preflight, and returns true; false: a different request. */
  take(request: IncomingMessage, response: ServerResponse): boolean {
    const name = VISITOR_URL.exec(request.url ?? '')?.[1]?.toLowerCase() as VisitorRequestName | undefined;
    if (name === undefined) return false;
    if (request.method === 'POST') void this.post(name, request, response);
    else if (request.method === 'OPTIONS') sendPreflight(request, response, this.headers);
    else return false;
    return true;
  }

  /** Sends the result as JSON, or a problem document. Never rejects. */
  async post(name: VisitorRequestName, request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      this.rateLimiter.consume(this.findClient(request), firstPartyOf(request)?.projectId ?? '');
      const visitorRequest = check(await readBody(request, response));
      if (isOfOtherProject(request, visitorRequest.holder.projectId))
        throw new DomainError('not_found', 'Not found.');
      const { body, location, chosen } = await this.answer(name, visitorRequest, new Date());
      this.metrics.count(name, 'answered');
      sendJson(response, location === undefined ? 200 : 201, body, [
        ...this.headers,
        REQUEST_ID_HEADER,
        resolveRequestId(request),
        ...(location === undefined ? [] : ['Location', `${firstPartyOf(request)?.prefix ?? ''}${location}`]),
        ...(chosen === undefined ? [] : choiceCookieHeaders(request, chosen)),
      ]);
    } catch (error) {
      setHeaders(response, this.headers);
      this.metrics.count(name, this.problems.answer(error, request, response));
    }
  }

  private async answer(name: VisitorRequestName, request: VisitorRequest, now: Date): Promise<VisitorAnswer> {
    switch (name) {
      case 'records':
        return { body: await this.rights.records(request) };
      case 'receipts':
        return { body: await this.rights.receipt(request, now) };
      case 'withdrawals': {
        const body = await this.rights.withdraw(request, now);
        const location = `/v1/projects/${request.holder.projectId}/consents/${body.id}`;
        const chosen = chosenIn({ policyVersion: request.fields['policyVersion'] }, body.id);
        return body.duplicate ? { body, chosen } : { body, location, chosen };
      }
      case 'erasures':
        return { body: await this.rights.erase(request), chosen: null };
    }
  }
}

function check(body: unknown): VisitorRequest {
  const parsed = parseVisitorRequest(body);
  if (parsed.kind === 'valid') return parsed.request;
  throw new DomainError('validation_failed', 'Nothing was changed. See errors.', { errors: parsed.errors });
}
