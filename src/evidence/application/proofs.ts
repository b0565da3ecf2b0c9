import { Injectable, Logger } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { ConsentRecords } from '../../consent/consent.records.js';
import { consentKey, type ConsentRecorded, type ConsentRef } from '../../consent/domain/consent-recorded.js';
import { recordBody } from '../../consent/domain/record-body.js';
import { DomainError } from '../../shared/domain-error.js';
import { readCheckpoint } from '../domain/checkpoint.js';
import { canonicalOf, commitmentOf, erasureBody } from '../domain/commitment.js';
import { ROOT_LOG } from '../domain/log.js';
import type { TreeReader } from '../domain/tile-reader.js';
import { writeTlogProof } from '../domain/tlog-proof.js';
import { leafHash } from '../domain/tree-hash.js';
import { includes, inclusionRanges } from '../domain/tree-proof.js';
import { findBegin } from '../infrastructure/cursor-rows.js';
import {
  findLeaves,
  findPastLog,
  findRooted,
  type Leaf,
  type Rooted,
  type SignedLog,
} from '../infrastructure/log-rows.js';
import { DamagedLog } from '../infrastructure/log-storage.js';
import { LogReader } from './log-reader.js';
import { LogSigner } from './log-signer.js';
import { rootEntryOf } from './seal-roots.js';

const OFF = 'Evidence is off: EVIDENCE_KEYS is not set, or EVIDENCE_SEAL_SECONDS is 0.';
const TOO_OLD = "The record is older than its project's log.";
const CHANGED =
  'The record has changed since it was added to the log, for example because its visitor reference was hashed. No proof is available.';

/** A record's proof. */
export interface Proof {
  /** A `.tlog-proof`. */
  text: string;
  index: number;
  /** Whether a checkpoint that covers it is in the root log. */
  isRooted: boolean;
}

/** The storage lacks or changed a part of the log: nothing is said of the record. */
const DAMAGED = "The project's log is damaged in storage. Proofs are unavailable until it is restored.";

const NOT_TO_ROOT = 'The tiles in storage do not hash to the signed root.';

/** What came of the wish to prove a record, or its erasure. */
export type Proving =
  | { kind: 'proved'; proof: Proof }
  /** It is not sealed yet. */
  | { kind: 'pending' }
  /** It never will be; the sentence says why. */
  | { kind: 'never'; reason: string }
  /** The storage is damaged; the sentence is for members. */
  | { kind: 'damaged'; reason: string }
  /** There is no such record. */
  | { kind: 'unknown' };

/** What is signed of one log at one time: proofs by one view have the same checkpoints. */
interface SignedLogView {
  /** null before the first checkpoint. */
  signed: { tree: TreeReader; checkpoint: string } | null;
  rooted: Rooted | null;
  /** That the root log covers `rooted`; null while it does not. Read once, when it is needed. */
  rootProof: () => Promise<string | null>;
}

/** What is signed of a project's records at one time. */
export interface SignedView extends SignedLogView {
  projectId: string;
  /** What was received before is not sealed. */
  beginsAt: Date;
  /** The same of the log of a number: the newest one, or one that it continues. */
  ofEpoch: (epoch: number) => Promise<SignedLogView>;
}

/** What is proved, and its salt. */
interface Opening {
  body: Record<string, unknown>;
  /** When it was received or erased. */
  instant: Date;
  salt: Buffer | null;
  isErasure: boolean;
}

/** Proves to readers with our public key that a record was stored, or erased, as it is (docs/evidence.md). */
@Injectable()
export class Proofs {
  private readonly logger = new Logger(Proofs.name);

