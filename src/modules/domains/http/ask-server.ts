import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import { Histogram } from 'prom-client';
import { limitPipelining } from '../../../platform/http/pipelining.js';
import { Metrics } from '../../../platform/operations/metrics.js';
import { HostList } from '../application/host-list.js';
import { HostSightings } from '../application/sightings.js';
import { mayGetCertificate } from '../domain/host-rules.js';

@Injectable()
export class AskMetrics {
  private readonly asks: Histogram<'status'>;

  constructor(metrics: Metrics) {
    this.asks = new Histogram({
      name: 'custom_domain_ask_seconds',
      help: 'Time to answer the edge whether a host may get a certificate, by status: 200, 404, or 503 before the list was read.',
      labelNames: ['status'],
      buckets: [0.0001, 0.0005, 0.001, 0.005, 0.025, 0.1],
      registers: [metrics.registry],
    });
  }

  asked(status: number, ms: number): void {
    this.asks.observe({ status }, ms / 1000);
  }
}

const PATH = '/api/internal/custom-domains/allowed';
/** A DNS name has at most 253 characters. */
const URL_CHARACTERS_MAX = 1_000;

/**
 * Responds to the edge whether a host may get a certificate: 200 or 404, from memory, without the
 * database. On a separate port that is never public.
 */
@Injectable()
export class AskServer {
  readonly server: Server;

  constructor(
    private readonly hosts: HostList,
    private readonly sightings: HostSightings,
    private readonly metrics: AskMetrics,
  ) {
    this.server = createServer((request, response) => this.answer(request, response));
    limitPipelining(this.server);
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((closed) => this.server.close(closed));
  }

  private answer(request: IncomingMessage, response: ServerResponse): void {
    const startedMs = performance.now();
    const status = this.statusOf(request);
    response.writeHead(status, ['Cache-Control', 'no-store', 'Content-Length', '0']);
    response.end();
    this.metrics.asked(status, performance.now() - startedMs);
  }

  private statusOf({ method, url = '' }: IncomingMessage): number {
    if (method !== 'GET' || url.length > URL_CHARACTERS_MAX) return 404;
    const [path, query] = url.split('?');
    if (path !== PATH) return 404;
    // The edge tries again, but would cache a wrong 404.
    if (!this.hosts.isLoaded) return 503;
    const host = this.hosts.find(new URLSearchParams(query).get('domain') ?? '');
    if (!host || !mayGetCertificate(host, new Date())) return 404;
    this.sightings.note('certificate', host);
    return 200;
  }
}
