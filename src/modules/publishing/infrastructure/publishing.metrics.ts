import { Injectable } from '@nestjs/common';
import { Counter, Gauge, Histogram } from 'prom-client';
import { TIER_CHANGED } from '../../licensing/licensing.events.js';
import { countBacklog } from '../../../platform/outbox/queued-messages.js';
import { EntityManager } from '@mikro-orm/postgresql';
import { Metrics } from '../../../platform/operations/metrics.js';
import { BACKLOG_AGE_MAX_MS, RecentAnswer } from '../../../platform/operations/recent-answer.js';
import { StorageCircuitBreaker } from './site-storage.js';
import { CONFIGURATION_CHANGED } from '../publishing.events.js';

const DELAY_BUCKETS_SECONDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300, 3600];
/** Metrics of publishing. */
@Injectable()
export class PublishingMetrics {
  private readonly delay: Histogram;

  constructor(metrics: Metrics, storage: StorageCircuitBreaker, em: EntityManager) {
    const registers = [metrics.registry];
    this.delay = new Histogram({
      name: 'publishing_delay_seconds',
      help: 'Time from a change of tier or configuration until it is in storage, in seconds.',
      buckets: DELAY_BUCKETS_SECONDS,
      registers,
    });
    new Gauge({
      name: 'publishing_storage_up',
      help: '1 while object storage accepts writes from this process, 0 since its last write failed.',
      registers,
      collect() {
        this.set(storage.isClosed ? 1 : 0);
      },
    });
    new Counter({
      name: 'publishing_storage_failures_total',
      help: 'Publishing attempts that failed in object storage.',
      registers,
      collect() {
        this.reset();
        this.inc(storage.failedWrites);
      },
    });
    const counted = new RecentAnswer(
      () => countBacklog(em.fork(), [CONFIGURATION_CHANGED, TIER_CHANGED]),
      BACKLOG_AGE_MAX_MS,
    );
    new Gauge({
      name: 'publishing_waiting_changes',
      help: 'Changes that are not in storage yet.',
      registers,
      async collect() {
        const backlog = await counted.get();
        if (backlog) this.set(backlog.waiting);
      },
    });
    new Gauge({
      name: 'publishing_oldest_age_seconds',
      help: 'Age of the oldest change that is not in storage yet, in seconds; 0 when there is none.',
      registers,
      async collect() {
        const backlog = await counted.get();
        if (backlog) this.set(backlog.oldestAgeSeconds);
      },
    });
  }

  published(changedAt: Date): void {
    this.delay.observe(Math.max(0, (Date.now() - changedAt.getTime()) / 1000));
  }
}
