import { EntityManager, IsolationLevel } from '@mikro-orm/postgresql';
import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { ThrottledLog } from '../../../platform/operations/throttled-log.js';
import { backgroundJob } from '../../../platform/outbox/outbox.handler.js';
import type { AttemptResult, OutboxMessage } from '../../../platform/outbox/domain/outbox-message.js';
import { OutboxService } from '../../../platform/outbox/outbox.service.js';
import { outboxSettings, type OutboxSettings } from '../../../platform/outbox/outbox.settings.js';
import { InjectSettings } from '../../../platform/settings/inject-settings.js';
import { STORAGE_TIMEOUT_MAX_MS } from '../../../platform/storage/object-storage.js';
import { backOffMs, type BackOff } from '../../../platform/time/back-off.js';
import { RecordRetention } from '../../consent/consent.records.js';
import { findProject } from '../../projects/project.rows.js';
import { computeRoot, partialTileAddresses } from '../domain/compact-range.js';
import { ENTRIES, objectPath, partialTiles, ROOT_LOG } from '../domain/log.js';
import { hashesAt, TILE_WIDTH, type Tile } from '../domain/tile.js';
import { CHECKPOINT_DUE, LOG_DELETED } from '../evidence.events.js';
import { evidenceSettings, type EvidenceSettings } from '../evidence.settings.js';
import {
  coverRootEntries,
  saveKeyUse,
  writeCheckpoint,
  writeRefusal,
} from '../infrastructure/checkpoint.rows.js';
import {
  asStorageError,
  DamagedLog,
  HeadCopies,
  LogStorage,
  LogStorageError,
} from '../infrastructure/log-storage.js';
import {
  deleteLog,
  deleteTiles,
  findLog,
  listUnstoredTiles,
  type StoredLog,
} from '../infrastructure/log.rows.js';
import { CheckpointGuard, Refused } from './checkpoint-guard.js';
import { LogSigner } from './log-signer.js';

/** Tiles written concurrently. */
const TILES_AT_ONCE = 16;
const TILES_READ_MAX = 256;

export type CheckpointOutcome =
  /** A signed checkpoint covers all entries. */
  | 'published'
  /** The deadline passed first. */
  | 'more'
  /** Storage and database disagree, or it would be a fork: nothing was signed, and the log's row has the reason. */
  | 'refused'
  /** The project and its objects were deleted. */
  | 'removed';

/** A log in database and storage at one time. */
interface Snapshot {
  log: StoredLog;
  /** Full tiles that may not be in the storage yet. */
  full: Tile[];
  /** The checkpoint in the storage, read before the rows: they are never older than it. */
  stored: string | null;
}

/**
 * Writes a log's tiles to the storage, then signs and writes its checkpoint. Several workers may do this at once, and each
 * may stop at any point: the tiles were decided with their leaves, and of two checkpoints the larger one stays.
 *
 * It checks before it writes, so nothing is stored for a database that was restored from an older backup, and it reads the
 * tree back before it signs, so a storage that lost or changed something is refused. An object that exists with other
 * bytes is never overwritten.
 */
@Injectable()
export class CheckpointPublisher {
  private readonly logger = new Logger(CheckpointPublisher.name);

  constructor(
    private readonly em: EntityManager,
    private readonly storage: LogStorage,
    private readonly heads: HeadCopies,
    private readonly signer: LogSigner,
    private readonly guard: CheckpointGuard,
    private readonly retention: RecordRetention,
  ) {}

  /** @throws LogStorageError if the storage fails */
  async publish(log: string, deadlineMs: number): Promise<CheckpointOutcome> {
    while (performance.now() < deadlineMs) {
      const snapshot = await this.readSnapshot(log);
      if (!snapshot) return this.remove(log);
      const hasMoreTiles = snapshot.full.length === TILES_READ_MAX;
      const refusal = await findRefusal(() => this.storeTiles(snapshot, { hasMoreTiles }));
      if (refusal !== null) {
        this.logger.error({ log, refusal }, 'an evidence log must not be signed');
        await writeRefusal(this.em.fork(), log, refusal);
        return 'refused';
      }
      if (hasMoreTiles) continue;
      const size = await this.publishCheckpoint(snapshot.log);
      if (size === null) return this.remove(log);
      if (size === snapshot.log.size) return 'published';
    }
    return 'more';
  }

