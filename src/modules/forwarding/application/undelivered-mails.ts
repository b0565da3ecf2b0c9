import { Injectable, type OnModuleInit } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { AccessService } from '../../access/access.service.js';
import { allowMaintenanceTime } from '../../../platform/database/tables.js';
import { MailService } from '../../../platform/mail/mail.service.js';
import { findProject } from '../../projects/project.rows.js';
import { Maintenance } from '../../../platform/operations/maintenance.js';
import { projectsWithFailures } from '../infrastructure/delivery.rows.js';
import { claimUndeliveredMail } from '../infrastructure/settings.rows.js';
import { UndeliveredService } from './undelivered.service.js';

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
      const values = { project: project.name, records, more };
      for (const to of await this.access.ownersOf(tx, projectId))
        await this.mails.send({ to, template: 'records_undelivered', values, projectId }, tx);
      return true;
    });
  }
}
