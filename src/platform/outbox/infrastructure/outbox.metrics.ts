import { Injectable } from '@nestjs/common';
import { Counter, Gauge } from 'prom-client';
import { Metrics } from '../../operations/metrics.js';
import { BACKLOG_AGE_MAX_MS, RecentAnswer } from '../../operations/recent-answer.js';
import { OutboxService } from '../outbox.service.js';
import { OutboxStore } from './outbox.store.js';

/** Current outbox activity of this process. */
export interface WorkUnderWay {
  /** Attempts in progress. */
  readonly inFlight: number;
  /** Messages that it has leased. */
  readonly leased: number;
}

/** Metrics of the outbox. */
@Injectable()
export class OutboxMetrics {
  /** Counts leases taken over from a worker that died. */
  readonly reclaims: Counter;
  /** Counts messages discarded because their outcome was unknown too often. */
  readonly discarded: Counter;
  private work: WorkUnderWay = { inFlight: 0, leased: 0 };

  constructor(metrics: Metrics, store: OutboxStore, outbox: OutboxService) {
    const registers = [metrics.registry];
    const counted = new RecentAnswer(() => store.backlog(outbox.topics), BACKLOG_AGE_MAX_MS);
    const work = (): WorkUnderWay => this.work;
    new Gauge({
      name: 'outbox_waiting_messages',
      help: 'Messages in the outbox, including throttled messages and messages in progress.',
      registers,
      async collect() {
        const backlog = await counted.get();
        if (backlog) this.set(backlog.waiting);
      },
    });
    new Gauge({
      name: 'outbox_unhandled_messages',
      help: 'Messages in the outbox of topics that this version does not handle.',
      registers,
      async collect() {
        const backlog = await counted.get();
        if (backlog) this.set(backlog.unhandled);
      },
    });
    new Gauge({
      name: 'outbox_oldest_age_seconds',
      help: 'Age in seconds of the oldest message that is neither attempted nor throttled; 0 if there is none.',
      registers,
      async collect() {
        const backlog = await counted.get();
        if (backlog) this.set(backlog.oldestAgeSeconds);
      },
    });
    new Gauge({
      name: 'outbox_dead_letters',
      help: 'Dead-lettered messages; see "npm run ops -- outbox dead".',
      registers,
      async collect() {
        const backlog = await counted.get();
        if (backlog) this.set(backlog.dead);
      },
    });
    new Gauge({
      name: 'outbox_in_flight',
      help: 'Attempts in progress in this process.',
      registers,
      collect() {
        this.set(work().inFlight);
      },
    });
    new Gauge({
      name: 'outbox_held',
      help: 'Messages leased by this process: waiting for a slot, in progress, or with an unwritten outcome.',
      registers,
      collect() {
        this.set(work().leased);
      },
    });
    this.reclaims = new Counter({
      name: 'outbox_lease_reclaims_total',
      help: 'Messages taken over after their lease expired, because a worker crashed or paused.',
      registers,
    });
    this.discarded = new Counter({
      name: 'outbox_given_up_total',
      help: 'Messages discarded after too many abandoned attempts.',
      registers,
    });
  }

  /** Source of the gauges, read on each scrape. */
  watch(work: WorkUnderWay): void {
    this.work = work;
  }
}
