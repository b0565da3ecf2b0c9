import { Injectable, Logger } from '@nestjs/common';
import { EntityManager, IsolationLevel } from '@mikro-orm/postgresql';
import { RecordRetention } from '../../consent/record-retention.js';
import { findProject } from '../../projects/project.rows.js';
import type { Checkpoint } from '../domain/checkpoint.js';
import { hashesAt, type Tile, type TileAddress, TILE_WIDTH } from '../domain/tile.js';
import { TreeReader } from '../domain/tile-reader.js';
import { edgeTiles, rootOf } from '../domain/tree-edge.js';
import { consistencyRanges, isConsistent } from '../domain/tree-proof.js';
import {
  findLog,
  findTileToStore,
  forgetLog,
  forgetTiles,
  noteKeyUse,
  type StoredLog,
  tilesToStore,
  writeCheckpoint,
  writeRefusal,
} from '../infrastructure/log-rows.js';
import { HeadCopies } from '../infrastructure/head-copies.js';
import { DamagedLog, LogStorage } from '../infrastructure/log-storage.js';
import { ENTRIES, logName, objectPath, ROOT_LOG, tilesAtEdge } from '../domain/log.js';
import { LogSigner } from './log-signer.js';
import { coverRootEntries } from './seal-roots.js';

/** Tiles that are written at once, and that one look into the database reads. */
const TILES_AT_ONCE = 16;
const TILES_READ_MAX = 256;

/** The storage did not do what it was asked to. Whatever else is thrown is not its fault. */
export class LogStorageError extends Error {}

export type SignOutcome =
  /** Every leaf that there is is covered by a signed checkpoint. */
  | 'signed'
  /** The time was over before that. */
  | 'more'
  /** Storage and database disagree, or it would be a fork: nothing was signed, and the log's row says why. */
  | 'refused'
  /** The project is gone, and so are its objects. */
  | 'removed';

/** What storage and database say of a log at one time. */
interface Snapshot {
  log: StoredLog;
  /** Full tiles that are not known to be stored. */
  full: Tile[];
  /** The checkpoint in the storage, read before the rest: the rows are never older than it. */
  stored: string | null;
}

/**
 * Writes a log's tiles to the storage and then signs its checkpoint. Any number may be at it at the same time, and each
 * may be broken off anywhere: tiles are what was decided with their leaves, and of two checkpoints the larger one stays.
 *
 * It decides before it writes: the tree must begin with that of each checkpoint that was signed before, the database's
 * and the storage's. So nothing is stored for a database that was set back to a backup. Before it signs, it reads the
 * tree back, so a storage that lost or changed something is refused rather than signed over. An object that the storage
 * has with other bytes is never overwritten.
 */
@Injectable()
export class SignLog {
  private readonly logger = new Logger(SignLog.name);

  constructor(
    private readonly em: EntityManager,
    private readonly storage: LogStorage,
    private readonly heads: HeadCopies,
    private readonly signer: LogSigner,
    private readonly retention: RecordRetention,
  ) {}

  /** @throws LogStorageError where storage fails. */
  async sign(log: string, deadlineMs: number): Promise<SignOutcome> {
    while (performance.now() < deadlineMs) {
      const snapshot = await this.snapshot(log);
      if (!snapshot) return this.remove(log);
      const refusal = await refusalFrom(async () => {
        await this.judge(snapshot);
        await this.store(snapshot.log.name, snapshot.full);
        await forgetTiles(this.em.fork(), log, snapshot.full);
        if (snapshot.full.length === TILES_READ_MAX) return;
        await this.store(snapshot.log.name, newAtEdge(snapshot.log));
        await this.readBack(snapshot);
      });
      if (refusal !== null) {
        this.logger.error({ log, refusal }, 'an evidence log must not be signed');
        await writeRefusal(this.em.fork(), log, refusal);
        return 'refused';
      }
      if (snapshot.full.length === TILES_READ_MAX) continue;
      const size = await this.publish(snapshot);
      if (size === null) return this.remove(log);
      if (size === snapshot.log.size) return 'signed';
    }
    return 'more';
  }

