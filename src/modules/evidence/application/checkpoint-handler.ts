import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { OutboxService } from '../../outbox/outbox.service.js';
import type { OutboxHandler } from '../../outbox/outbox.handler.js';
import type { Attempt, AttemptResult, OutboxMessage } from '../../outbox/domain/outbox-message.js';
import { BUG_SCHEDULE } from '../../outbox/domain/retry-schedule.js';
import { type OutboxSettings, outboxSettings } from '../../outbox/outbox.settings.js';
import { type BackOff, backOffMs } from '../../shared/back-off.js';
import { InjectSettings } from '../../settings/inject-settings.js';
import { STORAGE_TIMEOUT_MAX_MS } from '../../shared/object-storage.js';
import { ThrottledLog } from '../../shared/throttled-log.js';
import { LOG_DELETED, CHECKPOINT_DUE } from '../evidence.events.js';
import { asStorageError, LogStorage, LogStorageError } from '../infrastructure/log-storage.js';
import { type EvidenceSettings, evidenceSettings } from '../evidence.settings.js';
import { CheckpointPublisher, type PublishOutcome } from './checkpoint-publisher.js';

/** Logs that a worker publishes at once. */
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
export class CheckpointHandler implements OutboxHandler<PublishOutcome>, OnModuleInit {
  readonly topics = [CHECKPOINT_DUE, LOG_DELETED];
  readonly retry = BUG_SCHEDULE;
  readonly slotsMax: number;
  readonly attemptMaxMs = STORAGE_TIMEOUT_MAX_MS;
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
    this.slotsMax = kind === 'folder' ? FOLDER_LOGS_AT_ONCE : LOGS_AT_ONCE;
  }

  onModuleInit(): void {
    this.outbox.register(this);
  }

  prepare(messages: OutboxMessage[]): Promise<Attempt<PublishOutcome>[]> {
    return Promise.resolve(messages.map((message) => () => this.attempt(message)));
  }

  private async attempt({
    topic,
    subjectId: log,
    failures,
  }: OutboxMessage): Promise<AttemptResult<PublishOutcome>> {
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

  settle(): Promise<void> {
    return Promise.resolve();
  }

  /** The next message for the log continues. */
  discard(): AttemptResult<PublishOutcome> {
    return { kind: 'retry', afterMs: REFUSED_WAIT_MS, error: 'The worker crashed on every attempt.' };
  }
}

const settled = (outcome: PublishOutcome): AttemptResult<PublishOutcome> => ({
  kind: 'settled',
  outcome,
  healthy: true,
});
