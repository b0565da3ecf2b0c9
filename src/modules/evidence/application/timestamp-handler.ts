import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { OutboxService } from '../../outbox/outbox.service.js';
import type { OutboxHandler } from '../../outbox/outbox.handler.js';
import type { Attempt, AttemptResult, OutboxMessage } from '../../outbox/domain/outbox-message.js';
import { BUG_SCHEDULE } from '../../outbox/domain/retry-schedule.js';
import { type BackOff, backOffMs } from '../../shared/back-off.js';
import { STORAGE_TIMEOUT_MAX_MS } from '../../shared/object-storage.js';
import { TIMESTAMP_DUE } from '../evidence.events.js';
import { EvidenceMetrics } from '../infrastructure/evidence.metrics.js';
import { TIMESTAMP_TIMEOUT_MS } from '../infrastructure/timestamp-client.js';
import { RootTimestamper } from './root-timestamper.js';

/** Retried without limit, with the newest checkpoint each time; public services limit the request rate. */
const FAILED_WAIT: BackOff = { baseMs: 60_000, factor: 2, longestMs: 60 * 60_000 };

/**
 * The outbox handler of `timestamp.due`. It has its own ordering key, so a slow or unavailable timestamp service delays
 * only timestamps.
 */
@Injectable()
export class TimestampHandler implements OutboxHandler<null>, OnModuleInit {
  readonly topics = [TIMESTAMP_DUE];
  readonly retry = BUG_SCHEDULE;
  readonly slotsMax = 1;
  readonly attemptMaxMs = TIMESTAMP_TIMEOUT_MS + STORAGE_TIMEOUT_MAX_MS;
  private readonly logger = new Logger(TimestampHandler.name);

  constructor(
    private readonly outbox: OutboxService,
    private readonly timestamper: RootTimestamper,
    private readonly metrics: EvidenceMetrics,
  ) {}

  onModuleInit(): void {
    this.outbox.register(this);
  }

  prepare(messages: OutboxMessage[]): Promise<Attempt<null>[]> {
    return Promise.resolve(messages.map((message) => (signal: AbortSignal) => this.attempt(message, signal)));
  }

  private async attempt({ failures }: OutboxMessage, stopped: AbortSignal): Promise<AttemptResult<null>> {
    const outcome = await this.timestamper.stamp(stopped);
    if (outcome.kind === 'not_due') return DONE;
    if (outcome.kind === 'stamped') {
      this.metrics.timestamps.inc({ outcome: 'stamped' });
      if (failures > 0) this.logger.log({ failures }, 'the timestamp service works again');
      return DONE;
    }
    if (stopped.aborted) return { kind: 'snooze', afterMs: 0 };
    const { reason, detail } = outcome;
    this.metrics.timestamps.inc({ outcome: reason });
    // Only once: the metrics show that it continues.
    if (failures === 0) this.logger.warn({ reason, detail }, 'no timestamp for the root log yet, retrying');
    return { kind: 'retry', afterMs: backOffMs(failures + 1, FAILED_WAIT), error: `${reason}: ${detail}` };
  }

  /** The attempt has already stored the timestamp. */
  settle(): Promise<void> {
    return Promise.resolve();
  }

  /** The next message is for the next checkpoint. */
  discard(): AttemptResult<null> {
    return DONE;
  }
}

const DONE = { kind: 'settled', outcome: null, healthy: true } as const;
