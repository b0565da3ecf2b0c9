import { Injectable } from '@nestjs/common';
import { Counter } from 'prom-client';
import { Metrics } from '../../shared/metrics.js';

/** How an attempt at a mail ended. */
export type MailEnd = 'sent' | 'retried' | 'dead' | 'expired';

/** What mail tells an operator. */
@Injectable()
export class MailMetrics {
  private readonly mails: Counter;

  constructor(metrics: Metrics) {
    this.mails = new Counter({
      name: 'mail_attempts_total',
      help: 'Attempts at mails by how they ended: sent, retried, dead, or expired before the server was well again.',
      labelNames: ['end'],
      registers: [metrics.registry],
    });
    for (const end of ['sent', 'retried', 'dead', 'expired'] satisfies MailEnd[]) this.mails.inc({ end }, 0);
  }

  count(end: MailEnd): void {
    this.mails.inc({ end });
  }
}
