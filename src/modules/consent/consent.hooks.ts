import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { sql, type RawBuilder } from 'kysely';
import type { OutboxService } from '../../platform/outbox/outbox.service.js';
import type { ConsentRecorded, ConsentRef, DeliveryStateName } from './domain/consent-recorded.js';
import type { RecordsErased } from './domain/erasure.js';

/** Deletes what a module stores about erased records, in the transaction of the erasure. */
export type ErasureListener = (
  tx: EntityManager,
  erased: RecordsErased,
  outbox: OutboxService,
) => Promise<void>;

/** Injects the listeners of all modules, which `programs/erasure-listeners.ts` lists. */
export const ERASURE_LISTENERS = Symbol('erasure listeners');

/** Columns of the ingest statement that a forwarding predicate may use. */
interface PredicateColumns {
  projectId: RawBuilder<string>;
  tier: RawBuilder<string>;
  /** The endpoint named in the request; null: none. */
  customEndpoint: RawBuilder<string | null>;
}

/**
 * Decides whether a new record is forwarded, inside the ingest transaction. Returns an SQL
 * expression without parameters (`sql.lit`): null to write the outbox message, else a code for the
 * reason, e.g. `off`. The record stores the code as its `skippedReason`.
 */
export type ForwardingPredicate = (columns: PredicateColumns) => RawBuilder<string | null>;

/** Adds a member to the response of `GET …/consents/:consentId`, e.g. `delivery`. */
export interface ConsentDetail {
  member: string;
  read(record: ConsentRecorded): Promise<unknown>;
}

/** Filter conditions for a list of records. */
export interface RecordConditions {
  /** Over a record as `c`; all of them must hold. */
  conditions: RawBuilder<unknown>[];
  /** Limit of the records scanned per page, if the conditions cost a lookup for each. */
  scannedMax?: number;
}

/** Finds the records whose delivery is in a state. */
type DeliveryFilter = (projectId: string, state: DeliveryStateName) => Promise<RecordConditions>;

/** The members of a record that locate the state of its delivery. */
export type DeliverySubject = Pick<ConsentRecorded, 'id' | 'receivedAt' | 'skippedReason'>;

/** The delivery state of each record by its id; missing: the log no longer holds its attempt. */
type DeliveryStates = (
  projectId: string,
  records: readonly DeliverySubject[],
) => Promise<ReadonlyMap<string, DeliveryStateName>>;

/**
 * Proves a record for its visitor's receipt. Returns the text of a proof file; null: the record is
 * not sealed.
 */
type ReceiptProver = (ref: ConsentRef) => Promise<string | null>;

/** Proves records of a project for an export, all against the checkpoint at the start of the export. */
export interface ExportProver {
  /**
   * For each record, in the order of the ids: the text of its proof file, or a sentence that
   * explains why it has none.
   */
  prove(consentIds: readonly string[]): Promise<({ proof: string } | { missing: string })[]>;
}

/** The import of a record, for proofs and receipts. */
export interface ImportFacts {
  profile: string;
  importedAt: Date;
  /** SHA-256 of the file, in hex. */
  fileSha256: string;
}

interface Hooks {
  /** null: the import is not known. */
  readImport: (ref: { projectId: string; importId: string }) => Promise<ImportFacts | null>;
  forwardingPredicate: ForwardingPredicate;
  filterByDelivery: DeliveryFilter;
  readDeliveryStates: DeliveryStates;
  /** Whether new records are stored with a salt, which sealing needs. */
  areRecordsSalted: boolean;
  proveForReceipt: ReceiptProver;
  /** Resolves to null if the project's records are never sealed. */
  proverForExport: (projectId: string) => Promise<ExportProver | null>;
}

/** Defaults without forwarding and evidence. */
const DEFAULTS: Hooks = {
  readImport: () => Promise.resolve(null),
  forwardingPredicate: () => sql`'off'`,
  filterByDelivery: () => Promise.resolve({ conditions: [sql`false`] }),
  readDeliveryStates: () => Promise.resolve(new Map()),
  areRecordsSalted: false,
  proveForReceipt: () => Promise.resolve(null),
  proverForExport: () => Promise.resolve(null),
};

/**
 * Hooks of other modules: forwarding decides which records are forwarded and reads their
 * deliveries, evidence proves them. Consent doesn't import these modules.
 */
@Injectable()
export class ConsentHooks {
  readonly details: ConsentDetail[] = [];
  private hooks = DEFAULTS;

  /** Sets hooks; call it while modules start (`onModuleInit`). */
  set(hooks: Partial<Hooks>): void {
    this.hooks = { ...this.hooks, ...hooks };
  }

  get current(): Readonly<Hooks> {
    return this.hooks;
  }

  /** Conditions on records whose delivery is in a state; undefined: no condition. */
  async deliveryConditions(
    projectId: string,
    state: DeliveryStateName | undefined,
  ): Promise<RecordConditions> {
    return state === undefined ? { conditions: [] } : this.hooks.filterByDelivery(projectId, state);
  }

  /** Call it while modules start (`onModuleInit`). */
  addDetail(detail: ConsentDetail): void {
    this.details.push(detail);
  }
}
