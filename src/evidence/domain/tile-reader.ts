import { hashesOf, type TileAddress, TILE_WIDTH, tileOf } from './tile.js';
import { foldOnto, perfectRoot } from './tree-hash.js';
import type { LeafRange } from './tree-proof.js';

/** Reads the bytes of a tile. */
export type ReadTile = (tile: TileAddress) => Promise<Buffer>;

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
  const hashes = hashesOf(await read(tile));
  const from = first - tile.index * TILE_WIDTH;
  return perfectRoot(hashes.slice(from, from + width / leavesPerHash));
}
