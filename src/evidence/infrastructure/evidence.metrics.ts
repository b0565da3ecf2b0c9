import { Injectable } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { Counter, Gauge } from 'prom-client';
import { OutboxService } from '../../outbox/outbox.service.js';
import { InjectSettings } from '../../settings/inject-settings.js';
import { Metrics } from '../../shared/metrics.js';
import { BACKLOG_AGE_MAX_MS, RecentAnswer } from '../../shared/recent-answer.js';
import { TIMESTAMP_KEY } from '../evidence.events.js';
import { type EvidenceSettings, evidenceSettings } from '../evidence.settings.js';
import { countChecks } from './check-rows.js';

interface Counted {
  lagSeconds: number;
  unsigned: number;
  refused: number;
  problems: number;
  checkAgeSeconds: number;
}

/** Metrics of the logs. */
@Injectable()
export class EvidenceMetrics {
  /** Time-stamps that were asked for, by what became of it. */
  readonly timeStamps: Counter<'outcome'>;

  constructor(
    metrics: Metrics,
    em: EntityManager,
    outbox: OutboxService,
    @InjectSettings(evidenceSettings) settings: EvidenceSettings,
  ) {
    const registers = [metrics.registry];
    const counted = new RecentAnswer(() => count(em.fork()), BACKLOG_AGE_MAX_MS);
    const gauge = (name: string, help: string, valueOf: (counted: Counted) => number): Gauge =>
      new Gauge({
        name,
        help,
        registers,
        async collect() {
          const answer = settings.keys.length > 0 && settings.sealSeconds > 0 ? await counted.get() : null;
          if (answer) this.set(valueOf(answer));
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
    const stampDue = new RecentAnswer(() => outbox.readOldestAge(TIMESTAMP_KEY), BACKLOG_AGE_MAX_MS);
    new Gauge({
      name: 'evidence_timestamp_lag_seconds',
      help: 'Time for which the due timestamp of the root log has been missing, in seconds; 0: none is due.',
      registers,
      async collect() {
        const seconds = settings.timestampUrl === '' ? null : await stampDue.get();
        if (seconds !== null) this.set(seconds);
      },
    });
    this.timeStamps = new Counter({
      name: 'evidence_timestamps_total',
      help: 'Requested timestamps by outcome: stamped, or the reason of the failure.',
      labelNames: ['outcome'],
      registers,
    });
  }
}

async function count(em: EntityManager): Promise<Counted> {
  const checks = await countChecks(em);
  const { rows } = await sql<Omit<Counted, keyof typeof checks>>`
    select greatest(0, extract(epoch from now() - (select at from sequencer_cursor)))::float8 as "lagSeconds",
           (count(*) filter (where checkpoint_size < size))::int as unsigned, count(refusal)::int as refused
    from evidence_log
  `.execute(em.getKysely());
  return { ...(rows[0] ?? { lagSeconds: 0, unsigned: 0, refused: 0 }), ...checks };
}
