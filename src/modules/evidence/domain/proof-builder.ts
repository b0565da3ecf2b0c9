import { LRUCache } from 'lru-cache';
import { splitHashes, type TileAddress, TILE_WIDTH, tileAddress } from './tile.js';
import { foldOnto, HASH_BYTES, perfectRoot } from './tree-hash.js';
import { consistencyRanges, inclusionRanges, type LeafRange } from './tree-proof.js';

export type ReadTile = (tile: TileAddress) => Promise<Buffer>;

/** Cached tiles, of 8 kB each, and range roots: enough for some thousand neighboring leaves. */
const TILES_CACHED_MAX = 64;
const ROOTS_CACHED_MAX = 4_096;

/**
 * Builds proofs in one tree from its tiles. Proofs of neighboring leaves share most of their hashes, so tiles and range
 * roots are cached.
 */
export class ProofBuilder {
  private readonly tiles = new LRUCache<string, Promise<Buffer>>({ max: TILES_CACHED_MAX });
  private readonly roots = new LRUCache<string, Promise<Buffer>>({ max: ROOTS_CACHED_MAX });

  constructor(
    readonly size: number,
    private readonly readTile: ReadTile,
  ) {}

  /** The proof that a leaf is in the tree of the first `size` leaves. */
  inclusionProof(index: number, size: number): Promise<Buffer[]> {
    return this.computeRoots(inclusionRanges(index, size));
  }

  /** The proof that the tree of `to` leaves starts with the tree of `from` leaves. */
  consistencyProof(from: number, to: number): Promise<Buffer[]> {
    return this.computeRoots(consistencyRanges(from, to));
  }

  /** The root over a range of leaves, as a proof uses it. */
  computeRoot(range: LeafRange): Promise<Buffer> {
    // The hash of a single leaf would keep its whole tile in memory.
    if (range.end - range.start === 1) return this.readRoot(range);
    const key = `${range.start}-${range.end}`;
    const root = this.roots.get(key) ?? this.readRoot(range);
    this.roots.set(key, root);
    return root;
  }

  private computeRoots(ranges: readonly LeafRange[]): Promise<Buffer[]> {
    return Promise.all(ranges.map((range) => this.computeRoot(range)));
  }

  private readRoot(range: LeafRange): Promise<Buffer> {
    return rangeRoot(range, this.size, (tile) => {
      const key = `${tile.level}/${tile.index}`;
      const bytes = this.tiles.get(key) ?? this.readTile(tile);
      this.tiles.set(key, bytes);
      return bytes;
    });
  }
}

/**
 * The root over a range of leaves of a tree of `size`, from its tiles; the range must be one that
 * proofs use.
 */
async function rangeRoot({ start, end }: LeafRange, size: number, readTile: ReadTile): Promise<Buffer> {
  const blocks: Buffer[] = [];
  for (let at = start; at < end;) {
    const width = widestBlock(at, end);
    blocks.push(await blockRoot({ start: at, width }, size, readTile));
    at += width;
  }
  const root = blocks.reduceRight<Buffer | null>((right, block) => foldOnto(right, [block]), null);
  if (!root) throw new RangeError('a range without leaves has no root');
  return root;
}

/** Leaves of the widest perfect subtree that starts at `at` and ends no later than `end`. */
function widestBlock(at: number, end: number): number {
  let width = 1;
  while (at % (width * 2) === 0 && at + width * 2 <= end) width *= 2;
  return width;
}

/** A perfect subtree never extends beyond one tile of the level that it is read from. */
async function blockRoot(
  { start, width }: { start: number; width: number },
  size: number,
  readTile: ReadTile,
): Promise<Buffer> {
  let level = 0;
  while (width >= TILE_WIDTH ** (level + 1)) level++;
  const leavesPerHash = TILE_WIDTH ** level;
  const first = start / leavesPerHash;
  const tile = tileAddress(level, first, size);
  const from = first - tile.index * TILE_WIDTH;
  const bytes = (await readTile(tile)).subarray(
    from * HASH_BYTES,
    (from + width / leavesPerHash) * HASH_BYTES,
  );
  return perfectRoot(splitHashes(bytes));
}
