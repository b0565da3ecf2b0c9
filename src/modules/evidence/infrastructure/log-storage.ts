import { Injectable } from '@nestjs/common';
import { outboxSettings, type OutboxSettings } from '../../../platform/outbox/outbox.settings.js';
import { InjectSettings } from '../../../platform/settings/inject-settings.js';
import { ObjectStorage } from '../../../platform/storage/object-storage.js';
import { logFolder, logName, objectPath, ROOT_LOG, tileLength } from '../domain/log.js';
import { TILE_WIDTH, type Tile, type TileAddress } from '../domain/tile.js';
import { evidenceSettings, type EvidenceSettings } from '../evidence.settings.js';

const BINARY = {
  contentType: 'application/octet-stream',
  cacheControl: 'private, max-age=31536000, immutable',
};
const checkpointPath = (name: string): string => `${logFolder(name)}/checkpoint`;
const TEXT = { contentType: 'text/plain; charset=utf-8', cacheControl: 'no-store' };

/** The storage of the logs (EVIDENCE_STORAGE_URL): a folder for each, in the layout of C2SP tlog-tiles. */
@Injectable()
export class LogStorage extends ObjectStorage {
  constructor(
    @InjectSettings(evidenceSettings) { storage }: EvidenceSettings,
    @InjectSettings(outboxSettings) outbox: OutboxSettings,
  ) {
    super(storage, outbox);
  }

  /** @throws DamagedLog if the object exists with other bytes, which are never overwritten */
  async putTile(log: string, tile: Tile): Promise<void> {
    const path = objectPath(tile);
    if (await this.putOnce(`${logFolder(log)}/${path}`, tile.bytes, BINARY)) return;
    throw new DamagedLog(`The storage has different bytes at ${path}. They are not overwritten.`);
  }

  /**
   * The bytes of a tile. A partial tile may have been removed once the full one, which starts with it, is stored.
   * @throws DamagedLog if neither exists, or the tile is truncated
   */
  async readTile(log: string, address: TileAddress): Promise<Buffer> {
    const folder = logFolder(log);
    const bytes =
      (await this.readBytes(`${folder}/${objectPath(address)}`)) ??
      (await this.readBytes(`${folder}/${objectPath({ ...address, width: TILE_WIDTH })}`));
    const length = tileLength(address);
    if (!bytes) throw new DamagedLog(`${objectPath(address)} is missing from storage.`);
    if (bytes.length < length) throw new DamagedLog(`${objectPath(address)} is truncated in storage.`);
    return bytes.subarray(0, length);
  }

  removePartial(log: string, { level, index }: Pick<TileAddress, 'level' | 'index'>): Promise<void> {
    return this.removeAll(`${logFolder(log)}/${objectPath({ level, index, width: TILE_WIDTH })}.p`);
  }

  putCheckpoint(log: string, note: string): Promise<void> {
    return this.put(checkpointPath(log), note, TEXT);
  }

  /** The last checkpoint that was written; null before the first. */
  readCheckpoint(log: string): Promise<string | null> {
    return this.read(checkpointPath(log));
  }

  /**
   * Writes a timestamp and its checkpoint. Each size has one checkpoint, so the last writer leaves a matching pair.
   */
  async putTimestamp(
    { epoch, size }: TimestampAddress,
    { note, response }: { note: string; response: Buffer },
  ): Promise<void> {
    await Promise.all([
      this.put(timestampedPath({ epoch, size }), note, TEXT),
      this.put(timestampPath({ epoch, size }), response, {
        ...BINARY,
        contentType: 'application/timestamp-reply',
      }),
    ]);
  }

  /** The timestamp service's response. @throws DamagedLog if it is missing */
  async readTimestamp(timestamp: TimestampAddress): Promise<Buffer> {
    return (await this.readBytes(timestampPath(timestamp))) ?? missing(timestampPath(timestamp));
  }

  /** The checkpoint of a timestamp. @throws DamagedLog if it is missing */
  async readTimestampedCheckpoint(timestamp: TimestampAddress): Promise<string> {
    return (await this.read(timestampedPath(timestamp))) ?? missing(timestampedPath(timestamp));
  }

  removeLog(log: string): Promise<void> {
    return this.removeAll(logFolder(log));
  }
}

type TimestampAddress = { epoch: number; size: number };

const rootFolder = (epoch: number): string => logFolder(logName(ROOT_LOG, epoch));
const timestampPath = ({ epoch, size }: TimestampAddress): string =>
  `${rootFolder(epoch)}/timestamp/${size}.tsr`;
const timestampedPath = ({ epoch, size }: TimestampAddress): string =>
  `${rootFolder(epoch)}/timestamp/${size}.checkpoint`;

function missing(path: string): never {
  throw new DamagedLog(`${path} is missing from storage.`);
}

/** The tree in the storage differs from the one that was stored, or parts of it are missing. */
export class DamagedLog extends Error {}

export class LogStorageError extends Error {}

/** Marks the failure of an operation on the storage. */
export function asStorageError(cause: unknown): never {
  if (cause instanceof DamagedLog) throw cause;
  throw new LogStorageError('Evidence log storage failed.', { cause });
}

/**
 * Copies of the newest signed checkpoint of each log, apart from database and storage
 * (EVIDENCE_HEADS_URL). If both are restored from older backups, only the copies show which
 * checkpoints were signed since. Without the setting there are none.
 */
@Injectable()
export class HeadCopies {
  private readonly storage: ObjectStorage | null;

  constructor(
    @InjectSettings(evidenceSettings) { heads }: Pick<EvidenceSettings, 'heads'>,
    @InjectSettings(outboxSettings) outbox: Pick<OutboxSettings, 'leaseMs'>,
  ) {
    this.storage = heads && new ObjectStorage(heads, outbox);
  }

  /** By name of the log; null if there is no copy. */
  async read(name: string): Promise<string | null> {
    return (await this.storage?.read(checkpointPath(name))) ?? null;
  }

  async put(name: string, note: string): Promise<void> {
    await this.storage?.put(checkpointPath(name), note, TEXT);
  }

  async remove(log: string): Promise<void> {
    await this.storage?.removeAll(logFolder(log));
  }

  async onApplicationShutdown(): Promise<void> {
    await this.storage?.onApplicationShutdown();
  }
}