  private async snapshot(log: string): Promise<Snapshot | null> {
    const before = await findLog(this.em.fork(), log);
    const stored = before && (await this.readCheckpoint(before.name));
    return this.em.fork().transactional(
      async (tx) => {
        const found = await findLog(tx, log);
        // A record may have been sealed in the very moment in which its project went.
        if (log !== ROOT_LOG && (await findProject(tx, log)) === null) return null;
        return found && { log: found, full: await tilesToStore(tx, log, TILES_READ_MAX), stored };
      },
      { isolationLevel: IsolationLevel.REPEATABLE_READ },
    );
  }

  private readCheckpoint(name: string): Promise<string | null> {
    return this.storage.readCheckpoint(name).catch(asStorageError);
  }

  private async store(name: string, tiles: readonly Tile[]): Promise<void> {
    for (let at = 0; at < tiles.length; at += TILES_AT_ONCE) {
      const batch = tiles.slice(at, at + TILES_AT_ONCE);
      await Promise.all(batch.map((tile) => this.storage.putTile(name, tile))).catch(asStorageError);
    }
  }

  /**
   * Decides whether the log may be signed at its size, before anything of it is written: the tree of the rows, and of
   * the storage where the rows no longer have it, must begin with every tree that was signed before.
   * @throws Refused, DamagedLog where it may not
   */
  private async judge({ log, stored }: Snapshot): Promise<void> {
    const { size, edge, checkpoint, origin, name } = log;
    if (log.halted !== null) throw new Refused(log.halted);
    const heads = await this.heads.read(name).catch(asStorageError);
    const next = logName(log.log, log.epoch + 1);
    const isContinued =
      (await this.readCheckpoint(next)) !== null ||
      (await this.heads.read(next).catch(asStorageError)) !== null;
    if (isContinued)
      throw new Refused(
        'Another log continues this one, but the database has no record of it: the database is an older copy.',
      );
    // Another signer may have written the first checkpoint between our reads of the storage and of the rows.
    const isLost = checkpoint !== null && stored === null && (await this.readCheckpoint(name)) === null;
    if (isLost)
      throw new Refused(
        'A checkpoint was signed but is missing from storage. Restore the storage from a backup.',
      );
    const decided = this.decidedTree(log);
    const tree = { size, root: rootOf(edge.tree) };
    for (const note of new Set([checkpoint, stored, heads])) {
      if (note === null) continue;
      const earlier = this.signer.open(note, origin);
      if (!earlier) throw new Refused('An earlier checkpoint is not signed by a key in EVIDENCE_KEYS.');
      if (earlier.size > size)
        throw new Refused(
          `${note === heads ? 'The copy of the latest checkpoints' : 'The storage'} has a checkpoint of ${earlier.size} entries, but the database has ${size}: the database is an older copy.`,
        );
      if (!(await continues(earlier, tree, decided)))
        throw new Refused(
          `The tree of ${size} entries does not start with the tree of ${earlier.size} entries that was signed before.`,
        );
    }
  }

  /** Reads the tree back after it was stored. @throws Refused, DamagedLog where it is not that of the rows */
  private async readBack({ log: { name, size, edge } }: Snapshot): Promise<void> {
    if (size === 0) return;
    const root = await new TreeReader(size, (tile) => this.readStored(name, tile)).rootOf({
      start: 0,
      end: size,
    });
    if (!root.equals(rootOf(edge.tree)))
      throw new Refused(
        'The tree in storage differs from the tree in the database. Restore the storage from a backup.',
      );
  }

  /** The tree as the storage will have it: tiles that wait to be stored come from the rows. */
  private decidedTree({ log, name, size, edge }: StoredLog): TreeReader {
    const atEdge = new Map(tilesAtEdge(edge).map((tile) => [objectPath(tile), tile.bytes]));
    return new TreeReader(size, async (tile) => {
      const bytes = atEdge.get(objectPath(tile)) ?? (await findTileToStore(this.em.fork(), log, tile));
      return bytes ?? this.readStored(name, tile);
    });
  }