  private async readSnapshot(log: string): Promise<Snapshot | null> {
    const before = await findLog(this.em.fork(), log);
    const stored = before && (await this.storage.readCheckpoint(before.name).catch(asStorageError));
    return this.em.fork().transactional(
      async (tx) => {
        const found = await findLog(tx, log);
        // A record may have been sequenced while its project was deleted.
        if (log !== ROOT_LOG && (await findProject(tx, log)) === null) return null;
        return found && { log: found, full: await listUnstoredTiles(tx, log, TILES_READ_MAX), stored };
      },
      { isolationLevel: IsolationLevel.REPEATABLE_READ },
    );
  }

  /** Stores full tiles and, once all are stored, the partial ones; then checks the stored tree. */
  private async storeTiles(
    { log, full, stored }: Snapshot,
    { hasMoreTiles }: { hasMoreTiles: boolean },
  ): Promise<void> {
    await this.guard.checkBeforeWriting(log, stored);
    await this.putTiles(log.name, full);
    await deleteTiles(this.em.fork(), log.log, full);
    if (hasMoreTiles) return;
    await this.putTiles(log.name, newPartialTiles(log));
    await this.guard.checkStoredTree(log);
  }

  private async putTiles(name: string, tiles: readonly Tile[]): Promise<void> {
    for (let at = 0; at < tiles.length; at += TILES_AT_ONCE) {
      const batch = tiles.slice(at, at + TILES_AT_ONCE);
      await Promise.all(batch.map((tile) => this.storage.putTile(name, tile))).catch(asStorageError);
    }
  }

  /** Returns the log's current size; null if the log was deleted. */
  private async publishCheckpoint(log: StoredLog): Promise<number | null> {
    const { name, origin, size, checkpointSize } = log;
    const note = this.signCheckpoint(log);
    const [verifier] = this.signer.verifierLines(origin);
    if (verifier !== undefined) await saveKeyUse(this.em.fork(), verifier);
    // The copy comes first: it then has every signed checkpoint, even if database and storage are lost.
    await this.heads.put(name, note).catch(asStorageError);
    await this.storage.putCheckpoint(name, note).catch(asStorageError);
    const currentSize = await this.em.fork().transactional(async (tx) => {
      const { epoch, checkpoint: former } = log;
      const current = await writeCheckpoint(tx, { log: log.log, epoch, size, note, former });
      if (log.log === ROOT_LOG) await coverRootEntries(tx, size);
      return current;
    });
    await this.removePartialTiles(name, checkpointSize, size);
    return currentSize;
  }

  /** The checkpoint of an idle log is signed again once the current key changes, so that the former key can be retired. */
  private signCheckpoint({ origin, size, edge, checkpoint, checkpointSize }: StoredLog): string {
    if (checkpoint !== null && checkpointSize === size && this.signer.hasSigned(checkpoint, origin))
      return checkpoint;
    const keptFrom = this.retention.keptSince(new Date()).toISOString().slice(0, 10);
    const root = computeRoot(edge.tree);
    return this.signer.sign({ origin, size, root, extensions: [`kept-from ${keptFrom}`] });
  }

  /** Removes partial tiles that have become full since the last checkpoint. */
  private async removePartialTiles(name: string, formerSize: number, size: number): Promise<void> {
    for (let level = 0; hashesAt(level, formerSize) > 0; level++) {
      const index = Math.floor(hashesAt(level, formerSize) / TILE_WIDTH);
      const isFull = hashesAt(level, size) >= (index + 1) * TILE_WIDTH;
      if (hashesAt(level, formerSize) % TILE_WIDTH === 0 || !isFull) continue;
      const levels = level === 0 ? [level, ENTRIES] : [level];
      for (const each of levels)
        await this.storage.removePartial(name, { level: each, index }).catch(asStorageError);
    }
  }

