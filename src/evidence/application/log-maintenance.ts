import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { ConsentHooks } from '../../consent/consent.hooks.js';
import { OutboxService } from '../../outbox/outbox.service.js';
import type { NewOutboxMessage } from '../../outbox/domain/outbox-message.js';
import { ProjectEvents } from '../../projects/projects.events.js';
import { InjectSettings } from '../../settings/inject-settings.js';
import { Maintenance } from '../../shared/maintenance.js';
import { LOG_DELETED, logMessage, sequencingMessage, timestampMessage } from '../evidence.events.js';
import { type EvidenceSettings, evidenceSettings } from '../evidence.settings.js';
import { forgetLog } from '../infrastructure/log-rows.js';
import { DailyCheck } from './daily-check.js';
import { LogSigner } from './log-signer.js';
import { ResignLogs } from './resign-logs.js';
import { StampRoots } from './stamp-roots.js';

/** How often idle logs are looked for that the key of now has not signed. */
const RESIGN_EVERY_MS = 60 * 60_000;
/** How often records are compared with their logs for a few seconds: 288 times a day. */
const CHECK_EVERY_MS = 5 * 60_000;
/** How often it is looked whether a time-stamp is due: as often as the root log may have a new checkpoint. */
const STAMP_LOOK_MS = 60_000;
/** Rows deleted in one transaction. */
const DELETE_BATCH_MAX = 10_000;

/** Has what is stored sealed from time to time, and follows what becomes of records and projects. */
@Injectable()
export class LogMaintenance implements OnModuleInit {
  private readonly logger = new Logger(LogMaintenance.name);

  constructor(
    private readonly em: EntityManager,
    private readonly maintenance: Maintenance,
    private readonly outbox: OutboxService,
    private readonly hooks: ConsentHooks,
    private readonly projects: ProjectEvents,
    private readonly signer: LogSigner,
    private readonly resigning: ResignLogs,
    private readonly check: DailyCheck,
    private readonly stamps: StampRoots,
    @InjectSettings(evidenceSettings) private readonly settings: EvidenceSettings,
  ) {}

  onModuleInit(): void {
    this.projects.listen({
      beforeDeletion: (projectId) => this.deleteLeaves(projectId),
      deleting: forgetLog,
      deleted: (tx, projectId) => this.outbox.append(tx, logMessage(LOG_DELETED, projectId)),
    });
    if (!this.signer.isOn) {
      this.logger.log('evidence is off: EVIDENCE_KEYS is not set, or EVIDENCE_SEAL_SECONDS is 0');
      return;
    }
    this.hooks.set({ areRecordsSalted: true });
    this.maintenance.register({
      name: 'evidence-sequencing',
      everyMs: this.settings.sealSeconds * 1000,
      run: () => this.ask(sequencingMessage()),
    });
    this.maintenance.register({
      name: 'evidence-resign',
      everyMs: RESIGN_EVERY_MS,
      run: () => this.resigning.run(),
    });
    this.maintenance.register({
      name: 'evidence-check',
      everyMs: CHECK_EVERY_MS,
      run: (now) => this.check.run(now),
    });
    if (!this.stamps.isOn) return;
    this.maintenance.register({
      name: 'evidence-timestamp',
      everyMs: Math.min(STAMP_LOOK_MS, this.settings.timestampSeconds * 1000),
      run: async () => {
        if (await this.stamps.due()) await this.ask(timestampMessage());
      },
    });
  }

  /** Leaves a message for a worker that is free, unless one of its kind waits. */
  private async ask(message: NewOutboxMessage): Promise<void> {
    const { count } = await this.outbox.countWaiting(message, 1);
    if (count > 0) return;
    await this.em.fork().transactional((tx) => this.outbox.append(tx, message));
  }

  private async deleteLeaves(projectId: string): Promise<void> {
    const kysely = this.em.fork().getKysely();
    let deleted: number;
    do {
      const { numAffectedRows } = await sql`
        with doomed as (
          select project_id, consent_id from evidence_leaf where project_id = ${projectId}
          order by consent_id limit ${DELETE_BATCH_MAX}
        )
        delete from evidence_leaf l using doomed
        where l.project_id = doomed.project_id and l.consent_id = doomed.consent_id
      `.execute(kysely);
      deleted = Number(numAffectedRows ?? 0);
    } while (deleted === DELETE_BATCH_MAX);
  }
}
