import { Injectable } from '@nestjs/common';
import { Counter, Gauge } from 'prom-client';
import { oldestAgeOfTopics } from '../../outbox/queued-messages.js';
import { EntityManager } from '@mikro-orm/postgresql';
import { Metrics } from '../../operations/metrics.js';
import { BACKLOG_AGE_MAX_MS, RecentAnswer } from '../../operations/recent-answer.js';
import { MAIL_TOPICS } from '../domain/mail-message.js';

/** The result of an attempt to send a mail. */
export type MailEnd = 'sent' | 'retried' | 'dead' | 'expired';

/** Metrics of mail. */
@Injectable()
export class MailMetrics {
  private readonly mails: Counter;

  constructor(metrics: Metrics, em: EntityManager) {
    const oldest = new RecentAnswer(() => oldestAgeOfTopics(em.fork(), MAIL_TOPICS), BACKLOG_AGE_MAX_MS);
    new Gauge({
      name: 'mail_oldest_age_seconds',
      help: 'Age of the oldest email that the mail server has not accepted, in seconds; 0 when there is none.',
      registers: [metrics.registry],
      async collect() {
        const seconds = await oldest.get();
        if (seconds !== null) this.set(seconds);
      },
    });
    this.mails = new Counter({
      name: 'mail_attempts_total',
      help: 'Email attempts by outcome: sent, retried, dead, or expired before the server recovered.',
      labelNames: ['end'],
      registers: [metrics.registry],
    });
    for (const end of ['sent', 'retried', 'dead', 'expired'] satisfies MailEnd[]) this.mails.inc({ end }, 0);
  }

  count(end: MailEnd): void {
    this.mails.inc({ end });
  }
}
