import { Injectable } from '@nestjs/common';
import { Counter } from 'prom-client';
import { Metrics } from '../../../platform/operations/metrics.js';

/** Requests with visitor keys. */
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
