import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import { DomainError } from '../../shared/domain-error.js';
import { isUuid } from '../../shared/ids.js';
import { REQUEST_ID_HEADER, resolveRequestId } from '../../http/logging.js';
import { ProblemFilter } from '../../http/problem.filter.js';
import { corsHeaders, preflightHeaders, setHeaders } from '../../http/cors.js';
import { clientAddress } from '../../http/client-address.js';
import { choiceCookieHeaders, firstPartyOf } from '../../http/first-party.js';
import { jsonReader } from '../../http/json-body.js';
import { InjectSettings } from '../../settings/inject-settings.js';
import { type ServiceSettings, serviceSettings } from '../../settings/service.settings.js';
import { ConsentService, unknownProject } from '../application/consent.service.js';
import { chosenIn } from '../domain/chosen-in.js';
import { CONSENT_BODY_BYTES_MAX } from '../domain/consent-input.js';
import { IngestMetrics } from './ingest.metrics.js';
import { IngestRateLimiter } from './ingest-rate-limiter.js';

const readConsentBody = jsonReader(CONSENT_BODY_BYTES_MAX);

/** The path in origin form, and in the absolute form in which a proxy may hand it on; as Express would match it. */
const INGEST_URL = /^(?:https?:\/\/[^/?#]*)?\/v1\/projects\/([^/?#]+)\/consents\/?(?:[?#]|$)/i;

/**
 * Takes consent choices over HTTP, without Express or Nest in between: finding the route that every visitor calls
 * among all the others, and turning the request into Express' own kind, cost more than storing the record.
 */
@Injectable()
export class IngestEndpoint {
  /** Headers of every response, name and value alternating. */
  private readonly headers: string[];
  private readonly addressOf: (request: IncomingMessage) => string;

  constructor(
    private readonly consents: ConsentService,
    private readonly rateLimiter: IngestRateLimiter,
    private readonly metrics: IngestMetrics,
    private readonly problems: ProblemFilter,
    @InjectSettings(serviceSettings) service: ServiceSettings,
  ) {
    this.headers = corsHeaders(service.production);
    this.addressOf = clientAddress(service.trustedProxies);
  }

  /** Serves a choice or its preflight, and returns true; false where the request is another one. */
  take(request: IncomingMessage, response: ServerResponse): boolean {
    const projectId = INGEST_URL.exec(request.url ?? '')?.[1];
    if (projectId === undefined) return false;
    if (request.method === 'POST') void this.post(projectId, request, response);
    else if (request.method === 'OPTIONS') this.preflight(request, response);
    else return false;
    return true;
  }

  /**
   * Takes a visitor's choice (design §6.1). 201 `{ id, receivedAt, duplicate: false }` once it is on the disk,
   * 200 with `duplicate: true` where the same decision was there already, else a problem document. Never rejects.
   */
  async post(projectId: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    let startedMs = performance.now();
    const address = this.addressOf(request);
    const firstParty = firstPartyOf(request);
    // One spelling per id, otherwise each spelling would have its own counter.
    const id = projectId.toLowerCase();
    try {
      if (firstParty?.isProven === false) this.rateLimiter.consumeProxy(id);
      else this.rateLimiter.consume(address, id);
      const body = await readConsentBody(request, response);
      startedMs = performance.now();
      if (!isUuid(id)) throw unknownProject();
      const receipt = await this.consents.record(id, body, request.headers.origin, new Date());
      this.metrics.count(receipt.duplicate ? 'duplicate' : 'stored', startedMs);
      const text = JSON.stringify(receipt);
      response.writeHead(receipt.duplicate ? 200 : 201, [
        ...this.headers,
        ...[REQUEST_ID_HEADER, resolveRequestId(request)],
        ...(receipt.duplicate
          ? []
          : ['Location', `${firstParty?.prefix ?? ''}/v1/projects/${id}/consents/${receipt.id}`]),
        ...(firstParty ? choiceCookieHeaders(request, chosenIn(body, receipt.id)) : []),
        ...['Content-Type', 'application/json; charset=utf-8'],
        ...['Content-Length', String(Buffer.byteLength(text))],
      ]);
      response.end(text);
    } catch (error) {
      if (error instanceof DomainError && error.code === 'project_not_found') {
        this.rateLimiter.consumeUnknownProject(address);
      }
      setHeaders(response, this.headers);
      this.metrics.count(this.problems.answer(error, request, response), startedMs);
    }
  }

  /** Responds to a browser's preflight request: any origin may POST. */
  private preflight(request: IncomingMessage, response: ServerResponse): void {
    response.writeHead(204, [
      ...this.headers,
      ...[REQUEST_ID_HEADER, resolveRequestId(request)],
      ...preflightHeaders(),
    ]);
    response.end();
  }
}
