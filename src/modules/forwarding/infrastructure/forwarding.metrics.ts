import { Injectable } from '@nestjs/common';
import { Counter, Gauge, Histogram } from 'prom-client';
import { Metrics } from '../../../platform/operations/metrics.js';
import type { Settled } from '../../../platform/outbox/domain/outbox-message.js';
import type { DeliveryOutcome } from '../domain/delivery-outcome.js';
import { retryOf } from '../domain/retry.js';

/** Seconds; an attempt ends after FORWARDING_TIMEOUT_MS at the latest. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15];

/** Seconds; from an idle service to a backlog of an hour. */
const LATENCY_BUCKETS = [0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300, 900, 3600];

/** Metrics of forwarding. Labels are outcomes and categories, never projects. */
@Injectable()
export class ForwardingMetrics {
  private readonly deliveries: Counter<'outcome' | 'category'>;
  private readonly duration: Histogram;
  private readonly latency: Histogram;
  private readonly retries: Counter;
  private retrying: () => Promise<number | null> = () => Promise.resolve(null);
  private holds: () => Promise<{ projects: number; records: number } | null> = () => Promise.resolve(null);

  constructor(metrics: Metrics) {
    const registers = [metrics.registry];
    this.deliveries = new Counter({
      name: 'forwarding_deliveries_total',
      help: 'Finished delivery attempts by outcome and failure category.',
      labelNames: ['outcome', 'category'],
      registers,
    });
    this.duration = new Histogram({
      name: 'forwarding_attempt_duration_seconds',
      help: 'Duration of an attempt from its start to the response or timeout, in seconds.',
      buckets: BUCKETS,
      registers,
    });
    this.latency = new Histogram({
      name: 'forwarding_commit_to_receipt_seconds',
      help: "Time from a record's commit (for a resend: from its request) to the receiver's 2xx response, in seconds.",
      buckets: LATENCY_BUCKETS,
      registers,
    });
    this.retries = new Counter({
      name: 'forwarding_retries_scheduled_total',
      help: 'Failed delivery attempts that were scheduled for an automatic retry.',
      registers,
    });
    const retrying = (): ReturnType<typeof this.retrying> => this.retrying();
    new Gauge({
      name: 'forwarding_retrying_records',
      help: 'Records with a scheduled automatic retry; at most 100,000 are counted.',
      registers,
      async collect() {
        const count = await retrying();
        if (count !== null) this.set(count);
      },
    });
    const holds = (): ReturnType<typeof this.holds> => this.holds();
    new Gauge({
      name: 'forwarding_held_projects',
      help: 'Projects on hold because their endpoint is unavailable.',
      registers,
      async collect() {
        const counted = await holds();
        if (counted) this.set(counted.projects);
      },
    });
    new Gauge({
      name: 'forwarding_held_records',
      help: 'Records delayed by a claim throttle because their receiver failed; at most 100,000 are counted per project.',
      registers,
      async collect() {
        const counted = await holds();
        if (counted) this.set(counted.records);
      },
    });
  }

  /** Called for the gauges each time that metrics are read; null: unknown. */
  watchHolds(count: () => Promise<{ projects: number; records: number } | null>): void {
    this.holds = count;
  }

  /** Called for the gauge each time that metrics are read; null: unknown. */
  watchRetries(count: () => Promise<number | null>): void {
    this.retrying = count;
  }

  countRetries(count: number): void {
    this.retries.inc(count);
  }

  count(settled: Settled<DeliveryOutcome>[]): void {
    // Labels are looked up once per kind of outcome in a batch, which is mostly one.
    for (const [outcome, alike] of Map.groupBy(settled, (each) => each.outcome.outcome))
      for (const [category, { length }] of Map.groupBy(alike, (each) => each.outcome.category ?? 'none'))
        this.deliveries.inc({ outcome, category }, length);
    for (const { message, outcome: ended } of settled) {
      const { outcome, durationMs, attemptedAt } = ended;
      if (outcome !== 'skipped') this.duration.observe(durationMs / 1000);
      // Clocks of two machines may differ by more than the delivery took.
      const queuedAt = retryOf(message)?.queuedAt ?? message.createdAt;
      const receivedMs = attemptedAt.getTime() + durationMs - queuedAt.getTime();
      if (outcome === 'delivered') this.latency.observe(Math.max(0, receivedMs) / 1000);
    }
  }
}
