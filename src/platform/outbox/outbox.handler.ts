import type { EntityManager } from '@mikro-orm/postgresql';
import type { RawBuilder } from 'kysely';
import type { ListValue } from '../database/list-literal.js';
import {
  BUG_SCHEDULE,
  type Attempt,
  type AttemptResult,
  type Failure,
  type OutboxMessage,
  type RetrySchedule,
  type Settled,
} from './domain/outbox-message.js';

/** How simple outcomes are written: in the statement that deletes their messages, without a transaction. */
export interface SingleStatementSettlement<Outcome = unknown> {
  /** Name of the prepared statement; unique among handlers. */
  readonly name: string;
  /** Columns of an outcome, with their database types. */
  readonly columns: readonly { name: string; type: string }[];
  /** Column values; null if the outcome needs `OutboxHandler.settle`. */
  valuesOf(settled: Settled<Outcome>): ListValue[] | null;
  /** The condition under which a message needs `OutboxHandler.settle`. Without parameters (`sql.lit`). */
  unless(message: { projectId: RawBuilder<string> }): RawBuilder<unknown>;
  /**
   * Common table expressions that write the outcomes, without parameters. `removed` is a table of the deleted messages:
   * `project_id`, `subject_id`, and the columns of the outcome.
   */
  writes(tables: { removed: RawBuilder<unknown> }): RawBuilder<unknown>;
  /** Called with the settled entries. */
  written(settled: Settled<Outcome>[]): void;
}

/**
 * Processes the messages of its topics. Every method may run twice for one message, because workers may die at any
 * point.
 */
export interface OutboxHandler<Outcome = unknown> {
  readonly topics: readonly string[];
  /** When a message is retried, and when it becomes a dead letter. */
  readonly retry: RetrySchedule;
  /**
   * Concurrent messages of one topic in a worker, claimed or in progress; absent: limited by its
   * slots.
   */
  readonly slotsMax?: number;
  /** Of these, messages of one ordering key; absent: limited by `slotsMax`. Requires `slotsMax`. */
  readonly slotsPerKeyMax?: number;
  /**
   * Whether its topics may have claim throttles (`OutboxService.setThrottles`). Such a topic has no `slotsMax` and
   * is not in the index `outbox_message_unthrottled`, which finds the other messages of a throttled key.
   */
  readonly throttled?: boolean;
  /** Longest duration of an attempt; a stopping worker waits this long. */
  readonly attemptMaxMs: number;
  /** Reads the data of a claimed batch at once; returns one attempt per message, in order. */
  prepare(messages: OutboxMessage[]): Promise<Attempt<Outcome>[]>;
  /**
   * Writes the outcomes in the transaction that deletes the messages. Called only for messages with
   * a valid lease.
   */
  settle(tx: EntityManager, settled: Settled<Outcome>[]): Promise<void>;
  /**
   * Logs outcomes whose lease expired before they were written: another worker repeats the attempt.
   * May run twice for an outcome, also for one that `settle` has written. Absent: such outcomes are
   * dropped.
   */
  settleLate?(tx: EntityManager, settled: Settled<Outcome>[]): Promise<void>;
  /** Absent: all outcomes use `settle`. In a batch, either all outcomes of a key use it or none. */
  readonly singleStatement?: SingleStatementSettlement<Outcome>;
  /** The result for a message whose workers died too often to try again. */
  discard(message: OutboxMessage): AttemptResult<Outcome>;
  /** Records a retry or dead letter in its transaction; absent: nothing to record. */
  failed?(tx: EntityManager, message: OutboxMessage, failure: Failure<Outcome>): Promise<void>;
}

/** A message that needs no further attempt. */
export const DONE = { kind: 'settled', outcome: null, healthy: true } as const;

/** A handler that processes each message on its own and has stored everything when it returns. */
interface BackgroundJob<Outcome = null> extends Pick<
  OutboxHandler<Outcome>,
  'topics' | 'slotsMax' | 'slotsPerKeyMax' | 'attemptMaxMs' | 'failed'
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
