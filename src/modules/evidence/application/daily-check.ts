import { Injectable, Logger } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { RecordRetention } from '../../consent/consent.records.js';
import {
  type LogToCheck,
  nextLogToCheck,
  saveCheckProgress,
  saveCheckResult,
  saveDamage,
} from '../infrastructure/check.rows.js';
import { DamagedLog, LogStorage } from '../infrastructure/log-storage.js';
import { checkEntries } from './check-entries.js';
import type { CheckTools } from './check-log.js';
import { checkRecordPage } from './check-records.js';
import { LogSigner } from './log-signer.js';

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
      if (first) await this.report(log, `The record ${first.id} is ${first.kind}: ${first.detail}`);
      else if (page.afterId !== null) await saveCheckProgress(em, log, page.afterId);
      else await this.checkOthers(tools, log);
    } catch (error) {
      if (!(error instanceof DamagedLog)) throw error;
      // A full check by the operator ends this: the daily one reads only the tiles on the paths of
      // stored records.
      await saveDamage(em, log, error.message);
      await this.report(log, `${error.message} Restore the storage from a backup.`);
    }
  }

  /** The entries that are not records. */
  private async checkOthers(tools: CheckTools, log: string): Promise<void> {
    const [first] = (await checkEntries(tools, log)).findings;
    if (first) await this.report(log, `The entry ${first.id} is ${first.kind}: ${first.detail}`);
    else await saveCheckResult(tools.em, log, null);
  }

  private async report(log: string, problem: string): Promise<void> {
    this.logger.error({ log, problem }, 'records do not match their log');
    await saveCheckResult(this.em.fork(), log, problem);
  }
}
