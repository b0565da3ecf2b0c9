import type { EntityManager } from '@mikro-orm/postgresql';
import type { Attempt, OutboxMessage, Settled } from './domain/outbox-message.js';

/** Works through the messages of its topics. Every method may run twice for one message: a worker may die anywhere. */
export interface OutboxHandler<Outcome = unknown> {
  readonly topics: readonly string[];
  /** How long an attempt takes at most: a worker that stops waits so long for those under way. */
  readonly attemptMaxMs: number;
  /** Reads what a claimed batch needs, in one go, and gives back one attempt per message, in their order. */
  prepare(messages: OutboxMessage[]): Promise<Attempt<Outcome>[]>;
  /**
   * Writes what came of the messages, in the transaction in which their rows leave the outbox. Only
   * messages whose lease was still ours get here.
   */
  settle(tx: EntityManager, settled: Settled<Outcome>[]): Promise<void>;
  /** The outcome of a message whose workers died under it `OUTBOX_UNKNOWN_OUTCOMES_MAX` times. */
  giveUp(message: OutboxMessage): Outcome;
}
