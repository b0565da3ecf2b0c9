import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { MailService } from '../../../platform/mail/mail.service.js';
import { Maintenance } from '../../../platform/operations/maintenance.js';
import { AccessService } from '../../access/access.service.js';
import { writeAudit } from '../../audit/audit.log.js';
import { findProject } from '../../projects/project.rows.js';
import { EVENT_DAYS_KEPT } from '../domain/event.js';
import { failingStep } from '../domain/schedule.js';
import {
  type EndpointRef,
  failingEndpoints,
  findEndpoint,
  lockCircuits,
} from '../infrastructure/endpoint.rows.js';
import { EventEndpoint } from '../infrastructure/event.entities.js';
import { deleteEventsBefore } from '../infrastructure/event.rows.js';

const DAY_MS = 24 * 60 * 60_000;
const FAILING_EVERY_MS = 10 * 60_000;
const RETENTION_EVERY_MS = 60 * 60_000;
/** Endpoints of a run, and events of a delete. */
const FAILING_MAX = 500;
const DELETED_MAX = 1_000;

/** Notifies owners of endpoints without a success, disables them after five days, and deletes old events. */
@Injectable()
export class EndpointUpkeep implements OnModuleInit {
  constructor(
    private readonly em: EntityManager,
    private readonly maintenance: Maintenance,
    private readonly access: AccessService,
    private readonly mails: MailService,
  ) {}

  onModuleInit(): void {
    this.maintenance.register({
      name: 'failing-event-endpoints',
      everyMs: FAILING_EVERY_MS,
      run: (now) => this.judgeAll(now),
    });
    this.maintenance.register({
      name: 'event-retention',
      everyMs: RETENTION_EVERY_MS,
      run: (now) => this.deleteOld(now),
    });
  }

  /** Judges every endpoint that has failed for a day or longer. */
  async judgeAll(now: Date): Promise<void> {
    const before = new Date(now.getTime() - DAY_MS);
    const refs = await failingEndpoints(this.em.fork(), { before, limit: FAILING_MAX });
    for (const ref of refs) await this.judge(ref, now);
  }

  /** Mails, and the end of the endpoint, in one transaction. */
  private async judge(ref: EndpointRef, now: Date): Promise<void> {
    await this.em.fork().transactional(async (tx) => {
      await lockCircuits(tx, [ref]);
      const endpoint = await findEndpoint(tx, ref);
      const project = await findProject(tx, ref.projectId);
      if (!endpoint?.enabled || !endpoint.unsuccessfulSince || !project) return;
      const since = endpoint.unsuccessfulSince;
      const step = failingStep(since, endpoint.mailedDay, now);
      if (!step) return;
      const disabled = { enabled: false, disabledReason: 'no_success', wakeAt: null } as const;
      await tx.nativeUpdate(EventEndpoint, ref, { mailedDay: step.day, ...(step.disable && disabled) });
      if (step.disable)
        await writeAudit(
          tx,
          { kind: 'system' },
          {
            projectId: ref.projectId,
            action: 'event_endpoint.disable',
            target: ref.id,
            after: { reason: 'no_success', since },
          },
        );
      const template = step.disable ? 'event_endpoint_disabled' : 'event_endpoint_failing';
      const { host } = new URL(endpoint.url);
      const values = { project: project.name, host, since: since.toISOString() };
      for (const to of await this.access.ownersOf(tx, ref.projectId))
        await this.mails.send({ to, template, values, projectId: ref.projectId }, tx);
    });
  }

  /** Deletes events past their retention, with their deliveries and log. */
  async deleteOld(now: Date): Promise<void> {
    const before = new Date(now.getTime() - EVENT_DAYS_KEPT * DAY_MS);
    let deleted: number;
    do
      deleted = await this.em
        .fork()
        .transactional((tx) => deleteEventsBefore(tx, { before, limit: DELETED_MAX }));
    while (deleted === DELETED_MAX);
  }
}
