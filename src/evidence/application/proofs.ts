import { Injectable } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { ConsentEvents } from '../../consent/consent.events.js';
import { consentKey, type ConsentRecorded, type ConsentRef } from '../../consent/domain/consent-recorded.js';
import { recordBody } from '../../consent/domain/record-body.js';
import { DomainError } from '../../shared/domain-error.js';
import { commitmentOf, erasureBody } from '../domain/commitment.js';
import { ROOT_LOG } from '../domain/log.js';
import type { TreeReader } from '../domain/tile-reader.js';
import { writeTlogProof } from '../domain/tlog-proof.js';
import { leafHash } from '../domain/tree-hash.js';
import { inclusionRanges } from '../domain/tree-proof.js';
import { findLeaves, findMark, findRooted, type Leaf, type Rooted } from '../infrastructure/log-rows.js';
import { LogReader } from './log-reader.js';
import { LogSigner } from './log-signer.js';

const OFF = 'Nothing is sealed here: EVIDENCE_KEYS is not set, or EVIDENCE_SEAL_SECONDS is 0.';
const TOO_OLD = 'The record is older than the log of its project.';
const CHANGED =
  'The record was changed since it was sealed, as where its visitor is kept as a hash since: it cannot be proved.';

/** A record's proof. */
export interface Proof {
  /** A `.tlog-proof`. */
  text: string;
  index: number;
  /** Whether a checkpoint that covers it is in the root log. */
  isRooted: boolean;
}

/** What came of the wish to prove a record, or its erasure. */
export type Proving =
  | { kind: 'proved'; proof: Proof }
  /** It is not sealed yet. */
  | { kind: 'pending' }
  /** It never will be; the sentence says why. */
  | { kind: 'never'; reason: string }
  /** There is no such record. */
  | { kind: 'unknown' };

/** What is signed of a project's records at one time: proofs by one view have the same checkpoints. */
export interface SignedView {
  projectId: string;
  /** Whatever is older has its leaf, or never will. */
  sealedUntil: Date;
  /** null before the first checkpoint. */
  signed: { tree: TreeReader; checkpoint: string } | null;
  rooted: Rooted | null;
  /** That the root log covers `rooted`; null while it does not. Read once, when it is needed. */
  rootProof: () => Promise<string | null>;
}

/** What is proved, and its salt. */
interface Opening {
  body: Record<string, unknown>;
  /** When it was received or erased. */
  instant: Date;
  salt: Buffer | null;
  isErasure: boolean;
}

/** Proves to whoever has our public key that a record was stored, or erased, as it is (docs/evidence.md). */
@Injectable()
export class Proofs {
  constructor(
    private readonly em: EntityManager,
    private readonly records: ConsentEvents,
    private readonly logs: LogReader,
    private readonly signer: LogSigner,
  ) {}

  /**
   * The proof of a record, or of its erasure; null while it is not sealed.
   * @throws DomainError `consent_not_found` (404), `consent_not_sealed` (409) where it never will be
   */
  async proofOf({ projectId, consentId }: ConsentRef): Promise<Proof | null> {
    const [proving] = await this.prove(await this.view(projectId), [consentId]);
    switch (proving?.kind) {
      case 'proved':
        return proving.proof;
      case 'pending':
        return null;
      case 'never':
        throw new DomainError('consent_not_sealed', proving.reason);
      default:
        throw new DomainError(
          'consent_not_found',
          'There is no such consent record, or it is older than is kept.',
        );
    }
  }

  /** What is signed of a project by now. */
  async view(projectId: string): Promise<SignedView> {
    const em = this.em.fork();
    const sealedUntil = await findMark(em);
    // Before the log, which is then never behind it.
    const rooted = await findRooted(em, projectId);
    const log = await this.logs.find(projectId);
    const signed = log?.checkpoint ? { tree: this.logs.treeOf(log), checkpoint: log.checkpoint } : null;
    let rootProof: Promise<string | null> | null = null;
    return {
      ...{ projectId, sealedUntil, signed, rooted },
      rootProof: () => (rootProof ??= rooted ? this.rootProofOf(rooted) : Promise.resolve(null)),
    };
  }

