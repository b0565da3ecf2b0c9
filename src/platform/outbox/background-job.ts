import type { AttemptResult, OutboxMessage } from './domain/outbox-message.js';
import { BUG_SCHEDULE, type RetrySchedule } from './domain/retry-schedule.js';
import type { OutboxHandler } from './outbox.handler.js';

/** A message that needs no further attempt. */
export const DONE = { kind: 'settled', outcome: null, healthy: true } as const;

/** A handler that processes each message on its own and has stored everything when it returns. */
export interface BackgroundJob<Outcome = null> extends Pick<
  OutboxHandler<Outcome>,
  'topics' | 'slotsMax' | 'slotsPerKeyMax' | 'attemptMaxMs'
> {
  /** By default `BUG_SCHEDULE`. */
  retry?: RetrySchedule;
  /** Runs for one message, perhaps twice: workers may die at any point. `signal`: the worker stops. */
  run(message: OutboxMessage, signal: AbortSignal): Promise<AttemptResult<Outcome>>;
  /** The result for a message whose workers died too often to try again. */
  abandoned: AttemptResult<Outcome>;
}

/** The handler of a job, for `OutboxService.register`. */
export function backgroundJob<Outcome = null>({
  retry = BUG_SCHEDULE,
  run,
  abandoned,
  ...options
}: BackgroundJob<Outcome>): OutboxHandler<Outcome> {
  return {
    ...options,
    retry,
    prepare: (messages) =>
      Promise.resolve(messages.map((message) => (signal: AbortSignal) => run(message, signal))),
    settle: () => Promise.resolve(),
    discard: () => abandoned,
  };
}
