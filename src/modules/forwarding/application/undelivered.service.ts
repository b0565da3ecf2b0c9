import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { writeEvents } from '../../events/event.log.js';
import { allowMaintenanceTime } from '../../../platform/database/tables.js';
import { MailService } from '../../../platform/mail/mail.service.js';
import { Maintenance } from '../../../platform/operations/maintenance.js';
import { waitingSubjects } from '../../../platform/outbox/queued-messages.js';
import { AccessService } from '../../access/access.service.js';
import { findProject } from '../../projects/project.rows.js';
import { type FailureSummary, summarizeFailures } from '../domain/endpoint-status.js';
import {
  FAILED_DAYS_KEPT,
  projectsWithFailures,
  selectResendable,
  selectResendableAttempts,
} from '../infrastructure/delivery.rows.js';
import { claimUndeliveredMail } from '../infrastructure/settings.rows.js';
import { recordQueue, WAITING_SCAN_MAX } from './delivery-log.service.js';

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
const LOG_MS = FAILED_DAYS_KEPT * 24 * HOUR_MS;
/** Limit of the count of records. */
export const UNDELIVERED_COUNT_MAX = 1_000;

/** Records that were not delivered, with the times and causes of those counted. */
interface Undelivered extends FailureSummary {
  records: number;
  /** Whether there are more than the `UNDELIVERED_COUNT_MAX` counted, which are the oldest. */
  more: boolean;
  /** Of them, those that failed within 24 hours. */
  lastDay: number;
}

/** Records whose latest attempt failed, and which are neither queued nor retried. */
@Injectable()
export class UndeliveredService {
  constructor(private readonly em: EntityManager) {}

  /** Covers the time for which failed attempts are kept. */
  async count(projectId: string, now = new Date()): Promise<Undelivered> {
    const em = this.em.fork();
    const failed = { ...undeliveredPeriod(now), status: 'failed' as const };
    // Most projects have none; their queue is then not read.
    const [any] = await selectResendable(em, projectId, { ...failed, waiting: [], limit: 1 });
    if (any === undefined) return { records: 0, more: false, lastDay: 0, ...summarizeFailures([]) };
    const waiting = await waitingSubjects(em, recordQueue(projectId), WAITING_SCAN_MAX);
    const limit = UNDELIVERED_COUNT_MAX + 1;
    const attempts = await selectResendableAttempts(em, projectId, { ...failed, waiting, limit });
    const from = new Date(now.getTime() - DAY_MS);
    const ofLastDay = await selectResendable(em, projectId, {
      ...failed,
      from,
      waiting,
      limit: UNDELIVERED_COUNT_MAX,
    });
    const more = attempts.length > UNDELIVERED_COUNT_MAX;
    const counted = attempts.slice(0, UNDELIVERED_COUNT_MAX);
    const summary = summarizeFailures(counted);
    return {
      records: counted.length,
      more,
      lastDay: ofLastDay.length,
      ...summary,
      // The last counted failure is then not the latest one.
      ...(more && { lastFailedAt: null }),
    };
  }
}

/** The period of the attempts: failed ones are kept no longer. */
export function undeliveredPeriod(now: Date): { from: Date; to: Date } {
  // Clocks of workers differ.
  return { from: new Date(now.getTime() - LOG_MS), to: new Date(now.getTime() + HOUR_MS) };
}

const EVERY_MS = 60 * 60_000;
/** Failures of this period are reported; owners get at most one mail in it. */
const MAIL_HOURS = 24;

/** Mails owners, at most once a day, how many records were not delivered while attempts fail. */
@Injectable()
export class UndeliveredMails implements OnModuleInit {
  constructor(
    private readonly em: EntityManager,
    private readonly maintenance: Maintenance,
    private readonly undelivered: UndeliveredService,
    private readonly access: AccessService,
    private readonly mails: MailService,
  ) {}

  onModuleInit(): void {
    this.maintenance.register({
      name: 'undelivered-mails',
      everyMs: EVERY_MS,
      run: (now) => this.sendAll(now),
    });
  }

  /** Returns the number of projects whose owners were mailed. */
  async sendAll(now: Date): Promise<number> {
    const since = new Date(now.getTime() - MAIL_HOURS * 60 * 60_000);
    const projectIds = await this.em.fork().transactional(async (tx) => {
      await allowMaintenanceTime(tx);
      return projectsWithFailures(tx, since);
    });
    let mailed = 0;
    for (const projectId of projectIds) if (await this.sendFor(projectId, now)) mailed += 1;
    return mailed;
  }

  /** Stores the mails and the time of mailing in one transaction. */
  private async sendFor(projectId: string, now: Date): Promise<boolean> {
    const { records, more } = await this.undelivered.count(projectId, now);
    if (records === 0) return false;
    return this.em.fork().transactional(async (tx) => {
      if (!(await claimUndeliveredMail(tx, projectId, MAIL_HOURS))) return false;
      const project = await findProject(tx, projectId);
      if (!project) return false;
      const event = { type: 'forwarding.undelivered', id: projectId, data: { records, more } } as const;
      await writeEvents(tx, projectId, [event]);
      const values = { project: project.name, records, more };
      for (const to of await this.access.ownersOf(tx, projectId))
        await this.mails.send({ to, template: 'records_undelivered', values, projectId }, tx);
      return true;
    });
  }
}
