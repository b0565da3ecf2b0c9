import { Injectable } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import type { Checkpoint } from '../domain/checkpoint.js';
import { computeRoot } from '../domain/compact-range.js';
import { logName, objectPath, partialTiles, ROOT_LOG } from '../domain/log.js';
import { ProofBuilder } from '../domain/proof-builder.js';
import type { TileAddress } from '../domain/tile.js';
import { isConsistent } from '../domain/tree-proof.js';
import { asStorageError, HeadCopies, LogStorage } from '../infrastructure/log-storage.js';
import { findUnstoredTile, type StoredLog } from '../infrastructure/log.rows.js';
import { LogSigner } from './log-signer.js';

/** The log must not be signed, for a reason that operators see. */
export class Refused extends Error {}

/** Decides whether a log may be signed: no checkpoint may contradict an earlier one. */
@Injectable()
export class CheckpointGuard {
  constructor(
    private readonly em: EntityManager,
    private readonly storage: LogStorage,
    private readonly heads: HeadCopies,
    private readonly signer: LogSigner,
  ) {}

  /**
   * Checks, before anything is written, that the tree starts with the tree of every earlier checkpoint: that of the
   * database, of the storage (`stored`) and of the copies.
   * @throws Refused, DamagedLog if it does not
   */
  async checkBeforeWriting(log: StoredLog, stored: string | null): Promise<void> {
    const { checkpoint, name } = log;
    if (log.halted !== null) throw new Refused(log.halted);
    if (log.damage !== null)
      throw new Refused(
        `A check found damage: ${log.damage} Restore the storage from a backup, then run: npm run ops -- evidence check ${log.log === ROOT_LOG ? '--all' : log.log}`,
      );
    const copy = await this.heads.read(name).catch(asStorageError);
    if (await this.isContinued(log))
      throw new Refused(
        'Another log continues this one, but the database has no record of it: the database is an older copy.',
      );
    // Another signer may have written the first checkpoint after we read the storage and before we read the rows.
    const isLost = checkpoint !== null && stored === null && (await this.readCheckpoint(name)) === null;
    if (isLost)
      throw new Refused(
        'A checkpoint was signed but is missing from storage. Restore the storage from a backup.',
      );
    for (const note of new Set([checkpoint, stored, copy])) {
      if (note === null) continue;
      const source = note === copy ? 'The copy of the latest checkpoints' : 'The storage';
      await this.checkConsistency(log, { note, source });
    }
  }

  /** Reads the tree back after it was stored. @throws Refused, DamagedLog if it differs from the rows */
  async checkStoredTree({ name, size, edge }: StoredLog): Promise<void> {
    if (size === 0) return;
    const builder = new ProofBuilder(size, (tile) => this.readStoredTile(name, tile));
    const root = await builder.computeRoot({ start: 0, end: size });
    if (!root.equals(computeRoot(edge.tree)))
      throw new Refused(
        'The tree in storage differs from the tree in the database. Restore the storage from a backup.',
      );
  }

  private async isContinued({ log, epoch }: StoredLog): Promise<boolean> {
    const next = logName(log, epoch + 1);
    if ((await this.readCheckpoint(next)) !== null) return true;
    return (await this.heads.read(next).catch(asStorageError)) !== null;
  }

  private async checkConsistency(
    log: StoredLog,
    { note, source }: { note: string; source: string },
  ): Promise<void> {
    const { size, edge, origin } = log;
    const earlier = this.signer.open(note, origin);
    if (!earlier) throw new Refused('An earlier checkpoint is not signed by a key in EVIDENCE_KEYS.');
    if (earlier.size > size)
      throw new Refused(
        `${source} has a checkpoint of ${earlier.size} entries, but the database has ${size}: the database is an older copy.`,
      );
    const tree = { size, root: computeRoot(edge.tree) };
    if (!(await startsWith(tree, earlier, this.plannedTree(log))))
      throw new Refused(
        `The tree of ${size} entries does not start with the tree of ${earlier.size} entries that was signed before.`,
      );
  }

  /** The tree as the storage will have it: tiles that are not stored yet come from the rows. */
  private plannedTree({ log, name, size, edge }: StoredLog): ProofBuilder {
    const partial = new Map(partialTiles(edge).map((tile) => [objectPath(tile), tile.bytes]));
    return new ProofBuilder(size, async (tile) => {
      const bytes = partial.get(objectPath(tile)) ?? (await findUnstoredTile(this.em.fork(), log, tile));
      return bytes ?? this.readStoredTile(name, tile);
    });
  }

  private readCheckpoint(name: string): Promise<string | null> {
    return this.storage.readCheckpoint(name).catch(asStorageError);
  }

  private readStoredTile(name: string, tile: TileAddress): Promise<Buffer> {
    return this.storage.readTile(name, tile).catch(asStorageError);
  }
}

/** Whether the tree starts with that of an earlier checkpoint. */
async function startsWith(
  tree: { size: number; root: Buffer },
  earlier: Checkpoint,
  builder: ProofBuilder,
): Promise<boolean> {
  if (earlier.size === tree.size) return earlier.root.equals(tree.root);
  return isConsistent(earlier, tree, await builder.consistencyProof(earlier.size, tree.size));
}