  /** Proves records of the view's project; in the order of their ids, each of which is given once. */
  async prove(view: SignedView, consentIds: readonly string[]): Promise<Proving[]> {
    const { projectId } = view;
    const leaves = await findLeaves(this.em.fork(), projectId, consentIds);
    // Read behind the leaves: what was erased since has another leaf to wait for.
    const records = await this.records.load(consentIds.map((consentId) => ({ projectId, consentId })));
    return Promise.all(
      consentIds.map(async (consentId) => {
        const opening = await this.openingOf(
          { projectId, consentId },
          records.get(consentKey({ projectId, consentId })),
        );
        return opening ? this.proveOne(view, opening, leaves.get(consentId)) : { kind: 'unknown' };
      }),
    );
  }

  /** What is there to be proved; null where there is nothing. The leaf of an erasure has its salt. */
  private async openingOf(ref: ConsentRef, record: ConsentRecorded | undefined): Promise<Opening | null> {
    if (record)
      return {
        body: recordBody(record),
        instant: record.receivedAt,
        salt: record.salt,
        isErasure: false,
      };
    const erasedAt = await this.records.erasedAt(ref);
    return (
      erasedAt && {
        body: erasureBody(ref.consentId, erasedAt),
        instant: erasedAt,
        salt: null,
        isErasure: true,
      }
    );
  }

  private async proveOne(view: SignedView, opening: Opening, found: Leaf | undefined): Promise<Proving> {
    const { signed, sealedUntil } = view;
    const { body, instant, isErasure } = opening;
    // A record that was erased and then sent anew waits for a leaf of its own.
    const leaf = found && (found.salt !== null) === isErasure ? found : null;
    if (!leaf) return this.withoutLeaf(instant, sealedUntil);
    if (!signed || leaf.index >= signed.tree.size) return { kind: 'pending' };
    const salt = opening.salt ?? leaf.salt ?? Buffer.alloc(0);
    const stands = await signed.tree.rootOf({ start: leaf.index, end: leaf.index + 1 });
    // Nobody is given a proof that does not hold.
    if (!stands.equals(leafHash(commitmentOf(salt, body)))) return { kind: 'never', reason: CHANGED };
    return { kind: 'proved', proof: await write(view, signed, leaf.index, { record: body, salt }) };
  }

  private withoutLeaf(instant: Date, sealedUntil: Date): Proving {
    if (!this.signer.isOn) return { kind: 'never', reason: OFF };
    return instant < sealedUntil ? { kind: 'never', reason: TOO_OLD } : { kind: 'pending' };
  }

  private async rootProofOf({ index }: Rooted): Promise<string | null> {
    const root = await this.logs.find(ROOT_LOG);
    if (!root?.checkpoint || index >= root.checkpointSize) return null;
    const path = await this.logs.treeOf(root).rootsOf(inclusionRanges(index, root.checkpointSize));
    return writeTlogProof({ extra: null, index, path, checkpoint: root.checkpoint });
  }
}

/** By the checkpoint that is in the root log, where that covers the record; else by the newest one. */
async function write(
  { rooted, rootProof: readRootProof }: SignedView,
  { tree, checkpoint: newest }: NonNullable<SignedView['signed']>,
  index: number,
  { record, salt }: { record: Record<string, unknown>; salt: Buffer },
): Promise<Proof> {
  const isCovered = rooted !== null && index < rooted.size;
  const rootProof = isCovered ? await readRootProof() : null;
  const { size, checkpoint } =
    isCovered && rootProof !== null ? rooted : { size: tree.size, checkpoint: newest };
  const path = await tree.rootsOf(inclusionRanges(index, size));
  const extra = { record, salt: salt.toString('base64'), rootProof };
  const text = writeTlogProof({ extra: Buffer.from(JSON.stringify(extra)), index, path, checkpoint });
  return { text, index, isRooted: rootProof !== null };
}
