import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { writeEvents } from '../../events/event.log.js';
import { DomainError } from '../../../platform/errors/domain-error.js';
import { isUuid, newId } from '../../../platform/identity/ids.js';
import { Maintenance } from '../../../platform/operations/maintenance.js';
import { backgroundJob } from '../../../platform/outbox/outbox.handler.js';
import { namedKey } from '../../../platform/outbox/domain/ordering-key.js';
import {
  projectOf,
  type AttemptResult,
  type OutboxMessage,
} from '../../../platform/outbox/domain/outbox-message.js';
import { OutboxService } from '../../../platform/outbox/outbox.service.js';
import { writeAudit, type Change } from '../../audit/audit.log.js';
import type { Author } from '../../audit/domain/author.js';
import {
  ERASE_BATCH_MAX,
  ERASURE_REQUESTED,
  VISITOR_ERASURES_LISTED_PER_HOUR,
  type VisitorHash,
} from '../domain/erasure.js';
import { visitorHash } from '../domain/visitor-reference.js';
import type { KeyHolder } from '../domain/visitor-request.js';
import {
  countErased,
  countVisitorErasure,
  type Erasure,
  findVisitorKeyHash,
  hasVisitorRecords,
  insertErasureRequest,
  lockErasureRequest,
  readErasure,
  reserveErasureHours,
} from '../infrastructure/erasure.rows.js';
import { findVisitorReference } from '../infrastructure/visitor-reference.rows.js';
import { EraseRecords } from './erase-records.js';
import { BATCHED, type BatchEnd, runBatches, VisitorIndex } from './privacy-settings.service.js';

/** Requests that a worker processes at the same time. */
const SLOTS = 2;

/** The records to erase, and who requested it. */
export interface VisitorErasureRequest {
  projectId: string;
  found: VisitorHash;
  reason: string;
  author: Author;
}

/**
 * Erases records for a stated reason: one by its id, or all records of a visitor received before
 * the request. The request is a row, and each batch of records is deleted in the transaction that
 * adds it to the row's counter. So after a crash the next worker continues with the next batch.
 */
@Injectable()
export class ErasureService implements OnModuleInit {
  constructor(
    private readonly em: EntityManager,
    private readonly records: EraseRecords,
    private readonly outbox: OutboxService,
    private readonly index: VisitorIndex,
  ) {}

  onModuleInit(): void {
    this.outbox.register(
      backgroundJob({
        topics: [ERASURE_REQUESTED],
        ...BATCHED,
        slotsMax: SLOTS,
        run: (message, signal) => this.run(message, signal),
        // Never discarded: operators are alerted to dead letters.
        abandoned: { kind: 'dead', error: 'The service was interrupted on every attempt to erase.' },
      }),
    );
  }

  /** @throws DomainError `consent_not_found` */
  async eraseOne(
    { projectId, consentId }: { projectId: string; consentId: string },
    reason: string,
    author: Author,
  ): Promise<void> {
    await this.em.fork().transactional(async (tx) => {
      const consentIds = isUuid(consentId) ? [consentId.toLowerCase()] : [];
      const [target] = await this.records.erase(tx, { projectId, consentIds }, { limit: 1 });
      if (target === undefined) throw consentNotFound();
      await writeAudit(tx, author, { projectId, action: 'consent.erase', target, after: { reason } });
    });
  }

  /**
   * Erases the first batch before it returns, which covers nearly every visitor; a worker erases
   * the rest. While stored records are being indexed by visitor, the worker waits for the index and
   * then erases all of them.
   * @throws DomainError `visitor_reference_not_configured`
   */
  async eraseVisitor(
    projectId: string,
    visitorReference: string,
    reason: string,
    author: Author,
  ): Promise<Erasure> {
    const found = { visitorHash: await this.hashOf(projectId, visitorReference) };
    return this.em.fork().transactional((tx) => this.request(tx, { projectId, found, reason, author }));
  }