  private readStored(name: string, tile: TileAddress): Promise<Buffer> {
    return this.storage.readTile(name, tile).catch(asStorageError);
  }

  /** Returns the log's size by then; null where it is gone. */
  private async publish({ log: stored }: Snapshot): Promise<number | null> {
    const { log, epoch, name, origin, size, edge, checkpointSize, checkpoint } = stored;
    const extensions = [`kept-from ${this.retention.keptSince(new Date()).toISOString().slice(0, 10)}`];
    // An idle log is signed again once another key signs: the former one can be retired then.
    const isSigned =
      checkpoint !== null && checkpointSize === size && this.signer.hasSigned(checkpoint, origin);
    const note = isSigned
      ? checkpoint
      : this.signer.sign({ origin, size, root: rootOf(edge.tree), extensions });
    const [verifier] = this.signer.verifiersOf(origin);
    if (verifier !== undefined) await noteKeyUse(this.em.fork(), verifier);
    // Apart first: whatever is signed is known there, should the rest be lost.
    await this.heads.put(name, note).catch(asStorageError);
    await this.storage.putCheckpoint(name, note).catch(asStorageError);
    const grownTo = await this.em.fork().transactional(async (tx) => {
      const known = await writeCheckpoint(tx, { log, epoch, size, note, former: checkpoint });
      if (log === ROOT_LOG) await coverRootEntries(tx, size);
      return known;
    });
    await this.removePartials(name, checkpointSize, size);
    return grownTo;
  }

  /** Of tiles that are full now, and were not at the last checkpoint. */
  private async removePartials(name: string, before: number, now: number): Promise<void> {
    for (let level = 0; hashesAt(level, before) > 0; level++) {
      const index = Math.floor(hashesAt(level, before) / TILE_WIDTH);
      const isFilled = hashesAt(level, now) >= (index + 1) * TILE_WIDTH;
      if (hashesAt(level, before) % TILE_WIDTH === 0 || !isFilled) continue;
      const levels = level === 0 ? [level, ENTRIES] : [level];
      for (const each of levels)
        await this.storage.removePartial(name, { level: each, index }).catch(asStorageError);
    }
  }

  private async remove(log: string): Promise<SignOutcome> {
    await this.em.fork().transactional((tx) => forgetLog(tx, log));
    await this.storage.removeLog(log).catch(asStorageError);
    await this.heads.remove(log).catch(asStorageError);
    return 'removed';
  }
}

/** Whether the tree, which stands in the storage, begins with an earlier one. */
async function continues(
  earlier: Checkpoint,
  tree: { size: number; root: Buffer },
  stands: TreeReader,
): Promise<boolean> {
  if (earlier.size === tree.size) return earlier.root.equals(tree.root);
  const path = await stands.rootsOf(consistencyRanges(earlier.size, tree.size));
  return isConsistent(earlier, tree, path);
}

/** Tiles at the edge that are not those of the last checkpoint, with which they were stored and read back. */
function newAtEdge({ edge, checkpointSize }: StoredLog): Tile[] {
  const former = new Set(edgeTiles(checkpointSize).map(objectPath));
  return tilesAtEdge(edge).filter((tile) => !former.has(objectPath(tile)));
}

/** The log must not be signed, for a reason that an operator is shown. */
class Refused extends Error {}

/** Why a log must not be signed, as its steps find it; null where it may be. */
async function refusalFrom(steps: () => Promise<void>): Promise<string | null> {
  try {
    await steps();
    return null;
  } catch (error) {
    if (error instanceof Refused) return error.message;
    if (error instanceof DamagedLog) return `${error.message} Restore the storage from a backup.`;
    throw error;
  }
}

function asStorageError(cause: unknown): never {
  if (cause instanceof DamagedLog) throw cause;
  throw new LogStorageError('Evidence log storage failed.', { cause });
}
