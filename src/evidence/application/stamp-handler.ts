import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { OutboxService } from '../../outbox/outbox.service.js';
import type { OutboxHandler } from '../../outbox/outbox.handler.js';
import type { Attempt, AttemptResult, OutboxMessage } from '../../outbox/domain/outbox-message.js';
import { BUG_SCHEDULE } from '../../outbox/domain/retry-schedule.js';
import { type BackOff, backOffMs } from '../../shared/back-off.js';
import { STORAGE_TIMEOUT_MAX_MS } from '../../shared/object-storage.js';
import { TIMESTAMP_DUE } from '../evidence.events.js';
import { EvidenceMetrics } from '../infrastructure/evidence.metrics.js';
import { TIME_STAMP_TIMEOUT_MS } from '../infrastructure/time-stamp-service.js';
import { StampRoots } from './stamp-roots.js';

/** The root log has a new checkpoint by then. There is no last try, and no use in asking a public service more often. */
const REFUSED_WAIT: BackOff = { baseMs: 60_000, factor: 2, longestMs: 60 * 60_000 };

/**
 * Time-stamps the root log: the outbox handler of `timestamp.due`. It has its own lane, so a slow or unavailable time-stamp
 * service delays only time-stamps.
 */
@Injectable()
export class StampHandler implements OutboxHandler<null>, OnModuleInit {
  readonly topics = [TIMESTAMP_DUE];
  readonly retry = BUG_SCHEDULE;
  readonly slotsMax = 1;
  readonly attemptMaxMs = TIME_STAMP_TIMEOUT_MS + STORAGE_TIMEOUT_MAX_MS;
  private readonly logger = new Logger(StampHandler.name);

  constructor(
    private readonly outbox: OutboxService,
    private readonly stamps: StampRoots,
    private readonly metrics: EvidenceMetrics,
  ) {}

  onModuleInit(): void {
    this.outbox.register(this);
  }

  prepare(messages: OutboxMessage[]): Promise<Attempt<null>[]> {
    return Promise.resolve(messages.map((message) => (signal: AbortSignal) => this.attempt(message, signal)));
  }

  private async attempt({ failures }: OutboxMessage, stopped: AbortSignal): Promise<AttemptResult<null>> {
    const outcome = await this.stamps.stamp(stopped);
    if (outcome.kind === 'not_due') return DONE;
    if (outcome.kind === 'stamped') {
      this.metrics.timeStamps.inc({ outcome: 'stamped' });
      if (failures > 0) this.logger.log({ failures }, 'the timestamp service works again');
      return DONE;
    }
    if (stopped.aborted) return { kind: 'snooze', afterMs: 0 };
    const { reason, detail } = outcome;
    this.metrics.timeStamps.inc({ outcome: reason });
    // Only once: the metrics show that it continues.
    if (failures === 0) this.logger.warn({ reason, detail }, 'no timestamp for the root log yet, retrying');
    return { kind: 'retry', afterMs: backOffMs(failures + 1, REFUSED_WAIT), error: `${reason}: ${detail}` };
  }

  /** The time-stamp was written down by the attempt. */
  settle(): Promise<void> {
    return Promise.resolve();
  }

  /** The next message asks for the next checkpoint. */
  discard(): AttemptResult<null> {
    return DONE;
  }
}

const DONE = { kind: 'settled', outcome: null, healthy: true } as const;
