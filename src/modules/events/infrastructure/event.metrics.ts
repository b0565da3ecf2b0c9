import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { Counter, Gauge, Histogram } from 'prom-client';
import type { EndpointOutcome } from '../../../platform/delivery/endpoint-requests.js';
import { Metrics } from '../../../platform/operations/metrics.js';
import { BACKLOG_AGE_MAX_MS, RecentAnswer } from '../../../platform/operations/recent-answer.js';
import { countDueDeliveries } from './delivery.rows.js';
import { countStates } from './endpoint.rows.js';

/** Seconds; an attempt ends after FORWARDING_TIMEOUT_MS at the latest. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15];
const WAITING_COUNT_MAX = 100_000;

/** Metrics of events. Labels are outcomes and categories, never projects. */
@Injectable()
export class EventMetrics {
  private readonly attempts: Counter<'outcome' | 'category'>;
  private readonly duration: Histogram;

  constructor(metrics: Metrics, em: EntityManager) {
    const registers = [metrics.registry];
    this.attempts = new Counter({
      name: 'events_attempts_total',
      help: 'Finished attempts to deliver events by outcome and failure category.',
      labelNames: ['outcome', 'category'],
      registers,
    });
    this.duration = new Histogram({
      name: 'events_attempt_duration_seconds',
      help: 'Duration of an attempt to deliver an event from its start to the response or timeout, in seconds.',
      buckets: BUCKETS,
      registers,
    });
    const backlog = new RecentAnswer(
      () => countDueDeliveries(em.fork(), WAITING_COUNT_MAX),
      BACKLOG_AGE_MAX_MS,
    );
    new Gauge({
      name: 'events_waiting_deliveries',
      help: 'Pending deliveries of events, also to held and disabled endpoints; at most 100,000 are counted.',
      registers,
      async collect() {
        const counted = await backlog.get();
        if (counted) this.set(counted.waiting);
      },
    });
    new Gauge({
      name: 'events_oldest_due_age_seconds',
      help: 'Longest time that a delivery has been due to an endpoint that is neither held nor disabled, in seconds; 0 if there is none.',
      registers,
      async collect() {
        const counted = await backlog.get();
        if (counted) this.set(counted.oldestDueSeconds);
      },
    });
    const states = new RecentAnswer(() => countStates(em.fork()), BACKLOG_AGE_MAX_MS);
    new Gauge({
      name: 'events_held_endpoints',
      help: 'Event endpoints on hold because they are unavailable.',
      registers,
      async collect() {
        const counted = await states.get();
        if (counted) this.set(counted.held);
      },
    });
    new Gauge({
      name: 'events_disabled_endpoints',
      help: 'Event endpoints that were disabled because nothing succeeded for five days.',
      registers,
      async collect() {
        const counted = await states.get();
        if (counted) this.set(counted.disabled);
      },
    });
  }

  count(outcomes: readonly EndpointOutcome[]): void {
    for (const { judgement, durationMs } of outcomes) {
      const { outcome } = judgement;
      const category = outcome === 'failed' ? judgement.category : 'none';
      this.attempts.inc({ outcome, category });
      this.duration.observe(durationMs / 1000);
    }
  }
}
