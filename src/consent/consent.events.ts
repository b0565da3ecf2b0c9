import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { type RawBuilder, sql } from 'kysely';
import { readVisitorReference } from '../projects/project.rows.js';
import { PreparedReads, type Reads } from '../database/prepared-reads.js';
import { OutboxService } from '../outbox/outbox.service.js';
import { uuidLowerBound } from '../shared/ids.js';
import { listLiteral } from '../shared/list-literal.js';
import type { RecordsErased } from './domain/erasure.js';
import type { VisitorReference } from './domain/visitor-reference.js';
import { CONSENT_ID_AGE_MAX_MS, CONSENT_ID_AHEAD_MAX_MS } from './domain/consent-input.js';
import {
  completeBelow,
  giveSalts,
  type Horizon,
  type StoredEvent,
  storedOfProject,
  type StoredSlice,
  storedSince,
} from './application/stored-since.js';
import {
  CONSENT_RECORDED,
  consentKey,
  type ConsentRecorded,
  type ConsentRef,
  type DeliveryStateName,
} from './domain/consent-recorded.js';

export type { Horizon, StoredEvent, StoredPlace } from './application/stored-since.js';

/**
 * Who wants to hear of a record, decided inside the ingest transaction. An SQL expression over `p` (the row of
 * `project`) and `input.custom_endpoint` (text or null): null where the message is to be written, else a code
 * that says why it is not; the record keeps it.
 */
export type ConsentAudience = string;

/** The audience where nobody follows records. */
const NOBODY: ConsentAudience = `'off'`;

/** Adds a member to the answer of `GET …/consents/:consentId`, e.g. `delivery`. */
export interface ConsentDetail {
  member: string;
  read(record: ConsentRecorded): Promise<unknown>;
}

/** What a list of records is narrowed by. */
export interface Narrowing {
  /** Over a record as `c`, true for the records that are wanted. */
  conditions: RawBuilder<unknown>[];
  /** Records that one page looks at, where each takes a look elsewhere. */
  lookedAtMax?: number;
}

/** Finds the records of which a delivery has ended so, or that wait for theirs. */
export type DeliveryNarrowing = (projectId: string, state: DeliveryStateName) => Promise<Narrowing>;

/** Takes away what somebody else keeps of records that are erased, in the transaction in which they go. */
export type ErasureListener = (tx: EntityManager, erased: RecordsErased) => Promise<void>;

/** Proves a record to its visitor, in her receipt: a file as text; null where it is not sealed. */
export type ReceiptProof = (ref: ConsentRef) => Promise<string | null>;

/** Proves records of a project for their export, all by what was signed when it was begun. */
export interface RecordProver {
  /** For each record, in the order of the ids: its proof as a file's text, or why there is none, in a sentence. */
  prove(consentIds: readonly string[]): Promise<({ proof: string } | { missing: string })[]>;
}

/** Begins to prove records of a project; null where nothing of it is sealed, nor will be. */
export type ExportProofs = (projectId: string) => Promise<RecordProver | null>;

/** The consent module's door for those who follow its records. It does not know who they are. */
@Injectable()
export class ConsentEvents implements OnModuleInit {
  private audience: ConsentAudience = NOBODY;
  private salted = false;
  readonly details: ConsentDetail[] = [];
  /** Where nobody follows records none of them has a delivery. */
  private byDelivery: DeliveryNarrowing = () => Promise.resolve({ conditions: [sql`false`] });
  private readonly erasureListeners: ErasureListener[] = [];
  private receiptProof: ReceiptProof = () => Promise.resolve(null);
  private exportProofs: ExportProofs = () => Promise.resolve(null);

  constructor(
    private readonly em: EntityManager,
    @Inject(PreparedReads) private readonly reads: Reads,
    private readonly outbox: OutboxService,
  ) {}

  /** Records are announced, so the start fails where nobody handles them. */
  onModuleInit(): void {
    this.outbox.announce(CONSENT_RECORDED);
  }

  /** Says which records are announced at all; call it while modules start (`onModuleInit`). */
  announceWhere(audience: ConsentAudience): void {
    this.audience = audience;
  }

