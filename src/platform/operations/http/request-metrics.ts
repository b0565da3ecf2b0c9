import { Injectable } from '@nestjs/common';
import type { RequestHandler, Response } from 'express';
import { Histogram } from 'prom-client';
import { isNotConfigured } from '../../http/refused-response.js';
import { Metrics } from '../metrics.js';

/** Seconds; a dashboard's request takes milliseconds, an export minutes. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
/** All unknown methods share one label. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Nest's pattern of unserved paths. */
const UNSERVED = '{/*splat}';

/** Metrics of the requests through Express. */
@Injectable()
export class RequestMetrics {
  private readonly duration: Histogram<'method' | 'route' | 'status'>;

  constructor(metrics: Metrics) {
    this.duration = new Histogram({
      name: 'http_request_duration_seconds',
      help: 'Requests by method, route, and status (also aborted, not_configured), except ingest requests (ingest_*).',
      labelNames: ['method', 'route', 'status'],
      buckets: BUCKETS,
      registers: [metrics.registry],
    });
  }

  /** Measures each request. The route is the pattern, so no id and no name becomes a label. */
  readonly measure: RequestHandler = (request, response, next) => {
    const end = this.duration.startTimer();
    response.once('close', () => {
      const pattern: unknown = request.route?.path;
      end({
        method: METHODS.has(request.method) ? request.method : 'other',
        // A mount point precedes the pattern; an unserved address matches only the catch-all
        // pattern.
        route: typeof pattern === 'string' && pattern !== UNSERVED ? `${request.baseUrl}${pattern}` : 'none',
        status: statusOf(response),
      });
    });
    next();
  };
}

/**
 * If the client disconnects before the response, it gets no status. A 503 because mail or billing
 * is not configured has a separate value: any client can cause it, and an alert counts 5xx.
 */
function statusOf(response: Response): string {
  if (!response.writableFinished) return 'aborted';
  return isNotConfigured(response) ? 'not_configured' : String(response.statusCode);
}
