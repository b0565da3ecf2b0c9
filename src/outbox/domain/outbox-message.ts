/** What a use case leaves behind for the worker, in its own transaction. */
export interface NewOutboxMessage {
  projectId: string;
  topic: string;
  /** UUID of what the message is about. */
  subjectId: string;
  /** Further facts, JSON. Stored events only gain fields: old messages outlive deploys. */
  payload?: Record<string, unknown>;
}

/** A message that this worker holds a lease on. */
export interface OutboxMessage {
  projectId: string;
  /** Position in the outbox; unique within the project. */
  id: string;
  topic: string;
  subjectId: string;
  payload: Record<string, unknown> | null;
  /** Earlier claims that ended without an outcome being written: worker deaths. */
  unknownOutcomes: number;
  /** Earlier attempts that threw or asked for a retry. */
  failures: number;
  createdAt: Date;
}

/** How one attempt ended. */
export type Ending<Outcome> =
  /** The message is done with; `healthy` false makes the worker more careful with this project. */
  | { kind: 'settled'; outcome: Outcome; healthy: boolean }
  /** Nothing was attempted: this worker leaves the project alone for so long, and nothing is counted against the message. */
  | { kind: 'put_off'; afterMs: number }
  /** The message stays and is tried again after the wait. */
  | { kind: 'retry'; afterMs: number; error: string };

/** Does the work of one message. Expected failures are endings; a throw is a bug and counts against the message. */
export type Attempt<Outcome> = (signal: AbortSignal) => Promise<Ending<Outcome>>;

/** A message and what came of it. */
export interface Settled<Outcome> {
  message: OutboxMessage;
  outcome: Outcome;
}

/** So many unknown outcomes, and a message is not attempted again (design §6.5). */
export const OUTBOX_UNKNOWN_OUTCOMES_MAX = 3;