  get audienceExpression(): ConsentAudience {
    return this.audience;
  }

  /** Gives each record that is stored from now on a salt to be sealed with; call it while modules start. */
  saltRecords(): void {
    this.salted = true;
  }

  get recordsAreSalted(): boolean {
    return this.salted;
  }

  /** Says who proves records to their visitors; call it while modules start (`onModuleInit`). */
  proveReceipts(proof: ReceiptProof): void {
    this.receiptProof = proof;
  }

  proofOf(ref: ConsentRef): Promise<string | null> {
    return this.receiptProof(ref);
  }

  /** Says who proves records in their export; call it while modules start (`onModuleInit`). */
  proveExports(proofs: ExportProofs): void {
    this.exportProofs = proofs;
  }

  proverOf(projectId: string): Promise<RecordProver | null> {
    return this.exportProofs(projectId);
  }

  addDetail(detail: ConsentDetail): void {
    this.details.push(detail);
  }

  /** Says how records are found by what became of them; call it while modules start (`onModuleInit`). */
  narrowByDelivery(narrowing: DeliveryNarrowing): void {
    this.byDelivery = narrowing;
  }

  get narrowingByDelivery(): DeliveryNarrowing {
    return this.byDelivery;
  }

  /** Signs somebody up who keeps something of records; call it while modules start (`onModuleInit`). */
  onErasure(listener: ErasureListener): void {
    this.erasureListeners.push(listener);
  }

  async tellErased(tx: EntityManager, erased: RecordsErased): Promise<void> {
    for (const listener of this.erasureListeners) await listener(tx, erased);
  }

  /** How the project's records name a visitor; as if none did, where the project is gone. */
  async visitorReference(projectId: string): Promise<VisitorReference> {
    const stored = await readVisitorReference(this.em.fork(), projectId);
    return stored ?? { field: null, hashed: false, salt: null };
  }

  /** Reads records by id, keyed by `consentKey`; those that are gone (retention) are missing from the map. */
  async load(refs: ConsentRef[]): Promise<Map<string, ConsentRecorded>> {
    const projectIds = refs.map(({ projectId }) => projectId);
    const consentIds = refs.map(({ consentId }) => consentId);
    const rows = await this.reads.rows<ConsentRecorded>(RECORDS, [
      listLiteral('uuid', projectIds),
      listLiteral('uuid', consentIds),
    ]);
    return new Map(rows.map((row) => [consentKey({ projectId: row.projectId, consentId: row.id }), row]));
  }
  /**
   * Announces stored records once more, or for the first time, inside the caller's transaction. Ids without a
   * record are left out. Returns how many were announced.
   */
  async announceAgain(tx: EntityManager, projectId: string, consentIds: string[]): Promise<number> {
    if (!tx.isInTransaction()) throw new Error('Records are announced inside a transaction only.');
    const { rows } = await sql<{ id: string }>`
      with announced as (
        update consent_record set unannounced = null
        where project_id = ${projectId} and id = any(${consentIds}::uuid[]) and unannounced is not null
      )
      select c.id
      from unnest(${consentIds}::uuid[]) with ordinality as wanted (id, position)
      join consent_record c on c.project_id = ${projectId} and c.id = wanted.id
      order by wanted.position
      -- Whoever erases one of them waits, and then finds its message.
      for key share of c
    `.execute(tx.getKysely());
    await this.outbox.appendMany(
      tx,
      rows.map(({ id }) => ({ orderingKey: projectId, projectId, topic: CONSENT_RECORDED, subjectId: id })),
    );
    return rows.length;
  }

  /** Returns the keys of the records that exist, and keeps them until the transaction ends: an erasure waits for it. */
  async lockExisting(tx: EntityManager, refs: readonly ConsentRef[]): Promise<Set<string>> {
    const { rows } = await sql<ConsentRef>`
      select kept.project_id as "projectId", kept.id as "consentId"
      from unnest(
        ${refs.map(({ projectId }) => projectId)}::uuid[],
        ${refs.map(({ consentId }) => consentId)}::uuid[]
      ) as wanted (project_id, id)
      cross join lateral (
        select c.project_id, c.id from consent_record c
        where c.project_id = wanted.project_id and c.id = wanted.id
        limit 1 for key share of c
      ) kept
      order by 1, 2
    `.execute(tx.getKysely());
    return new Set(rows.map(consentKey));
  }

