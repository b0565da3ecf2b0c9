import { bundleOf, ENTRIES, type LogEdge } from './log.js';
import { type Tile, TILE_WIDTH } from './tile.js';
import { append } from './tree-edge.js';
import { leafHash } from './tree-hash.js';

/** A log's edge behind further entries, with the tiles and bundles that it has now and had not before. */
export function appendEntries(edge: LogEdge, added: readonly Buffer[]): { edge: LogEdge; tiles: Tile[] } {
  const { edge: tree, tiles } = append(edge.tree, added.map(leafHash));
  const entries = [...edge.entries, ...added];
  const first = Math.floor(edge.tree.size / TILE_WIDTH);
  const bundles: Tile[] = [];
  for (let at = 0; at < entries.length; at += TILE_WIDTH) {
    const bundle = entries.slice(at, at + TILE_WIDTH);
    const index = first + at / TILE_WIDTH;
    bundles.push({ level: ENTRIES, index, width: bundle.length, bytes: bundleOf(bundle) });
  }
  const rest = entries.slice(entries.length - (tree.size % TILE_WIDTH));
  return {
    edge: { tree, entries: tree.size % TILE_WIDTH === 0 ? [] : rest },
    tiles: [...bundles, ...tiles],
  };
}