  private async remove(log: string): Promise<CheckpointOutcome> {
    await this.em.fork().transactional((tx) => deleteLog(tx, log));
    await this.storage.removeLog(log).catch(asStorageError);
    await this.heads.remove(log).catch(asStorageError);
    return 'removed';
  }
}

/** Partial tiles that changed since the last checkpoint, which stored and verified the others. */
function newPartialTiles({ edge, checkpointSize }: StoredLog): Tile[] {
  const former = new Set(partialTileAddresses(checkpointSize).map(objectPath));
  return partialTiles(edge).filter((tile) => !former.has(objectPath(tile)));
}

/** Runs a step; returns why the log must not be signed, or null. */
async function findRefusal(step: () => Promise<void>): Promise<string | null> {
  try {
    await step();
    return null;
  } catch (error) {
    if (error instanceof Refused) return error.message;
    if (error instanceof DamagedLog) return `${error.message} Restore the storage from a backup.`;
    throw error;
  }
}

/** Logs that a worker publishes concurrently. */
const LOGS_AT_ONCE = 8;
/** As `LOGS_AT_ONCE`, in a folder: with more, commits wait for the disk to synchronize the files (ADR 59). */
const FOLDER_LOGS_AT_ONCE = 2;
const LEASE_SHARE = 1 / 4;
/** Retried without limit. */
const STORAGE_WAIT: BackOff = { baseMs: 500, factor: 2, longestMs: 30_000 };
/** A refused log is tried again: an operator may have restored what was lost. */
const REFUSED_WAIT_MS = 60_000;

/** The outbox handler of `checkpoint.due` and `log.deleted`: publishes logs and deletes them from the storage. */
@Injectable()
export class CheckpointHandler implements OnModuleInit {
  private readonly slots: number;
  private readonly storageFailed = new ThrottledLog(
    new Logger(CheckpointHandler.name),
    'evidence log storage failed; unsigned entries are waiting, retrying',
  );

  constructor(
    private readonly outbox: OutboxService,
    private readonly publisher: CheckpointPublisher,
    private readonly storage: LogStorage,
    @InjectSettings(outboxSettings) private readonly settings: OutboxSettings,
    @InjectSettings(evidenceSettings) { storage: { kind } }: EvidenceSettings,
  ) {
    this.slots = kind === 'folder' ? FOLDER_LOGS_AT_ONCE : LOGS_AT_ONCE;
  }

  onModuleInit(): void {
    this.outbox.register(
      backgroundJob<CheckpointOutcome>({
        topics: [CHECKPOINT_DUE, LOG_DELETED],
        slotsMax: this.slots,
        attemptMaxMs: STORAGE_TIMEOUT_MAX_MS,
        run: (message) => this.run(message),
        // The next message for the log continues.
        abandoned: { kind: 'retry', afterMs: REFUSED_WAIT_MS, error: 'The worker crashed on every attempt.' },
      }),
    );
  }

  private async run({
    topic,
    subjectId: log,
    failures,
  }: OutboxMessage): Promise<AttemptResult<CheckpointOutcome>> {
    try {
      if (topic === LOG_DELETED) {
        await this.storage.removeLog(log).catch(asStorageError);
        return settled('removed');
      }
      const outcome = await this.publisher.publish(
        log,
        performance.now() + this.settings.leaseMs * LEASE_SHARE,
      );
      if (outcome === 'more') return { kind: 'snooze', afterMs: 0 };
      if (outcome !== 'refused') return settled(outcome);
      return { kind: 'retry', afterMs: REFUSED_WAIT_MS, error: 'Storage and database disagree.' };
    } catch (error) {
      if (error instanceof LogStorageError) {
        this.storageFailed.warn(error.cause);
        return { kind: 'retry', afterMs: backOffMs(failures + 1, STORAGE_WAIT), error: error.message };
      }
      throw error;
    }
  }
}

const settled = (outcome: CheckpointOutcome): AttemptResult<CheckpointOutcome> => ({
  kind: 'settled',
  outcome,
  healthy: true,
});
