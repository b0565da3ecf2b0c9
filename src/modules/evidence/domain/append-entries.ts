import { encodeBundle, ENTRIES, type LogEdge } from './log.js';
import { type Tile, TILE_WIDTH } from './tile.js';
import { append } from './compact-range.js';
import { leafHash } from './tree-hash.js';

/** Appends entries: the log's new edge, and the tiles and bundles that have become full. */
export function appendEntries(edge: LogEdge, added: readonly Buffer[]): { edge: LogEdge; full: Tile[] } {
  const { range: tree, tiles } = append(edge.tree, added.map(leafHash));
  const entries = [...edge.entries, ...added];
  const first = Math.floor(edge.tree.size / TILE_WIDTH);
  const rest = tree.size % TILE_WIDTH;
  const full = tiles.filter(({ width }) => width === TILE_WIDTH);
  for (let at = 0; at + TILE_WIDTH <= entries.length; at += TILE_WIDTH) {
    const bytes = encodeBundle(entries.slice(at, at + TILE_WIDTH));
    full.push({ level: ENTRIES, index: first + at / TILE_WIDTH, width: TILE_WIDTH, bytes });
  }
  return { edge: { tree, entries: entries.slice(entries.length - rest) }, full };
}
