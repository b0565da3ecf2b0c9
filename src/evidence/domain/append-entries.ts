import { bundleOf, ENTRIES, type LogEdge } from './log.js';
import { type Tile, TILE_WIDTH } from './tile.js';
import { append } from './tree-edge.js';
import { leafHash } from './tree-hash.js';

/** A log's edge behind further entries, and the tiles and bundles that are full then and were not before. */
export function appendEntries(edge: LogEdge, added: readonly Buffer[]): { edge: LogEdge; full: Tile[] } {
  const { edge: tree, tiles } = append(edge.tree, added.map(leafHash));
  const entries = [...edge.entries, ...added];
  const first = Math.floor(edge.tree.size / TILE_WIDTH);
  const rest = tree.size % TILE_WIDTH;
  const full = tiles.filter(({ width }) => width === TILE_WIDTH);
  for (let at = 0; at + TILE_WIDTH <= entries.length; at += TILE_WIDTH) {
    const bytes = bundleOf(entries.slice(at, at + TILE_WIDTH));
    full.push({ level: ENTRIES, index: first + at / TILE_WIDTH, width: TILE_WIDTH, bytes });
  }
  return { edge: { tree, entries: entries.slice(entries.length - rest) }, full };
}
