import { Injectable, Logger } from '@nestjs/common';
import { Counter, Gauge } from 'prom-client';
import { Metrics } from '../../../platform/operations/metrics.js';
import { BACKLOG_AGE_MAX_MS, RecentAnswer } from '../../../platform/operations/recent-answer.js';
import { actionFor } from '../domain/stripe-event.js';
import { BillingEventStore } from './billing-event.store.js';

/** Billing metrics. No label contains a project. */
@Injectable()
export class BillingMetrics {
  private readonly logger = new Logger('Billing');
  private readonly events: Counter;
  private readonly alerts: Counter;
  private readonly drift: Counter;

  constructor(metrics: Metrics, store: BillingEventStore) {
    const registers = [metrics.registry];
    this.events = new Counter({
      name: 'billing_events_total',
      help: 'Billing events by type and outcome: received, duplicate, ignored, processed, retried, dead.',
      labelNames: ['type', 'outcome'],
      registers,
    });
    this.alerts = new Counter({
      name: 'billing_alerts_total',
      help: 'Billing problems that need attention, by code; the log has the ids.',
      labelNames: ['code'],
      registers,
    });
    this.drift = new Counter({
      name: 'billing_drift_total',
      help: 'Subscriptions found out of sync with the billing provider.',
      registers,
    });
    const counted = new RecentAnswer(() => store.backlog(), BACKLOG_AGE_MAX_MS);
    new Gauge({
      name: 'billing_events_pending',
      help: 'Pending billing events.',
      registers,
      async collect() {
        const backlog = await counted.get();
        if (backlog) this.set(backlog.pending);
      },
    });
    new Gauge({
      name: 'billing_events_oldest_age_seconds',
      help: 'Age of the oldest pending billing event, in seconds; 0 when there is none.',
      registers,
      async collect() {
        const backlog = await counted.get();
        if (backlog) this.set(backlog.oldestAgeSeconds);
      },
    });
    new Gauge({
      name: 'billing_events_dead',
      help: 'Dead-lettered billing events; see "npm run ops -- billing events".',
      registers,
      async collect() {
        const backlog = await counted.get();
        if (backlog) this.set(backlog.dead);
      },
    });
  }

  /** Unknown types share one label, because their names are external input. */
  count(type: string, outcome: string): void {
    this.events.inc({ type: actionFor(type) ? type : 'other', outcome });
  }

  /** Reports a state that needs attention. */
  alert(code: string, sentence: string, ids: Record<string, string | number | null>): void {
    this.alerts.inc({ code });
    this.logger.error({ ...ids, code }, sentence);
  }

  countDrift(): void {
    this.drift.inc();
  }
}
