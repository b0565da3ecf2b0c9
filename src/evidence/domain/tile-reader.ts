import { LRUCache } from 'lru-cache';
import { hashesOf, type TileAddress, TILE_WIDTH, tileOf } from './tile.js';
import { foldOnto, HASH_BYTES, perfectRoot } from './tree-hash.js';
import type { LeafRange } from './tree-proof.js';

/** Reads the bytes of a tile. */
export type ReadTile = (tile: TileAddress) => Promise<Buffer>;

/** Tiles of 8 kB, and roots, that a reader keeps: those of some thousand neighbours. */
const TILES_KEPT_MAX = 64;
const ROOTS_KEPT_MAX = 4_096;

/**
 * Reads the roots of ranges of one tree. Proofs of neighbours share nearly all of theirs, so what was read and hashed last is
 * kept, and each tile is read once for all that need it.
 */
export class TreeReader {
  private readonly tiles = new LRUCache<string, Promise<Buffer>>({ max: TILES_KEPT_MAX });
  private readonly roots = new LRUCache<string, Promise<Buffer>>({ max: ROOTS_KEPT_MAX });

  constructor(
    readonly size: number,
    private readonly read: ReadTile,
  ) {}

  /** The root over a range of leaves, one that a proof hashes over. */
  rootOf(range: LeafRange): Promise<Buffer> {
    // A leaf's hash is a part of its tile, which would be kept with it.
    if (range.end - range.start === 1) return this.compute(range);
    const key = `${range.start}-${range.end}`;
    const root = this.roots.get(key) ?? this.compute(range);
    this.roots.set(key, root);
    return root;
  }

  rootsOf(ranges: readonly LeafRange[]): Promise<Buffer[]> {
    return Promise.all(ranges.map((range) => this.rootOf(range)));
  }

  private compute(range: LeafRange): Promise<Buffer> {
    return rootOfRange(range, this.size, (tile) => {
      const key = `${tile.level}/${tile.index}`;
      const bytes = this.tiles.get(key) ?? this.read(tile);
      this.tiles.set(key, bytes);
      return bytes;
    });
  }
}

/** The root over a range of leaves of a tree of `size`, from its tiles. The range is one that a proof hashes over. */
export async function rootOfRange({ start, end }: LeafRange, size: number, read: ReadTile): Promise<Buffer> {
  const blocks: Buffer[] = [];
  for (let at = start; at < end;) {
    const width = widestBlock(at, end);
    blocks.push(await rootOfBlock(at, width, size, read));
    at += width;
  }
  const root = blocks.reduceRight<Buffer | null>((right, block) => foldOnto(right, [block]), null);
  if (!root) throw new RangeError('a range without leaves has no root');
  return root;
}

/** Leaves of the widest perfect subtree that begins at `at` and ends no later than `end`. */
function widestBlock(at: number, end: number): number {
  let width = 1;
  while (at % (width * 2) === 0 && at + width * 2 <= end) width *= 2;
  return width;
}

/** A perfect subtree never reaches beyond one tile of the level that it is read from. */
async function rootOfBlock(at: number, width: number, size: number, read: ReadTile): Promise<Buffer> {
  let level = 0;
  while (width >= TILE_WIDTH ** (level + 1)) level++;
  const leavesPerHash = TILE_WIDTH ** level;
  const first = at / leavesPerHash;
  const tile = tileOf(level, first, size);
  const from = first - tile.index * TILE_WIDTH;
  const bytes = (await read(tile)).subarray(from * HASH_BYTES, (from + width / leavesPerHash) * HASH_BYTES);
  return perfectRoot(hashesOf(bytes));
}
