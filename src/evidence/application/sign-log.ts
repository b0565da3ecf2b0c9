import { Injectable, Logger } from '@nestjs/common';
import { EntityManager, IsolationLevel } from '@mikro-orm/postgresql';
import { RecordRetention } from '../../consent/record-retention.js';
import { findProject } from '../../projects/project.rows.js';
import type { Checkpoint } from '../domain/checkpoint.js';
import { hashesAt, type Tile, TILE_WIDTH } from '../domain/tile.js';
import { TreeReader } from '../domain/tile-reader.js';
import { edgeTiles, rootOf } from '../domain/tree-edge.js';
import { consistencyRanges, isConsistent } from '../domain/tree-proof.js';
import {
  findLog,
  forgetLog,
  forgetTiles,
  noteKeyUse,
  type StoredLog,
  tilesToStore,
  writeCheckpoint,
  writeRefusal,
} from '../infrastructure/log-rows.js';
import { DamagedLog, LogStorage } from '../infrastructure/log-storage.js';
import { ENTRIES, objectPath, ROOT_LOG, tilesAtEdge } from '../domain/log.js';
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
 * Before it signs, it reads the tree back from the storage: its root must be that of the rows, and it must begin with
 * the tree of each checkpoint that was signed before, the database's and the storage's. So a storage that lost or
 * changed something, and a database that was set back to a backup, are refused rather than signed over.
 */
@Injectable()
export class SignLog {
  private readonly logger = new Logger(SignLog.name);

  constructor(
    private readonly em: EntityManager,
    private readonly storage: LogStorage,
    private readonly signer: LogSigner,
    private readonly retention: RecordRetention,
  ) {}

  /** @throws LogStorageError where storage fails. */
  async sign(log: string, deadlineMs: number): Promise<SignOutcome> {
    while (performance.now() < deadlineMs) {
      const snapshot = await this.snapshot(log);
      if (!snapshot) return this.remove(log);
      await this.store(log, snapshot.full);
      // They stand for themselves, whatever the log becomes.
      await forgetTiles(this.em.fork(), log, snapshot.full);
      if (snapshot.full.length === TILES_READ_MAX) continue;
      await this.store(log, newAtEdge(snapshot.log));
      const refusal = await this.refusalOf(snapshot);
      if (refusal !== null) {
        this.logger.error({ log, refusal }, 'a log of evidence must not be signed');
        await writeRefusal(this.em.fork(), log, refusal);
        return 'refused';
      }
      const size = await this.publish(snapshot);
      if (size === null) return this.remove(log);
      if (size === snapshot.log.size) return 'signed';
    }
    return 'more';
  }

  private async snapshot(log: string): Promise<Snapshot | null> {
    const stored = await this.readCheckpoint(log);
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

  private readCheckpoint(log: string): Promise<string | null> {
    return this.storage.readCheckpoint(log).catch(asStorageError);
  }

  private async store(log: string, tiles: readonly Tile[]): Promise<void> {
    for (let at = 0; at < tiles.length; at += TILES_AT_ONCE) {
      const batch = tiles.slice(at, at + TILES_AT_ONCE);
      await Promise.all(batch.map((tile) => this.storage.putTile(log, tile))).catch(asStorageError);
    }
  }

  /** Why the log must not be signed at its size; null where it may be. */
  private async refusalOf({ log, stored }: Snapshot): Promise<string | null> {
    const { size, edge, checkpoint, origin } = log;
    // The first one may have been written by somebody else after the storage was looked at, and before the rows were.
    const isLost = checkpoint !== null && stored === null && (await this.readCheckpoint(log.log)) === null;
    if (isLost)
      return 'The storage has no checkpoint any more, though one was signed. Restore it from its backup.';
    const stands = this.treeOf(log.log, size);
    try {
      const tree = { size, root: rootOf(edge.tree) };
      if (size > 0 && !(await stands.rootOf({ start: 0, end: size })).equals(tree.root))
        return 'The tree in the storage is not the one that the database has. Restore the storage from its backup.';
      for (const note of new Set([checkpoint, stored])) {
        if (note === null) continue;
        const earlier = this.signer.open(note, origin);
        if (!earlier) return 'An earlier checkpoint bears no signature of a key in EVIDENCE_KEYS.';
        if (earlier.size > size)
          return `The storage has a checkpoint of ${earlier.size} entries, the database knows of ${size}: it is an older copy.`;
        if (!(await continues(earlier, tree, stands)))
          return `The tree of ${size} entries does not begin with the one of ${earlier.size} that was signed before.`;
      }
      return null;
    } catch (error) {
      if (error instanceof DamagedLog) return `${error.message} Restore the storage from its backup.`;
      throw error;
    }
  }

  private treeOf(log: string, size: number): TreeReader {
    return new TreeReader(size, (tile) =>
      this.storage.readTile(log, tile).catch((error: unknown) => {
        if (error instanceof DamagedLog) throw error;
        return asStorageError(error);
      }),
    );
  }

  /** Returns the log's size by then; null where it is gone. */
  private async publish({ log: stored }: Snapshot): Promise<number | null> {
    const { log, origin, size, edge, checkpointSize, checkpoint } = stored;
    const extensions = [`kept-from ${this.retention.keptSince(new Date()).toISOString().slice(0, 10)}`];
    const note =
      checkpoint !== null && checkpointSize === size
        ? checkpoint
        : this.signer.sign({ origin, size, root: rootOf(edge.tree), extensions });
    const [verifier] = this.signer.verifiersOf(origin);
    if (verifier !== undefined) await noteKeyUse(this.em.fork(), verifier);
    await this.storage.putCheckpoint(log, note).catch(asStorageError);
    const grownTo = await this.em.fork().transactional(async (tx) => {
      const known = await writeCheckpoint(tx, { log, size, note });
      if (log === ROOT_LOG) await coverRootEntries(tx, size);
      return known;
    });
    await this.removePartials(log, checkpointSize, size);
    return grownTo;
  }

  /** Of tiles that are full now, and were not at the last checkpoint. */
  private async removePartials(log: string, before: number, now: number): Promise<void> {
    for (let level = 0; hashesAt(level, before) > 0; level++) {
      const index = Math.floor(hashesAt(level, before) / TILE_WIDTH);
      const isFilled = hashesAt(level, now) >= (index + 1) * TILE_WIDTH;
      if (hashesAt(level, before) % TILE_WIDTH === 0 || !isFilled) continue;
      const levels = level === 0 ? [level, ENTRIES] : [level];
      for (const each of levels)
        await this.storage.removePartial(log, { level: each, index }).catch(asStorageError);
    }
  }

  private async remove(log: string): Promise<SignOutcome> {
    await this.em.fork().transactional((tx) => forgetLog(tx, log));
    await this.storage.removeLog(log).catch(asStorageError);
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

function asStorageError(cause: unknown): never {
  throw new LogStorageError('The storage of the logs failed.', { cause });
}
