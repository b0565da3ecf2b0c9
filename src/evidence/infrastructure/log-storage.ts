import { Injectable } from '@nestjs/common';
import { type OutboxSettings, outboxSettings } from '../../outbox/outbox.settings.js';
import { InjectSettings } from '../../settings/inject-settings.js';
import { ObjectStorage } from '../../shared/object-storage.js';
import { type EvidenceSettings, evidenceSettings } from '../evidence.settings.js';
import { logFolder, logName, objectPath, ROOT_LOG, tileBytes } from '../domain/log.js';
import { type Tile, type TileAddress, TILE_WIDTH } from '../domain/tile.js';

const BINARY = {
  contentType: 'application/octet-stream',
  cacheControl: 'private, max-age=31536000, immutable',
};
const TEXT = { contentType: 'text/plain; charset=utf-8', cacheControl: 'no-store' };

/** Where the logs are (setting EVIDENCE_STORAGE_URL): each in a folder, as C2SP tlog-tiles lays them out. */
@Injectable()
export class LogStorage extends ObjectStorage {
  constructor(
    @InjectSettings(evidenceSettings) { storage }: EvidenceSettings,
    @InjectSettings(outboxSettings) outbox: OutboxSettings,
  ) {
    super(storage, outbox);
  }

  /** @throws DamagedLog where the storage has other bytes under its name, which are never overwritten */
  async putTile(log: string, tile: Tile): Promise<void> {
    const path = objectPath(tile);
    if (await this.putOnce(`${logFolder(log)}/${path}`, tile.bytes, BINARY)) return;
    throw new DamagedLog(`The storage has different bytes at ${path}. They are not overwritten.`);
  }

  /**
   * A tile's bytes. One that is not full may be gone once the full one is there, which begins with it.
   * @throws DamagedLog where neither is there, or it is shorter than it says
   */
  async readTile(log: string, address: TileAddress): Promise<Buffer> {
    const folder = logFolder(log);
    const bytes =
      (await this.readBytes(`${folder}/${objectPath(address)}`)) ??
      (await this.readBytes(`${folder}/${objectPath({ ...address, width: TILE_WIDTH })}`));
    const wanted = tileBytes(address);
    if (!bytes) throw new DamagedLog(`${objectPath(address)} is missing from storage.`);
    if (bytes.length < wanted) throw new DamagedLog(`${objectPath(address)} is truncated in storage.`);
    return bytes.subarray(0, wanted);
  }

  /** Removes those of a tile's place that are not full. */
  removePartial(log: string, { level, index }: Pick<TileAddress, 'level' | 'index'>): Promise<void> {
    return this.removeAll(`${logFolder(log)}/${objectPath({ level, index, width: TILE_WIDTH })}.p`);
  }

  putCheckpoint(log: string, note: string): Promise<void> {
    return this.put(`${logFolder(log)}/checkpoint`, note, TEXT);
  }

  /** The checkpoint that was written last; null before the first. */
  readCheckpoint(log: string): Promise<string | null> {
    return this.read(`${logFolder(log)}/checkpoint`);
  }

  /**
   * Writes a time-stamp beside the checkpoint that it is of. Each size has one checkpoint, so the last
   * writer leaves a matching pair.
   */
  async putStamp(
    { epoch, size }: StampAddress,
    { note, answer }: { note: string; answer: Buffer },
  ): Promise<void> {
    await Promise.all([
      this.put(stampedPath({ epoch, size }), note, TEXT),
      this.put(stampPath({ epoch, size }), answer, { ...BINARY, contentType: 'application/timestamp-reply' }),
    ]);
  }

  /** The service's answer, as it came. @throws DamagedLog where it is not there */
  async readStamp(stamp: StampAddress): Promise<Buffer> {
    return (await this.readBytes(stampPath(stamp))) ?? lacks(stampPath(stamp));
  }

  /** The checkpoint that a time-stamp is of. @throws DamagedLog where it is not there */
  async readStamped(stamp: StampAddress): Promise<string> {
    return (await this.read(stampedPath(stamp))) ?? lacks(stampedPath(stamp));
  }

  removeLog(log: string): Promise<void> {
    return this.removeAll(logFolder(log));
  }
}

/** Which checkpoint of which root log a time-stamp is of. */
type StampAddress = { epoch: number; size: number };

const rootFolder = (epoch: number): string => logFolder(logName(ROOT_LOG, epoch));
const stampPath = ({ epoch, size }: StampAddress): string => `${rootFolder(epoch)}/timestamp/${size}.tsr`;
const stampedPath = ({ epoch, size }: StampAddress): string =>
  `${rootFolder(epoch)}/timestamp/${size}.checkpoint`;

function lacks(path: string): never {
  throw new DamagedLog(`${path} is missing from storage.`);
}

/** The storage holds another tree than it was given, or less of it. */
export class DamagedLog extends Error {}
