import { type Tile, type TileAddress, TILE_WIDTH, hashesAt, tileAddress } from './tile.js';
import { EMPTY_ROOT, foldOnto, perfectRoot } from './tree-hash.js';

/**
 * The hashes at the right edge of a tree, sufficient to append to it and to compute its root. For
 * each level, the hashes of its last tile unless that tile is full.
 */
export interface CompactRange {
  size: number;
  levels: readonly (readonly Buffer[])[];
}

export const EMPTY_RANGE: CompactRange = { size: 0, levels: [] };

/** The partial tiles of a tree of `size` leaves, from the lowest level up; empty ones are omitted. */
export function partialTileAddresses(size: number): TileAddress[] {
  const tiles: TileAddress[] = [];
  for (let level = 0; hashesAt(level, size) > 0; level++) {
    const hashes = hashesAt(level, size);
    if (hashes % TILE_WIDTH > 0) tiles.push(tileAddress(level, hashes - 1, size));
  }
  return tiles;
}

export function computeRoot({ levels }: CompactRange): Buffer {
  return levels.reduce<Buffer | null>(foldOnto, null) ?? EMPTY_ROOT;
}

/**
 * Appends leaf hashes in order. Returns the range of the larger tree, and the tiles that it has and the former tree did
 * not have, full tiles first.
 */
export function append(
  former: CompactRange,
  leaves: readonly Buffer[],
): { range: CompactRange; tiles: Tile[] } {
  const { levels, full: tiles } = appendLeaves(former, leaves);
  const size = former.size + leaves.length;
  const known = new Set(partialTileAddresses(former.size).map((tile) => JSON.stringify(tile)));
  for (const tile of partialTileAddresses(size)) {
    if (known.has(JSON.stringify(tile))) continue;
    tiles.push({ ...tile, bytes: Buffer.concat(levels[tile.level] ?? []) });
  }
  return { range: { size, levels }, tiles };
}

/** Appends leaf by leaf; a tile that becomes full moves one hash up to the next level. */
function appendLeaves(former: CompactRange, leaves: readonly Buffer[]): { levels: Buffer[][]; full: Tile[] } {
  const levels = former.levels.map((hashes) => [...hashes]);
  const fullCounts = levels.map((_hashes, level) => Math.floor(hashesAt(level, former.size) / TILE_WIDTH));
  const full: Tile[] = [];
  for (const leaf of leaves) {
    let carried: Buffer | null = leaf;
    for (let level = 0; carried; level++) {
      const hashes: Buffer[] = (levels[level] ??= []);
      hashes.push(carried);
      carried = null;
      if (hashes.length < TILE_WIDTH) continue;
      const index = fullCounts[level] ?? 0;
      full.push({ level, index, width: TILE_WIDTH, bytes: Buffer.concat(hashes) });
      fullCounts[level] = index + 1;
      carried = perfectRoot(hashes);
      levels[level] = [];
    }
  }
  return { levels, full };
}
