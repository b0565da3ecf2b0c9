import { HASH_BYTES } from './tree-hash.js';

/** Hashes of a full tile; a tile of a level stands for one hash of the level above (C2SP tlog-tiles). */
export const TILE_WIDTH = 256;

/** Where a tile stands. `width` is less than `TILE_WIDTH` at the right edge of the tree alone. */
export interface TileAddress {
  /** 0: hashes of leaves; each level above stands for `TILE_WIDTH` times as many leaves. */
  level: number;
  index: number;
  width: number;
}

export interface Tile extends TileAddress {
  /** `width` hashes, one behind the other. */
  bytes: Buffer;
}

/** The path of a tile below the log's folder: `tile/0/x001/x234/067`, with `.p/5` behind it where it holds 5 hashes. */
export function tilePath({ level, index, width }: TileAddress): string {
  const suffix = width === TILE_WIDTH ? '' : `.p/${width}`;
  return `tile/${level}/${indexPath(index)}${suffix}`;
}

/** Groups of three digits, all but the last behind an `x`, so that no folder holds more than a thousand. */
function indexPath(index: number): string {
  const digits = String(index);
  const padded = digits.padStart(Math.ceil(digits.length / 3) * 3, '0');
  const groups = padded.match(/\d{3}/g) ?? [];
  return groups.map((group, at) => (at === groups.length - 1 ? group : `x${group}`)).join('/');
}

/** The hashes of a tile. @throws RangeError where its bytes are no hashes. */
export function hashesOf(bytes: Buffer): Buffer[] {
  if (bytes.length % HASH_BYTES !== 0) throw new RangeError(`a tile of ${bytes.length} bytes`);
  return Array.from({ length: bytes.length / HASH_BYTES }, (_none, at) =>
    bytes.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES),
  );
}

/** How many hashes a level has in a tree of `size` leaves: those of full subtrees alone. */
export function hashesAt(level: number, size: number): number {
  return Math.floor(size / TILE_WIDTH ** level);
}

/** The tile that holds a hash of a level, as it stands in a tree of `size` leaves. */
export function tileOf(level: number, hashIndex: number, size: number): TileAddress {
  const index = Math.floor(hashIndex / TILE_WIDTH);
  const width = Math.min(TILE_WIDTH, hashesAt(level, size) - index * TILE_WIDTH);
  return { level, index, width };
}
