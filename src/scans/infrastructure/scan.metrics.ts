import { Injectable } from '@nestjs/common';
import { Counter, Histogram } from 'prom-client';
import { Metrics } from '../../shared/metrics.js';
import type { ScanAlert } from '../domain/scan-alert.js';
import type { EndedScan } from './evidence.rows.js';

/** Metrics of scans. */
@Injectable()
export class ScanMetrics {
  private readonly scans: Counter<'status'>;
  private readonly durations: Histogram;
  private readonly alerts: Counter<'kind'>;

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
    this.alerts = new Counter({
      name: 'scan_alerts_total',
      help: 'Scans that members were alerted about, by kind: new_items, before_consent or loader_gone.',
      labelNames: ['kind'],
      registers,
    });
  }

  finished({ status, startedAt, endedAt }: EndedScan, alert: ScanAlert | null): void {
    this.scans.inc({ status });
    this.durations.observe((endedAt.getTime() - startedAt.getTime()) / 1000);
    if (!alert) return;
    if (alert.newItems.count > 0) this.alerts.inc({ kind: 'new_items' });
    if (alert.beforeConsent.count > 0) this.alerts.inc({ kind: 'before_consent' });
    if (alert.loaderGone.length > 0) this.alerts.inc({ kind: 'loader_gone' });
  }
}
