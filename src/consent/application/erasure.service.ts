import { Injectable, type OnModuleInit } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { writeAudit } from '../../audit/audit.log.js';
import type { Author } from '../../audit/domain/author.js';
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
import { DomainError } from '../../shared/domain-error.js';
import { isUuid, newId } from '../../shared/ids.js';
import { ERASE_BATCH_MAX, ERASURE_REQUESTED, type VisitorHash } from '../domain/erasure.js';
import { visitorHash } from '../domain/visitor-reference.js';
import { findVisitorReference } from '../infrastructure/visitor-reference.rows.js';
import { EraseRecords } from './erase-records.js';
import { auditVisitorErasure } from './visitor-erasure-audit.js';
import { INDEX_WAIT_MS, VisitorIndex } from './visitor-index.js';

/** Requests that a worker processes at the same time. */
const SLOTS = 2;
/** Time limit of one attempt; the next attempt continues. */
const ATTEMPT_MS = 20_000;
const ATTEMPT_MAX_MS = 30_000;

/**
 * Each batch commits separately, so even many workers that die during a request are no reason to
 * discard it.
 */
const TRIES_MAX = 20;
const SCHEDULE = { ...BUG_SCHEDULE, failuresMax: TRIES_MAX, abandonedAttemptsMax: TRIES_MAX };

/** The records to erase, and who requested it. */
export interface VisitorErasureRequest {
  projectId: string;
  found: VisitorHash;
  reason: string;
  author: Author;
}

/** Result of a batch. `waits`: not all records of the visitor can be found yet. */
type BatchEnd = 'more' | 'done' | 'waits';

/** An erasure requested by an owner, and its progress. */
export interface Erasure {
  id: string;
  reason: string;
  requestedAt: Date;
  /** Records erased so far. */
  erased: number;
  /** null: a worker erases the rest. */
  finishedAt: Date | null;
}

/**
 * Erases records for a stated reason: one by its id, or all records of a visitor received up to the
 * request. The request is a row, and each batch of records is deleted in the transaction that adds
 * it to the row's counter. So a crash leaves whole batches, and the next worker continues.
 */
@Injectable()
export class ErasureService implements OutboxHandler<null>, OnModuleInit {
  readonly topics = [ERASURE_REQUESTED];
  readonly retry = SCHEDULE;
  readonly slotsMax = SLOTS;
  readonly attemptMaxMs = ATTEMPT_MAX_MS;

  constructor(
    private readonly em: EntityManager,
    private readonly records: EraseRecords,
    private readonly outbox: OutboxService,
    private readonly index: VisitorIndex,
  ) {}

  onModuleInit(): void {
    this.outbox.register(this);
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
   * Erases the first batch before it returns, which is enough for nearly every visitor; a worker
   * erases the rest. While stored records are being indexed by visitor, the worker waits for that
   * and then erases all of them.
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
      const { rows } = await sql<{ visitorKeyHash: Buffer | null }>`
        select visitor_key_hash as "visitorKeyHash" from consent_record
        where project_id = ${projectId} and id = ${isUuid(consentId) ? consentId : null}::uuid
      `.execute(tx.getKysely());
      if (!rows[0]) throw consentNotFound();
      const { visitorKeyHash } = rows[0];
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
    const [visitorHash, visitorKeyHash] =
      'visitorHash' in found ? [found.visitorHash, null] : [null, found.visitorKeyHash];
    await sql`
      insert into erasure_request (project_id, id, visitor_hash, visitor_key_hash, reason)
      values (${projectId}, ${id}, ${visitorHash}, ${visitorKeyHash}, ${reason})
    `.execute(tx.getKysely());
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
    const { rows } = await sql<Erasure>`
      select id, reason, requested_at as "requestedAt", erased, finished_at as "finishedAt"
      from erasure_request where project_id = ${projectId} and id = ${isUuid(id) ? id : null}::uuid
    `.execute(em.getKysely());
    if (!rows[0]) throw new DomainError('erasure_not_found', 'Erasure not found in this project.');
    return rows[0];
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

  prepare(messages: OutboxMessage[]): Promise<Attempt<null>[]> {
    return Promise.resolve(messages.map((message) => (signal) => this.attempt(message, signal)));
  }

  async settle(): Promise<void> {}

  /**
   * An erasure request is not discarded: it becomes a dead letter, which operators are alerted to.
   */
  discard(): AttemptResult<null> {
    return { kind: 'dead', error: 'The service was interrupted on every attempt to erase.' };
  }

  private async attempt(message: OutboxMessage, signal: AbortSignal): Promise<AttemptResult<null>> {
    const ref = { projectId: projectOf(message), id: message.subjectId };
    const until = performance.now() + ATTEMPT_MS;
    for (;;) {
      const end = await this.em.fork().transactional((tx) => this.eraseBatch(tx, ref));
      if (end === 'done') return { kind: 'settled', outcome: null, healthy: true };
      if (end === 'waits') return { kind: 'snooze', afterMs: INDEX_WAIT_MS };
      if (signal.aborted || performance.now() > until) return { kind: 'snooze', afterMs: 0 };
    }
  }

  /** Erases a batch of a request and counts it there. */
  private async eraseBatch(tx: EntityManager, ref: { projectId: string; id: string }): Promise<BatchEnd> {
    const { projectId, id } = ref;
    const { rows } = await sql<{
      visitorHash: Buffer | null;
      visitorKeyHash: Buffer | null;
      requestedAt: Date;
    }>`
      select visitor_hash as "visitorHash", visitor_key_hash as "visitorKeyHash", requested_at as "requestedAt"
      from erasure_request
      where project_id = ${projectId} and id = ${id} for update
    `.execute(tx.getKysely());
    const [request] = rows;
    // The request is finished, or deleted with its project.
    const found = request && hashOfRequest(request);
    if (!found) return 'done';
    if ('visitorHash' in found && (await this.index.isUnderWay(projectId, tx))) return 'waits';
    const selector = { projectId, ...found, receivedBy: request.requestedAt };
    const erased = await this.records.erase(tx, selector, { limit: ERASE_BATCH_MAX });
    const left = erased.length === ERASE_BATCH_MAX;
    await sql`
      update erasure_request
      set erased = erased + ${erased.length},
          visitor_hash = case when ${left} then visitor_hash end,
          visitor_key_hash = case when ${left} then visitor_key_hash end,
          finished_at = case when not ${left} then now() end
      where project_id = ${projectId} and id = ${id}
    `.execute(tx.getKysely());
    return left ? 'more' : 'done';
  }
}

/** The one of the two hashes that the request has; null once it is finished. */
function hashOfRequest(request: {
  visitorHash: Buffer | null;
  visitorKeyHash: Buffer | null;
}): VisitorHash | null {
  const { visitorHash, visitorKeyHash } = request;
  if (visitorHash) return { visitorHash };
  return visitorKeyHash && { visitorKeyHash };
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
