import { randomBytes } from 'node:crypto';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { backgroundJob, DONE } from '../../../platform/outbox/outbox.handler.js';
import { namedKey } from '../../../platform/outbox/domain/ordering-key.js';
import {
  BUG_SCHEDULE,
  projectOf,
  type AttemptResult,
} from '../../../platform/outbox/domain/outbox-message.js';
import { OutboxService } from '../../../platform/outbox/outbox.service.js';
import { writeAudit } from '../../audit/audit.log.js';
import { diffStates } from '../../audit/domain/audit-event.js';
import type { Author } from '../../audit/domain/author.js';
import { ProjectService } from '../../projects/project.service.js';
import { VISITOR_INDEX_REQUESTED } from '../domain/visitor-reference.js';
import {
  findVisitorReference,
  indexVisitors,
  isIndexing,
  startIndexing,
  stopIndexing,
  writeVisitorReference,
} from '../infrastructure/visitor-reference.rows.js';

/** Projects that a worker indexes at the same time: a low-priority task. */
const SLOTS = 1;
/**
 * Ingest statements time out after 5 s, so after this no insert made under the old settings can be
 * missed.
 */
const UNDER_WAY_SECONDS = 10;
/** How soon a batch that has to wait is tried again. */
const INDEX_WAIT_MS = 1_000;

/** Time limit of one attempt; the next attempt continues. */
const ATTEMPT_MS = 20_000;
/** Each batch commits, so crashed workers lose little; allow many retries. */
const TRIES_MAX = 20;
/** Options of a background job that works in batches, with `runBatches`. */
export const BATCHED = {
  retry: { ...BUG_SCHEDULE, failuresMax: TRIES_MAX, abandonedAttemptsMax: TRIES_MAX },
  attemptMaxMs: 30_000,
};

/** Result of a batch. `waits`: the next one must wait. */
export type BatchEnd = 'more' | 'done' | 'waits';

/** Runs batches until there are none, one must wait, or the time of the attempt is over. */
export async function runBatches(
  batch: () => Promise<BatchEnd>,
  signal: AbortSignal,
): Promise<AttemptResult<null>> {
  const until = performance.now() + ATTEMPT_MS;
  for (;;) {
    const end = await batch();
    if (end === 'done') return DONE;
    if (end === 'waits') return { kind: 'snooze', afterMs: INDEX_WAIT_MS };
    if (signal.aborted || performance.now() > until) return { kind: 'snooze', afterMs: 0 };
  }
}

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
        ...BATCHED,
        slotsMax: SLOTS,
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

  private run(projectId: string, signal: AbortSignal): Promise<AttemptResult<null>> {
    return runBatches(
      () => this.em.fork().transactional((tx) => indexVisitors(tx, projectId, UNDER_WAY_SECONDS)),
      signal,
    );
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

const SALT_BYTES = 32;

/** How a project's records identify a visitor. */
export interface PrivacySettings {
  /** The name of the additional field; null: none. */
  visitorReferenceField: string | null;
  /** Whether only a salted hash of its value is stored and forwarded. */
  visitorReferenceHashed: boolean;
}

/** The settings, and whether they apply to all stored records. */
export interface PrivacyState extends PrivacySettings {
  /** Stored records are still being indexed; until then some records of a visitor are not found. */
  indexing: boolean;
}

/** Reads and saves how a project's visitors are found. */
@Injectable()
export class PrivacySettingsService {
  constructor(
    private readonly em: EntityManager,
    private readonly projects: ProjectService,
    private readonly index: VisitorIndex,
  ) {}

  async read(projectId: string): Promise<PrivacyState> {
    const settings = await read(this.em.fork(), projectId);
    return { ...settings, indexing: await this.index.isUnderWay(projectId) };
  }

  /**
   * Applies to new records; a worker updates the stored ones. Turning hashing off doesn't restore
   * values. The salt is never deleted. `check` gets the stored settings, and may throw.
   */
  async save(
    projectId: string,
    requested: PrivacySettings,
    author: Author,
    check: (stored: PrivacySettings) => void = () => {},
  ): Promise<PrivacyState> {
    await this.em.fork().transactional(async (tx) => {
      await this.projects.lock(tx, projectId);
      const stored = await read(tx, projectId);
      check(stored);
      const change = diffStates(stored, requested);
      if (!change) return;
      await writeVisitorReference(tx, projectId, {
        field: requested.visitorReferenceField,
        hashed: requested.visitorReferenceHashed,
        salt: randomBytes(SALT_BYTES),
      });
      if (requested.visitorReferenceField === null) await this.index.end(tx, projectId);
      else if (isOtherwiseKept(stored, requested)) await this.index.begin(tx, projectId);
      await writeAudit(tx, author, { projectId, action: 'privacy.save', ...change });
    });
    return this.read(projectId);
  }
}

/** Whether the new settings require indexing stored records again. */
function isOtherwiseKept(stored: PrivacySettings, requested: PrivacySettings): boolean {
  const isHashedNow = requested.visitorReferenceHashed && !stored.visitorReferenceHashed;
  return isHashedNow || stored.visitorReferenceField !== requested.visitorReferenceField;
}

async function read(em: EntityManager, projectId: string): Promise<PrivacySettings> {
  const { field, hashed } = await findVisitorReference(em, projectId);
  return { visitorReferenceField: field, visitorReferenceHashed: hashed };
}
