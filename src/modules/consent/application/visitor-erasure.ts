import { Injectable } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import type { KeyHolder } from '../domain/visitor-request.js';
import { hasVisitorRecords } from '../infrastructure/erasure.rows.js';
import { EraseRecords } from './erase-records.js';
import { ErasureService } from './erasure.service.js';
import { auditVisitorErasure, VISITOR } from './visitor-erasure-audit.js';

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
