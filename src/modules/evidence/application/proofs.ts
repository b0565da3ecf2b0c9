import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { DomainError } from '../../../platform/errors/domain-error.js';
import { orUnavailable } from '../../../platform/storage/object-storage.js';
import { ConsentHooks, type ExportProver } from '../../consent/consent.hooks.js';
import { ConsentRecords } from '../../consent/consent.records.js';
import {
  consentKey,
  recordBody,
  type ConsentRecorded,
  type ConsentRef,
} from '../../consent/domain/consent-recorded.js';
import { erasureBody } from '../domain/commitment.js';
import { findLeaves, type Leaf } from '../infrastructure/leaf.rows.js';
import { DamagedLog } from '../infrastructure/log-storage.js';
import { LogSigner } from './log-signer.js';
import { SignedViews, writeProof, type Proof, type SignedView } from './signed-view.js';

export const OFF = 'Evidence is off: EVIDENCE_KEYS is not set, or EVIDENCE_SEAL_SECONDS is 0.';
const TOO_OLD = "The record is older than its project's log.";
const CHANGED =
  'The record has changed since it was added to the log, for example because its visitor reference was hashed. No proof is available.';
export const DAMAGED =
  "The project's log is damaged in storage. Proofs are unavailable until it is restored.";

/** Result of proving a record or its erasure. */
export type ProofResult =
  | { kind: 'proved'; proof: Proof }
  /** No signed checkpoint covers it yet. */
  | { kind: 'pending' }
  /** It will not be in the log; the sentence says why. */
  | { kind: 'never'; reason: string }
  /** The storage is damaged; the sentence is for members. */
  | { kind: 'damaged'; reason: string }
  /** There is no such record. */
  | { kind: 'unknown' };

/** A record or erasure that is to be proved, with its salt. */
interface Subject {
  body: Record<string, unknown>;
  /** When it was received or erased. */
  instant: Date;
  salt: Buffer | null;
  isErasure: boolean;
}

/** Proves to anyone with our public key that a record was stored or erased (docs/evidence.md). */
@Injectable()
export class Proofs {
  private readonly logger = new Logger(Proofs.name);

  constructor(
    private readonly em: EntityManager,
    private readonly records: ConsentRecords,
    private readonly views: SignedViews,
    private readonly signer: LogSigner,
  ) {}

  /**
   * The proof of a record or its erasure; null while no signed checkpoint covers it.
   * @throws DomainError `consent_not_found` (404), `consent_not_sealed` (409) if it will not be in the log
   */
  async proveRecord({ projectId, consentId }: ConsentRef): Promise<Proof | null> {
    const [result] = await this.prove(await this.views.read(projectId), [consentId]);
    switch (result?.kind) {
      case 'proved':
        return result.proof;
      case 'pending':
        return null;
      case 'never':
        throw new DomainError('consent_not_sealed', result.reason);
      case 'damaged':
        throw new DomainError('temporarily_unavailable', result.reason);
      default:
        throw new DomainError(
          'consent_not_found',
          'Consent record not found, or its retention period has ended.',
        );
    }
  }

  /** Proves records of the view's project, which are distinct; the results are in the order of the ids. */
  async prove(view: SignedView, consentIds: readonly string[]): Promise<ProofResult[]> {
    const { projectId } = view;
    const leaves = await findLeaves(this.em.fork(), projectId, consentIds);
    // Read after the leaves: a record that was erased in the meantime has another leaf to wait for.
    const records = await this.records.load(consentIds.map((consentId) => ({ projectId, consentId })));
    return Promise.all(
      consentIds.map(async (consentId) => {
        const ref = { projectId, consentId };
        const subject = await this.findSubject(ref, records.get(consentKey(ref)));
        return subject ? this.proveSubject(view, subject, leaves.get(consentId)) : { kind: 'unknown' };
      }),
    );
  }

  /** The record, or its erasure, whose salt is in the leaf; null if there is neither. */
  private async findSubject(ref: ConsentRef, record: ConsentRecorded | undefined): Promise<Subject | null> {
    if (record) {
      const { receivedAt: instant, salt } = record;
      return { body: recordBody(record), instant, salt, isErasure: false };
    }
    const erasedAt = await this.records.erasedAt(ref);
    if (!erasedAt) return null;
    const body = erasureBody(ref.consentId, erasedAt);
    return { body, instant: erasedAt, salt: null, isErasure: true };
  }

  private async proveSubject(
    view: SignedView,
    subject: Subject,
    found: Leaf | undefined,
  ): Promise<ProofResult> {
    const { body, instant, isErasure } = subject;
    // A record that was erased and then stored again waits for its own leaf.
    const leaf = found && (found.salt !== null) === isErasure ? found : null;
    if (!leaf) return this.judgeWithoutLeaf(instant, view.beginsAt);
    const logView = await view.findEpoch(leaf.epoch);
    const { signed } = logView;
    if (!signed || leaf.index >= signed.builder.size) return { kind: 'pending' };
    const salt = subject.salt ?? leaf.salt ?? Buffer.alloc(0);
    try {
      const proof = await writeProof({ ...logView, signed }, leaf.index, { member: 'record', body, salt });
      return proof ? { kind: 'proved', proof } : { kind: 'never', reason: CHANGED };
    } catch (error) {
      if (!(error instanceof DamagedLog)) throw error;
      this.logger.error({ log: view.projectId, epoch: leaf.epoch, err: error }, 'an evidence log is damaged');
      return { kind: 'damaged', reason: DAMAGED };
    }
  }

  private judgeWithoutLeaf(instant: Date, beginsAt: Date): ProofResult {
    if (!this.signer.isOn) return { kind: 'never', reason: OFF };
    return instant < beginsAt ? { kind: 'never', reason: TOO_OLD } : { kind: 'pending' };
  }
}

const PENDING =
  'Not in the log yet when this file was created, which takes about a minute. Export these records again:';
const GONE = 'Erased or past retention while this file was created:';

/** Adds proofs to visitors' receipts and to exports. */
@Injectable()
export class RecordProofs implements OnModuleInit {
  private readonly logger = new Logger(RecordProofs.name);

  constructor(
    private readonly hooks: ConsentHooks,
    private readonly proofs: Proofs,
    private readonly views: SignedViews,
    private readonly signer: LogSigner,
  ) {}

  onModuleInit(): void {
    this.hooks.set({
      proveForReceipt: (ref) => this.proveForReceipt(ref),
      proverForExport: (projectId) => this.createProver(projectId),
    });
  }

  /** null while no signed checkpoint covers the record, or if it will not be in the log. */
  private async proveForReceipt(ref: ConsentRef): Promise<string | null> {
    try {
      const proof = await orUnavailable(this.logger, 'The log', () => this.proofs.proveRecord(ref));
      return proof?.text ?? null;
    } catch (error) {
      if (error instanceof DomainError && error.code === 'consent_not_sealed') return null;
      throw error;
    }
  }

  private async createProver(projectId: string): Promise<ExportProver | null> {
    const view = await this.views.read(projectId);
    if (!view.signed && !this.signer.isOn) return null;
    return { prove: async (consentIds) => (await this.proofs.prove(view, consentIds)).map(toExportEntry) };
  }
}

function toExportEntry(result: ProofResult): { proof: string } | { missing: string } {
  switch (result.kind) {
    case 'proved':
      return { proof: result.proof.text };
    case 'pending':
      return { missing: PENDING };
    case 'never':
    case 'damaged':
      return { missing: result.reason };
    case 'unknown':
      return { missing: GONE };
  }
}
