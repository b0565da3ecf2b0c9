import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { OutboxService } from '../../../platform/outbox/outbox.service.js';
import { backgroundJob, DONE } from '../../../platform/outbox/outbox.handler.js';
import type { AttemptResult, OutboxMessage } from '../../../platform/outbox/domain/outbox-message.js';
import { type BackOff, backOffMs } from '../../../platform/time/back-off.js';
import { STORAGE_TIMEOUT_MAX_MS } from '../../../platform/storage/object-storage.js';
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
export class TimestampHandler implements OnModuleInit {
  private readonly logger = new Logger(TimestampHandler.name);

  constructor(
    private readonly outbox: OutboxService,
    private readonly timestamper: RootTimestamper,
    private readonly metrics: EvidenceMetrics,
  ) {}

  onModuleInit(): void {
    this.outbox.register(
      backgroundJob({
        topics: [TIMESTAMP_DUE],
        slotsMax: 1,
        attemptMaxMs: TIMESTAMP_TIMEOUT_MS + STORAGE_TIMEOUT_MAX_MS,
        run: (message, signal) => this.run(message, signal),
        // The next message is for the next checkpoint.
        abandoned: DONE,
      }),
    );
  }

  private async run({ failures }: OutboxMessage, stopped: AbortSignal): Promise<AttemptResult<null>> {
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
    // Logged only once; the metrics show the later failures.
    if (failures === 0) this.logger.warn({ reason, detail }, 'no timestamp for the root log yet, retrying');
    return { kind: 'retry', afterMs: backOffMs(failures + 1, FAILED_WAIT), error: `${reason}: ${detail}` };
  }
}
