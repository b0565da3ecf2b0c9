import { type Tile, type TileAddress, TILE_WIDTH, hashesAt, tileOf } from './tile.js';
import { EMPTY_ROOT, foldOnto, perfectRoot } from './tree-hash.js';

/**
 * The right edge of a tree: all that is needed to append to it and to know its root. Each level has the hashes of its
 * last tile, where that is not full.
 */
export interface TreeEdge {
  size: number;
  levels: readonly (readonly Buffer[])[];
}

export const EMPTY_EDGE: TreeEdge = { size: 0, levels: [] };

/** The tiles at the right edge of a tree of `size` leaves, from the lowest level up; those that hold nothing are left out. */
export function edgeTiles(size: number): TileAddress[] {
  const tiles: TileAddress[] = [];
  for (let level = 0; hashesAt(level, size) > 0; level++) {
    const hashes = hashesAt(level, size);
    if (hashes % TILE_WIDTH > 0) tiles.push(tileOf(level, hashes - 1, size));
  }
  return tiles;
}

/** The root of the tree. */
export function rootOf({ levels }: TreeEdge): Buffer {
  return levels.reduce<Buffer | null>(foldOnto, null) ?? EMPTY_ROOT;
}

/**
 * Appends the hashes of leaves, in their order: the edge of the larger tree, and each tile that it has and the former one
 * had not, the full ones before the edge's.
 */
export function append(edge: TreeEdge, leaves: readonly Buffer[]): { edge: TreeEdge; tiles: Tile[] } {
  const levels = edge.levels.map((hashes) => [...hashes]);
  const full = levels.map((_hashes, level) => Math.floor(hashesAt(level, edge.size) / TILE_WIDTH));
  const tiles: Tile[] = [];
  for (const leaf of leaves) {
    let carried: Buffer | null = leaf;
    for (let level = 0; carried; level++) {
      const hashes: Buffer[] = (levels[level] ??= []);
      hashes.push(carried);
      carried = null;
      if (hashes.length < TILE_WIDTH) continue;
      const index = full[level] ?? 0;
      tiles.push({ level, index, width: TILE_WIDTH, bytes: Buffer.concat(hashes) });
      full[level] = index + 1;
      carried = perfectRoot(hashes);
      levels[level] = [];
    }
  }
  const size = edge.size + leaves.length;
  const former = new Set(edgeTiles(edge.size).map((tile) => JSON.stringify(tile)));
  for (const tile of edgeTiles(size)) {
    if (former.has(JSON.stringify(tile))) continue;
    tiles.push({ ...tile, bytes: Buffer.concat(levels[tile.level] ?? []) });
  }
  return { edge: { size, levels }, tiles };
}
