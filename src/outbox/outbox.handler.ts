import type { EntityManager } from '@mikro-orm/postgresql';
import type { Attempt, AttemptResult, Failure, OutboxMessage, Settled } from './domain/outbox-message.js';
import type { ListValue } from '../shared/list-literal.js';
import type { RetrySchedule } from './domain/retry-schedule.js';

/**
 * How outcomes that nobody has to think about are written: in the very statement that takes their messages out of the
 * outbox, where the others take a transaction.
 */
export interface SingleStatementSettlement<Outcome = unknown> {
  /** Of the prepared statement; no other handler's. */
  readonly name: string;
  /** What an outcome brings along, and its type in the database. */
  readonly columns: readonly { name: string; type: string }[];
  /** The values of the columns; null where the outcome takes `OutboxHandler.settle`. */
  valuesOf(settled: Settled<Outcome>): ListValue[] | null;
  /** A condition in SQL on a message `m` under which it takes `OutboxHandler.settle`. */
  readonly unless: string;
  /** Common table expressions that write the rows of `removed`: `project_id`, `subject_id` and the columns. */
  readonly writes: string;
  /** Told of what has been written so. */
  written(settled: Settled<Outcome>[]): void;
}

/** Works through the messages of its topics. Every method may run twice for one message: a worker may die anywhere. */
export interface OutboxHandler<Outcome = unknown> {
  readonly topics: readonly string[];
  /** When a message is tried again, and when it is a dead letter. */
  readonly retry: RetrySchedule;
  /** Messages of one topic that a worker has claimed or under way at once; absent: as many as its slots allow. */
  readonly slotsMax?: number;
  /** Of those, messages of one ordering key; absent: as many as `slotsMax` allows. Needs a `slotsMax`. */
  readonly slotsPerKeyMax?: number;
  /**
   * Whether throttles may be put before its topics (`OutboxService.setThrottles`). Such a topic has no `slotsMax`, and an index
   * of the outbox leaves it out, by which what else has the same ordering key is found (`outbox_message_unthrottled`).
   */
  readonly throttled?: boolean;
  /** How long an attempt takes at most; a worker that stops waits so long for those under way. */
  readonly attemptMaxMs: number;
  /** Reads what a claimed batch needs, in one go, and gives back one attempt per message, in their order. */
  prepare(messages: OutboxMessage[]): Promise<Attempt<Outcome>[]>;
  /**
   * Writes what came of the messages, in the transaction in which their rows leave the outbox. Only
   * messages whose lease was still ours get here.
   */
  settle(tx: EntityManager, settled: Settled<Outcome>[]): Promise<void>;
  /**
   * Logs outcomes whose lease had ended before they could be written: another worker has repeated the attempt, or will.
   * May run twice for one outcome, and for one that `settle` has written. Absent: such outcomes are dropped.
   */
  settleLate?(tx: EntityManager, settled: Settled<Outcome>[]): Promise<void>;
  /** Absent: all outcomes take `settle`. Of one ordering key either all of a batch do, or none. */
  readonly singleStatement?: SingleStatementSettlement<Outcome>;
  /** What becomes of a message whose workers died under it so often that it is not attempted again. */
  discard(message: OutboxMessage): AttemptResult<Outcome>;
  /** Writes that a message was put back or buried, and why, in the transaction in which it is; absent: nobody need know. */
  failed?(tx: EntityManager, message: OutboxMessage, failure: Failure<Outcome>): Promise<void>;
}
