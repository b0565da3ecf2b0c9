import { Injectable, Logger } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { DAMAGED, OFF } from './application/proofs.js';
import { LogSigner } from './application/log-signer.js';
import { type Committed, type Proof, SignedViews, writeProof } from './application/signed-view.js';
import { computeCommitment } from './domain/commitment.js';
import { findEntriesBegin } from './infrastructure/cursor.rows.js';
import { findEntry, insertEntry } from './infrastructure/entry.rows.js';
import { DamagedLog } from './infrastructure/log-storage.js';

export { deleteEntries } from './infrastructure/entry.rows.js';
export type { Proof } from './application/signed-view.js';

export interface EntryRef {
  projectId: string;
  id: string;
}

export type EntryProofResult =
  | { kind: 'proved'; proof: Proof }
  /** No signed checkpoint covers it yet. */
  | { kind: 'pending' }
  /** It will not be in the log. */
  | { kind: 'never'; reason: 'off' | 'too_old' | 'changed'; sentence: string }
  /** The storage is damaged; the sentence is for members. */
  | { kind: 'damaged'; sentence: string };

const TOO_OLD = 'It is older than the service’s ability to prove it.';
const CHANGED = 'It has changed since it was added to the log. No proof is available.';

/**
 * Entries that other modules add to a project's log beside its records: a commitment each, like a
 * record's. The module stores the body and the salt; if it deletes them, only the commitment
 * remains.
 */
@Injectable()
export class LogEntries {
  private readonly logger = new Logger(LogEntries.name);

  constructor(
    private readonly em: EntityManager,
    private readonly views: SignedViews,
    private readonly signer: LogSigner,
  ) {}

  /** Adds the commitment to the log within about a minute; while evidence is off, once it is turned on. May run twice. */
  append(tx: EntityManager, ref: EntryRef, { body, salt }: Omit<Committed, 'member'>): Promise<void> {
    return insertEntry(tx, { ...ref, commitment: computeCommitment(salt, body) });
  }

  /** `committed` null: nothing was appended yet for an item that ended at `endedAt`. */
  async prove(
    ref: EntryRef,
    { committed, endedAt }: { committed: Committed | null; endedAt: Date },
  ): Promise<EntryProofResult> {
    const em = this.em.fork();
    const entry = await findEntry(em, ref);
    const leaf = entry?.leaf ?? null;
    if (!leaf || !committed) {
      if (!this.signer.isOn) return { kind: 'never', reason: 'off', sentence: OFF };
      const isTooOld = !entry && endedAt < (await findEntriesBegin(em));
      return isTooOld ? { kind: 'never', reason: 'too_old', sentence: TOO_OLD } : { kind: 'pending' };
    }
    const view = await (await this.views.read(ref.projectId)).findEpoch(leaf.epoch);
    const { signed } = view;
    if (!signed || leaf.index >= signed.builder.size) return { kind: 'pending' };
    try {
      const proof = await writeProof({ ...view, signed }, leaf.index, committed);
      return proof ? { kind: 'proved', proof } : { kind: 'never', reason: 'changed', sentence: CHANGED };
    } catch (error) {
      if (!(error instanceof DamagedLog)) throw error;
      this.logger.error({ log: ref.projectId, epoch: leaf.epoch, err: error }, 'an evidence log is damaged');
      return { kind: 'damaged', sentence: DAMAGED };
    }
  }
}