  /** Those of the ids that are a record of the project, in the order in which they were given. */
  async existing(tx: EntityManager, projectId: string, consentIds: string[]): Promise<string[]> {
    const { rows } = await sql<{ id: string }>`
      select id from consent_record where project_id = ${projectId} and id = any(${consentIds}::uuid[])
    `.execute(tx.getKysely());
    const found = new Set(rows.map(({ id }) => id));
    return consentIds.filter((id) => found.has(id));
  }

  /** When a record was erased; null where it was not. */
  async erasedAt({ projectId, consentId }: ConsentRef): Promise<Date | null> {
    const { rows } = await sql<{ erasedAt: Date }>`
      select erased_at as "erasedAt" from erased_record where project_id = ${projectId} and consent_id = ${consentId}
    `.execute(this.em.fork().getKysely());
    return rows[0]?.erasedAt ?? null;
  }

  /** What was stored and erased behind a position, in an order that only grows. */
  storedSince(tx: EntityManager, slice: StoredSlice): Promise<StoredEvent[]> {
    return storedSince(tx, slice);
  }

  /** What was stored and erased of one project, in the order of ids. */
  storedOfProject(
    tx: EntityManager,
    page: { projectId: string; afterId: string; since: Date; limit: number },
  ): Promise<StoredEvent[]> {
    return storedOfProject(tx, page);
  }

  /** The transaction before which nothing can be stored or erased any more. */
  completeBelow(tx: EntityManager): Promise<Horizon> {
    return completeBelow(tx);
  }

  /** Gives records that have none their salts. */
  giveSalts(tx: EntityManager, records: readonly ConsentRecorded[]): Promise<void> {
    return giveSalts(tx, records);
  }

  /** Ids of the records received in a period that nobody was told of, oldest first; at most `limit`. */
  async unannouncedIds(
    tx: EntityManager,
    { projectId, from, to, limit }: { projectId: string; from: Date; to: Date; limit: number },
  ): Promise<string[]> {
    const firstId = uuidLowerBound(new Date(from.getTime() - CONSENT_ID_AGE_MAX_MS));
    const lastId = uuidLowerBound(new Date(to.getTime() + CONSENT_ID_AHEAD_MAX_MS + 1));
    const { rows } = await sql<{ id: string }>`
      select id from consent_record
      where project_id = ${projectId} and id >= ${firstId} and id < ${lastId}
        and received_at >= ${from} and received_at < ${to} and unannounced is not null
      order by id limit ${limit}
    `.execute(tx.getKysely());
    return rows.map(({ id }) => id);
  }
}

/** A fragment for another module's statement: the record as `c`, which takes away rows whose record is gone. */
export function joinRecord(projectIdExpression: string, consentIdExpression: string): RawBuilder<unknown> {
  const [projectId, consentId] = [sql.raw(projectIdExpression), sql.raw(consentIdExpression)];
  return sql`join consent_record c on c.project_id = ${projectId} and c.id = ${consentId}`;
}

const RECORDS = {
  name: 'consent-records',
  text: `
    select c.id, c.project_id as "projectId", c.analytics, c.marketing, c.preferences, c.action, c.hostname,
           c.custom_endpoint as "customEndpoint", c.extra, c.received_at as "receivedAt", c.unannounced,
           c.config_hash as "configHash", c.language, c.surface, c.salt
    from unnest($1::uuid[], $2::uuid[]) as wanted (project_id, id)
    -- The limit keeps it one look into the primary key each: a join reads whole partitions where the
    -- planner's statistics are behind (22 ms against 0.9 ms for 100 of 20,000 new records).
    cross join lateral (
      select * from consent_record r where r.project_id = wanted.project_id and r.id = wanted.id limit 1
    ) c`,
};
