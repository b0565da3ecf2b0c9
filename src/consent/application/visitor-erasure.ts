import { Injectable } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { KeyHolder } from '../domain/visitor-request.js';
import { EraseRecords } from './erase-records.js';
import { ErasureService } from './erasure.service.js';
import { auditVisitorErasure, VISITOR } from './visitor-erasure-audit.js';

/** What came of a visitor's own wish. */
export interface KeyErasure {
  /** Records erased so far. */
  erased: number;
  /** false: there is more to erase, which a worker does. */
  finished: boolean;
}

const REASON = 'asked by the visitor with her key';

/** Erases what a visitor asks for with her key, as an owner's erasure does. Where there is nothing, nothing is written. */
@Injectable()
export class VisitorErasure {
  constructor(
    private readonly em: EntityManager,
    private readonly records: EraseRecords,
    private readonly erasures: ErasureService,
  ) {}

  /** All of her records that were received until now; null where nothing is stored under the key. */
  eraseAll({ projectId, visitorKeyHash }: KeyHolder): Promise<KeyErasure | null> {
    return this.em.fork().transactional(async (tx) => {
      const { rows } = await sql`
        select from consent_record where project_id = ${projectId} and visitor_key_hash = ${visitorKeyHash} limit 1
      `.execute(tx.getKysely());
      if (rows.length === 0) return null;
      const asked = { projectId, found: { visitorKeyHash }, reason: REASON, author: VISITOR };
      const { erased, finishedAt } = await this.erasures.request(tx, asked);
      return { erased, finished: finishedAt !== null };
    });
  }

  /** One of them; null where it is not hers. */
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
