import { Injectable } from '@nestjs/common';
import { Counter, Histogram } from 'prom-client';
import { Metrics } from '../../../platform/operations/metrics.js';

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
