import { Injectable } from '@nestjs/common';
import { type RawBuilder, sql } from 'kysely';
import type { ConsentRecorded, ConsentRef, DeliveryStateName } from './domain/consent-recorded.js';

/** What a forwarding predicate decides by, as expressions of the ingest statement. */
interface PredicateColumns {
  projectId: RawBuilder<string>;
  tier: RawBuilder<string>;
  /** The endpoint that came with the request; null where there was none. */
  customEndpoint: RawBuilder<string | null>;
}

/**
 * Decides whether a new record is forwarded, inside the ingest transaction. Returns an SQL expression without parameters
 * (`sql.lit`): null where the outbox message is written, else a code that says why it is not, e.g. `off`. The record
 * keeps the code as its `skippedReason`.
 */
export type ForwardingPredicate = (columns: PredicateColumns) => RawBuilder<string | null>;

/** Adds a member to the response of `GET …/consents/:consentId`, e.g. `delivery`. */
export interface ConsentDetail {
  member: string;
  read(record: ConsentRecorded): Promise<unknown>;
}

/** Conditions by which a list of records is filtered. */
export interface RecordConditions {
  /** Over a record as `c`; all of them must hold. */
  conditions: RawBuilder<unknown>[];
  /** The most records that one page scans, where the conditions cost a lookup for each. */
  scannedMax?: number;
}

/** Finds the records whose delivery is in a state. */
type DeliveryFilter = (projectId: string, state: DeliveryStateName) => Promise<RecordConditions>;

/** Of a record, what decides where the state of its delivery is found. */
export type DeliverySubject = Pick<ConsentRecorded, 'id' | 'receivedAt' | 'skippedReason'>;

/** The delivery state of each record by its id; missing: the log no longer holds its attempt. */
type DeliveryStates = (
  projectId: string,
  records: readonly DeliverySubject[],
) => Promise<ReadonlyMap<string, DeliveryStateName>>;

/** Proves a record for its visitor's receipt. Returns the text of a proof file; null where the record is not sealed. */
type ReceiptProver = (ref: ConsentRef) => Promise<string | null>;

/** Proves records of a project for an export, all against the checkpoint that was current when the export began. */
export interface ExportProver {
  /** For each record, in the order of the ids: the text of its proof file, or a sentence that says why it has none. */
  prove(consentIds: readonly string[]): Promise<({ proof: string } | { missing: string })[]>;
}

interface Hooks {
  forwardingPredicate: ForwardingPredicate;
  filterByDelivery: DeliveryFilter;
  readDeliveryStates: DeliveryStates;
  /** Whether new records are stored with a salt, which sealing needs. */
  areRecordsSalted: boolean;
  proveForReceipt: ReceiptProver;
  /** Resolves to null where no record of the project is sealed, nor will be. */
  proverForExport: (projectId: string) => Promise<ExportProver | null>;
}

/** What applies without forwarding and evidence. */
const DEFAULTS: Hooks = {
  forwardingPredicate: () => sql`'off'`,
  filterByDelivery: () => Promise.resolve({ conditions: [sql`false`] }),
  readDeliveryStates: () => Promise.resolve(new Map()),
  areRecordsSalted: false,
  proveForReceipt: () => Promise.resolve(null),
  proverForExport: () => Promise.resolve(null),
};

/**
 * What other modules add to consent records: forwarding decides which are forwarded and knows their deliveries, evidence
 * proves them. Consent doesn't know these modules.
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

  /** Conditions on records whose delivery is in a state; undefined: on all records, so none. */
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