  constructor(
    private readonly em: EntityManager,
    private readonly records: ConsentRecords,
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
      case 'damaged':
        throw new DomainError('temporarily_unavailable', proving.reason);
      default:
        throw new DomainError(
          'consent_not_found',
          'Consent record not found, or its retention period has ended.',
        );
    }
  }

  /** What is signed of a project by now. */
  async view(projectId: string): Promise<SignedView> {
    const em = this.em.fork();
    const beginsAt = await findBegin(em);
    // Before the log, which is then never behind it.
    const rooted = await findRooted(em, projectId);
    const log = await this.logs.find(projectId);
    const newest = this.viewOf(log, rooted);
    const past = new Map<number, Promise<SignedLogView>>();
    const ofPast = async (epoch: number): Promise<SignedLogView> => {
      const found = await findPastLog(em, projectId, epoch);
      return this.viewOf(found, found?.rooted ?? null);
    };
    return {
      ...{ projectId, beginsAt, ...newest },
      ofEpoch: (epoch) => {
        if (epoch === log?.epoch) return Promise.resolve(newest);
        const view = past.get(epoch) ?? ofPast(epoch);
        past.set(epoch, view);
        return view;
      },
    };
  }

  private viewOf(log: SignedLog | null, rooted: Rooted | null): SignedLogView {
    const signed = log?.checkpoint ? { tree: this.logs.treeOf(log), checkpoint: log.checkpoint } : null;
    let rootProof: Promise<string | null> | null = null;
    return {
      ...{ signed, rooted },
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
    const { body, instant, isErasure } = opening;
    // A record that was erased and then sent again waits for its own leaf.
    const leaf = found && (found.salt !== null) === isErasure ? found : null;
    if (!leaf) return this.withoutLeaf(instant, view.beginsAt);
    const logView = await view.ofEpoch(leaf.epoch);
    const { signed } = logView;
    if (!signed || leaf.index >= signed.tree.size) return { kind: 'pending' };
    const salt = opening.salt ?? leaf.salt ?? Buffer.alloc(0);
    try {
      return await write(logView, signed, leaf.index, { record: body, salt });
    } catch (error) {
      if (!(error instanceof DamagedLog)) throw error;
      this.logger.error({ log: view.projectId, epoch: leaf.epoch, err: error }, 'an evidence log is damaged');
      return { kind: 'damaged', reason: DAMAGED };
    }
  }

  private withoutLeaf(instant: Date, beginsAt: Date): Proving {
    if (!this.signer.isOn) return { kind: 'never', reason: OFF };
    return instant < beginsAt ? { kind: 'never', reason: TOO_OLD } : { kind: 'pending' };
  }

  /** null where there is none, or none that holds: a proof is whole without it. */
  private async rootProofOf({ index, checkpoint, rootEpoch }: Rooted): Promise<string | null> {
    const root = await this.logs.findEpoch(ROOT_LOG, rootEpoch);
    if (!root?.checkpoint || index >= root.checkpointSize) return null;
    try {
      const leaf = leafHash(rootEntryOf(checkpoint));
      const { path } = await pathTo(leaf, this.logs.treeOf(root), { index, checkpoint: root.checkpoint });
      if (path) return writeTlogProof({ extra: null, index, path, checkpoint: root.checkpoint });
      throw new DamagedLog('The tiles of the root log do not hash to its signed root.');
    } catch (error) {
      if (!(error instanceof DamagedLog)) throw error;
      this.logger.error({ err: error }, 'the evidence root log is damaged');
      return null;
    }
  }
}

/**
 * By the checkpoint that is in the root log, where that covers the record; else by the newest one. A proof that does not
 * hold is never given: where the tiles hold under the signed root without it, the record was changed.
 * @throws DamagedLog where the tiles do not lead to the signed root
 */
async function write(
  { rooted, rootProof: readRootProof }: SignedLogView,
  { tree, checkpoint: newest }: NonNullable<SignedLogView['signed']>,
  index: number,
  { record, salt }: { record: Record<string, unknown>; salt: Buffer },
): Promise<Proving> {
  const isCovered = rooted !== null && index < rooted.size;
  const rootProof = isCovered ? await readRootProof() : null;
  const checkpoint = isCovered && rootProof !== null ? rooted.checkpoint : newest;
  const { path, isOther } = await pathTo(leafHash(commitmentOf(salt, record)), tree, { index, checkpoint });
  if (!path && isOther) return { kind: 'never', reason: CHANGED };
  if (!path) throw new DamagedLog(NOT_TO_ROOT);
  const extra = { record, salt: salt.toString('base64'), rootProof };
  // Canonical: the verifier refuses any other spelling.
  const text = writeTlogProof({ extra: Buffer.from(canonicalOf(extra)), index, path, checkpoint });
  return { kind: 'proved', proof: { text, index, isRooted: rootProof !== null } };
}

/** The path from a leaf to the root of a checkpoint; null where it leads elsewhere, and whether another leaf is there. */
async function pathTo(
  leaf: Buffer,
  tree: TreeReader,
  { index, checkpoint: note }: { index: number; checkpoint: string },
): Promise<{ path: Buffer[] | null; isOther: boolean }> {
  const signed = readCheckpoint(note.slice(0, note.lastIndexOf('\n\n') + 1));
  if (!signed) throw new DamagedLog('The signed note is not a checkpoint.');
  const { size, root } = signed;
  const path = await tree.rootsOf(inclusionRanges(index, size));
  if (includes(leaf, { index, size, path, root })) return { path, isOther: false };
  const stands = await tree.rootOf({ start: index, end: index + 1 });
  return { path: null, isOther: includes(stands, { index, size, path, root }) };
}

/**
 * Whether the log has a leaf at an index, or another one there.
 * @throws DamagedLog where the tiles do not lead to the signed root
 */
export async function judgeLeaf(
  leaf: Buffer,
  tree: TreeReader,
  place: { index: number; checkpoint: string },
): Promise<{ kind: 'same' | 'other' }> {
  const { path, isOther } = await pathTo(leaf, tree, place);
  if (!path && !isOther) throw new DamagedLog(NOT_TO_ROOT);
  return { kind: path ? 'same' : 'other' };
}
