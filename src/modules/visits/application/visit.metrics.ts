import { Injectable } from '@nestjs/common';
import { Counter, Gauge } from 'prom-client';
import { Metrics } from '../../../platform/operations/metrics.js';

/** Outcomes of page visits. */
@Injectable()
export class VisitMetrics {
  private readonly requests: Counter<'result'>;
  private readonly lost: Counter<'reason'>;

  constructor(private readonly metrics: Metrics) {
    const registers = [metrics.registry];
    this.requests = new Counter({
      name: 'site_visit_requests_total',
      help: 'Page visits by outcome: counted, or the error code.',
      labelNames: ['result'],
      registers,
    });
    this.lost = new Counter({
      name: 'site_visits_dropped_total',
      help: 'Page visits left out of some or all counts, by reason: no_room (in the process), or refused by the database.',
      labelNames: ['reason'],
      registers,
    });
  }

  count(result: string): void {
    this.requests.inc({ result });
  }

  dropped(reason: 'no_room' | 'refused', visits: number): void {
    if (visits > 0) this.lost.inc({ reason }, visits);
  }

  held(entries: () => number): void {
    new Gauge({
      name: 'site_visit_counts_held',
      help: 'Counts held by the process until they are written, or until their hour ends.',
      registers: [this.metrics.registry],
      collect() {
        this.set(entries());
      },
    });
  }
}
