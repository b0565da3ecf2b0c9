import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { OutboxService } from '../../../platform/outbox/outbox.service.js';
import { backgroundJob } from '../../../platform/outbox/outbox.handler.js';
import type { AttemptResult, OutboxMessage } from '../../../platform/outbox/domain/outbox-message.js';
import { type OutboxSettings, outboxSettings } from '../../../platform/outbox/outbox.settings.js';
import { type BackOff, backOffMs } from '../../../platform/time/back-off.js';
import { InjectSettings } from '../../../platform/settings/inject-settings.js';
import { STORAGE_TIMEOUT_MAX_MS } from '../../../platform/storage/object-storage.js';
import { ThrottledLog } from '../../../platform/operations/throttled-log.js';
import { LOG_DELETED, CHECKPOINT_DUE } from '../evidence.events.js';
import { asStorageError, LogStorage, LogStorageError } from '../infrastructure/log-storage.js';
import { type EvidenceSettings, evidenceSettings } from '../evidence.settings.js';
import { CheckpointPublisher, type CheckpointOutcome } from './checkpoint-publisher.js';

/** Logs that a worker publishes concurrently. */
const LOGS_AT_ONCE = 8;
/** As `LOGS_AT_ONCE`, in a folder: with more, commits wait for the disk to synchronize the files (ADR 59). */
const FOLDER_LOGS_AT_ONCE = 2;
const LEASE_SHARE = 1 / 4;
/** Retried without limit. */
const STORAGE_WAIT: BackOff = { baseMs: 500, factor: 2, longestMs: 30_000 };
/** A refused log is tried again: an operator may have restored what was lost. */
const REFUSED_WAIT_MS = 60_000;

/** The outbox handler of `checkpoint.due` and `log.deleted`: publishes logs and deletes them from the storage. */
@Injectable()
export class CheckpointHandler implements OnModuleInit {
  private readonly slots: number;
  private readonly storageFailed = new ThrottledLog(
    new Logger(CheckpointHandler.name),
    'evidence log storage failed; unsigned entries are waiting, retrying',
  );

  constructor(
    private readonly outbox: OutboxService,
    private readonly publisher: CheckpointPublisher,
    private readonly storage: LogStorage,
    @InjectSettings(outboxSettings) private readonly settings: OutboxSettings,
    @InjectSettings(evidenceSettings) { storage: { kind } }: EvidenceSettings,
  ) {
    this.slots = kind === 'folder' ? FOLDER_LOGS_AT_ONCE : LOGS_AT_ONCE;
  }

  onModuleInit(): void {
    this.outbox.register(
      backgroundJob<CheckpointOutcome>({
        topics: [CHECKPOINT_DUE, LOG_DELETED],
        slotsMax: this.slots,
        attemptMaxMs: STORAGE_TIMEOUT_MAX_MS,
        run: (message) => this.run(message),
        // The next message for the log continues.
        abandoned: { kind: 'retry', afterMs: REFUSED_WAIT_MS, error: 'The worker crashed on every attempt.' },
      }),
    );
  }

  private async run({
    topic,
    subjectId: log,
    failures,
  }: OutboxMessage): Promise<AttemptResult<CheckpointOutcome>> {
    try {
      if (topic === LOG_DELETED) {
        await this.storage.removeLog(log).catch(asStorageError);
        return settled('removed');
      }
      const outcome = await this.publisher.publish(
        log,
        performance.now() + this.settings.leaseMs * LEASE_SHARE,
      );
      if (outcome === 'more') return { kind: 'snooze', afterMs: 0 };
      if (outcome !== 'refused') return settled(outcome);
      return { kind: 'retry', afterMs: REFUSED_WAIT_MS, error: 'Storage and database disagree.' };
    } catch (error) {
      if (error instanceof LogStorageError) {
        this.storageFailed.warn(error.cause);
        return { kind: 'retry', afterMs: backOffMs(failures + 1, STORAGE_WAIT), error: error.message };
      }
      throw error;
    }
  }
}

const settled = (outcome: CheckpointOutcome): AttemptResult<CheckpointOutcome> => ({
  kind: 'settled',
  outcome,
  healthy: true,
});
