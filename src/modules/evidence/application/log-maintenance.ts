import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { writeEvents } from '../../events/event.log.js';
import { Maintenance } from '../../../platform/operations/maintenance.js';
import type { NewOutboxMessage } from '../../../platform/outbox/domain/outbox-message.js';
import { OutboxService } from '../../../platform/outbox/outbox.service.js';
import { countWaiting } from '../../../platform/outbox/queued-messages.js';
import { InjectSettings } from '../../../platform/settings/inject-settings.js';
import { ConsentHooks } from '../../consent/consent.hooks.js';
import { RecordRetention } from '../../consent/consent.records.js';
import { ProjectEvents } from '../../projects/projects.events.js';
import {
  LOG_DELETED,
  logMessage,
  requestCheckpoints,
  sequencingMessage,
  timestampMessage,
} from '../evidence.events.js';
import { evidenceSettings, type EvidenceSettings } from '../evidence.settings.js';
import {
  nextLogToCheck,
  saveCheckProgress,
  saveCheckResult,
  saveDamage,
  type LogToCheck,
} from '../infrastructure/check.rows.js';
import { listCheckpointed, type CheckpointedLog } from '../infrastructure/checkpoint.rows.js';
import { deleteProjectLeaves } from '../infrastructure/leaf.rows.js';
import { DamagedLog, LogStorage } from '../infrastructure/log-storage.js';
import { deleteLog } from '../infrastructure/log.rows.js';
import type { CheckTools } from './check-log.js';
import { checkEntries, checkRecordPage } from './check-records.js';
import { LogSigner } from './log-signer.js';
import { RootTimestamper } from './root-timestamper.js';

const CHECKED_EVERY_SECONDS = 24 * 60 * 60;
/** Limit of a run, because other maintenance tasks wait for it; the next run continues. */
const RUN_MAX_MS = 5_000;
/** A run stops after this many failed logs, for example when the storage is unavailable. */
const FAILURES_MAX = 3;

/**
 * Compares the records of each project with its log once a day, in short runs that continue where the last one stopped. A
 * check stops at its first page with a finding; `ops evidence check` lists all. Concurrent workers do the same work twice.
 */
@Injectable()
export class DailyCheck {
  private readonly logger = new Logger(DailyCheck.name);

  constructor(
    private readonly em: EntityManager,
    private readonly storage: LogStorage,
    private readonly signer: LogSigner,
    private readonly retention: RecordRetention,
  ) {}

  async run(now: Date): Promise<void> {
    const endsAtMs = performance.now() + RUN_MAX_MS;
    const failed: string[] = [];
    while (performance.now() < endsAtMs && failed.length < FAILURES_MAX) {
      const due = await nextLogToCheck(this.em.fork(), {
        everySeconds: CHECKED_EVERY_SECONDS,
        except: failed,
      });
      if (!due) return;
      try {
        await this.checkOnePage(due, now);
      } catch (error) {
        failed.push(due.log);
        this.logger.error({ err: error, log: due.log }, 'records could not be compared with their log');
      }
    }
  }

  private async checkOnePage({ log, afterId }: LogToCheck, now: Date): Promise<void> {
    const em = this.em.fork();
    try {
      const tools = {
        em,
        storage: this.storage,
        signer: this.signer,
        keptSince: (instant: Date) => this.retention.keptSince(instant),
      };
      const page = await checkRecordPage(tools, { projectId: log, afterId, now });
      const [first] = page.findings;
      if (first)
        await this.report(log, 'records', `The record ${first.id} is ${first.kind}: ${first.detail}`);
      else if (page.afterId !== null) await saveCheckProgress(em, log, page.afterId);
      else await this.checkOthers(tools, log);
    } catch (error) {
      if (!(error instanceof DamagedLog)) throw error;
      // A full check by the operator ends this: the daily one reads only the tiles on the paths of
      // stored records.
      await saveDamage(em, log, error.message);
      await this.report(log, 'storage', `${error.message} Restore the storage from a backup.`);
    }
  }

  /** The entries that are not records. */
  private async checkOthers(tools: CheckTools, log: string): Promise<void> {
    const [first] = (await checkEntries(tools, log)).findings;
    if (first) await this.report(log, 'records', `The entry ${first.id} is ${first.kind}: ${first.detail}`);
    else await saveCheckResult(tools.em, log, null);
  }

  /** `kind`: the stored records, or the storage of the log, differ from what was signed. */
  private async report(log: string, kind: 'records' | 'storage', problem: string): Promise<void> {
    this.logger.error({ log, problem }, 'records do not match their log');
    await this.em.fork().transactional(async (tx) => {
      await saveCheckResult(tx, log, problem);
      await writeEvents(tx, log, [{ type: 'evidence.problem', id: log, data: { kind } }]);
    });
  }
}

/** Logs that one query reads. */
const PAGE_MAX = 1_000;

/** Requests checkpoints of idle logs by the current key, so that a former key can be removed from EVIDENCE_KEYS. */
@Injectable()
export class KeyRollover {
  constructor(
    private readonly em: EntityManager,
    private readonly outbox: OutboxService,
    private readonly signer: LogSigner,
  ) {}

  async run(): Promise<void> {
    for await (const logs of staleLogs(this.em.fork(), this.signer)) {
      const due = logs.filter(({ isDue }) => isDue);
      if (due.length > 0)
        await this.em.fork().transactional((tx) => requestCheckpoints(tx, this.outbox, due));
    }
  }
}

/** Number of logs whose newest checkpoint is not signed by the current key, so a former key is still needed. */
export async function countStaleLogs(em: EntityManager, signer: LogSigner): Promise<number> {
  let count = 0;
  for await (const logs of staleLogs(em, signer)) count += logs.length;
  return count;
}

/** Pages of the logs whose newest checkpoint is not signed by the current key. */
async function* staleLogs(em: EntityManager, signer: LogSigner): AsyncGenerator<CheckpointedLog[]> {
  let after: string | null = null;
  for (;;) {
    const logs: CheckpointedLog[] = await listCheckpointed(em, { after, limit: PAGE_MAX });
    yield logs.filter(({ checkpoint, origin }) => !signer.hasSigned(checkpoint, origin));
    if (logs.length < PAGE_MAX) return;
    after = logs.at(-1)?.log ?? null;
  }
}

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
