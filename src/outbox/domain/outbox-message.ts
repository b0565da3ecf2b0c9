/** What a use case leaves behind for the worker, in its own transaction. */
export interface NewOutboxMessage {
  /** Messages of one key are claimed in their order, and share a worker's slots as one: a project's id, or a `namedKey`. */
  orderingKey: string;
  /** The project that it is about; null where none is, or nobody knows it yet. It goes with its project. */
  projectId: string | null;
  topic: string;
  /** UUID of what the message is about. */
  subjectId: string;
  /** Further facts, JSON. Stored events only gain fields: old messages outlive deploys. */
  payload?: Record<string, unknown>;
}

/** A message that this worker holds a lease on. */
export interface OutboxMessage {
  orderingKey: string;
  projectId: string | null;
  /** Position in the outbox; unique within the key. */
  id: number;
  topic: string;
  subjectId: string;
  payload: Record<string, unknown> | null;
  /** Earlier claims that ended without an outcome being written: worker deaths. */
  abandonedAttempts: number;
  /** Earlier attempts that threw or asked for a retry. */
  failures: number;
  createdAt: Date;
  /** By which opening of its throttle it was let through; null where it has none (`ClaimThrottle`). */
  probeNumber: number | null;
}

/** How one attempt ended. */
export type AttemptResult<Outcome> =
  /** The message is done with; `healthy` false makes the worker more careful with this key. */
  | { kind: 'settled'; outcome: Outcome; healthy: boolean }
  /** Nothing was attempted: this worker leaves the key alone for so long, and nothing is counted against the message. */
  | { kind: 'snooze'; afterMs: number }
  /** The message stays and is tried again after the wait. */
  | { kind: 'retry'; afterMs: number; error: string; outcome?: Outcome }
  /** The message becomes a dead letter: only an operator can help. */
  | { kind: 'dead'; error: string; outcome?: Outcome };

/** Does the work of one message. Expected failures are endings; a throw is a bug and counts against the message. */
export type Attempt<Outcome> = (signal: AbortSignal) => Promise<AttemptResult<Outcome>>;

/** A message and what came of it. */
export interface Settled<Outcome> {
  message: OutboxMessage;
  outcome: Outcome;
}

/** Why a message was put back or buried. */
export interface Failure<Outcome> {
  kind: 'retry' | 'dead';
  error: string;
  /** What the attempt says of it; null where it threw. */
  outcome: Outcome | null;
}

/** @throws Error where the message names no project: a bug of who appended it. */
export function projectOf({ projectId, topic, id }: OutboxMessage): string {
  if (projectId === null) throw new Error(`message ${id} of ${topic} names no project`);
  return projectId;
}
