import { Injectable } from '@nestjs/common';
import { Counter, Gauge } from 'prom-client';
import { Metrics } from '../../shared/metrics.js';
import { OutboxDispatcher } from '../application/outbox.dispatcher.js';
import { OutboxStore } from './outbox.store.js';

/** The backlog is counted in the database at most this often, however often somebody scrapes. */
const BACKLOG_AGE_MAX_MS = 5_000;

/** What the outbox tells an operator. */
@Injectable()
export class OutboxMetrics {
  private backlog: ReturnType<OutboxStore['backlog']> | null = null;
  private countedMs = -Infinity;

  constructor(
    metrics: Metrics,
    dispatcher: OutboxDispatcher,
    private readonly store: OutboxStore,
  ) {
    const registers = [metrics.registry];
    const count = async (): Promise<{ waiting: number; oldestAgeSeconds: number; dead: number } | null> => {
      // The database may be away: the other metrics are wanted then more than ever.
      return this.currentBacklog().catch(() => null);
    };
    new Gauge({
      name: 'outbox_waiting_messages',
      help: 'Messages in the outbox, those under way included.',
      registers,
      async collect() {
        const backlog = await count();
        if (backlog) this.set(backlog.waiting);
      },
    });
    new Gauge({
      name: 'outbox_oldest_age_seconds',
      help: 'Age of the oldest message in the outbox; 0 when it is empty.',
      registers,
      async collect() {
        const backlog = await count();
        if (backlog) this.set(backlog.oldestAgeSeconds);
      },
    });
    new Gauge({
      name: 'outbox_dead_letters',
      help: 'Messages that no handler could deal with; see "npm run ops -- outbox dead".',
      registers,
      async collect() {
        const backlog = await count();
        if (backlog) this.set(backlog.dead);
      },
    });
    new Gauge({
      name: 'outbox_in_flight',
      help: 'Attempts of this process that are under way.',
      registers,
      collect() {
        this.set(dispatcher.inFlight);
      },
    });
    new Gauge({
      name: 'outbox_held',
      help: 'Messages that this process has leased: waiting for a slot, under way, or with an outcome to be written.',
      registers,
      collect() {
        this.set(dispatcher.held);
      },
    });
    new Counter({
      name: 'outbox_lease_reclaims_total',
      help: 'Messages taken over after a lease ran out, because a worker died or was paused.',
      registers,
      collect() {
        this.reset();
        this.inc(dispatcher.reclaims);
      },
    });
    new Counter({
      name: 'outbox_given_up_total',
      help: 'Messages given up after too many unknown outcomes.',
      registers,
      collect() {
        this.reset();
        this.inc(dispatcher.givenUp);
      },
    });
  }

  private currentBacklog(): ReturnType<OutboxStore['backlog']> {
    if (!this.backlog || performance.now() - this.countedMs > BACKLOG_AGE_MAX_MS) {
      this.countedMs = performance.now();
      this.backlog = this.store.backlog();
    }
    return this.backlog;
  }
}
