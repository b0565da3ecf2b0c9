import { Injectable, type OnModuleInit } from '@nestjs/common';
import { OutboxService } from '../../outbox/outbox.service.js';
import type { OutboxHandler } from '../../outbox/outbox.handler.js';
import type { Attempt, AttemptResult, OutboxMessage } from '../../outbox/domain/outbox-message.js';
import { BUG_SCHEDULE } from '../../outbox/domain/retry-schedule.js';
import { type OutboxSettings, outboxSettings } from '../../outbox/outbox.settings.js';
import { InjectSettings } from '../../settings/inject-settings.js';
import { SEAL_DUE } from '../evidence.events.js';
import { SealRoots } from './seal-roots.js';
import { SealStored } from './seal-stored.js';

/** A step that has begun is ended; after it, a worker that stops need not wait for another one. */
const STEP_USUAL_MS = 5_000;
/** Share of its lease for which one message sequences batches. */
const LEASE_SHARE = 1 / 4;

/** Gives what was stored its places, and checkpoints theirs in the log of all: the outbox's handler of `seal.due`. */
@Injectable()
export class SealHandler implements OutboxHandler<null>, OnModuleInit {
  readonly topics = [SEAL_DUE];
  readonly retry = BUG_SCHEDULE;
  /** One at a time is all that the mark lets through. */
  readonly slotsMax = 1;
  readonly attemptMaxMs = STEP_USUAL_MS;
  /** What gives the places, step after step: here, or on a thread that a program has begun for it. */
  steps: Pick<SealStored, 'step'>;

  constructor(
    private readonly outbox: OutboxService,
    stored: SealStored,
    private readonly roots: SealRoots,
    @InjectSettings(outboxSettings) private readonly settings: OutboxSettings,
  ) {
    this.steps = stored;
  }

  onModuleInit(): void {
    this.outbox.register(this);
  }

  prepare(messages: OutboxMessage[]): Promise<Attempt<null>[]> {
    return Promise.resolve(messages.map(() => (signal: AbortSignal) => this.attempt(signal)));
  }

  private async attempt(signal: AbortSignal): Promise<AttemptResult<null>> {
    const deadlineMs = performance.now() + this.settings.leaseMs * LEASE_SHARE;
    await this.roots.step();
    while (await this.steps.step())
      if (signal.aborted || performance.now() > deadlineMs) return { kind: 'snooze', afterMs: 0 };
    return DONE;
  }

  /** Everything was decided in the step's own transaction. */
  settle(): Promise<void> {
    return Promise.resolve();
  }

  /** The next message continues where this one ended. */
  discard(): AttemptResult<null> {
    return DONE;
  }
}

const DONE = { kind: 'settled', outcome: null, healthy: true } as const;
