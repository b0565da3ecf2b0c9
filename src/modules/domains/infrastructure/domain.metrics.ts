import { Injectable } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { Gauge } from 'prom-client';
import { Metrics } from '../../../platform/operations/metrics.js';
import { BACKLOG_AGE_MAX_MS, RecentAnswer } from '../../../platform/operations/recent-answer.js';
import { DOMAIN_STATES } from '../domain/custom-domain.js';
import { countDomains } from './domain.rows.js';

/** Metrics of custom domains. */
@Injectable()
export class DomainMetrics {
  constructor(metrics: Metrics, em: EntityManager) {
    const registers = [metrics.registry];
    const counted = new RecentAnswer(() => countDomains(em.fork()), BACKLOG_AGE_MAX_MS);
    new Gauge({
      name: 'custom_domains',
      help: 'Custom domains, by state.',
      labelNames: ['state'],
      registers,
      async collect() {
        const count = await counted.get();
        if (count) for (const state of DOMAIN_STATES) this.set({ state }, count.states.get(state) ?? 0);
      },
    });
    new Gauge({
      name: 'custom_domains_oldest_good_check_age_seconds',
      help: 'Longest time since the last good check of a verified or active custom domain, in seconds; after 24 hours it gets no certificate.',
      registers,
      async collect() {
        const count = await counted.get();
        if (count) this.set(count.oldestGoodSeconds);
      },
    });
  }
}
