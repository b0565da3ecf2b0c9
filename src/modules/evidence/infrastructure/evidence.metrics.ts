import { Injectable } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { Counter, Gauge } from 'prom-client';
import { readOldestAge } from '../../../platform/outbox/queued-messages.js';
import { InjectSettings } from '../../../platform/settings/inject-settings.js';
import { Metrics } from '../../../platform/operations/metrics.js';
import { BACKLOG_AGE_MAX_MS, RecentAnswer } from '../../../platform/operations/recent-answer.js';
import { TIMESTAMP_KEY } from '../evidence.events.js';
import { type EvidenceSettings, evidenceSettings } from '../evidence.settings.js';
import { countChecks } from './check.rows.js';
import { findLagSeconds, findStatus } from './log.rows.js';

interface Counted {
  lagSeconds: number;
  unsigned: number;
  refused: number;
  problems: number;
  checkAgeSeconds: number;
}

@Injectable()
export class EvidenceMetrics {
  readonly timestamps: Counter<'outcome'>;

  constructor(
    metrics: Metrics,
    em: EntityManager,
    @InjectSettings(evidenceSettings) settings: EvidenceSettings,
  ) {
    const registers = [metrics.registry];
    const counted = new RecentAnswer(() => count(em.fork()), BACKLOG_AGE_MAX_MS);
    const gauge = (name: string, help: string, readValue: (counted: Counted) => number): Gauge =>
      new Gauge({
        name,
        help,
        registers,
        async collect() {
          const answer = settings.keys.length > 0 && settings.sealSeconds > 0 ? await counted.get() : null;
          if (answer) this.set(readValue(answer));
        },
      });
    gauge(
      'evidence_lag_seconds',
      'Age of the oldest record that is not in the log yet, in seconds; normally at most a few seconds above EVIDENCE_SEAL_SECONDS.',
      ({ lagSeconds }) => lagSeconds,
    );
    gauge(
      'evidence_unsigned_logs',
      'Logs with entries that no signed checkpoint covers.',
      ({ unsigned }) => unsigned,
    );
    gauge(
      'evidence_refused_logs',
      'Logs halted because storage and database disagree.',
      ({ refused }) => refused,
    );
    gauge(
      'evidence_problem_logs',
      'Logs whose records differ from them, or that are damaged, by their last check.',
      ({ problems }) => problems,
    );
    gauge(
      'evidence_check_age_seconds',
      'Age of the oldest last check of a log, in seconds; a day and some minutes at most.',
      ({ checkAgeSeconds }) => checkAgeSeconds,
    );
    const timestampDue = new RecentAnswer(() => readOldestAge(em.fork(), TIMESTAMP_KEY), BACKLOG_AGE_MAX_MS);
    new Gauge({
      name: 'evidence_timestamp_lag_seconds',
      help: 'Time for which the due timestamp of the root log has been missing, in seconds; 0: none is due.',
      registers,
      async collect() {
        const seconds = settings.timestampUrl === '' ? null : await timestampDue.get();
        if (seconds !== null) this.set(seconds);
      },
    });
    this.timestamps = new Counter({
      name: 'evidence_timestamps_total',
      help: 'Requested timestamps by outcome: stamped, or the reason of the failure.',
      labelNames: ['outcome'],
      registers,
    });
  }
}

async function count(em: EntityManager): Promise<Counted> {
  const { unsigned, refused } = await findStatus(em);
  return { lagSeconds: await findLagSeconds(em), unsigned, refused, ...(await countChecks(em)) };
}
