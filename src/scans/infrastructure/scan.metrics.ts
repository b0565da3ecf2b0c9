import { Injectable } from '@nestjs/common';
import { Counter, Histogram } from 'prom-client';
import { Metrics } from '../../shared/metrics.js';

/** Metrics of scans. */
@Injectable()
export class ScanMetrics {
  private readonly scans: Counter<'status'>;
  private readonly durations: Histogram;

  constructor(metrics: Metrics) {
    const registers = [metrics.registry];
    this.scans = new Counter({
      name: 'scans_finished_total',
      help: 'Scans with a result, by status: completed or partial.',
      labelNames: ['status'],
      registers,
    });
    this.durations = new Histogram({
      name: 'scan_duration_seconds',
      help: 'Time from the start of a scan to its result, in seconds.',
      buckets: [10, 30, 60, 120, 300, 600, 1200, 1800, 3600],
      registers,
    });
  }

  finished({ status, startedAt, endedAt }: { status: string; startedAt: Date; endedAt: Date }): void {
    this.scans.inc({ status });
    this.durations.observe((endedAt.getTime() - startedAt.getTime()) / 1000);
  }
}
