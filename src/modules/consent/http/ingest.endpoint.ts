import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import { Counter, Histogram } from 'prom-client';
import { DomainError } from '../../../platform/errors/domain-error.js';
import { clientFinder, type Client } from '../../../platform/http/client-address.js';
import { ClientRateLimiter } from '../../../platform/http/client-rate-limiter.js';
import { corsHeaders, preflightHeaders, setHeaders } from '../../../platform/http/cors.js';
import { choiceCookieHeaders, firstPartyOf } from '../../../platform/http/first-party.js';
import { jsonReader } from '../../../platform/http/json-body.js';
import { REQUEST_ID_HEADER, resolveRequestId } from '../../../platform/http/logging.js';
import { ProblemFilter } from '../../../platform/http/problem.filter.js';
import { isUuid } from '../../../platform/identity/ids.js';
import { Metrics } from '../../../platform/operations/metrics.js';
import { InjectSettings } from '../../../platform/settings/inject-settings.js';
import { serviceSettings, type ServiceSettings } from '../../../platform/settings/service.settings.js';
import { unknownProject } from '../../projects/domain/project.js';
import { ConsentService } from '../application/consent.service.js';
import { consentSettings, type ConsentSettings } from '../consent.settings.js';
import { chosenIn, CONSENT_BODY_BYTES_MAX } from '../domain/consent-input.js';

/** Seconds; the ingest takes about a millisecond, independent of receivers. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** Results of the ingest. Labels are results, never projects or visitors. */
@Injectable()
export class IngestMetrics {
  private readonly requests: Counter<'result'>;
  private readonly duration: Histogram;

  constructor(metrics: Metrics) {
    const registers = [metrics.registry];
    this.requests = new Counter({
      name: 'consent_ingest_requests_total',
      help: 'Consent requests by outcome: stored, duplicate, or the error code.',
      labelNames: ['result'],
      registers,
    });
    this.duration = new Histogram({
      name: 'consent_ingest_duration_seconds',
      help: 'Time from the parsed request to the committed response, in seconds.',
      buckets: BUCKETS,
      registers,
    });
  }

  count(result: string, startedMs: number): void {
    this.requests.inc({ result });
    this.duration.observe((performance.now() - startedMs) / 1000);
  }
}

/** Limits consents in this process, by the settings INGEST_RATE_PER_MINUTE, INGEST_NETWORK_… and INGEST_PROXY_…. */
@Injectable()
export class IngestRateLimiter extends ClientRateLimiter {
  constructor(@InjectSettings(consentSettings) settings: ConsentSettings) {
    super({
      perProject: settings.ratePerMinute,
      perNetwork: settings.networkRatePerMinute,
      perProxy: settings.proxyRatePerMinute,
      unknownProjectPoints: 10,
      refusal: 'Too many consents from one address. Try again later.',
    });
  }
}

const readConsentBody = jsonReader(CONSENT_BODY_BYTES_MAX);

/** The path in origin form, and in the absolute form that a proxy may send; Express would match the same. */
const INGEST_URL = /^(?:https?:\/\/[^/?#]*)?\/v1\/projects\/([^/?#]+)\/consents\/?(?:[?#]|$)/i;

/**
 * Serves consent choices over HTTP, without Express and Nest: routing and request wrapping cost
 * more than storing the record.
 */
@Injectable()
export class IngestEndpoint {
  /** Headers of every response, name and value alternating. */
  private readonly headers: string[];
  private readonly findClient: (request: IncomingMessage) => Client;

  constructor(
    private readonly consents: ConsentService,
    private readonly rateLimiter: IngestRateLimiter,
    private readonly metrics: IngestMetrics,
    private readonly problems: ProblemFilter,
    @InjectSettings(serviceSettings) service: ServiceSettings,
  ) {
    this.headers = corsHeaders(service.production);
    this.findClient = clientFinder(service.trustedProxies);
  }

  /** Serves a choice or its preflight, and returns true; false: a different request. */
  take(request: IncomingMessage, response: ServerResponse): boolean {
    const projectId = INGEST_URL.exec(request.url ?? '')?.[1];
    if (projectId === undefined) return false;
    if (request.method === 'POST') void this.post(projectId, request, response);
    else if (request.method === 'OPTIONS') sendPreflight(request, response, this.headers);
    else return false;
    return true;
  }

  /**
   * Stores a visitor's choice (design §6.1). 201 `{ id, receivedAt, duplicate: false }` once it is
   * on disk, 200 with `duplicate: true` if the same decision exists, else a problem document. Never
   * rejects.
   */
  async post(projectId: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    let startedMs = performance.now();
    const client = this.findClient(request);
    const firstParty = firstPartyOf(request);
    // One spelling per id, otherwise each spelling would have its own counter.
    const id = projectId.toLowerCase();
    try {
      this.rateLimiter.consume(client, id);
      const body = await readConsentBody(request, response);
      startedMs = performance.now();
      if (!isUuid(id)) throw unknownProject();
      const receipt = await this.consents.record(id, body, request.headers.origin, new Date());
      this.metrics.count(receipt.duplicate ? 'duplicate' : 'stored', startedMs);
      sendJson(response, receipt.duplicate ? 200 : 201, receipt, [
        ...this.headers,
        REQUEST_ID_HEADER,
        resolveRequestId(request),
        ...(receipt.duplicate
          ? []
          : ['Location', `${firstParty?.prefix ?? ''}/v1/projects/${id}/consents/${receipt.id}`]),
        ...(firstParty ? choiceCookieHeaders(request, chosenIn(body, receipt.id)) : []),
      ]);
    } catch (error) {
      if (error instanceof DomainError && error.code === 'project_not_found')
        this.rateLimiter.consumeUnknownProject(client);
      setHeaders(response, this.headers);
      this.metrics.count(this.problems.answer(error, request, response), startedMs);
    }
  }
}

/** Responds to a browser's preflight request: any origin may POST. */
export function sendPreflight(request: IncomingMessage, response: ServerResponse, headers: string[]): void {
  response.writeHead(204, [...headers, REQUEST_ID_HEADER, resolveRequestId(request), ...preflightHeaders()]);
  response.end();
}

/** Sends a body as JSON with these headers. */
export function sendJson(response: ServerResponse, status: number, body: object, headers: string[]): void {
  const text = JSON.stringify(body);
  response.writeHead(status, [
    ...headers,
    'Content-Type',
    'application/json; charset=utf-8',
    'Content-Length',
    String(Buffer.byteLength(text)),
  ]);
  response.end(text);
}