  /**
   * Like `eraseVisitor`, for all records with the same visitor key as this one.
   * @throws DomainError `consent_not_found`, `visitor_key_missing`
   */
  async eraseVisitorOf(
    { projectId, consentId }: { projectId: string; consentId: string },
    reason: string,
    author: Author,
  ): Promise<Erasure> {
    return this.em.fork().transactional(async (tx) => {
      const visitorKeyHash = isUuid(consentId)
        ? await findVisitorKeyHash(tx, projectId, consentId)
        : undefined;
      if (visitorKeyHash === undefined) throw consentNotFound();
      if (!visitorKeyHash)
        throw new DomainError(
          'visitor_key_missing',
          'This record has no visitor key. Erase it individually.',
        );
      return this.request(tx, { projectId, found: { visitorKeyHash }, reason, author });
    });
  }

  /** Stores a request, erases its first batch, and queues the rest; in the caller's transaction. */
  async request(
    tx: EntityManager,
    { projectId, found, reason, author }: VisitorErasureRequest,
  ): Promise<Erasure> {
    const id = newId();
    await insertErasureRequest(tx, { projectId, id }, { visitor: found, reason });
    const left = (await this.eraseBatch(tx, { projectId, id })) !== 'done';
    if (left) await this.outbox.append(tx, messageOf(projectId, id));
    const request = await this.read(projectId, id, tx);
    const { erased } = request;
    const after = { reason, erasedAtOnce: erased, more: left };
    const change = { projectId, action: 'visitor.erase', target: id, after } as const;
    if (author.kind === 'visitor') await auditVisitorErasure(tx, change);
    else await writeAudit(tx, author, change);
    return request;
  }

  /** @throws DomainError `erasure_not_found` */
  async read(projectId: string, id: string, em: EntityManager = this.em.fork()): Promise<Erasure> {
    const found = isUuid(id) ? await readErasure(em, { projectId, id }) : null;
    if (!found) throw new DomainError('erasure_not_found', 'Erasure not found in this project.');
    return found;
  }

  /**
   * The hash by which a visitor's records are found.
   * @throws DomainError `visitor_reference_not_configured`
   */
  async hashOf(projectId: string, visitorReference: string): Promise<Buffer> {
    const { field, salt } = await findVisitorReference(this.em.fork(), projectId);
    if (field !== null && salt !== null) return visitorHash(salt, visitorReference);
    throw new DomainError(
      'visitor_reference_not_configured',
      'No visitor field is configured for this project. Set one in its privacy settings, or use record ids.',
    );
  }

  private async run(message: OutboxMessage, signal: AbortSignal): Promise<AttemptResult<null>> {
    const ref = { projectId: projectOf(message), id: message.subjectId };
    return runBatches(() => this.em.fork().transactional((tx) => this.eraseBatch(tx, ref)), signal);
  }

  /** Erases a batch of a request and counts it there. `waits`: the visitor's records are not all indexed yet. */
  private async eraseBatch(tx: EntityManager, ref: { projectId: string; id: string }): Promise<BatchEnd> {
    const { projectId } = ref;
    const request = await lockErasureRequest(tx, ref);
    if (!request) return 'done';
    const { visitor, requestedAt: receivedBy } = request;
    if ('visitorHash' in visitor && (await this.index.isUnderWay(projectId, tx))) return 'waits';
    const erased = await this.records.erase(
      tx,
      { projectId, ...visitor, receivedBy },
      { limit: ERASE_BATCH_MAX },
    );
    const left = erased.length === ERASE_BATCH_MAX;
    const total = await countErased(tx, ref, { erased: erased.length, left });
    if (!left) {
      const data = { erased: total };
      await writeEvents(tx, projectId, [{ type: 'erasure.completed', id: ref.id, data }]);
    }
    return left ? 'more' : 'done';
  }
}

function consentNotFound(): DomainError {
  return new DomainError('consent_not_found', 'Consent record not found in this project.');
}

