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
import { LogStorage } from '../infrastructure/log-storage.js';
import { LogStorageError, SignLog, type SignOutcome } from './sign-log.js';

/** Logs that a worker writes to the storage at once. */
const LOGS_AT_ONCE = 8;
const LEASE_SHARE = 1 / 4;
/** There is no last try: what is not signed stays to be signed. */
const STORAGE_WAIT: BackOff = { baseMs: 500, factor: 2, longestMs: 30_000 };
/** A log that must not be signed is looked at again, for an operator may have restored what was lost. */
const REFUSED_WAIT_MS = 60_000;

/** Stores and signs logs that have grown: the outbox's handler of `checkpoint.due`, and of `log.deleted`. */
@Injectable()
export class LogHandler implements OutboxHandler<SignOutcome>, OnModuleInit {
  readonly topics = [CHECKPOINT_DUE, LOG_DELETED];
  readonly retry = BUG_SCHEDULE;
  readonly slotsMax = LOGS_AT_ONCE;
  readonly attemptMaxMs = STORAGE_TIMEOUT_MAX_MS;
  private readonly away = new ThrottledLog(
    new Logger(LogHandler.name),
    'evidence log storage failed; unsigned entries are waiting, retrying',
  );

  constructor(
    private readonly outbox: OutboxService,
    private readonly logs: SignLog,
    private readonly storage: LogStorage,
    @InjectSettings(outboxSettings) private readonly settings: OutboxSettings,
  ) {}

  onModuleInit(): void {
    this.outbox.register(this);
  }

  prepare(messages: OutboxMessage[]): Promise<Attempt<SignOutcome>[]> {
    return Promise.resolve(messages.map((message) => () => this.attempt(message)));
  }

  private async attempt({
    topic,
    subjectId: log,
    failures,
  }: OutboxMessage): Promise<AttemptResult<SignOutcome>> {
    try {
      if (topic === LOG_DELETED) {
        await this.storage.removeLog(log).catch((cause: unknown) => {
          throw new LogStorageError('Evidence log storage failed.', { cause });
        });
        return settled('removed');
      }
      const outcome = await this.logs.sign(log, performance.now() + this.settings.leaseMs * LEASE_SHARE);
      if (outcome === 'more') return { kind: 'snooze', afterMs: 0 };
      if (outcome !== 'refused') return settled(outcome);
      return { kind: 'retry', afterMs: REFUSED_WAIT_MS, error: 'Storage and database disagree.' };
    } catch (error) {
      if (error instanceof LogStorageError) {
        this.away.warn(error.cause);
        return { kind: 'retry', afterMs: backOffMs(failures + 1, STORAGE_WAIT), error: error.message };
      }
      throw error;
    }
  }

  settle(): Promise<void> {
    return Promise.resolve();
  }

  /** Workers have died during it: the next message for the log continues. */
  discard(): AttemptResult<SignOutcome> {
    return { kind: 'retry', afterMs: REFUSED_WAIT_MS, error: 'The worker crashed on every attempt.' };
  }
}

const settled = (outcome: SignOutcome): AttemptResult<SignOutcome> => ({
  kind: 'settled',
  outcome,
  healthy: true,
});
