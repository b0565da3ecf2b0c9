import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { ConsentHooks } from '../../consent/consent.hooks.js';
import { countWaiting } from '../../../platform/outbox/queued-messages.js';
import { OutboxService } from '../../../platform/outbox/outbox.service.js';
import type { NewOutboxMessage } from '../../../platform/outbox/domain/outbox-message.js';
import { ProjectEvents } from '../../projects/projects.events.js';
import { InjectSettings } from '../../../platform/settings/inject-settings.js';
import { Maintenance } from '../../../platform/operations/maintenance.js';
import { LOG_DELETED, logMessage, sequencingMessage, timestampMessage } from '../evidence.events.js';
import { type EvidenceSettings, evidenceSettings } from '../evidence.settings.js';
import { deleteProjectLeaves } from '../infrastructure/leaf.rows.js';
import { deleteLog } from '../infrastructure/log.rows.js';
import { DailyCheck } from './daily-check.js';
import { KeyRollover } from './key-rollover.js';
import { LogSigner } from './log-signer.js';
import { RootTimestamper } from './root-timestamper.js';

/** How often to look for idle logs that the current key has not signed. */
const KEY_ROLLOVER_EVERY_MS = 60 * 60_000;
/** How often to compare records with their logs for a few seconds: 288 times a day. */
const CHECK_EVERY_MS = 5 * 60_000;
/** How often to look whether a timestamp is due: as often as the root log may have a new checkpoint. */
const TIMESTAMP_LOOK_MS = 60_000;

/** Registers the periodic tasks of evidence, and deletes the logs of deleted projects. */
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
    private readonly keyRollover: KeyRollover,
    private readonly check: DailyCheck,
    private readonly timestamper: RootTimestamper,
    @InjectSettings(evidenceSettings) private readonly settings: EvidenceSettings,
  ) {}

  onModuleInit(): void {
    this.projects.listen({
      beforeDeletion: (projectId) => deleteProjectLeaves(this.em.fork(), projectId),
      deleting: deleteLog,
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
      run: () => this.appendOnce(sequencingMessage()),
    });
    this.maintenance.register({
      name: 'evidence-key-rollover',
      everyMs: KEY_ROLLOVER_EVERY_MS,
      run: () => this.keyRollover.run(),
    });
    this.maintenance.register({
      name: 'evidence-check',
      everyMs: CHECK_EVERY_MS,
      run: (now) => this.check.run(now),
    });
    if (!this.timestamper.isOn) return;
    this.maintenance.register({
      name: 'evidence-timestamp',
      everyMs: Math.min(TIMESTAMP_LOOK_MS, this.settings.timestampSeconds * 1000),
      run: async () => {
        if (await this.timestamper.findDue()) await this.appendOnce(timestampMessage());
      },
    });
  }

  /** Appends a message unless one of its kind is queued. */
  private async appendOnce(message: NewOutboxMessage): Promise<void> {
    const { count } = await countWaiting(this.em.fork(), message, 1);
    if (count > 0) return;
    await this.em.fork().transactional((tx) => this.outbox.append(tx, message));
  }
}