function messageOf(projectId: string, id: string) {
  return {
    orderingKey: namedKey(`erasure:${projectId}`),
    projectId,
    topic: ERASURE_REQUESTED,
    subjectId: id,
  };
}

/** Progress of an erasure that a visitor requested. */
export interface KeyErasure {
  /** Records erased so far. */
  erased: number;
  /** false: a worker erases the rest. */
  finished: boolean;
}

const REASON = 'requested by the visitor with their key';

/**
 * Erases records on request of a visitor, authorized by their key, as an owner's erasure does.
 * Writes nothing if no record matches.
 */
@Injectable()
export class VisitorErasure {
  constructor(
    private readonly em: EntityManager,
    private readonly records: EraseRecords,
    private readonly erasures: ErasureService,
  ) {}

  /** Erases all records of the visitor received so far; null: none is stored under the key. */
  eraseAll({ projectId, visitorKeyHash }: KeyHolder): Promise<KeyErasure | null> {
    return this.em.fork().transactional(async (tx) => {
      if (!(await hasVisitorRecords(tx, projectId, visitorKeyHash))) return null;
      const request = { projectId, found: { visitorKeyHash }, reason: REASON, author: VISITOR };
      const { erased, finishedAt } = await this.erasures.request(tx, request);
      return { erased, finished: finishedAt !== null };
    });
  }

  /** Erases one record; null: it is not stored under this key. */
  eraseOne({ projectId, visitorKeyHash }: KeyHolder, consentId: string): Promise<KeyErasure | null> {
    return this.em.fork().transactional(async (tx) => {
      const [target] = await this.records.erase(
        tx,
        { projectId, consentIds: [consentId], visitorKeyHash },
        { limit: 1 },
      );
      if (target === undefined) return null;
      const after = { reason: REASON };
      await auditVisitorErasure(tx, { projectId, action: 'consent.erase', target, after });
      return { erased: 1, finished: true };
    });
  }
}

/** The author in the audit log: a holder of a visitor key. Nothing else is known about them. */
const VISITOR: Author = { kind: 'visitor' };

const SUMMARY_EVERY_MS = 10 * 60_000;
/** Hours of projects that one transaction summarizes. */
const HOURS_AT_ONCE = 500;

/**
 * Audits an erasure made by a visitor, in its transaction. Anyone can store records and erase them
 * again, so a project gets a limited number of such events per hour; the others are counted, and
 * summarized in one event.
 */
async function auditVisitorErasure(tx: EntityManager, change: Change & { projectId: string }): Promise<void> {
  const erasures = await countVisitorErasure(tx, change.projectId);
  if (erasures <= VISITOR_ERASURES_LISTED_PER_HOUR) await writeAudit(tx, VISITOR, change);
}

/** Writes one event for the uncounted erasures of each past hour, and deletes the hour's counter. */
@Injectable()
export class SummarizeVisitorErasures implements OnModuleInit {
  constructor(
    private readonly em: EntityManager,
    private readonly maintenance: Maintenance,
  ) {}

  onModuleInit(): void {
    this.maintenance.register({
      name: 'visitor-erasures',
      everyMs: SUMMARY_EVERY_MS,
      run: () => this.summarize(),
    });
  }

  /** Returns the number of deleted counters. */
  async summarize(): Promise<number> {
    let total = 0;
    for (;;) {
      const forgotten = await this.em.fork().transactional((tx) => this.summarizeBatch(tx));
      total += forgotten;
      if (forgotten < HOURS_AT_ONCE) return total;
    }
  }

  private async summarizeBatch(tx: EntityManager): Promise<number> {
    const hours = await reserveErasureHours(tx, HOURS_AT_ONCE);
    for (const { projectId, at, until, erasures } of hours) {
      const unlisted = erasures - VISITOR_ERASURES_LISTED_PER_HOUR;
      if (unlisted <= 0) continue;
      const after = { erasures: unlisted, from: at.toISOString(), to: until.toISOString() };
      await writeAudit(tx, VISITOR, { projectId, action: 'visitor.erase', after });
    }
    return hours.length;
  }
}
