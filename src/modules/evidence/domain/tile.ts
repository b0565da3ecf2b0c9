import { HASH_BYTES } from './tree-hash.js';

/** Hashes of a full tile, which become one hash of the next level (C2SP tlog-tiles). */
export const TILE_WIDTH = 256;

/** Position of a tile. `width` is less than `TILE_WIDTH` only at the right edge of the tree. */
export interface TileAddress {
  /** 0: leaf hashes; a hash of each next level covers `TILE_WIDTH` times as many leaves. */
  level: number;
  index: number;
  width: number;
}

export interface Tile extends TileAddress {
  /** `width` concatenated hashes. */
  bytes: Buffer;
}

/** The path of a tile below the log's folder: `tile/0/x001/x234/067`, followed by `.p/5` if it has 5 hashes. */
export function tilePath({ level, index, width }: TileAddress): string {
  const suffix = width === TILE_WIDTH ? '' : `.p/${width}`;
  return `tile/${level}/${indexPath(index)}${suffix}`;
}

/** Groups of three digits, all but the last prefixed with `x`, so a folder has at most a thousand entries. */
function indexPath(index: number): string {
  const digits = String(index);
  const padded = digits.padStart(Math.ceil(digits.length / 3) * 3, '0');
  const groups = padded.match(/\d{3}/g) ?? [];
  return groups.map((group, at) => (at === groups.length - 1 ? group : `x${group}`)).join('/');
}

/**
 * The hashes of a tile.
 * @throws RangeError if its length is not a multiple of a hash
 */
export function splitHashes(bytes: Buffer): Buffer[] {
  if (bytes.length % HASH_BYTES !== 0) throw new RangeError(`a tile of ${bytes.length} bytes`);
  return Array.from({ length: bytes.length / HASH_BYTES }, (_none, at) =>
    bytes.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES),
  );
}

/** Number of hashes at a level in a tree of `size` leaves; only full subtrees count. */
export function hashesAt(level: number, size: number): number {
  return Math.floor(size / TILE_WIDTH ** level);
}

/** Address of the tile that contains a hash of a level, in a tree of `size` leaves. */
export function tileAddress(level: number, hashIndex: number, size: number): TileAddress {
  const index = Math.floor(hashIndex / TILE_WIDTH);
  const width = Math.min(TILE_WIDTH, hashesAt(level, size) - index * TILE_WIDTH);
  return { level, index, width };
}
