import { randomBytes } from 'node:crypto';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { ensurePartitions } from '../../platform/database/partitions.js';
import { OutboxService } from '../../platform/outbox/outbox.service.js';
import { ConsentHooks } from './consent.hooks.js';
import { CONSENT_RECORDS } from './infrastructure/consent-writer.js';
import {
  type ImportBatch,
  type ImportedRecord,
  type ImportOutcome,
  insertImported,
  judgeImported,
} from './infrastructure/imported-record.rows.js';

export type { ImportedRecord, ImportOutcome } from './infrastructure/imported-record.rows.js';

const SALT_BYTES = 32;

/** Stores consents that another product collected. */
@Injectable()
export class ImportedRecords {
  constructor(
    private readonly em: EntityManager,
    private readonly hooks: ConsentHooks,
    private readonly outbox: OutboxService,
  ) {}

  /** Creates the missing partitions for consents given in a period, outside of any transaction. */
  async prepare(period: { from: Date; to: Date }): Promise<void> {
    await ensurePartitions(this.em, CONSENT_RECORDS, period);
  }

  /** Stores a batch in the caller's transaction; returns the outcomes in the order of the records. */
  async store(
    tx: EntityManager,
    { forward, ...batch }: Omit<ImportBatch, 'forward' | 'salts'> & { forward: boolean },
  ): Promise<ImportOutcome[]> {
    if (!tx.isInTransaction()) throw new Error('Imported records must be stored in a transaction.');
    if (batch.records.length === 0) return [];
    const { areRecordsSalted, forwardingPredicate } = this.hooks.current;
    const outcomes = await insertImported(tx, {
      ...batch,
      forward: forward ? forwardingPredicate : null,
      salts: areRecordsSalted ? batch.records.map(() => randomBytes(SALT_BYTES)) : null,
    });
    if (forward) this.outbox.notifyAfterCommit(tx);
    return outcomes;
  }

  /** The outcomes that `store` would have. */
  async judge(projectId: string, records: readonly ImportedRecord[]): Promise<ImportOutcome[]> {
    return records.length === 0 ? [] : judgeImported(this.em.fork(), projectId, records);
  }
}
