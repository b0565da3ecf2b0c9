import { Injectable, Logger } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { ROOT_LOG } from '../domain/log.js';
import type { ProofBuilder } from '../domain/proof-builder.js';
import { writeTlogProof } from '../domain/tlog-proof.js';
import { leafHash } from '../domain/tree-hash.js';
import { type Anchored, findAnchored } from '../infrastructure/anchor.rows.js';
import { findBegin } from '../infrastructure/cursor.rows.js';
import type { SignedLog } from '../infrastructure/log.rows.js';
import { DamagedLog } from '../infrastructure/log-storage.js';
import { findPastLog } from '../infrastructure/past-log.rows.js';
import { rootLogEntry } from './anchor-checkpoints.js';
import { findInclusion } from './inclusion.js';
import { LogReader } from './log-reader.js';

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
