import { Injectable, type OnModuleInit } from '@nestjs/common';
import { OutboxService } from '../../../platform/outbox/outbox.service.js';
import { backgroundJob, DONE } from '../../../platform/outbox/outbox.handler.js';
import type { AttemptResult } from '../../../platform/outbox/domain/outbox-message.js';
import { type OutboxSettings, outboxSettings } from '../../../platform/outbox/outbox.settings.js';
import { InjectSettings } from '../../../platform/settings/inject-settings.js';
import { SEQUENCING_DUE } from '../evidence.events.js';
import { AnchorCheckpoints } from './anchor-checkpoints.js';
import { Sequencer } from './sequencer.js';

/** Usual time of a batch. A batch that has started is finished, also when the worker is stopping. */
const BATCH_USUAL_MS = 5_000;
/** Share of its lease for which one message sequences batches. */
const LEASE_SHARE = 1 / 4;

/** The outbox handler of `sequencing.due`: anchors new checkpoints in the root log, then sequences new records. */
@Injectable()
export class SequencerHandler implements OnModuleInit {
  constructor(
    private readonly outbox: OutboxService,
    private readonly sequencer: Sequencer,
    private readonly anchoring: AnchorCheckpoints,
    @InjectSettings(outboxSettings) private readonly settings: OutboxSettings,
  ) {}

  onModuleInit(): void {
    this.outbox.register(
      backgroundJob({
        topics: [SEQUENCING_DUE],
        // The cursor's row lock allows one sequencer at a time.
        slotsMax: 1,
        attemptMaxMs: BATCH_USUAL_MS,
        run: (_message, signal) => this.run(signal),
        // The next message continues from the cursor.
        abandoned: DONE,
      }),
    );
  }

  private async run(signal: AbortSignal): Promise<AttemptResult<null>> {
    const deadlineMs = performance.now() + this.settings.leaseMs * LEASE_SHARE;
    await this.anchoring.anchorBatch();
    while (await this.sequencer.sequenceBatch())
      if (signal.aborted || performance.now() > deadlineMs) return { kind: 'snooze', afterMs: 0 };
    return DONE;
  }
}
