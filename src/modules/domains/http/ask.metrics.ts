import { Injectable } from '@nestjs/common';
import { Histogram } from 'prom-client';
import { Metrics } from '../../../platform/operations/metrics.js';

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
