import { Inject, Injectable } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { PreparedReads, type Reads } from '../../platform/database/prepared-reads.js';
import { type ConsentRecorded, type ConsentRef } from './domain/consent-recorded.js';
import { existingRecords, findErasedAt, loadRecords, lockRecords } from './infrastructure/record.rows.js';
import {
  committedHorizon,
  issueSalts,
  type Horizon,
  type StoredEvent,
  storedOfProject,
  type StoredProjectPage,
  storedSince,
  type StoredSlice,
} from './infrastructure/stored-since.js';

export { joinRecord } from './infrastructure/record.rows.js';
export { committedHorizon, storedOfProject } from './infrastructure/stored-since.js';
export { listUnexplained } from './infrastructure/erasure-audit.rows.js';
export { findVisitorReference } from './infrastructure/visitor-reference.rows.js';
export type { Horizon, StoredEvent, RecordPosition } from './infrastructure/stored-since.js';

/** Stored consent records, for other modules to read. */
@Injectable()
export class ConsentRecords {
  constructor(
    private readonly em: EntityManager,
    @Inject(PreparedReads) private readonly reads: Reads,
  ) {}

  /** Reads records by id, keyed by `consentKey`. Deleted records are missing from the map. */
  load(refs: readonly ConsentRef[]): Promise<Map<string, ConsentRecorded>> {
    return loadRecords(this.reads, refs);
  }

  /** Returns the ids that are a record of the project, in the order given. */
  existing(tx: EntityManager, projectId: string, consentIds: readonly string[]): Promise<string[]> {
    return existingRecords(tx, projectId, consentIds);
  }

  /** Returns the keys of the records that exist, and locks them: an erasure waits until the transaction ends. */
  lockExisting(tx: EntityManager, refs: readonly ConsentRef[]): Promise<Set<string>> {
    return lockRecords(tx, refs);
  }

  /** When a record was erased; null: it was not. */
  erasedAt(ref: ConsentRef): Promise<Date | null> {
    return findErasedAt(this.em.fork(), ref);
  }

  /** Pages of records and erasures after a position, in an order that only grows at its end. */
  storedSince(tx: EntityManager, slice: StoredSlice): AsyncGenerator<StoredEvent[]> {
    return storedSince(tx, slice);
  }

  /** Records and erasures of one project, by id. */
  storedOfProject(tx: EntityManager, page: StoredProjectPage): Promise<StoredEvent[]> {
    return storedOfProject(tx, page);
  }

  /** The transaction id below which every record and erasure is visible. */
  committedHorizon(tx: EntityManager): Promise<Horizon> {
    return committedHorizon(tx);
  }

  /** Stores the salts of records that were stored without one. */
  issueSalts(tx: EntityManager, records: readonly ConsentRecorded[]): Promise<void> {
    return issueSalts(tx, records);
  }
}
