import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import { DomainError } from '../../../platform/errors/domain-error.js';
import { isUuid } from '../../../platform/identity/ids.js';
import { REQUEST_ID_HEADER, resolveRequestId } from '../../../platform/http/logging.js';
import { ProblemFilter } from '../../../platform/http/problem.filter.js';
import { corsHeaders, preflightHeaders, setHeaders } from '../../../platform/http/cors.js';
import { type Client, clientFinder } from '../../../platform/http/client-address.js';
import { choiceCookieHeaders, firstPartyOf } from '../../../platform/http/first-party.js';
import { jsonReader } from '../../../platform/http/json-body.js';
import { InjectSettings } from '../../../platform/settings/inject-settings.js';
import { type ServiceSettings, serviceSettings } from '../../../platform/settings/service.settings.js';
import { unknownProject } from '../../projects/domain/project.js';
import { ConsentService } from '../application/consent.service.js';
import { chosenIn } from '../domain/chosen-in.js';
import { CONSENT_BODY_BYTES_MAX } from '../domain/consent-input.js';
import { IngestMetrics } from './ingest.metrics.js';
import { IngestRateLimiter } from './ingest-rate-limiter.js';

const readConsentBody = jsonReader(CONSENT_BODY_BYTES_MAX);

/**
 * The path in origin form, and in the absolute form that a proxy may send; Express would match the
 * same.
 */
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
    else if (request.method === 'OPTIONS') this.preflight(request, response);
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
      const text = JSON.stringify(receipt);
      response.writeHead(receipt.duplicate ? 200 : 201, [
        ...this.headers,
        REQUEST_ID_HEADER,
        resolveRequestId(request),
        ...(receipt.duplicate
          ? []
          : ['Location', `${firstParty?.prefix ?? ''}/v1/projects/${id}/consents/${receipt.id}`]),
        ...(firstParty ? choiceCookieHeaders(request, chosenIn(body, receipt.id)) : []),
        'Content-Type',
        'application/json; charset=utf-8',
        'Content-Length',
        String(Buffer.byteLength(text)),
      ]);
      response.end(text);
    } catch (error) {
      if (error instanceof DomainError && error.code === 'project_not_found') {
        this.rateLimiter.consumeUnknownProject(client);
      }
      setHeaders(response, this.headers);
      this.metrics.count(this.problems.answer(error, request, response), startedMs);
    }
  }

  /** Responds to a browser's preflight request: any origin may POST. */
  private preflight(request: IncomingMessage, response: ServerResponse): void {
    response.writeHead(204, [
      ...this.headers,
      REQUEST_ID_HEADER,
      resolveRequestId(request),
      ...preflightHeaders(),
    ]);
    response.end();
  }
}
