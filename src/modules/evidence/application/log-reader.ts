import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { DomainError, fieldErrors } from '../../../platform/errors/domain-error.js';
import { ENTRIES, ROOT_LOG, tileLength } from '../domain/log.js';
import { ProofBuilder } from '../domain/proof-builder.js';
import { parseVerifier } from '../domain/signed-note.js';
import { hashesAt, TILE_WIDTH, tileAddress, type TileAddress } from '../domain/tile.js';
import { writeTlogProof } from '../domain/tlog-proof.js';
import { listUsedKeys, type UsedKey } from '../infrastructure/checkpoint.rows.js';
import { LogStorage } from '../infrastructure/log-storage.js';
import { findLog, findPastLog, type SignedLog, type StoredLog } from '../infrastructure/log.rows.js';
import { LogSigner } from './log-signer.js';

/** Levels of a tree that could contain every record ever stored. */
const LEVELS_MAX = 8;
const TILE_PATH = /^(entries|\d)\/((?:x\d{3}\/)*\d{3})(?:\.p\/([1-9]\d{0,2}))?$/;

/** Reads the signed part of logs; entries beyond the newest checkpoint are never returned. */
@Injectable()
export class LogReader {
  constructor(
    private readonly em: EntityManager,
    private readonly storage: LogStorage,
  ) {}

  /** The current log; null before the first record of its project is sequenced. */
  find(log: string): Promise<StoredLog | null> {
    return findLog(this.em.fork(), log);
  }

  /** The log of an epoch, or the current one; null: none. */
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
    const address = parseTilePath(path);
    const found = address && (await this.findEpoch(log, epoch));
    const level = Math.max(0, address?.level ?? 0);
    const covered = found ? hashesAt(level, found.checkpointSize) : 0;
    if (!address || !found || address.index * TILE_WIDTH + address.width > covered)
      throw new DomainError('tile_not_found', 'The log has no such tile (yet).');
    // A superseded partial tile may be deleted; the newest one of its index begins with it.
    const newest = tileAddress(level, address.index * TILE_WIDTH, found.checkpointSize);
    const bytes = await this.storage.readTile(found.name, { ...newest, level: address.level });
    return bytes.subarray(0, tileLength(address));
  }

  /**
   * The proof that the tree of `to` leaves starts with the tree of `from` leaves (RFC 9162 §2.1.4).
   * @throws DomainError `log_size_unknown` (404) if the log is smaller, `validation_failed` (422)
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
    return this.createBuilder(found).consistencyProof(from, to);
  }

  /**
   * The signed statement of which log this log continues, with a proof that it is the first entry.
   * @throws DomainError `log_empty` (404) if it continues none, or is not signed yet
   */
  async continuation(log: string, epoch?: number): Promise<string> {
    const found = await this.findEpoch(log, epoch);
    if (!found?.continues || !found.checkpoint)
      throw new DomainError('log_empty', 'The log does not continue another one, or is not signed yet.');
    const path = await this.createBuilder(found).inclusionProof(0, found.checkpointSize);
    return writeTlogProof({
      extra: Buffer.from(found.continues),
      index: 0,
      path,
      checkpoint: found.checkpoint,
    });
  }

  /** A builder of proofs in the tree of the newest checkpoint, which contains every smaller tree. */
  createBuilder({ name, checkpointSize }: SignedLog): ProofBuilder {
    return new ProofBuilder(checkpointSize, (tile) => this.storage.readTile(name, tile));
  }

  usedKeys(): Promise<UsedKey[]> {
    return listUsedKeys(this.em.fork());
  }
}

function parseTilePath(path: string): TileAddress | null {
  const [, level, groups, width] = TILE_PATH.exec(path) ?? [];
  if (level === undefined || groups === undefined || Number(width ?? 1) >= TILE_WIDTH) return null;
  const index = Number(groups.replaceAll(/x|\//g, ''));
  if (!Number.isSafeInteger(index) || Number(level) > LEVELS_MAX) return null;
  return { level: level === 'entries' ? ENTRIES : Number(level), index, width: Number(width ?? TILE_WIDTH) };
}

/** The use of a key is stored at most this often, so its last signature may be this much later. */
const USE_STORED_EVERY_MS = 60_000;

/** The public keys of the logs, past and current. */
@Injectable()
export class PublishedKeys {
  constructor(
    private readonly logs: LogReader,
    private readonly signer: LogSigner,
  ) {}

  /**
   * One verifier key per line, each below a comment with the day of its first signature, and of its
   * last one once another key signs: the verifier rejects its signatures of later records.
   */
  async text(): Promise<string> {
    const signed = await this.logs.usedKeys();
    const current = this.signer.verifierLines(this.signer.logOrigin(ROOT_LOG));
    const currentSignedAt = lastUse(signed, current[0]);
    const lines = signed.flatMap(({ verifier, firstSignedAt, lastSignedAt }) => {
      const hasEnded = !isSameKey(verifier, current[0]) && lastSignedAt < currentSignedAt;
      const until = hasEnded ? `, until ${day(new Date(lastSignedAt.getTime() + USE_STORED_EVERY_MS))}` : '';
      return [`# signs since ${day(firstSignedAt)}${until}`, verifier];
    });
    const known = new Set(signed.map(({ verifier }) => verifier));
    for (const verifier of current) if (!known.has(verifier)) lines.push('# not used yet', verifier);
    return [
      "# Keys of this service's logs, for verify.cjs and other readers of C2SP signed notes.",
      ...lines,
      '',
    ].join('\n');
  }
}

/** When a key last signed, for any host; the epoch if it never did. */
function lastUse(signed: readonly { verifier: string; lastSignedAt: Date }[], key: string | undefined): Date {
  const uses = signed.filter(({ verifier }) => isSameKey(verifier, key));
  return new Date(Math.max(0, ...uses.map(({ lastSignedAt }) => lastSignedAt.getTime())));
}

/** A log that was started under another host uses the same key under another name. */
const isSameKey = (one: string, other: string | undefined): boolean =>
  other !== undefined && parseVerifier(one).publicKey.equals(parseVerifier(other).publicKey);

const day = (at: Date): string => at.toISOString().slice(0, 10);
