import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable, Logger } from '@nestjs/common';
import { readCheckpoint } from '../domain/checkpoint.js';
import { canonicalJson, computeCommitment } from '../domain/commitment.js';
import { ROOT_LOG } from '../domain/log.js';
import type { ProofBuilder } from '../domain/proof-builder.js';
import { writeTlogProof } from '../domain/tlog-proof.js';
import { leafHash } from '../domain/tree-hash.js';
import { includes } from '../domain/tree-proof.js';
import { findAnchored, type Anchored } from '../infrastructure/checkpoint.rows.js';
import { findBegin } from '../infrastructure/cursor.rows.js';
import { DamagedLog } from '../infrastructure/log-storage.js';
import { findPastLog, type SignedLog } from '../infrastructure/log.rows.js';
import { rootLogEntry } from './anchor-checkpoints.js';
import { LogReader } from './log-reader.js';

/** A leaf index in the tree of a signed checkpoint. */
interface LeafPosition {
  index: number;
  /** The signed note. */
  checkpoint: string;
}

/** Whether a tree contains a leaf at an index. */
type Inclusion =
  | { kind: 'included'; path: Buffer[] }
  /** The tree contains another leaf there. */
  | { kind: 'other_leaf' };

/**
 * Finds the path from a leaf to the root of a checkpoint.
 * @throws DamagedLog if the tiles do not hash to the signed root
 */
export async function findInclusion(
  leaf: Buffer,
  builder: ProofBuilder,
  { index, checkpoint: note }: LeafPosition,
): Promise<Inclusion> {
  const signed = readCheckpoint(note.slice(0, note.lastIndexOf('\n\n') + 1));
  if (!signed) throw new DamagedLog('The signed note is not a checkpoint.');
  const { size, root } = signed;
  const path = await builder.inclusionProof(index, size);
  if (includes(leaf, { index, size, path, root })) return { kind: 'included', path };
  const stored = await builder.computeRoot({ start: index, end: index + 1 });
  if (includes(stored, { index, size, path, root })) return { kind: 'other_leaf' };
  throw new DamagedLog('The tiles in storage do not hash to the signed root.');
}

/** The signed state of one log at one time: proofs from one view have the same checkpoints. */
export interface SignedLogView {
  /** null before the first checkpoint. */
  signed: { builder: ProofBuilder; checkpoint: string } | null;
  anchored: Anchored | null;
  /** Proof that the root log contains the anchored checkpoint; null if it does not. Built once, on demand. */
  anchorProof: () => Promise<string | null>;
}

/** The signed state of a project's logs at one time. */
export interface SignedView extends SignedLogView {
  projectId: string;
  /** Records received before are not added to the logs. */
  beginsAt: Date;
  /** The view of the log of an epoch. */
  findEpoch: (epoch: number) => Promise<SignedLogView>;
}

/** Reads the signed state of a project's logs. */
@Injectable()
export class SignedViews {
  private readonly logger = new Logger(SignedViews.name);

  constructor(
    private readonly em: EntityManager,
    private readonly logs: LogReader,
  ) {}

  async read(projectId: string): Promise<SignedView> {
    const em = this.em.fork();
    const beginsAt = await findBegin(em);
    // Read before the log, so the log is never older.
    const anchored = await findAnchored(em, projectId);
    const log = await this.logs.find(projectId);
    const newest = this.createView(log, anchored);
    const past = new Map<number, Promise<SignedLogView>>();
    const readPast = async (epoch: number): Promise<SignedLogView> => {
      const found = await findPastLog(em, projectId, epoch);
      return this.createView(found, found?.anchored ?? null);
    };
    return {
      projectId,
      beginsAt,
      ...newest,
      findEpoch: (epoch) => {
        if (epoch === log?.epoch) return Promise.resolve(newest);
        const view = past.get(epoch) ?? readPast(epoch);
        past.set(epoch, view);
        return view;
      },
    };
  }

  private createView(log: SignedLog | null, anchored: Anchored | null): SignedLogView {
    const signed = log?.checkpoint
      ? { builder: this.logs.createBuilder(log), checkpoint: log.checkpoint }
      : null;
    let anchorProof: Promise<string | null> | null = null;
    return {
      signed,
      anchored,
      anchorProof: () => (anchorProof ??= anchored ? this.proveAnchor(anchored) : Promise.resolve(null)),
    };
  }

  /**
   * null if the root log does not contain the checkpoint yet, or is damaged: the record's proof is
   * valid without it.
   */
  private async proveAnchor({ index, checkpoint, rootEpoch }: Anchored): Promise<string | null> {
    const root = await this.logs.findEpoch(ROOT_LOG, rootEpoch);
    if (!root?.checkpoint || index >= root.checkpointSize) return null;
    try {
      const leaf = leafHash(rootLogEntry(checkpoint));
      const position = { index, checkpoint: root.checkpoint };
      const inclusion = await findInclusion(leaf, this.logs.createBuilder(root), position);
      if (inclusion.kind === 'included')
        return writeTlogProof({ extra: null, path: inclusion.path, ...position });
      throw new DamagedLog('The root log has another entry at the index of a checkpoint.');
    } catch (error) {
      if (!(error instanceof DamagedLog)) throw error;
      this.logger.error({ err: error }, 'the evidence root log is damaged');
      return null;
    }
  }
}

/** A proof of a log entry. */
export interface Proof {
  /** A `.tlog-proof`. */
  text: string;
  index: number;
  /** Whether the proof includes that of its checkpoint in the root log. */
  isAnchored: boolean;
}

/** The committed content of a log entry. */
export interface Committed {
  /** Its member in the proof's extra data. */
  member: 'record' | 'scan';
  body: object;
  salt: Buffer;
}

type SignedState = SignedLogView & { signed: NonNullable<SignedLogView['signed']> };

/**
 * Writes a proof with the anchored checkpoint if that covers the entry, otherwise with the newest one. A proof that does
 * not verify is never returned: null if the tiles match the signed root, and the entry commits to something else.
 * @throws DamagedLog if the tiles do not hash to the signed root
 */
export async function writeProof(
  { anchored, anchorProof, signed }: SignedState,
  index: number,
  { member, body, salt }: Committed,
): Promise<Proof | null> {
  const isCovered = anchored !== null && index < anchored.size;
  const rootProof = isCovered ? await anchorProof() : null;
  const checkpoint = isCovered && rootProof !== null ? anchored.checkpoint : signed.checkpoint;
  const leaf = leafHash(computeCommitment(salt, body));
  const inclusion = await findInclusion(leaf, signed.builder, { index, checkpoint });
  if (inclusion.kind === 'other_leaf') return null;
  const extra = { [member]: body, salt: salt.toString('base64'), rootProof };
  // Canonical: the verifier rejects any other encoding.
  const text = writeTlogProof({
    extra: Buffer.from(canonicalJson(extra)),
    index,
    path: inclusion.path,
    checkpoint,
  });
  return { text, index, isAnchored: rootProof !== null };
}
