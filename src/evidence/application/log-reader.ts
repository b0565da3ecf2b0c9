import { Injectable } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { DomainError, fieldErrors } from '../../shared/domain-error.js';
import { ENTRIES } from '../domain/log.js';
import { hashesAt, type TileAddress, TILE_WIDTH } from '../domain/tile.js';
import { TreeReader } from '../domain/tile-reader.js';
import { writeTlogProof } from '../domain/tlog-proof.js';
import { consistencyRanges, inclusionRanges } from '../domain/tree-proof.js';
import {
  findLog,
  findPastLog,
  findVerifiers,
  type SignedLog,
  type StoredLog,
} from '../infrastructure/log-rows.js';
import { LogStorage } from '../infrastructure/log-storage.js';

/** Levels of a tree that could hold every record ever made. */
const LEVELS_MAX = 8;
const TILE_PATH = /^(entries|\d)\/((?:x\d{3}\/)*\d{3})(?:\.p\/([1-9]\d{0,2}))?$/;

/** Reads what is signed of logs; nothing beyond a log's newest checkpoint is ever shown. */
@Injectable()
export class LogReader {
  constructor(
    private readonly em: EntityManager,
    private readonly storage: LogStorage,
  ) {}

  /** The log; null before the first record of its project was sealed. */
  find(log: string): Promise<StoredLog | null> {
    return findLog(this.em.fork(), log);
  }

  /** The log of a number, or the newest one; null where there is none. */
  async findEpoch(log: string, epoch: number | undefined): Promise<SignedLog | null> {
    const newest = await this.find(log);
    if (epoch === undefined || newest?.epoch === epoch) return newest;
    return findPastLog(this.em.fork(), log, epoch);
  }

  /** The newest signed checkpoint. @throws DomainError `log_empty` (404) */
  async checkpoint(log: string, epoch?: number): Promise<string> {
    const found = await this.findEpoch(log, epoch);
    if (!found?.checkpoint) throw new DomainError('log_empty', 'This log has no entries yet.');
    return found.checkpoint;
  }

  /** A tile by its path below `tile/`. @throws DomainError `tile_not_found` (404) */
  async tile(log: string, path: string, epoch: number): Promise<Buffer> {
    const address = tileAddressOf(path);
    const found = address && (await this.findEpoch(log, epoch));
    const level = Math.max(0, address?.level ?? 0);
    const covered = found ? hashesAt(level, found.checkpointSize) : 0;
    if (!address || !found || address.index * TILE_WIDTH + address.width > covered)
      throw new DomainError('tile_not_found', 'The log has no such tile (yet).');
    return this.storage.readTile(found.name, address);
  }

  /**
   * That the tree of `to` leaves begins with that of `from` (RFC 9162 §2.1.4).
   * @throws DomainError `log_size_unknown` (404) where the log is not as large yet, `validation_failed` (422)
   */
  async consistency(
    log: string,
    { from, to, epoch }: { from: number; to: number; epoch: number },
  ): Promise<Buffer[]> {
    if (from > to) throw fieldErrors([{ field: 'from', message: 'from must not be larger than to.' }]);
    const found = await this.findEpoch(log, epoch);
    if (!found || to > found.checkpointSize)
      throw new DomainError(
        'log_size_unknown',
        `The log has ${found?.checkpointSize ?? 0} signed entries so far.`,
      );
    return this.treeOf(found).rootsOf(consistencyRanges(from, to));
  }

  /**
   * The signed statement with which a log begins that continues another one, as a proof that it is the first entry.
   * @throws DomainError `log_empty` (404) where it continues none, or is not signed yet
   */
  async continuation(log: string, epoch?: number): Promise<string> {
    const found = await this.findEpoch(log, epoch);
    if (!found?.continues || !found.checkpoint)
      throw new DomainError('log_empty', 'The log does not continue another one, or is not signed yet.');
    const path = await this.treeOf(found).rootsOf(inclusionRanges(0, found.checkpointSize));
    return writeTlogProof({
      ...{ extra: Buffer.from(found.continues), index: 0, path, checkpoint: found.checkpoint },
    });
  }

  /** The tree that the newest checkpoint is of: each smaller one is a part of it. */
  treeOf({ name, checkpointSize }: SignedLog): TreeReader {
    return new TreeReader(checkpointSize, (tile) => this.storage.readTile(name, tile));
  }

  /** Keys that have signed: as they are published, with since when and until when. */
  verifiers(): Promise<{ verifier: string; firstSignedAt: Date; lastSignedAt: Date }[]> {
    return findVerifiers(this.em.fork());
  }
}

function tileAddressOf(path: string): TileAddress | null {
  const [, level, groups, width] = TILE_PATH.exec(path) ?? [];
  if (level === undefined || groups === undefined || Number(width ?? 1) >= TILE_WIDTH) return null;
  const index = Number(groups.replaceAll(/x|\//g, ''));
  if (!Number.isSafeInteger(index) || Number(level) > LEVELS_MAX) return null;
  return { level: level === 'entries' ? ENTRIES : Number(level), index, width: Number(width ?? TILE_WIDTH) };
}
