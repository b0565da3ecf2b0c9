import { Injectable } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { Metrics } from '../../../platform/operations/metrics.js';
import type { ScanAlert } from '../domain/scan-alert.js';
import { SCANNER_ALIVE_MS } from '../domain/scanner.js';
import { BACKLOG_AGE_MAX_MS, RecentAnswer } from '../../../platform/operations/recent-answer.js';
import { countScans, type ScanBacklog } from './account.rows.js';
import type { EndedScan } from './evidence.rows.js';

/** Metrics of scans. */
@Injectable()
export class ScanMetrics {
  private readonly scans: Counter<'status'>;
  private readonly durations: Histogram;
  private readonly alerts: Counter<'kind'>;

  constructor(metrics: Metrics, em: EntityManager) {
    const registers = [metrics.registry];
    registerBacklog(registers, em);
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

const ENDED = ['completed', 'partial', 'failed', 'canceled'] as const;

/** Read from the database, so the same in every process. */
function registerBacklog(registers: Registry[], em: EntityManager): void {
  const counted = new RecentAnswer(() => countScans(em.fork(), SCANNER_ALIVE_MS), BACKLOG_AGE_MAX_MS);
  const gauge = (name: string, help: string, readValue: (backlog: ScanBacklog) => number): Gauge =>
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        const backlog = await counted.get();
        if (backlog) this.set(readValue(backlog));
      },
    });
  gauge('scans_queued', 'Scans that no scanner has started yet.', ({ queued }) => queued);
  gauge('scans_running', 'Scans in progress.', ({ running }) => running);
  gauge(
    'scans_oldest_queued_age_seconds',
    'Age of the oldest scan that a scanner may start and has not started yet, in seconds; 0 when there is none.',
    ({ oldestQueuedSeconds }) => oldestQueuedSeconds,
  );
  gauge('scanners_running', 'Scanner processes that reported recently.', ({ scanners }) => scanners);
  new Gauge({
    name: 'scans_ended_day',
    help: 'Scans that ended in the last 24 hours, by status; failed: Chromium could not be started, or stopped three times.',
    labelNames: ['status'],
    registers,
    async collect() {
      const backlog = await counted.get();
      if (backlog) for (const status of ENDED) this.set({ status }, backlog[status]);
    },
  });
}
