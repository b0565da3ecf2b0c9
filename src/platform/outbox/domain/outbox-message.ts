import { backOffMs, type BackOff } from '../../time/back-off.js';

/** A message that a use case queues for the workers, in its own transaction. */
export interface NewOutboxMessage {
  /** Messages of one key are claimed in order and share slots: a project id or a `namedKey`. */
  orderingKey: string;
  /** The project of the message; null: none, or unknown. Deleted with its project. */
  projectId: string | null;
  topic: string;
  /** UUID of the message's subject. */
  subjectId: string;
  /** JSON. Only add fields: old messages outlive deploys. */
  payload?: Record<string, unknown>;
}

/** A message leased by this worker. */
export interface OutboxMessage {
  /** The partition that the message is in while it is leased. */
  part: number;
  orderingKey: string;
  projectId: string | null;
  /** Position in the outbox; unique within the key. */
  id: number;
  topic: string;
  subjectId: string;
  payload: Record<string, unknown> | null;
  /** Earlier claims without a recorded outcome, because the worker died. */
  abandonedAttempts: number;
  /** Earlier attempts that threw or requested a retry. */
  failures: number;
  createdAt: Date;
  /** The claim of its throttle that released it; null if the key has no throttle. */
  probeNumber: number | null;
}

/** How one attempt ended. */
export type AttemptResult<Outcome> =
  /** The message is finished; `healthy` false reduces the concurrency of its key. */
  | { kind: 'settled'; outcome: Outcome; healthy: boolean }
  /** Nothing was attempted. This worker pauses the key; no failure is counted. */
  | { kind: 'snooze'; afterMs: number }
  /** The message is tried again after the delay. */
  | { kind: 'retry'; afterMs: number; error: string; outcome?: Outcome }
  /** The message becomes a dead letter, which needs an operator. */
  | { kind: 'dead'; error: string; outcome?: Outcome };

/** Processes one message. Expected failures are results; a throw is a bug and counts as a failure. */
export type Attempt<Outcome> = (signal: AbortSignal) => Promise<AttemptResult<Outcome>>;

/** A message with its outcome. */
export interface Settled<Outcome> {
  message: OutboxMessage;
  outcome: Outcome;
}

/** Why a message is retried or became a dead letter. */
export interface Failure<Outcome> {
  kind: 'retry' | 'dead';
  error: string;
  /** Outcome of the attempt; null if it threw. */
  outcome: Outcome | null;
}

/** @throws Error if the message names no project, a bug of its producer. */
export function projectOf({ projectId, topic, id }: OutboxMessage): string {
  if (projectId === null) throw new Error(`message ${id} of ${topic} names no project`);
  return projectId;
}

/** When a message is retried after its handler threw, and when it becomes a dead letter. */
export interface RetrySchedule {
  /** Failures after which the message becomes a dead letter. */
  readonly failuresMax: number;
  /** Claims without an outcome (each a dead worker) after which the handler discards the message (design §6.5). */
  readonly abandonedAttemptsMax: number;
  /** The delay after the n-th failure. */
  delayMs(failures: number): number;
}

/** Throws after which a message becomes a dead letter. */
const OUTBOX_FAILURES_MAX = 8;
const SOON: BackOff = { baseMs: 1_000, factor: 2, longestMs: 5 * 60_000 };

/** For topics whose handlers throw only because of bugs: two minutes of retries, then an operator must act. */
export const BUG_SCHEDULE: RetrySchedule = {
  failuresMax: OUTBOX_FAILURES_MAX,
  abandonedAttemptsMax: 3,
  delayMs: (failures) => backOffMs(failures, SOON),
};
