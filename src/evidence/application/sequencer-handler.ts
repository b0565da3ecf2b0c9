import { Injectable, type OnModuleInit } from '@nestjs/common';
import { OutboxService } from '../../outbox/outbox.service.js';
import type { OutboxHandler } from '../../outbox/outbox.handler.js';
import type { Attempt, AttemptResult, OutboxMessage } from '../../outbox/domain/outbox-message.js';
import { BUG_SCHEDULE } from '../../outbox/domain/retry-schedule.js';
import { type OutboxSettings, outboxSettings } from '../../outbox/outbox.settings.js';
import { InjectSettings } from '../../settings/inject-settings.js';
import { SEQUENCING_DUE } from '../evidence.events.js';
import { AnchorCheckpoints } from './anchor-checkpoints.js';
import { Sequencer } from './sequencer.js';

/** Usual time of a batch. A batch that has started is finished, also when the worker is stopping. */
const BATCH_USUAL_MS = 5_000;
/** Share of its lease for which one message sequences batches. */
const LEASE_SHARE = 1 / 4;

/** The outbox handler of `sequencing.due`: anchors new checkpoints in the root log, then sequences new records. */
@Injectable()
export class SequencerHandler implements OutboxHandler<null>, OnModuleInit {
  readonly topics = [SEQUENCING_DUE];
  readonly retry = BUG_SCHEDULE;
  /** The cursor's row lock allows one sequencer at a time. */
  readonly slotsMax = 1;
  readonly attemptMaxMs = BATCH_USUAL_MS;

  constructor(
    private readonly outbox: OutboxService,
    private readonly sequencer: Sequencer,
    private readonly anchoring: AnchorCheckpoints,
    @InjectSettings(outboxSettings) private readonly settings: OutboxSettings,
  ) {}

  onModuleInit(): void {
    this.outbox.register(this);
  }

  prepare(messages: OutboxMessage[]): Promise<Attempt<null>[]> {
    return Promise.resolve(messages.map(() => (signal: AbortSignal) => this.attempt(signal)));
  }

  private async attempt(signal: AbortSignal): Promise<AttemptResult<null>> {
    const deadlineMs = performance.now() + this.settings.leaseMs * LEASE_SHARE;
    await this.anchoring.anchorBatch();
    while (await this.sequencer.sequenceBatch())
      if (signal.aborted || performance.now() > deadlineMs) return { kind: 'snooze', afterMs: 0 };
    return DONE;
  }

  /** The transaction of each batch has already stored everything. */
  settle(): Promise<void> {
    return Promise.resolve();
  }

  /** The next message continues from the cursor. */
  discard(): AttemptResult<null> {
    return DONE;
  }
}

const DONE = { kind: 'settled', outcome: null, healthy: true } as const;
