import { Injectable, type OnModuleInit } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { backgroundJob, DONE } from '../../../platform/outbox/outbox.handler.js';
import {
  BUG_SCHEDULE,
  projectOf,
  type AttemptResult,
} from '../../../platform/outbox/domain/outbox-message.js';
import { namedKey } from '../../../platform/outbox/domain/ordering-key.js';
import { OutboxService } from '../../../platform/outbox/outbox.service.js';
import { VISITOR_INDEX_REQUESTED } from '../domain/visitor-reference.js';
import {
  indexVisitors,
  isIndexing,
  startIndexing,
  stopIndexing,
} from '../infrastructure/visitor-index.rows.js';

/** Projects that a worker indexes at the same time: a low-priority task. */
const SLOTS = 1;
/** Time limit of one attempt; the next attempt continues. */
const ATTEMPT_MS = 20_000;
const ATTEMPT_MAX_MS = 30_000;
/**
 * Ingest statements time out after 5 s, so after this no insert made under the old settings can be
 * missed.
 */
const UNDER_WAY_SECONDS = 10;
/** How soon an erasure that waits for the index checks again. */
export const INDEX_WAIT_MS = 1_000;

/** Each batch commits, so crashed workers lose little; allow many retries. */
const TRIES_MAX = 20;
const SCHEDULE = { ...BUG_SCHEDULE, failuresMax: TRIES_MAX, abandonedAttemptsMax: TRIES_MAX };

/**
 * Indexes the records stored before a project set or changed its visitor field, as the ingest does
 * for new ones. Each batch updates the progress row in its own transaction, so after a crash the
 * next worker continues with the next batch.
 */
@Injectable()
export class VisitorIndex implements OnModuleInit {
  constructor(
    private readonly em: EntityManager,
    private readonly outbox: OutboxService,
  ) {}

  onModuleInit(): void {
    this.outbox.register(
      backgroundJob({
        topics: [VISITOR_INDEX_REQUESTED],
        retry: SCHEDULE,
        slotsMax: SLOTS,
        attemptMaxMs: ATTEMPT_MAX_MS,
        run: (message, signal) => this.run(projectOf(message), signal),
        abandoned: { kind: 'dead', error: 'The service was interrupted on every attempt to index records.' },
      }),
    );
  }

  /** Starts indexing from the first record, in the transaction that changes the settings. */
  async begin(tx: EntityManager, projectId: string): Promise<void> {
    if (await startIndexing(tx, projectId)) await this.outbox.appendAnew(tx, messageOf(projectId));
  }

  /** Stops indexing: no field identifies visitors any longer. */
  async end(tx: EntityManager, projectId: string): Promise<void> {
    await stopIndexing(tx, projectId);
  }

  /** Whether stored records are still being indexed. */
  async isUnderWay(projectId: string, em: EntityManager = this.em.fork()): Promise<boolean> {
    return isIndexing(em, projectId);
  }

  private async run(projectId: string, signal: AbortSignal): Promise<AttemptResult<null>> {
    const until = performance.now() + ATTEMPT_MS;
    for (;;) {
      const came = await this.em
        .fork()
        .transactional((tx) => indexVisitors(tx, projectId, UNDER_WAY_SECONDS));
      if (came === 'done') return DONE;
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
