import { Injectable, type OnModuleInit } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import {
  type Attempt,
  type AttemptResult,
  type OutboxMessage,
  projectOf,
} from '../../outbox/domain/outbox-message.js';
import { namedKey } from '../../outbox/domain/ordering-key.js';
import { BUG_SCHEDULE } from '../../outbox/domain/retry-schedule.js';
import type { OutboxHandler } from '../../outbox/outbox.handler.js';
import { OutboxService } from '../../outbox/outbox.service.js';
import { VISITOR_INDEX_REQUESTED } from '../domain/visitor-reference.js';
import {
  indexVisitors,
  isIndexing,
  startIndexing,
  stopIndexing,
} from '../infrastructure/visitor-index.rows.js';

/**
 * Projects that a worker indexes at the same time. It isn't urgent, and leaves the database to
 * others.
 */
const SLOTS = 1;
/** Time limit of one attempt; the next attempt continues. */
const ATTEMPT_MS = 20_000;
const ATTEMPT_MAX_MS = 30_000;
/**
 * The ingest gives a statement up after 5 s: by then no record is under way any more that is stored by the settings of
 * before, and that a walk could miss.
 */
const UNDER_WAY_SECONDS = 10;
/** How soon an erasure that waits for the index checks again. */
export const INDEX_WAIT_MS = 1_000;

/** Batches count for themselves, so workers that die under it are no reason to give it up soon. */
const TRIES_MAX = 20;
const SCHEDULE = { ...BUG_SCHEDULE, failuresMax: TRIES_MAX, abandonedAttemptsMax: TRIES_MAX };

/**
 * Indexes the records that were stored before a project set or changed its visitor field, as the
 * ingest does for new ones. A row keeps the progress, which each batch moves in its own
 * transaction. So a crash leaves whole batches, and the next worker continues.
 */
@Injectable()
export class VisitorIndex implements OutboxHandler<null>, OnModuleInit {
  readonly topics = [VISITOR_INDEX_REQUESTED];
  readonly retry = SCHEDULE;
  readonly slotsMax = SLOTS;
  readonly attemptMaxMs = ATTEMPT_MAX_MS;

  constructor(
    private readonly em: EntityManager,
    private readonly outbox: OutboxService,
  ) {}

  onModuleInit(): void {
    this.outbox.register(this);
  }

  /** Starts indexing from the first record, in the transaction that changes the settings. */
  async begin(tx: EntityManager, projectId: string): Promise<void> {
    if (await startIndexing(tx, projectId)) await this.outbox.appendAnew(tx, messageOf(projectId));
  }

  /** Stops indexing: no field identifies visitors any more. */
  async end(tx: EntityManager, projectId: string): Promise<void> {
    await stopIndexing(tx, projectId);
  }

  /** Whether stored records are still being indexed. */
  async isUnderWay(projectId: string, em: EntityManager = this.em.fork()): Promise<boolean> {
    return isIndexing(em, projectId);
  }

  prepare(messages: OutboxMessage[]): Promise<Attempt<null>[]> {
    return Promise.resolve(messages.map((message) => (signal) => this.attempt(projectOf(message), signal)));
  }

  async settle(): Promise<void> {}

  discard(): AttemptResult<null> {
    return { kind: 'dead', error: 'The service was interrupted on every attempt to index records.' };
  }

  private async attempt(projectId: string, signal: AbortSignal): Promise<AttemptResult<null>> {
    const until = performance.now() + ATTEMPT_MS;
    for (;;) {
      const came = await this.em
        .fork()
        .transactional((tx) => indexVisitors(tx, projectId, UNDER_WAY_SECONDS));
      if (came === 'done') return { kind: 'settled', outcome: null, healthy: true };
      if (came === 'too_soon') return { kind: 'snooze', afterMs: INDEX_WAIT_MS };
      if (signal.aborted || performance.now() > until) return { kind: 'snooze', afterMs: 0 };
    }
  }
}

function messageOf(projectId: string) {
  return {
    orderingKey: namedKey(`visitor-index:${projectId}`),
    projectId,
    topic: VISITOR_INDEX_REQUESTED,
    subjectId: projectId,
  };
}
